"""Texts as numbers: the tokens of all texts in one row, cut at a length, and where each text begins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from evenhand.classifiers.adapters.directory import readable
from evenhand.errors import InputError
from evenhand.progress import Progress, silent

Ints = npt.NDArray[np.int64]
PORTION = 10_000


@dataclass(frozen=True)
class Tokens:
    """`flat` are the tokens, `lengths` how many each text has."""

    flat: npt.NDArray[np.int32]
    lengths: Ints

    @classmethod
    def of(cls, texts: Sequence[str], tokenizer: Any, longest: int, progress: Progress = silent) -> Tokens:
        """What is longer is cut at its end."""
        rows: list[npt.NDArray[np.int32]] = []
        nothing = [int(tokenizer.unk_token_id or 0)]  # of a text in which the tokenizer finds none
        for start in range(0, len(texts), PORTION):
            progress("reading words", start, len(texts))
            given = [readable(text) for text in texts[start : start + PORTION]]
            rows += [np.asarray(row or nothing, dtype=np.int32) for row in _read(given, tokenizer, longest)]
        lengths = np.fromiter((len(row) for row in rows), dtype=np.int64, count=len(rows))
        return cls(np.concatenate([np.empty(0, dtype=np.int32), *rows]), lengths)

    @property
    def starts(self) -> Ints:
        """Where each text begins."""
        return np.cumsum(self.lengths) - self.lengths


def _read(texts: list[str], tokenizer: Any, longest: int) -> list[list[int]]:
    """The tokens of each text. A fast tokenizer is asked directly: its wrapping takes longer than itself."""
    fast = getattr(tokenizer, "backend_tokenizer", None)
    if fast is None:
        return list(tokenizer(texts, truncation=True, max_length=longest)["input_ids"])
    fast.enable_truncation(longest)
    fast.no_padding()
    try:
        return [row.ids for row in fast.encode_batch_fast(texts)]
    except Exception as error:  # tokenizers knows no other class
        raise InputError(f"the tokenizer cannot read texts: {error}") from None
    finally:
        fast.no_truncation()
