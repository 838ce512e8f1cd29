"""Several targets of one plan: what recall, prevalence, precision and each part need, and how far each of them is.

Each target says how many labels of each pool it needs; the plan has the largest of these. After a batch each is held
against its own published interval, and the one that needs most decides about the next batch.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from evenhand import arrays
from evenhand.audits.accuracy.pools import PoolName
from evenhand.catalogue.accuracy import PREVALENCE
from evenhand.catalogue.shared import PRECISION, RECALL
from evenhand.errors import InputError
from evenhand.finding import Finding, Slice, SliceKey
from evenhand.intervals.survey import GoldCounts
from evenhand.measurement.design_table import foreseen_parts, part_spreads
from evenhand.measurement.plan import PlanPool, SamplingPlan
from evenhand.measurement.sample import CampaignSample
from evenhand.measurement.target_progress import MeasuredTarget, TargetProgress, measured_progress
from evenhand.sampling.design import PoolExpectation, SamplingDesign
from evenhand.sampling.expectations import fewest_labels, split_labels
from evenhand.sampling.published_sizes import expected_labels, expected_labels_for_recall, labels_for_prevalence
from evenhand.sampling.sizes import Within

PARTS = "parts"
TARGETED = (str(RECALL), str(PREVALENCE), str(PRECISION), PARTS)


def read_targets(pairs: Sequence[str]) -> dict[str, float]:
    """From texts such as "recall=0.2"."""
    targets: dict[str, float] = {}
    for pair in pairs:
        name, _, text = (piece.strip() for piece in pair.partition("="))
        if name not in TARGETED:
            raise InputError(
                f"invalid `target`: '{pair}' (write one of {', '.join(TARGETED)}, and a share: recall=0.2)"
            )
        if name in targets:
            raise InputError(f"invalid `target`: {name} is given twice")
        try:
            targets[name] = arrays.share(float(text), "`target`")
        except ValueError:
            raise InputError(f"invalid `target`: '{pair}' (must be a share, such as {name}=0.2)") from None
    return targets


@dataclass(frozen=True, slots=True)
class TargetNeed:
    """A target, and the labels of each pool that it is expected to take; `part` is the part that needs most of them."""

    name: str
    within: float
    labels: Mapping[str, int]
    part: str = ""

    @property
    def total(self) -> int:
        """Labels of all pools."""
        return sum(self.labels.values())

    def record(self) -> dict[str, object]:
        """As plain data."""
        return {"target": self.name, "within": self.within, "labels": dict(self.labels), "part": self.part or None}

    def line(self) -> str:
        """In a line."""
        split = ", ".join(f"{n:,} {name}" for name, n in self.labels.items() if n) if len(self.labels) > 1 else ""
        most = f", most for {self.part}" if self.part else ""
        detail = f" ({split}{most})" if split else f" ({most.removeprefix(', ')})" if most else ""
        return f"  {self.name + ' ±' + format(100.0 * self.within, '.3g') + ' %':20} {self.total:>9,} labels{detail}"


@dataclass(frozen=True)
class TargetPlanning:
    """What targets are planned on: pools and what is expected of them, the names of groups, the design, the level."""

    pools: Sequence[PlanPool]
    expected: Sequence[PoolExpectation]
    groups: Sequence[str]
    design: SamplingDesign
    level: float

    def needs(self, targets: Mapping[str, float]) -> tuple[TargetNeed, ...]:
        """Of each target; no pool needs more labels than it has items."""
        return tuple(self._need(name, within) for name, within in targets.items())

    def labels(self, needs: Sequence[TargetNeed]) -> tuple[int, ...]:
        """Of each pool: what the target that needs most of it takes."""
        fewest = fewest_labels(self.expected)
        largest = [max(need.labels[pool.name] for need in needs) for pool in self.pools]
        return tuple(max(n, int(least)) for n, least in zip(largest, fewest, strict=True))

    def _need(self, name: str, within: float) -> TargetNeed:
        part = ""
        if name in (RECALL, PRECISION) and len(self.pools) < 2:
            raise InputError(f"a target for {name} needs `decision`, the column of decisions")
        if name == RECALL:
            labels = self._for_recall(within)
        elif name == PREVALENCE:
            labels = self._for_prevalence(within)
        elif name == PRECISION:
            labels = [self._for_pool(self.expected[0], within), *[0] * (len(self.pools) - 1)]
        else:
            part, n = self._for_parts(within)
            labels = [*[0] * (len(self.pools) - 1), n]
        own = {pool.name: min(n, pool.items) for pool, n in zip(self.pools, labels, strict=True)}
        return TargetNeed(name, within, own, part)

    def _for_recall(self, within: float) -> Sequence[int]:
        target = Within(within, self.level)
        n = expected_labels_for_recall(self.expected[0], self.expected[1], target, self.level)
        least, most = int(fewest_labels(self.expected).sum()), sum(pool.items for pool in self.expected)
        return split_labels(min(max(n, least), most), self.expected)

    def _for_prevalence(self, within: float) -> Sequence[int]:
        """Of all items; labels of pools in proportion to what they add to the error."""
        if len(self.expected) == 1:
            return [self._for_pool(self.expected[0], within)]
        return labels_for_prevalence(self.expected, Within(within, self.level), self.level)

    def _for_pool(self, pool: PoolExpectation, within: float) -> int:
        assert self.design.forecast is not None
        target = Within(within, self.level)
        return expected_labels(PREVALENCE, [pool], target, self.level, self.design.forecast.size(pool, target).n)

    def _for_parts(self, within: float) -> tuple[str, int]:
        """The part that needs most labels of the last pool, and how many."""
        forecast = foreseen_parts(self.design)
        if not self.groups or forecast is None:
            raise InputError("a target for parts needs `by`, and the design score-driven or random")
        spreads = part_spreads(self.pools[-1].frame, self.expected[-1].prevalence, forecast)
        needed = {number: spread.needed(within, self.level) for number, spread in spreads.items()}
        number = max(needed, key=needed.__getitem__)
        return self.groups[number], min(needed[number], self.pools[-1].items)


def check_targets(targets: Mapping[str, float], design: SamplingDesign) -> None:
    """Whether a design can plan for several targets."""
    if targets and (design.forecast is None or design.traits.open_ended):
        raise InputError(f"a {design.name} plan has no `target`: give `n`")


def target_progresses(
    plan: SamplingPlan, finding: Finding, sample: CampaignSample, gold: GoldCounts | None = None
) -> tuple[list[TargetProgress], list[str]]:
    """How far the labels are from each target of a plan; and those of which nothing can be said yet."""
    known, unknown = [], []
    for target in _measured_targets(plan):
        progress = measured_progress(plan, finding, sample, target, gold)
        if progress is None:
            unknown.append(target.title)
        else:
            known.append(progress)
    return known, unknown


def _measured_targets(plan: SamplingPlan) -> Iterator[MeasuredTarget]:
    for name, within in plan.targets.items():
        target = Within(within, plan.level)
        if name != PARTS:
            yield MeasuredTarget(name, target)
            continue
        visible: Slice = {SliceKey.POOL: PoolName.VISIBLE} if len(plan.pools) > 1 else {}
        yield from (MeasuredTarget(PREVALENCE, target, {plan.group_key: group, **visible}) for group in plan.groups)


def leading_target(progresses: Sequence[TargetProgress]) -> TargetProgress | None:
    """The one that decides about the next batch: of those not reached, the one that needs most labels."""
    return max(progresses, key=lambda one: (not one.reached, one.more), default=None)
