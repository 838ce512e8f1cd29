"""Texts as tokens, and the batches of training: texts of similar length, in a separate order for every member.

All batches have the same number of texts and one of a few widths, so that a step can be recorded once for each width.
All members have the same number of texts of each width, and take the widths in the same order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from evenhand.arrays import Ints
from evenhand.classifiers.adapters.pretrained import Tokenizer, replace_surrogates
from evenhand.errors import InputError
from evenhand.progress import Progress, silent

TEXTS_AT_ONCE = 10_000


@dataclass(frozen=True)
class Tokens:
    """`flat` are the tokens, `lengths` how many each text has."""

    flat: npt.NDArray[np.int32]
    lengths: Ints

    @classmethod
    def from_texts(
        cls, texts: Sequence[str], tokenizer: Tokenizer, longest: int, progress: Progress = silent
    ) -> Tokens:
        """What is longer is cut at its end."""
        rows: list[npt.NDArray[np.int32]] = []
        nothing = [int(tokenizer.unk_token_id or 0)]  # of a text in which the tokenizer finds none
        for start in range(0, len(texts), TEXTS_AT_ONCE):
            progress("reading words", start, len(texts))
            readable = [replace_surrogates(text) for text in texts[start : start + TEXTS_AT_ONCE]]
            rows += [np.asarray(row or nothing, dtype=np.int32) for row in _tokenise(readable, tokenizer, longest)]
        lengths = np.fromiter((len(row) for row in rows), dtype=np.int64, count=len(rows))
        return cls(np.concatenate([np.empty(0, dtype=np.int32), *rows]), lengths)

    @property
    def starts(self) -> Ints:
        """Where each text begins."""
        return np.cumsum(self.lengths) - self.lengths


def _tokenise(texts: list[str], tokenizer: Tokenizer, longest: int) -> list[list[int]]:
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


WIDTHS = (16, 32, 48, 64, 96, 128, 192, 256, 384, 512)
NO_TEXT = -1


@dataclass(frozen=True)
class TokenBatch:
    """Rows [members, texts] of one width; `NOBODY` fills up the last batch and counts for nothing."""

    width: int
    rows: Ints


@dataclass(frozen=True)
class BatchOrder:
    """In which order members see the texts."""

    lengths: Ints
    size: int
    seed: int
    numbers: Sequence[int]

    @classmethod
    def from_tokens(cls, tokens: Tokens, size: int, seed: int, numbers: Sequence[int]) -> BatchOrder:
        """With batches no larger than there are texts."""
        return cls(tokens.lengths, min(size, len(tokens.lengths)), seed, numbers)

    @property
    def steps(self) -> int:
        """In one epoch."""
        return -(-len(self.lengths) // self.size)

    def epoch(self, number: int) -> list[TokenBatch]:
        """Every text once for each member."""
        each = [list(self._cut(member, number)) for member in self.numbers]
        joined = [
            TokenBatch(parts[0].width, np.stack([part.rows for part in parts])) for parts in zip(*each, strict=True)
        ]
        turn = np.random.default_rng([self.seed, number]).permutation(len(joined))
        return [joined[at] for at in turn]

    def _cut(self, member: int, epoch: int) -> Iterator[TokenBatch]:
        """Batches of one member, shortest first; what does not fill a batch goes with the next longer ones."""
        order = np.random.default_rng([self.seed, epoch, member, 1]).permutation(len(self.lengths))
        widths = self._widths()
        at = np.searchsorted(widths, self.lengths[order])
        left = np.empty(0, dtype=np.int64)
        for number, width in enumerate(widths):
            rows = np.concatenate([left, order[at == number]])
            full = len(rows) // self.size * self.size
            for start in range(0, full, self.size):
                yield TokenBatch(width, rows[start : start + self.size])
            left = rows[full:]
        if len(left):
            fill = np.full(self.size - len(left), NO_TEXT, dtype=np.int64)
            yield TokenBatch(widths[-1], np.concatenate([left, fill]))

    def _widths(self) -> list[int]:
        longest = int(self.lengths.max(initial=1))
        return [*(width for width in WIDTHS if width < longest), longest]


class DeviceTokens:
    """The tokens on the device where the work is done, and batches taken from it without a copy from outside."""

    def __init__(self, tokens: Tokens, device: torch.device, padding: int) -> None:
        self.flat = torch.from_numpy(tokens.flat.astype(np.int64)).to(device)
        self.starts = torch.from_numpy(tokens.starts).to(device)
        self.lengths = torch.from_numpy(tokens.lengths).to(device)
        self.padding = padding

    def take(self, rows: Tensor, width: int) -> tuple[Tensor, Tensor]:
        """Ids and mask [texts, width] of some rows; nobody's row is the first one's."""
        items = rows.clamp(min=0)
        along = torch.arange(width, device=rows.device)
        mask = along < self.lengths[items].unsqueeze(1)
        places = (self.starts[items].unsqueeze(1) + along).clamp(max=len(self.flat) - 1)
        return torch.where(mask, self.flat[places], self.padding), mask.long()
