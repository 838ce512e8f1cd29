"""What the bias audit measures: each group against its background, and summaries over all groups.

A new quantity of groups is a new row in `GROUP_QUANTITIES`. Summaries are those that practitioners use: power means,
and the score of the Jigsaw 2019 challenge.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import ClassVar, NamedTuple

from evenhand.audits.clustering import correlation, effect, is_clustered, method_name, share_influence, widened
from evenhand.audits.quantities import (
    RATE_QUANTITIES,
    SIZE_QUANTITIES,
    Auroc,
    Quantity,
    QuantityInterval,
    SidedQuantity,
    TracedQuantity,
    influence_of,
    share_interval,
    traced_rows,
)
from evenhand.audits.views import Scope
from evenhand.catalogue.bias import (
    BNSP_AUC,
    BNSP_AUC_POWER_MEAN,
    BPSN_AUC,
    BPSN_AUC_POWER_MEAN,
    FNR_DIFFERENCE,
    FNR_RATIO,
    FPR_DIFFERENCE,
    FPR_GAP,
    FPR_RATIO,
    JIGSAW_SCORE,
    SUBGROUP_AUC,
    SUBGROUP_AUC_POWER_MEAN,
    TPR_GAP,
)
from evenhand.catalogue.shared import FPR, TPR
from evenhand.errors import Undefined
from evenhand.intervals import auc as auc_interval
from evenhand.intervals import influence, proportions
from evenhand.intervals.auc import UnseenItem
from evenhand.intervals.clusters import RowInfluence, design_effect
from evenhand.intervals.influence import AucTerm, Influence
from evenhand.intervals.mover import ValueLowHigh, mover_difference, mover_ratio
from evenhand.intervals.proportions import WilsonInterval
from evenhand.intervals.significance import simultaneous_level
from evenhand.measures import bias, rates
from evenhand.measures.rates import Share
from evenhand.tally import Confusion


@dataclass(frozen=True)
class GroupComparison(SidedQuantity):
    """One of the five comparisons of a group with its background."""

    comparison: bias.AucComparison

    @property
    def name(self) -> str:
        return self.comparison.name

    def value(self, scope: Scope) -> float:
        return scope.view.memo.once(("value", self.name, scope.group), lambda: self.comparison(scope.split))

    def bounded(self, scope: Scope, value: float) -> WilsonInterval:
        c = self.comparison
        return scope.view.memo.once(
            ("bounds", self.name, scope.group),
            lambda: widened(self, scope, auc_interval.split_auc_interval(scope.split, c.high, c.low, value - c.shift)),
        )

    def row_influence(self, scope: Scope) -> RowInfluence:
        return traced_rows(self, scope)

    def trace(self, scope: Scope) -> Influence:
        c, placed = self.comparison, scope.view.rows
        assert scope.group is not None
        term = AucTerm(1.0, scope.group, c.high, c.low, self.value(scope) - c.shift)
        return influence.group_auc_influence(placed, scope.view.tally, [term], {scope.group: scope.split})

    def interval(self, scope: Scope, value: float, level: float) -> QuantityInterval:
        c = self.comparison
        low, high = self.bounded(scope, value).interval(level)
        off = scope.split.unresolved(c.high, c.low)
        method = method_name(scope, auc_interval.DELONG_SCORE)
        return QuantityInterval(max(0.0, low - off) + c.shift, min(1.0, high + off) + c.shift, method)

    def p_value(self, scope: Scope, value: float) -> float:
        """A gap is held against 0, an AUC against that of everybody annotated for the group."""
        assert scope.group is not None
        bounded = self.bounded(scope, value)
        if self.comparison.is_gap:
            return bounded.p_value(0.5)
        return bounded.p_difference(self._reference(scope))

    def _reference(self, scope: Scope) -> WilsonInterval:
        """The AUC of everybody annotated for the group; clusters widen it as they widen the overall AUC."""
        assert scope.group is not None
        plain, everything = scope.view.reference(scope.group), scope.view.everything
        if not is_clustered(scope.view):
            return plain
        return effect(Auroc(), everything).widen(plain)

    def sides(self, scope: Scope) -> tuple[float, ...]:
        return tuple(scope.split.sample(which).total.count for which in (self.comparison.high, self.comparison.low))


@dataclass(frozen=True)
class RateGap(SidedQuantity):
    """The rate of the background less the rate of the group: the equality gap at the threshold."""

    name: str
    rate: Callable[[Confusion], Share]
    rated: str  # the rate, or one less it: what each row moves

    def value(self, scope: Scope) -> float:
        outside, inside = self._shares(scope)
        return outside.value - inside.value

    def interval(self, scope: Scope, value: float, level: float) -> QuantityInterval:
        outside, inside = self._intervals(scope)
        method = method_name(scope, proportions.NEWCOMBE)
        return QuantityInterval(*outside.square_and_add(inside, level, self._correlation(scope)), method)

    def p_value(self, scope: Scope, value: float) -> float | None:
        """Against equal rates."""
        outside, inside = self._intervals(scope)
        if is_clustered(scope.view):
            return inside.p_equal(outside, self._correlation(scope))
        return proportions.p_equal_shares(inside, outside)

    def sides(self, scope: Scope) -> tuple[float, ...]:
        return tuple(share.whole.count for share in self._shares(scope))

    def _intervals(self, scope: Scope) -> tuple[WilsonInterval, WilsonInterval]:
        outside, inside = (share_interval(scope, share) for share in self._shares(scope))
        if (clusters := scope.view.clusters) is None:
            return outside, inside
        pairs = zip((outside, inside), self._influences(scope), strict=True)
        first, second = (design_effect(rows, clusters).widen(plain) for plain, rows in pairs)
        return first, second

    def row_influence(self, scope: Scope) -> RowInfluence:
        """As in `ClusteredQuantity`; the interval is made from those of the two rates."""
        outside, inside = self._influences(scope)
        return RowInfluence(outside.values - inside.values, inside.part, inside.weights)

    def _influences(self, scope: Scope) -> tuple[RowInfluence, RowInfluence]:
        """Of every row on the rate of the background and on that of the group."""
        return scope.view.memo.once(
            ("rows", self.name, scope.group),
            lambda: (share_influence(scope, self.rated, background=True), share_influence(scope, self.rated)),
        )

    def _correlation(self, scope: Scope) -> float:
        """Clusters may have items on both sides."""
        return correlation(*self._influences(scope), scope.view) if is_clustered(scope.view) else 0.0

    def _shares(self, scope: Scope) -> tuple[Share, Share]:
        shares = []
        for where, confusion in (("outside", scope.outside), ("in", scope.inside)):
            try:
                shares.append(self.rate(confusion))
            except Undefined as why:
                raise Undefined(f"{why} {where} the group") from None
        return shares[0], shares[1]


@dataclass(frozen=True)
class ErrorRateDifference(RateGap):
    """The rate of the group less the rate of the background; all such intervals of a finding hold together."""

    always_analytic: ClassVar[bool] = True

    comparisons: int = 1

    def value(self, scope: Scope) -> float:
        return -super().value(scope)

    def interval(self, scope: Scope, value: float, level: float) -> QuantityInterval:
        outside, inside = self._ends(scope, level)
        low, high = mover_difference(inside, outside, self._correlation(scope))
        return QuantityInterval(max(-1.0, low), min(1.0, high), method_name(scope, MOVER_SIMULTANEOUS))

    def _ends(self, scope: Scope, level: float) -> tuple[ValueLowHigh, ValueLowHigh]:
        """The rate of the background and that of the group, with intervals that hold far in the tails."""
        together = simultaneous_level(level, self.comparisons)
        outside, inside = ((one.value, *one.tail_interval(together)) for one in self._intervals(scope))
        return outside, inside

    def p_value(self, scope: Scope, value: float) -> None:
        """None: it is that of the gap."""


class ErrorRateRatio(ErrorRateDifference):
    """The rate of the group over the rate of the background."""

    def value(self, scope: Scope) -> float:
        outside, inside = self._shares(scope)
        if not outside.value:
            raise Undefined("the rate outside the group is 0")
        return inside.value / outside.value

    def interval(self, scope: Scope, value: float, level: float) -> QuantityInterval:
        outside, inside = self._ends(scope, level)
        ends = mover_ratio(inside, outside, self._correlation(scope))
        return QuantityInterval(*ends, method_name(scope, MOVER_SIMULTANEOUS))


MOVER_SIMULTANEOUS = "mover_simultaneous"


def error_rate_quantities(comparisons: int) -> tuple[Quantity, ...]:
    """What the first page is about: how often a group is flagged by mistake or missed, beside everyone else."""
    return (
        ErrorRateDifference(FPR_DIFFERENCE, rates.fpr, FPR, comparisons),
        ErrorRateRatio(FPR_RATIO, rates.fpr, FPR, comparisons),
        ErrorRateDifference(FNR_DIFFERENCE, rates.fnr, TPR, comparisons),
        ErrorRateRatio(FNR_RATIO, rates.fnr, TPR, comparisons),
    )


GROUP_QUANTITIES: tuple[Quantity, ...] = (
    *SIZE_QUANTITIES,
    *(GroupComparison(comparison) for comparison in bias.COMPARISONS),
    *RATE_QUANTITIES,
    RateGap(TPR_GAP, rates.tpr, TPR),
    RateGap(FPR_GAP, rates.fpr, FPR),
)


POWER_MEANS = {
    SUBGROUP_AUC: SUBGROUP_AUC_POWER_MEAN,
    BPSN_AUC: BPSN_AUC_POWER_MEAN,
    BNSP_AUC: BNSP_AUC_POWER_MEAN,
}
SUMMARY_METHOD = "influence"
SUMMARY_BOUND = "influence_bound"  # where rows are not at hand: as wide as any overlap of the groups could make it


class SummaryComponent(NamedTuple):
    """One AUC that a summary is made of: how much the summary moves with it, and how sure it is."""

    slope: float
    interval: WilsonInterval
    unseen: UnseenItem


@dataclass(frozen=True)
class GroupSummary(SidedQuantity):
    """A number over all groups that were declared."""

    groups: tuple[str, ...]

    @property
    @abstractmethod
    def name(self) -> str: ...

    @abstractmethod
    def value(self, scope: Scope) -> float: ...

    @abstractmethod
    def trace(self, scope: Scope) -> Influence: ...

    @abstractmethod
    def components(self, scope: Scope) -> list[SummaryComponent]: ...

    @abstractmethod
    def sides(self, scope: Scope) -> tuple[float, ...]: ...

    def bounded(self, scope: Scope, value: float) -> WilsonInterval:
        """The variance that all rows bring in together, and what one item not seen could do to all parts at once."""
        components = self.components(scope)
        errors = [abs(slope) * interval.error for slope, interval, _ in components]
        if scope.view.placed is None:
            variance = sum(errors) ** 2  # as if all parts moved together
        else:
            variance = influence_of(self, scope).variance(scope.view.placed)
            variance += sum(abs(slope) * math.sqrt(unseen.variance) for slope, _, unseen in components) ** 2
        shift = sum(slope * unseen.shift for slope, _, unseen in components)
        scarce = sum(error / interval.freedom for error, (_, interval, _) in zip(errors, components, strict=True))
        freedom = sum(errors) / scarce if scarce > 0.0 else math.inf  # of parts that rest on the same items
        plain = WilsonInterval.from_variance(value, variance, shift=shift, freedom=freedom)
        return widened(self, scope, plain)

    def row_influence(self, scope: Scope) -> RowInfluence:
        """As in `ClusteredQuantity`."""
        return traced_rows(self, scope)

    def items(self, scope: Scope) -> int:
        return scope.items

    def interval(self, scope: Scope, value: float, level: float) -> QuantityInterval:
        method = method_name(scope, SUMMARY_METHOD if scope.view.placed else SUMMARY_BOUND)
        return QuantityInterval(*self.bounded(scope, value).interval(level), method)


@dataclass(frozen=True)
class PowerMean(GroupSummary):
    """One AUC over all groups, the worst weighing most. Groups where it has no value are left out."""

    comparison: bias.AucComparison

    @property
    def name(self) -> str:
        return POWER_MEANS[self.comparison.name]

    def value(self, scope: Scope) -> float:
        return bias.power_mean(list(self._aucs(scope).values()))

    def trace(self, scope: Scope) -> Influence:
        view, c, aucs = scope.view, self.comparison, self._aucs(scope)
        terms = [AucTerm(slope, group, c.high, c.low, aucs[group]) for group, slope in self._slopes(aucs).items()]
        return influence.group_auc_influence(view.rows, view.tally, terms, {group: view.split(group) for group in aucs})

    def components(self, scope: Scope) -> list[SummaryComponent]:
        c, aucs, parts = self.comparison, self._aucs(scope), []
        for group, slope in self._slopes(aucs).items():
            split = scope.view.split(group)
            unseen = UnseenItem.from_samples((split.sample(c.high), split.sample(c.low)), aucs[group])
            parts.append(
                SummaryComponent(slope, GroupComparison(c).bounded(scope.view.group(group), aucs[group]), unseen)
            )
        return parts

    def sides(self, scope: Scope) -> tuple[float, ...]:
        compared = GroupComparison(self.comparison)
        return tuple(side for group in self._aucs(scope) for side in compared.sides(scope.view.group(group)))

    def _aucs(self, scope: Scope) -> dict[str, float]:
        compared, aucs = GroupComparison(self.comparison), {}
        for group in self.groups:
            try:
                aucs[group] = compared.value(scope.view.group(group))
            except Undefined:
                continue
        return aucs

    def _slopes(self, aucs: dict[str, float]) -> dict[str, float]:
        return dict(zip(aucs, bias.power_mean_gradient(list(aucs.values())), strict=True))


@dataclass(frozen=True)
class JigsawScore(GroupSummary):
    """A quarter of the overall AUC and of each of the three power means (Jigsaw 2019 challenge)."""

    name = JIGSAW_SCORE

    @property
    def _means(self) -> tuple[PowerMean, ...]:
        return tuple(PowerMean(self.groups, comparison) for comparison in bias.AUCS)

    @property
    def _four(self) -> tuple[TracedQuantity, ...]:
        return (Auroc(), *self._means)

    def value(self, scope: Scope) -> float:
        return sum(part.value(scope) for part in self._four) / 4.0

    def trace(self, scope: Scope) -> Influence:
        return reduce(add, (influence_of(part, scope) for part in self._four)) * 0.25

    def components(self, scope: Scope) -> list[SummaryComponent]:
        overall, everyone = scope.view.overall, scope.view.tally.everyone
        whole = SummaryComponent(
            1.0, overall, UnseenItem.from_samples((everyone.violating, everyone.benign), overall.value)
        )
        parts = [whole, *(part for mean in self._means for part in mean.components(scope))]
        return [part._replace(slope=0.25 * part.slope) for part in parts]

    def sides(self, scope: Scope) -> tuple[float, ...]:
        return tuple(side for part in self._four for side in part.sides(scope))
