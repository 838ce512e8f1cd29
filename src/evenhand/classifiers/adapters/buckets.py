"""Texts of like length together, so that little is computed on padding; answers go back into the order of the texts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from evenhand.classifiers.adapters.extras import library

TOKENS = 16_384  # in one batch, padding included: about what a laptop holds beside a base-size model


def buckets(lengths: Sequence[int], most: int, *, even: bool = False) -> Iterator[list[int]]:
    """Row numbers in batches of at most `most`, longest first: if memory is short, that shows at once.

    With `even` the rows of a batch have one length, for models that must not see padding.
    """
    order = sorted(range(len(lengths)), key=lambda row: -lengths[row])
    start = 0
    while start < len(order):
        length = lengths[order[start]]
        rows = order[start : start + max(1, min(most, TOKENS // max(1, length)))]
        if even:
            rows = [row for row in rows if lengths[row] == length]
        yield rows
        start += len(rows)


def padded(tokens: Sequence[Sequence[int]], padding: int) -> tuple[Any, Any]:
    """Rows of one length, filled up at their end, and the mask of what is text."""
    torch = library("torch")
    width = max(1, max(len(row) for row in tokens))
    ids = torch.full((len(tokens), width), padding, dtype=torch.long)
    mask = torch.zeros_like(ids)
    for number, row in enumerate(tokens):
        ids[number, : len(row)] = torch.tensor(row, dtype=torch.long)
        mask[number, : len(row)] = 1
    return ids, mask
