"""A share by the verdict of a panel that looks at a random part of what reviewers labelled: two-phase sampling.

Items are sorted into cells by what their reviewer said. How many items a cell stands for comes from all labels; the
share of a cell that violates is what its reviewers said, moved by how often the panel says otherwise. So nothing is
assumed of how reviewers err (double sampling for stratification, Cochran 1977, chapter 12).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from evenhand.arrays import Bools, Floats, Ints
from evenhand.errors import Undefined
from evenhand.intervals.sampled_labels import SampledLabels
from evenhand.intervals.survey import SurveyShare

ADDED = 0.5  # verdicts of each kind, to the variance in a cell
FEWEST_VERDICTS = 2  # of a cell, without which its share has no variance


@dataclass(frozen=True, slots=True, kw_only=True)
class TwoPhaseShare(SurveyShare):
    """A share by the panel's verdict; `panel_variance` is the part of its variance that more verdicts reduce."""

    panel_variance: float

    @property
    def verdicts_needed(self) -> int:
        """Panel verdicts with which the panel would add no more variance than the labels do."""
        labels = self.variance - self.panel_variance
        return math.ceil(self.n * self.panel_variance / labels) if labels > 0.0 else self.n


@dataclass(frozen=True)
class WeightedVerdicts:
    """Verdicts with weights; equal weights give the plain mean and variance."""

    values: Floats
    weights: Floats

    @property
    def effective(self) -> float:
        """How many items of equal weight would tell as much."""
        return float(self.weights.sum() ** 2 / (self.weights**2).sum())

    @property
    def ratio(self) -> float:
        """The weighted mean."""
        return float(self.weights @ self.values / self.weights.sum())

    @property
    def mean(self) -> float:
        """Without the bias of a ratio whose denominator is estimated too; with equal weights there is none."""
        shift = float(self.weights**2 @ (self.values - self.ratio)) / float(self.weights.sum()) ** 2
        return min(max(self.ratio + shift, float(self.values.min())), float(self.values.max()))

    @property
    def variance(self) -> float:
        """Of one value; of the mean it is this by `effective`."""
        spread = float(self.weights**2 @ (self.values - self.mean) ** 2) / float((self.weights**2).sum())
        return spread * self.effective / (self.effective - 1.0)


@dataclass(frozen=True)
class VerdictCell:
    """Items whose reviewers said the same: their part of the population, and what the panel said of some.

    `left` is the part of the cell that the panel has not seen.
    """

    share: float
    verdicts: WeightedVerdicts
    left: float = 1.0
    added: float = 1.0

    @property
    def mean(self) -> float:
        """The share that the panel calls violating."""
        return self.verdicts.mean

    @property
    def heaviest(self) -> float:
        """The largest part that one panel verdict stands for."""
        return self.share * self.left * float(self.verdicts.weights.max() / self.verdicts.weights.sum())

    @property
    def variance(self) -> float:
        """So many of each kind are added, so that cells without violations are not taken for certainty."""
        own = self.verdicts.weights
        total = float(own.sum())
        added = self.added * float((own**2).sum()) / total
        values = np.append(self.verdicts.values, (0.0, 1.0))
        weights = np.append(own, (added, added))
        mean = float(weights @ values / weights.sum())
        spread = float(weights**2 @ (values - mean) ** 2) / (total * float(weights.sum()))
        return self.left * self.share**2 * spread


@dataclass(frozen=True)
class PanelVerdicts:
    """Of each label: the number of its item, the cell of what the reviewer said, and the verdict of the panel.

    A verdict that is nan is none. The items of a cell that have one are a random part of it.
    """

    item: Ints
    cell: Ints
    verdict: Floats


def two_phase_share(labels: SampledLabels, panel: PanelVerdicts) -> TwoPhaseShare:
    """The share of items that the panel calls violating, with the uncertainty of both phases."""
    inside = [panel.cell == code for code in np.unique(panel.cell)]
    total = float(labels.weights.sum())
    cells = [_cell(labels, panel, own, total) for own in inside]
    expected = np.zeros(len(panel.item))
    for own, cell in zip(inside, cells, strict=True):
        expected[own] = cell.mean
    return _combined(cells, _first_phase(labels, expected))


def _cell(labels: SampledLabels, panel: PanelVerdicts, inside: Bools, total: float) -> VerdictCell:
    """The items of one cell; an item that was drawn twice counts once, with both weights."""
    _, first, code = np.unique(panel.item[inside], return_index=True, return_inverse=True)
    weights = np.bincount(code, labels.weights[inside]).astype(np.float64)
    verdicts = panel.verdict[inside][first]
    known = ~np.isnan(verdicts)
    seen = int(known.sum())
    if seen < min(FEWEST_VERDICTS, len(verdicts)):
        raise Undefined("too few panel verdicts: two of each kind of reviewer label are needed")
    share = float(weights.sum()) / total
    left = max(0.0, 1.0 - seen / float(weights.sum()))
    return VerdictCell(share, WeightedVerdicts(verdicts[known], weights[known]), left, ADDED)


def _first_phase(labels: SampledLabels, expected: Floats) -> SurveyShare:
    """What the labels say of the sizes of the cells, as the share that each is expected to violate."""
    spread = float(np.ptp(expected)) ** 2
    model = None if labels.expected is None else labels.expected * spread
    return replace(labels, expected=model).sample(expected, np.ones(len(expected), dtype=np.bool_)).figure()


def _combined(cells: Sequence[VerdictCell], first: SurveyShare) -> TwoPhaseShare:
    own = [cell.variance for cell in cells]
    freedoms = [max(cell.verdicts.effective - 1.0, 1.0) for cell in cells]
    variance, cautious = (sum(own) + part for part in (first.variance, max(first.variance, first.cautious_variance)))
    squares = sum(part**2 / freedom for part, freedom in zip(own, freedoms, strict=True))
    freedom = max(variance**2 / squares, 1.0) if squares > 0.0 else first.freedom
    return TwoPhaseShare(
        panel_variance=sum(own),
        value=sum(cell.share * cell.mean for cell in cells),
        variance=variance,
        freedom=freedom,
        n=sum(len(cell.verdicts.values) for cell in cells),
        hits=float(sum(cell.verdicts.values.sum() for cell in cells)),
        heaviest=max([first.heaviest, *(cell.heaviest for cell in cells)]) if variance > 0.0 else 0.0,
        cautious_variance=cautious,
        cautious_freedom=freedom,
    )
