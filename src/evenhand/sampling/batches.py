"""Batches: items drawn stratum by stratum from the cells of a frame, and what their labels say about the score.

Strata are runs of cells. Every design by score or by columns draws such batches. After each, the score is recalibrated:
the chance of violating is a logistic function of its logit, with a prior (slope near 1, intercept near 0) so that a few
labels cannot move it far; without labels the score is taken as a probability.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from evenhand import arrays
from evenhand.arrays import Bools, Floats, Ints
from evenhand.sampling.design import SamplingPool, column_lists, number_columns
from evenhand.sampling.drawing import PlaceRanges, StratifiedDraw, draw_without_replacement
from evenhand.sampling.frame import SamplingFrame

CENTRE, PULL = np.array([0.0, 1.0]), np.array([5.0, 1.0]) ** -2.0  # of the prior: intercept, slope
NEWTON_STEPS, CLOSE = 100, 1e-6
WHOLE_COLUMNS = ("place", "stratum", "first_cell", "items", "labels")  # of the file of a plan


@dataclass(frozen=True, slots=True)
class Recalibration:
    """The chance of violating at a logit t is 1 / (1 + exp(−(intercept + slope · t)))."""

    intercept: float = 0.0
    slope: float = 1.0

    def chance(self, logits: Floats) -> Floats:
        """Of violating, at each logit."""
        chance: Floats = expit(self.intercept + self.slope * logits)
        return chance


IDENTITY = Recalibration()


def fit_recalibration(logits: Floats, violating: Floats, labelled: Floats) -> Recalibration:
    """The most likely one, from how many items were labelled at each logit and how many of them violate.

    Which items were drawn may depend on their scores: given these it is ignorable. Newton's method, each step halved
    until it is a step up; the peak is the only one.
    """
    design = np.column_stack((np.ones(len(logits)), logits))
    at, height = CENTRE, _height(design, violating, labelled, CENTRE)
    for _ in range(NEWTON_STEPS):
        chance = expit(design @ at)
        slope = (violating - labelled * chance) @ design - PULL * (at - CENTRE)
        bend = (design.T * (labelled * chance * (1.0 - chance))) @ design + np.diag(PULL)
        step = np.linalg.solve(bend, slope)
        higher = _height(design, violating, labelled, at + step)
        while higher < height and np.abs(step).max() > CLOSE:
            step = step / 2.0
            higher = _height(design, violating, labelled, at + step)
        at, height = at + step, higher
        if np.abs(step).max() <= CLOSE:
            break
    return Recalibration(float(at[0]), float(at[1]))


def _height(design: npt.NDArray[np.float64], violating: Floats, labelled: Floats, at: Floats) -> float:
    """The logarithm of the posterior, up to a constant."""
    logits = design @ at
    return float(violating @ logits - labelled @ np.logaddexp(0.0, logits) - 0.5 * np.sum(PULL * (at - CENTRE) ** 2))


@dataclass(frozen=True)
class SampleBatch:
    """One draw among the items not yet labelled: `places` are those of the frame, `expected` is q of each of them.

    >>> score = np.linspace(0.01, 0.99, 400)
    >>> frame = eh.sampling.SamplingFrame.of(score)
    >>> batch = eh.sampling.next_batch(frame, [], 100, seed=1)
    >>> batch.places.shape, batch.floor
    ((100,), 0.5)
    """

    draw: StratifiedDraw
    places: Ints
    expected: Floats
    firsts: Ints  # the first cell of each stratum
    means: Floats  # of q in each stratum
    recalibration: Recalibration
    floor: float

    def only(self, keep: Bools) -> SampleBatch:
        """The same draw, of which only these items were labelled."""
        draw = replace(self.draw, rows=self.draw.rows[keep], strata=self.draw.strata[keep])
        return replace(self, draw=draw, places=self.places[keep], expected=self.expected[keep])

    def usable(self, labelled: Bools) -> Bools:
        """As in `Drawn`: strata stay as they are, whatever is missing."""
        return np.ones(len(labelled), dtype=np.bool_)

    def with_labels(self, known: Bools, label: Floats) -> LabelledBatch:
        """As in `Drawn`: without the items that have no label."""
        return LabelledBatch(self.only(known), label)

    def to_data(self) -> dict[str, Any]:
        """As in `Drawn`."""
        draw, meaning = self.draw, self.recalibration
        items = {"place": self.places, "stratum": draw.strata, "inclusion": draw.inclusion, "expected": self.expected}
        strata = {"first_cell": self.firsts, "items": draw.sizes, "labels": draw.counts, "expected": self.means}
        return {
            "recalibration": {"intercept": meaning.intercept, "slope": meaning.slope},
            "floor": self.floor,
            "strata": column_lists(strata),
            "items": column_lists(items),
        }

    @classmethod
    def from_data(cls, content: Mapping[str, Any], size: int) -> SampleBatch:
        """From plain data."""
        items = number_columns(content["items"], size, whole=WHOLE_COLUMNS)
        strata = number_columns(content["strata"], len(content["strata"]["items"]), whole=WHOLE_COLUMNS)
        return cls(
            draw=StratifiedDraw(items["place"], items["stratum"], strata["items"], strata["labels"]),
            places=items["place"],
            expected=items["expected"],
            firsts=strata["first_cell"],
            means=strata["expected"],
            recalibration=Recalibration(**content["recalibration"]),
            floor=float(content["floor"]),
        )

    def check(self, pool: SamplingPool) -> None:
        """As in `Drawn`."""
        frame, draw, firsts = pool.frame, self.draw, self.firsts
        inside = len(self.places) == 0 or self.places.max() < len(frame)
        known = len(draw.strata) == 0 or 0 <= draw.strata.min() <= draw.strata.max() < len(draw.sizes)
        rising = len(firsts) > 0 and firsts[0] == 0 and (np.diff(firsts) > 0).all() and firsts[-1] < len(frame.sizes)
        counted = (draw.counts >= 0).all() and (draw.counts <= draw.sizes).all()
        if not (inside and known and rising and counted):
            raise ValueError


@dataclass(frozen=True)
class LabelledBatch:
    """A batch with its labels, in the order of its rows.

    >>> score = np.linspace(0.01, 0.99, 400)
    >>> frame = eh.sampling.SamplingFrame.of(score)
    >>> batch = eh.sampling.next_batch(frame, [], 100, seed=1)
    >>> labels = (score[batch.draw.rows] > 0.5).astype(float)
    >>> past = [eh.sampling.LabelledBatch(batch, labels)]
    >>> past[0].label.shape
    (100,)
    """

    batch: SampleBatch
    label: Floats

    @classmethod
    def of(cls, batch: SampleBatch, label: npt.ArrayLike) -> LabelledBatch:
        """Checked."""
        return cls(batch, arrays.labels(label, size=len(batch.draw.rows)))


@dataclass(frozen=True)
class StratumCounts:
    """Strata as runs of cells, by the first cell of each, and how many labels each of them gets."""

    firsts: Ints
    counts: Ints


def draw_from_cells(
    frame: SamplingFrame,
    spread: StratumCounts,
    rng: np.random.Generator,
    *,
    taken: Ints,
    meaning: Recalibration = IDENTITY,
    floor: float = 1.0,
) -> SampleBatch:
    """Draw, in random order, none of the places that are `taken` (sorted)."""
    firsts, left = spread.firsts, items_left(frame, taken)
    chance, sizes = meaning.chance(frame.logits), np.add.reduceat(left, firsts)
    ranges = PlaceRanges(frame.starts[firsts], np.append(frame.starts[firsts[1:]], len(frame)))
    places, of = draw_without_replacement(ranges, spread.counts, rng, taken=taken)
    mixed = rng.permutation(len(places))
    places, draw = places[mixed], StratifiedDraw(frame.rows(places[mixed]), of[mixed], sizes, spread.counts)
    means = np.add.reduceat(chance * left, firsts) / np.maximum(sizes, 1)
    return SampleBatch(draw, places, chance[frame.cell_of(places)], firsts, means, meaning, floor)


def items_left(frame: SamplingFrame, taken: Ints) -> Ints:
    """Items of each cell that are not taken."""
    return frame.sizes - np.bincount(frame.cell_of(taken), minlength=len(frame.sizes))


def recalibrate_frame(frame: SamplingFrame, places: Ints, label: Floats) -> Recalibration:
    """What labels of the items at these places say of the score."""
    if not len(places):
        return IDENTITY
    cells = frame.cell_of(places)
    labelled = np.bincount(cells).astype(np.float64)
    violating: Floats = np.bincount(cells, label).astype(np.float64)
    seen = np.flatnonzero(labelled)
    return fit_recalibration(frame.logits[seen], violating[seen], labelled[seen])


def gather_labels(past: Sequence[LabelledBatch]) -> tuple[Ints, Floats]:
    """The places of all labelled items, and their labels."""
    places = np.concatenate([np.empty(0, dtype=np.int64), *(done.batch.places for done in past)])
    return places, np.concatenate([np.empty(0), *(done.label for done in past)])
