"""From labelled draws to an estimate: of one stratified draw, or of the batches of the score-driven design.

Items that nobody could label are left out of the mean of their stratum. A stratum left with fewer than two labels is
joined to its neighbour, so that every mean has a variance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from evenhand import arrays
from evenhand.arrays import Floats, Ints
from evenhand.errors import InputError
from evenhand.intervals.sampled_labels import SampledLabels
from evenhand.intervals.survey_estimators import StratifiedSample, combine_batches
from evenhand.sampling.batches import LabelledBatch, gather_labels, recalibrate_frame
from evenhand.sampling.drawing import StratifiedDraw
from evenhand.sampling.frame import SamplingFrame

FEWEST_LABELS = 2  # labels of a stratum, unless all of it is labelled


def estimate_draw(draw: StratifiedDraw, label: npt.ArrayLike) -> StratifiedSample:
    """The stratified estimate of one draw, labels in the order of its rows.

    >>> draw = eh.sampling.draw_simple(1000, 50, seed=1)
    >>> sample = eh.sampling.estimate_draw(draw, [1] * 10 + [0] * 40)
    >>> round(sample.figure().value, 3)
    0.2
    """
    return StratifiedSample.from_values(arrays.labels(label, size=len(draw.rows)), draw.strata, draw.sizes)


def estimate_batches(
    frame: SamplingFrame, past: Sequence[LabelledBatch], weights: npt.ArrayLike, *, group: int | None = None
) -> StratifiedSample:
    """The default design's estimate: that of each batch, with weights fixed beforehand (`ScoreDriven.weights`).

    With `group`, the share among the items of one group of the frame.

    >>> score = np.linspace(0.01, 0.99, 400)
    >>> frame = eh.sampling.SamplingFrame.of(score)
    >>> batch = eh.sampling.next_batch(frame, [], 100, seed=1)
    >>> labels = (score[batch.draw.rows] > 0.5).astype(float)
    >>> past = [eh.sampling.LabelledBatch(batch, labels)]
    >>> round(float(eh.sampling.estimate_batches(frame, past, [1.0]).figure().value), 2)
    0.5
    """
    if group is None:
        return _combined(frame, past, _checked_weights(past, weights))
    places, label = gather_labels(past)
    return label_draws(frame, past, weights).sample(label, frame.groups[frame.cell_of(places)] == group)


def estimate_by_difference(
    frame: SamplingFrame, past: Sequence[LabelledBatch], weights: npt.ArrayLike
) -> StratifiedSample:
    """The same by the difference estimate: expected violations, and what the labels say beyond them.

    >>> score = np.linspace(0.01, 0.99, 400)
    >>> frame = eh.sampling.SamplingFrame.of(score)
    >>> batch = eh.sampling.next_batch(frame, [], 100, seed=1)
    >>> labels = (score[batch.draw.rows] > 0.5).astype(float)
    >>> past = [eh.sampling.LabelledBatch(batch, labels)]
    >>> round(float(eh.sampling.estimate_by_difference(frame, past, [1.0]).figure().value), 2)
    0.5
    """
    return _combined(frame, past, _checked_weights(past, weights), beyond=True)


def row_weights(past: Sequence[LabelledBatch], weights: npt.ArrayLike) -> list[Floats]:
    """How many items each labelled row stands for in the combined estimate, batch by batch.

    A row counts with its weight in its own batch, and for itself in all later ones, which were drawn from the rest.

    >>> score = np.linspace(0.01, 0.99, 400)
    >>> frame = eh.sampling.SamplingFrame.of(score)
    >>> batch = eh.sampling.next_batch(frame, [], 100, seed=1)
    >>> labels = (score[batch.draw.rows] > 0.5).astype(float)
    >>> past = [eh.sampling.LabelledBatch(batch, labels)]
    >>> round(float(eh.sampling.row_weights(past, [1.0])[0].sum()), 6)
    400.0
    """
    part = _checked_weights(past, weights)
    weights_by_batch = []
    for done, own, after in zip(past, part, 1.0 - np.cumsum(part), strict=True):
        joined = JoinedStrata.from_draw(done.batch.draw)
        each = (own * joined.sizes + after * joined.drawn) / np.bincount(joined.strata, minlength=len(joined.sizes))
        weights_by_batch.append(each[joined.strata])
    return weights_by_batch


def label_draws(frame: SamplingFrame, past: Sequence[LabelledBatch], weights: npt.ArrayLike) -> SampledLabels:
    """What an interval needs to know of the draw of each label, batch after batch."""
    part, spread, columns, strata = _checked_weights(past, weights), _spread(frame, past), [], 0
    for done, own, stands_for in zip(past, part, row_weights(past, weights), strict=True):
        joined, firsts = JoinedStrata.from_draw(done.batch.draw), done.batch.firsts
        items, model = (joined.heaped(np.add.reduceat(amount, firsts)) for amount in (frame.sizes, spread))
        of = joined.strata
        columns.append((stands_for, of + strata, *joined.carried(own), (model / np.maximum(items, 1.0))[of]))
        strata += len(joined.sizes)
    return SampledLabels(*(np.concatenate(column) for column in zip(*columns, strict=True)))


@dataclass(frozen=True)
class JoinedStrata:
    """Strata with labels enough: the one of each label, items and drawn items of each, and where old ones went."""

    strata: Ints
    sizes: Ints
    drawn: Ints
    into: Ints

    @classmethod
    def from_draw(cls, draw: StratifiedDraw) -> JoinedStrata:
        """Strata that lack labels join the one before them, the first ones that after them."""
        counts = np.bincount(draw.strata, minlength=len(draw.sizes))
        into, labels, size = np.zeros(len(counts), dtype=np.int64), 0, 0
        for stratum in range(len(counts)):
            if stratum and enough_labels(labels, size):
                into[stratum] = into[stratum - 1] + 1
                labels = size = 0
            elif stratum:
                into[stratum] = into[stratum - 1]
            labels, size = labels + int(counts[stratum]), size + int(draw.sizes[stratum])
        if not enough_labels(labels, size):  # the last joins what is before it
            into[into == into[-1]] = max(into[-1] - 1, 0)
        sizes, drawn = (np.bincount(into, part).astype(np.int64) for part in (draw.sizes, draw.counts))
        if not enough_labels(int(counts.sum()), int(draw.sizes.sum())):
            raise InputError(f"{counts.sum():,} labels of {draw.sizes.sum():,} items are too few for an estimate")
        return cls(into[draw.strata], sizes, drawn, into)

    @classmethod
    def from_batches(cls, frame: SamplingFrame, past: Sequence[LabelledBatch]) -> JoinedStrata:
        """Batches from the same strata, as one draw from the whole of each."""
        draws = [done.batch.draw for done in past]
        strata = np.concatenate([draw.strata for draw in draws])
        counts: Ints = np.sum([draw.counts for draw in draws], axis=0)
        sizes = np.add.reduceat(frame.sizes, past[0].batch.firsts)
        return cls.from_draw(StratifiedDraw(strata, strata, sizes, counts))

    def carried(self, part: float = 1.0) -> tuple[Floats, Floats]:
        """Of each label, how its variance carries over to a part of the total, and what it can stand for at most."""
        counts = np.bincount(self.strata, minlength=len(self.sizes)).astype(np.float64)
        total, left = part * self.sizes, 1.0 - counts / self.sizes
        each = total * left / np.maximum(counts, 1.0)
        return (total * each)[self.strata], each[self.strata]

    def heaped(self, part: npt.NDArray[np.float64 | np.int64]) -> Floats:
        """A number of each old stratum, added up."""
        return np.bincount(self.into, part).astype(np.float64)


def enough_labels(labels: int, size: int) -> bool:
    """Whether so many labels show a stratum's variance."""
    return labels >= FEWEST_LABELS or labels == size


def _combined(
    frame: SamplingFrame,
    past: Sequence[LabelledBatch],
    weights: Floats,
    *,
    beyond: bool = False,
) -> StratifiedSample:
    items, spread, parts, known = len(frame), _spread(frame, past), [], 0.0
    for done, part in zip(past, weights, strict=True):
        batch, joined, label = done.batch, JoinedStrata.from_draw(done.batch.draw), done.label
        value = label - batch.expected if beyond else label
        sampled = StratifiedSample.from_values(value, joined.strata, joined.sizes)
        sizes, model = (joined.heaped(np.add.reduceat(amount, batch.firsts)) for amount in (frame.sizes, spread))
        beside = float(batch.draw.sizes @ batch.means) if beyond else 0.0
        sampled = replace(sampled, expected=model / np.maximum(sizes, 1.0), hits=float(label.sum()))
        scale = part * batch.draw.sizes.sum() / items
        parts.append(sampled.scaled(scale, known=part * (known + beside) / items))
        known += _drawn(label, joined)
    return combine_batches(parts)


def _drawn(label: Floats, joined: JoinedStrata) -> float:
    """Violations among all drawn items, those without a label like the others of their stratum."""
    labelled = np.bincount(joined.strata, minlength=len(joined.sizes))
    return float(
        np.bincount(joined.strata, label, minlength=len(joined.sizes)) / np.maximum(labelled, 1) @ joined.drawn
    )


def _spread(frame: SamplingFrame, past: Sequence[LabelledBatch]) -> Floats:
    """The variance of a label in each cell, times its items, by what all labels say of the score."""
    chance = recalibrate_frame(frame, *gather_labels(past)).chance(frame.logits)
    return chance * (1.0 - chance) * frame.sizes


def _checked_weights(past: Sequence[LabelledBatch], weights: npt.ArrayLike) -> Floats:
    part = arrays.numbers(weights, "weights", size=len(past))
    if abs(part.sum() - 1.0) > 1e-9:
        raise InputError("the weights of the batches must add up to 1")
    return part
