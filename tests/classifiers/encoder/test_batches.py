"""Texts as tokens, in batches."""

from __future__ import annotations

from typing import Any

from classifiers.encoder.made import labelled, tokenizer
from evenhand.classifiers.encoder.batches import Tokens


def test_tokenizers_without_a_fast_one() -> None:
    fast = tokenizer()

    class Slow:
        """The same tokens, one text after another."""

        unk_token_id = fast.unk_token_id

        def __call__(self, texts: list[str], **options: Any) -> dict[str, list[list[int]]]:
            return {"input_ids": [fast(text, **options)["input_ids"] for text in texts]}

    texts = labelled().texts[:6]
    first, second = (Tokens.from_texts(texts, one, 12) for one in (fast, Slow()))
    assert first.flat.tolist() == second.flat.tolist()
    assert first.lengths.tolist() == second.lengths.tolist()
    assert max(first.lengths) == 12
