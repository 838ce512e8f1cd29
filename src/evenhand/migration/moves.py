"""One old threshold moved to the new model: the thresholds that match it, and which of them to take.

The flag rate is kept, because that needs no labels and keeps the workload. Where labels show that this surely costs
more precision than is tolerated, the precision is kept instead.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from evenhand.arrays import Bools
from evenhand.catalogue import Measure
from evenhand.catalogue.migration import FLAG_RATE
from evenhand.catalogue.shared import PRECISION
from evenhand.estimate import Estimate
from evenhand.finding import Slice, SliceKey
from evenhand.intervals.matched_cut import CutScores
from evenhand.intervals.significance import simultaneous_level
from evenhand.measures.decisions import DecisionTable
from evenhand.migration.labelled import LabelledCuts, precision_change
from evenhand.migration.score_log import CommentGroup, ScoreLog
from evenhand.migration.settings import MigrationSettings
from evenhand.migration.threshold_map import matched_threshold


@dataclass(frozen=True)
class GroupChange:
    """How often comments of a group are flagged before and after; the interval of the ratio holds for all groups."""

    group: CommentGroup
    before: Estimate
    after: Estimate
    ratio: Estimate


@dataclass(frozen=True)
class ThresholdMove:
    """An old threshold, what the old model flags by it, new thresholds by what they keep, and which to take.

    `tables` are both decisions beside one another, for each new threshold; `recommended` is None where none can be.
    """

    old: float
    flagged: Bools
    matched: Mapping[Measure, Estimate]
    tables: Mapping[Measure, DecisionTable]
    recommended: Measure | None
    precision_change: Estimate | None = None  # with the flag rate kept, where there are labels
    groups: tuple[GroupChange, ...] = ()
    held_out: Estimate | None = None  # the change of the flag rate by a threshold that was fitted on other comments

    @property
    def name(self) -> str:
        """The old threshold, as it is written."""
        return f"{self.old:.10g}"

    @property
    def slice(self) -> Slice:
        """Of the old threshold."""
        return {SliceKey.THRESHOLD: self.name}

    @property
    def basis(self) -> Measure:
        """What the new threshold keeps for which changes are reported."""
        return self.recommended or FLAG_RATE

    @property
    def new(self) -> Estimate:
        """The new threshold for which changes are reported."""
        return self.matched[self.basis]

    @property
    def table(self) -> DecisionTable | None:
        """Both decisions there; None where there is no such threshold."""
        return self.tables.get(self.basis)


def plan_move(
    log: ScoreLog, cuts: CutScores, labels: LabelledCuts | None, threshold: float, settings: MigrationSettings
) -> ThresholdMove:
    """The thresholds that match, and which to take."""
    flagged, level = log.flagged_before(threshold), settings.level
    matched: dict[Measure, Estimate] = {FLAG_RATE: matched_threshold(cuts, flagged, threshold, level)}
    if labels is not None:
        matched |= dict(labels.thresholds(flagged, threshold, level))
    tables = {
        basis: DecisionTable.from_decisions(flagged, log.new >= threshold_matched.value)
        for basis, threshold_matched in matched.items()
        if threshold_matched.value is not None
    }
    change = _precision_change(log, flagged, matched[FLAG_RATE], settings)
    chosen = _recommended(matched, change, settings.precision_loss)
    return ThresholdMove(threshold, flagged, matched, tables, chosen, change)


def _precision_change(log: ScoreLog, flagged: Bools, same: Estimate, settings: MigrationSettings) -> Estimate | None:
    """With the flag rate kept; the interval holds for all thresholds together."""
    if log.label is None:
        return None
    if same.value is None:
        return Estimate.undefined(str(same.note), level=settings.level, n=log.comments)
    each = simultaneous_level(settings.level, len(settings.thresholds))
    return replace(precision_change(flagged, log.new >= same.value, log.label, each), level=settings.level)


def _recommended(matched: Mapping[Measure, Estimate], change: Estimate | None, tolerated: float) -> Measure | None:
    worse = change is not None and change.high is not None and change.high < -tolerated
    basis = PRECISION if worse else FLAG_RATE
    return basis if matched[basis].defined else None
