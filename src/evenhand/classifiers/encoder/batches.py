"""Which texts are learnt from together: texts of like length, every member in an order of its own.

All batches have the same number of texts and one of a few widths, so that a step can be recorded once for each width.
Members have as many texts of each width as one another, and take the widths in the same order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from evenhand.classifiers.encoder.tokens import Ints, Tokens

WIDTHS = (16, 32, 48, 64, 96, 128, 192, 256, 384, 512)
NOBODY = -1


@dataclass(frozen=True)
class Batch:
    """Rows [members, texts] of one width; `NOBODY` fills up the last batch and counts for nothing."""

    width: int
    rows: Ints


@dataclass(frozen=True)
class Order:
    """In which order members see the texts."""

    lengths: Ints
    size: int
    seed: int
    numbers: Sequence[int]

    @classmethod
    def of(cls, tokens: Tokens, size: int, seed: int, numbers: Sequence[int]) -> Order:
        """With batches no larger than there are texts."""
        return cls(tokens.lengths, min(size, len(tokens.lengths)), seed, numbers)

    @property
    def steps(self) -> int:
        """In one epoch."""
        return -(-len(self.lengths) // self.size)

    def epoch(self, number: int) -> list[Batch]:
        """Every text once for each member."""
        each = [list(self._cut(member, number)) for member in self.numbers]
        joined = [Batch(parts[0].width, np.stack([part.rows for part in parts])) for parts in zip(*each, strict=True)]
        turn = np.random.default_rng([self.seed, number]).permutation(len(joined))
        return [joined[at] for at in turn]

    def _cut(self, member: int, epoch: int) -> Iterator[Batch]:
        """Batches of one member, shortest first; what does not fill a batch goes with the next longer ones."""
        order = np.random.default_rng([self.seed, epoch, member, 1]).permutation(len(self.lengths))
        widths = self._widths()
        at = np.searchsorted(widths, self.lengths[order])
        left = np.empty(0, dtype=np.int64)
        for number, width in enumerate(widths):
            rows = np.concatenate([left, order[at == number]])
            full = len(rows) // self.size * self.size
            for start in range(0, full, self.size):
                yield Batch(width, rows[start : start + self.size])
            left = rows[full:]
        if len(left):
            fill = np.full(self.size - len(left), NOBODY, dtype=np.int64)
            yield Batch(widths[-1], np.concatenate([left, fill]))

    def _widths(self) -> list[int]:
        longest = int(self.lengths.max(initial=1))
        return [*(width for width in WIDTHS if width < longest), longest]


class Shelf:
    """The tokens on the device where the work is done, and batches taken from it without a copy from outside."""

    def __init__(self, tokens: Tokens, device: torch.device, padding: int) -> None:
        self.flat = torch.from_numpy(tokens.flat.astype(np.int64)).to(device)
        self.starts = torch.from_numpy(tokens.starts).to(device)
        self.lengths = torch.from_numpy(tokens.lengths).to(device)
        self.padding = padding

    def take(self, rows: Tensor, width: int) -> tuple[Tensor, Tensor]:
        """Ids and mask [texts, width] of some rows; nobody's row is the first one's."""
        given = rows.clamp(min=0)
        along = torch.arange(width, device=rows.device)
        mask = along < self.lengths[given].unsqueeze(1)
        places = (self.starts[given].unsqueeze(1) + along).clamp(max=len(self.flat) - 1)
        return torch.where(mask, self.flat[places], self.padding), mask.long()
