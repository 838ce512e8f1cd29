"""How probable a language model finds each of some continuations of a prompt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from evenhand.classifiers.adapters.buckets import buckets, padded
from evenhand.classifiers.adapters.extras import library
from evenhand.classifiers.protocol import Floats

Asked = tuple[list[int], list[list[int]]]  # the tokens of a prompt, and of each of its continuations


@dataclass(frozen=True)
class Continuations:
    """A causal language model that is asked for probabilities only.

    Rows are filled up at their end: in a causal model nothing that comes after a position can change it, whatever way
    the model counts positions. `sparse`: the model can be asked for the logits of some positions alone.
    """

    model: Any = field(repr=False)
    at_once: int
    sparse: bool

    def log_probabilities(self, asked: Sequence[Asked]) -> Floats:
        """[prompts, continuations]: the sum of the log-probabilities of all tokens of each continuation."""
        found = np.empty((len(asked), len(asked[0][1])))
        places = _places(asked)
        inputs = list(places)
        for rows in buckets([len(row) for row in inputs], self.at_once):
            batch = [inputs[row] for row in rows]
            logs, column = self._logs(batch, [_first(asked, places[row]) for row in batch])
            for number, row in enumerate(batch):
                for prompt, word in places[row]:
                    start = len(asked[prompt][0]) - 1
                    tokens = asked[prompt][1][word]
                    at = [column[start + step] for step in range(len(tokens))]
                    found[prompt, word] = float(logs[number, at, tokens].sum())
        return found

    def _logs(self, batch: Sequence[tuple[int, ...]], starts: Sequence[int]) -> tuple[Any, dict[int, int]]:
        """Log-probabilities of the next token, at those positions that some row needs: [rows, positions, tokens]."""
        torch = library("torch")
        ids, mask = padded(batch, 0)
        needed = sorted({at for start, row in zip(starts, batch, strict=True) for at in range(start, len(row))})
        keep = torch.tensor(needed, device=self.model.device)
        given = {"input_ids": ids.to(self.model.device), "attention_mask": mask.to(self.model.device)}
        with torch.inference_mode():
            if self.sparse:
                logits = self.model(**given, logits_to_keep=keep, use_cache=False).logits
            else:
                logits = self.model(**given, use_cache=False).logits[:, keep]
            logs = torch.log_softmax(logits.float(), dim=-1).cpu()
        return logs, {at: number for number, at in enumerate(needed)}


def _places(asked: Sequence[Asked]) -> dict[tuple[int, ...], list[tuple[int, int]]]:
    """What the model must read, once each, and which continuations it answers.

    The last token of a continuation is never read, only predicted: answers of one token all need the prompt alone.
    """
    places: dict[tuple[int, ...], list[tuple[int, int]]] = {}
    for number, (prompt, words) in enumerate(asked):
        for word, tokens in enumerate(words):
            places.setdefault((*prompt, *tokens[:-1]), []).append((number, word))
    return places


def _first(asked: Sequence[Asked], places: list[tuple[int, int]]) -> int:
    """The first position whose prediction is needed."""
    return min(len(asked[prompt][0]) for prompt, _ in places) - 1
