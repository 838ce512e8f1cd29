"""From labelled draws to an estimate: one stratified draw, or the batches of the default design."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from evenhand import arrays
from evenhand.arrays import Floats
from evenhand.errors import InputError
from evenhand.intervals.survey import Sampled, together
from evenhand.sampling.adaptive import Labelled, gathered, learned
from evenhand.sampling.drawing import Draw
from evenhand.sampling.frame import Frame


def of_draw(draw: Draw, label: npt.ArrayLike) -> Sampled:
    """The stratified estimate of one draw, labels in the order of its rows."""
    return Sampled.of(arrays.labels(label, size=len(draw.rows)), draw.strata, draw.sizes)


def of_batches(frame: Frame, past: Sequence[Labelled], weights: npt.ArrayLike) -> Sampled:
    """The default design's estimate: that of each batch, with weights fixed beforehand (`ScoreDriven.weights`)."""
    return _combined(frame, past, weights, [0.0] * len(past), [done.label for done in past])


def difference_of_batches(frame: Frame, past: Sequence[Labelled], weights: npt.ArrayLike) -> Sampled:
    """The same by the difference estimate: expected violations, and what the labels say beyond them."""
    expected = [float(done.batch.draw.sizes @ done.batch.means) for done in past]
    return _combined(frame, past, weights, expected, [done.label - done.batch.expected for done in past])


def row_weights(past: Sequence[Labelled], weights: npt.ArrayLike) -> list[Floats]:
    """How many items each labelled row stands for in the combined estimate, batch by batch.

    A row counts with its weight in its own batch, and for itself in all later ones, which were drawn from the rest.
    """
    part = _checked(past, weights)
    later = 1.0 - np.cumsum(part)
    return [own * done.batch.draw.weights + after for done, own, after in zip(past, part, later, strict=True)]


def _combined(
    frame: Frame, past: Sequence[Labelled], weights: npt.ArrayLike, expected: Sequence[float], values: Sequence[Floats]
) -> Sampled:
    parts, known, items = [], 0.0, len(frame)
    spread = _spread(frame, past)
    for done, part, beside, value in zip(past, _checked(past, weights), expected, values, strict=True):
        draw, model = done.batch.draw, np.add.reduceat(spread, done.batch.firsts)
        sampled = replace(
            Sampled.of(value, draw.strata, draw.sizes),
            expected=model / np.add.reduceat(frame.sizes, done.batch.firsts),
            hits=float(done.label.sum()),
        )
        parts.append(sampled.scaled(part * draw.sizes.sum() / items, known=part * (known + beside) / items))
        known += float(done.label.sum())
    return together(parts)


def _spread(frame: Frame, past: Sequence[Labelled]) -> Floats:
    """The variance of a label in each cell, times its items, by what all labels say of the score."""
    chance = learned(frame, *gathered(past)).chance(frame.logits)
    return chance * (1.0 - chance) * frame.sizes


def _checked(past: Sequence[Labelled], weights: npt.ArrayLike) -> Floats:
    part = arrays.numbers(weights, "weights", size=len(past))
    if abs(part.sum() - 1.0) > 1e-9:
        raise InputError("the weights of the batches must add up to 1")
    return part
