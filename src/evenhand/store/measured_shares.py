"""The share of violating items in a part of a period, from the items that people judged there.

Items with the same probability of the draw form a stratum. Where too few judgements are expected in one, neighbouring
strata are put together, and each item counts by the inverse of its own probability. Which strata are put together
follows from what was to be expected, so that what reviewers said cannot bias the estimate.

For the adjudicated verdict there are two phases: items are judged by reviewers, and some of them by the panel. Cells
are what reviewers said, seen or unseen; the size of a cell comes from the first phase, its share from the second.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from evenhand.arrays import Bools, Floats, Ints
from evenhand.errors import Undefined
from evenhand.intervals.survey import SurveyShare
from evenhand.intervals.survey_estimators import StratifiedSample
from evenhand.intervals.two_phase import VerdictCell, WeightedVerdicts

VIOLATES, HARMLESS = 1, 0
FEWEST = 2  # judgements without which a share has no variance
PANEL_EXPECTED = 6.0  # panel verdicts that a cell of its own must be expected to have
EXPECTED = 10.0  # judgements that a stratum of its own must be expected to have


class PanelAnswers(NamedTuple):
    """Which items went to the panel, with which probability, and what it said."""

    asked: Bools
    probability: Floats
    verdict: Ints


@dataclass(frozen=True)
class MeasuredPart:
    """The removed or the visible items of a period."""

    pool: Bools
    reached: Bools
    sampled: Bools
    verdict: Ints
    probability: Floats

    @cached_property
    def _unseen(self) -> Bools:
        return self.pool & ~self.reached

    @cached_property
    def _judged(self) -> Bools:
        return self.pool & (self.reached | self.sampled)

    @cached_property
    def _strata(self) -> Ints:
        """The stratum of each unseen item, −1 for others."""
        sampled = self._unseen & self.sampled
        if int(sampled.sum()) < FEWEST:
            raise Undefined("fewer than two drawn items were judged: pool several periods")
        levels, codes = np.unique(self.probability[self._unseen], return_inverse=True)
        judged = np.bincount(codes[self.sampled[self._unseen]], minlength=len(levels)).astype(np.float64)
        drawn = levels * np.bincount(codes, minlength=len(levels))
        merged = _merged_levels(drawn * judged.sum() / drawn.sum(), judged)
        strata = np.full(len(self.pool), -1, dtype=np.int64)
        strata[self._unseen] = merged[codes]
        return strata

    @cached_property
    def _weights(self) -> Floats:
        """How many items each judged one stands for."""
        weights = np.where(self.pool & self.reached, 1.0, 0.0)
        for stratum in range(int(self._strata.max()) + 1) if self._unseen.any() else ():
            members = self._strata == stratum
            inverse = np.where(
                members & self.sampled, 1.0 / np.where(self.probability > 0.0, self.probability, 1.0), 0.0
            )
            weights += inverse * (float(members.sum()) / float(inverse.sum()))
        return weights

    def reviewer_share(self) -> SurveyShare:
        """The share that reviewers call violating: counted where reviewed, estimated elsewhere."""
        total = float(self.pool.sum())
        known = float((self.pool & self.reached & (self.verdict == VIOLATES)).sum())
        if not self._unseen.any():
            return SurveyShare(known / total if total else 0.0, 0.0, math.inf, int(total), known, 0.0)
        sample = self._sample((self.verdict == VIOLATES).astype(np.float64))
        return sample.scaled(float(self._unseen.sum()) / total, known=known / total).figure()

    def _sample(self, values: Floats) -> StratifiedSample:
        """The unseen items, by stratum, with a value for each judged one."""
        inner = self._unseen & self.sampled
        count = int(self._strata.max()) + 1
        strata = [WeightedVerdicts(values[part], self._weights[part]) for part in self._split(inner, count)]
        sizes = np.bincount(self._strata[self._unseen], minlength=count).astype(np.float64)
        return StratifiedSample(
            shares=sizes / sizes.sum(),
            counts=np.array([one.effective for one in strata]),
            means=np.array([one.mean for one in strata]),
            variances=np.array([one.variance for one in strata]),
            fractions=np.array([len(one.values) for one in strata]) / sizes,
            hits=float((values[inner] > 0.0).sum()),
        )

    def _split(self, which: Bools, count: int) -> list[Bools]:
        return [which & (self._strata == stratum) for stratum in range(count)]

    def adjudicated_share(self, panel: PanelAnswers) -> SurveyShare:
        """The share that the panel calls violating."""
        total = float(self.pool.sum())
        if not total:
            return SurveyShare(0.0, 0.0, math.inf, 0, 0.0, 0.0)
        answered = self._judged & panel.asked & (panel.verdict >= 0)
        cells = list(self._cells(total, answered, panel))
        expected = np.zeros(len(self.pool))
        for items, cell in cells:
            expected[items] = cell.mean
        value = sum(cell.share * cell.mean for _, cell in cells)
        variance = sum(cell.variance for _, cell in cells) + self._first_phase(total, expected)
        freedom = variance**2 / sum(c.variance**2 / max(c.verdicts.effective - 1.0, 1.0) for _, c in cells)
        hits, heaviest = float((answered & (panel.verdict == VIOLATES)).sum()), max(c.heaviest for _, c in cells)
        steady = max(freedom, 1.0)
        return SurveyShare(value, variance, steady, int(answered.sum()), hits, heaviest, variance, steady)

    def _cells(self, total: float, answered: Bools, panel: PanelAnswers) -> Iterator[tuple[Bools, VerdictCell]]:
        if (self.pool & (panel.probability <= 0.0)).any():
            raise Undefined("items of this period could not come before the panel: set `panel` of the policy above 0")
        for seen in (self.reached, ~self.reached):
            items = self._judged & seen
            if not (self.pool & seen).any():
                continue
            if not items.any():
                raise Undefined("no drawn item was judged: pool several periods")
            parts = [items & (self.verdict == code) for code in (VIOLATES, HARMLESS)]
            if any(part.any() and self._is_thin(part, answered, panel) for part in parts):
                parts = [items]  # too few panel verdicts to tell what reviewers said apart
            for part in (part for part in parts if part.any()):
                yield part, self._cell(part, part & answered, total, panel)

    def _is_thin(self, part: Bools, answered: Bools, panel: PanelAnswers) -> bool:
        """By what was to be expected: a cell put together because nobody happened to be drawn would bias the share."""
        chance = np.where(self.reached, self.probability, 1.0) * panel.probability
        return float(chance[part].sum()) < PANEL_EXPECTED or int((part & answered).sum()) < FEWEST

    def _cell(self, items: Bools, answered: Bools, total: float, panel: PanelAnswers) -> VerdictCell:
        if int(answered.sum()) < FEWEST:
            raise Undefined("fewer than two items were adjudicated: pool several periods")
        drawn = np.where(self.reached, self.probability, 1.0)  # of an unseen item the draw is in its weight
        weights = self._weights[answered] / (drawn * panel.probability)[answered]
        verdicts = (panel.verdict[answered] == VIOLATES).astype(np.float64)
        return VerdictCell(float(self._weights[items].sum()) / total, WeightedVerdicts(verdicts, weights))

    def _first_phase(self, total: float, expected: Floats) -> float:
        """The variance of how many of the unseen items fall into each cell."""
        if not self._unseen.any():
            return 0.0
        return self._sample(expected).scaled(float(self._unseen.sum()) / total).figure().variance


def _merged_levels(expected: Floats, judged: Floats) -> Ints:
    """The stratum of each level: neighbours together until enough is expected, and until there is a variance."""
    strata, stratum, sums = np.zeros(len(expected), dtype=np.int64), 0, np.zeros(2)
    for level, size in enumerate(zip(expected, judged, strict=True)):
        if sums[0] >= EXPECTED and sums[1] >= FEWEST:
            stratum, sums = stratum + 1, np.zeros(2)
        strata[level], sums = stratum, sums + size
    if stratum and (sums[0] < EXPECTED or sums[1] < FEWEST):
        strata[strata == stratum] -= 1
    return strata
