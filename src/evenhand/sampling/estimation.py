"""From labelled draws to an estimate: one stratified draw, or the batches of the default design.

Items that nobody could label are left out of the mean of their stratum. Where that leaves a stratum with less than two
labels it is joined to its neighbour, so that every mean has a variance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from evenhand import arrays
from evenhand.arrays import Bools, Floats, Ints
from evenhand.errors import InputError
from evenhand.intervals.survey import Sampled, together
from evenhand.sampling.batches import Labelled, gathered, learned
from evenhand.sampling.drawing import Draw
from evenhand.sampling.frame import Frame

FEWEST = 2  # labels of a stratum, unless all of it is labelled


def of_draw(draw: Draw, label: npt.ArrayLike) -> Sampled:
    """The stratified estimate of one draw, labels in the order of its rows."""
    return Sampled.of(arrays.labels(label, size=len(draw.rows)), draw.strata, draw.sizes)


def of_batches(frame: Frame, past: Sequence[Labelled], weights: npt.ArrayLike, *, group: int | None = None) -> Sampled:
    """The default design's estimate: that of each batch, with weights fixed beforehand (`ScoreDriven.weights`).

    With `group`, the share among the items of one group of the frame.
    """
    return _combined(frame, past, _checked(past, weights), group=group)


def difference_of_batches(frame: Frame, past: Sequence[Labelled], weights: npt.ArrayLike) -> Sampled:
    """The same by the difference estimate: expected violations, and what the labels say beyond them."""
    return _combined(frame, past, _checked(past, weights), beyond=True)


def row_weights(past: Sequence[Labelled], weights: npt.ArrayLike) -> list[Floats]:
    """How many items each labelled row stands for in the combined estimate, batch by batch.

    A row counts with its weight in its own batch, and for itself in all later ones, which were drawn from the rest.
    """
    part = _checked(past, weights)
    found = []
    for done, own, after in zip(past, part, 1.0 - np.cumsum(part), strict=True):
        joined = Joined.of(done.batch.draw)
        each = (own * joined.sizes + after * joined.drawn) / np.bincount(joined.strata, minlength=len(joined.sizes))
        found.append(each[joined.strata])
    return found


@dataclass(frozen=True)
class Joined:
    """Strata with labels enough: the one of each label, items and drawn items of each, and where old ones went."""

    strata: Ints
    sizes: Ints
    drawn: Ints
    into: Ints

    @classmethod
    def of(cls, draw: Draw) -> Joined:
        """Strata that lack labels join the one before them, the first ones that after them."""
        counts = np.bincount(draw.strata, minlength=len(draw.sizes))
        into, told, size = np.zeros(len(counts), dtype=np.int64), 0, 0
        for stratum in range(len(counts)):
            if stratum and enough(told, size):
                into[stratum] = into[stratum - 1] + 1
                told = size = 0
            elif stratum:
                into[stratum] = into[stratum - 1]
            told, size = told + int(counts[stratum]), size + int(draw.sizes[stratum])
        if not enough(told, size):  # the last joins what is before it
            into[into == into[-1]] = max(into[-1] - 1, 0)
        sizes, drawn = (np.bincount(into, part).astype(np.int64) for part in (draw.sizes, draw.counts))
        if not enough(int(counts.sum()), int(draw.sizes.sum())):
            raise InputError(f"{counts.sum()} labels of {draw.sizes.sum()} items are too few to estimate from")
        return cls(into[draw.strata], sizes, drawn, into)

    def heaped(self, part: npt.NDArray[np.float64 | np.int64]) -> Floats:
        """A number of each old stratum, added up."""
        return np.bincount(self.into, part).astype(np.float64)


def enough(told: int, size: int) -> bool:
    """Whether so many labels show a stratum's variance."""
    return told >= FEWEST or told == size


def _combined(
    frame: Frame, past: Sequence[Labelled], weights: Floats, *, beyond: bool = False, group: int | None = None
) -> Sampled:
    inside: Bools = np.ones(len(frame.sizes), dtype=np.bool_) if group is None else frame.groups == group
    items, spread, parts, known = int(frame.sizes[inside].sum()), _spread(frame, past), [], 0.0
    for done, part in zip(past, weights, strict=True):
        batch, joined = done.batch, Joined.of(done.batch.draw)
        label = done.label * inside[frame.cell_of(batch.places)]
        value = label - batch.expected if beyond else label
        sampled = Sampled.of(value, joined.strata, joined.sizes)
        sizes, model = (
            joined.heaped(np.add.reduceat(amount, batch.firsts)) for amount in (frame.sizes * inside, spread * inside)
        )
        beside = float(batch.draw.sizes @ batch.means) if beyond else 0.0
        sampled = replace(sampled, expected=model / np.maximum(sizes, 1.0), hits=float(label.sum()))
        scale = part * batch.draw.sizes.sum() / items
        parts.append(sampled.only(sizes > 0.0).scaled(scale, known=part * (known + beside) / items))
        known += _drawn(label, joined)
    return together(parts)


def _drawn(label: Floats, joined: Joined) -> float:
    """Violations among all drawn items, those without a label like the others of their stratum."""
    told = np.bincount(joined.strata, minlength=len(joined.sizes))
    return float(np.bincount(joined.strata, label, minlength=len(joined.sizes)) / np.maximum(told, 1) @ joined.drawn)


def _spread(frame: Frame, past: Sequence[Labelled]) -> Floats:
    """The variance of a label in each cell, times its items, by what all labels say of the score."""
    chance = learned(frame, *gathered(past)).chance(frame.logits)
    return chance * (1.0 - chance) * frame.sizes


def _checked(past: Sequence[Labelled], weights: npt.ArrayLike) -> Floats:
    part = arrays.numbers(weights, "weights", size=len(past))
    if abs(part.sum() - 1.0) > 1e-9:
        raise InputError("the weights of the batches must add up to 1")
    return part
