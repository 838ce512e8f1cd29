"""Making a plan: count the items once, choose how many labels, and split them between pools.

The sample size is a number, everything there is (a census), or whatever a target precision takes.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from evenhand import arrays
from evenhand.catalogue.accuracy import PREVALENCE
from evenhand.errors import InputError
from evenhand.evidence import open_source
from evenhand.files import check_writable
from evenhand.inputs import protected_inputs
from evenhand.measurement.item_counts import CountedItems, count_items
from evenhand.measurement.items import ItemColumns, ItemSource
from evenhand.measurement.plan import ALL, REMOVED, Measurement, PlanPool, PopulationFile, SamplingPlan
from evenhand.measurement.plan_file import check_plan_path, write_plan
from evenhand.measurement.sizes import target_precision
from evenhand.measurement.targets import TargetNeed, TargetPlanning, check_targets, read_targets
from evenhand.progress import Progress, silent
from evenhand.sampling.design import LabelForecast, PoolExpectation, SamplingDesign
from evenhand.sampling.designs import DESIGNS
from evenhand.sampling.expectations import expect_pool, fewest_labels, split_labels
from evenhand.sampling.frame import CellCounts, SamplingFrame
from evenhand.sampling.published_sizes import expected_labels, expected_labels_for_recall
from evenhand.sampling.simple_random import RandomDesign
from evenhand.sampling.sizes import SampleSize, Target, Within, checked_prevalence

DEFAULT_TARGET = {Within.name: 0.2}


@dataclass(frozen=True)
class SampleSizeRequest:
    """How many labels: a number, everything, or a target precision; and the prevalence to plan for, if one is given.

    >>> eh.measurement.SampleSizeRequest(n=500).n
    500
    >>> eh.measurement.SampleSizeRequest(promise={"within": 0.2}).target
    Within(share=0.2, level=0.95)
    """

    n: int | None = None
    census: bool = False
    promise: Mapping[str, Any] | None = None
    prevalence: float | None = None
    level: float = 0.95
    targets: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        n: str | None,
        promise: Mapping[str, Any],
        prevalence: float | None,
        level: float,
        targets: Sequence[str] = (),
    ) -> SampleSizeRequest:
        """From what was typed."""
        arrays.share(level, "the level")
        if prevalence is not None:
            checked_prevalence(prevalence)
        has_target = any(value is not None for value in promise.values())
        if n is not None and (has_target or targets):
            raise InputError("give either `n` (a number, or all) or a target precision, not both")
        if has_target and targets:
            raise InputError("give either one target precision or several with `target`, not both")
        if targets:
            return cls(prevalence=prevalence, level=level, targets=read_targets(targets))
        if n is None:
            promise = promise if has_target else DEFAULT_TARGET
            return cls(promise=promise, prevalence=prevalence, level=level)
        if n.strip().lower() == "all":
            return cls(census=True, level=level)
        if not n.strip().isdigit():
            raise InputError(f"invalid `n`: '{n}' (must be a whole number or 'all')")
        return cls(n=int(n), prevalence=prevalence, level=level)

    @property
    def target(self) -> Target | None:
        """The target precision."""
        return None if self.promise is None else target_precision(self.promise, self.level)

    @property
    def target_values(self) -> dict[str, float]:
        """The target as plain data."""
        return {name: value for name, value in (self.promise or {}).items() if value is not None}


CONSTANT_SCORE = "the score is the same for all items: give `n`, or the expected `prevalence`"
CENSUS = "label all of them, a census (`n` all)"
HOPELESS_FACTOR = 100  # times the items, beyond which nobody wants to know how many labels it would take


@dataclass(frozen=True)
class PlannedCampaign:
    """A plan, and what it expects of each pool; `promised` labels would do for the promise, where more are planned.

    `prevalence` is what to expect, where that was given and does not follow from the score.

    >>> plan = eh.measurement.read_plan("plan.json")
    >>> eh.measurement.PlannedCampaign(plan, expected={}).plan.level
    0.95
    """

    plan: SamplingPlan
    expected: Mapping[str, PoolExpectation]
    promised: int | None = None
    needs: tuple[TargetNeed, ...] = ()
    prevalence: float | None = None


@protected_inputs()
def plan_campaign(
    path: Path,
    out: Path,
    *,
    roles: ItemColumns,
    design: SamplingDesign,
    size: SampleSizeRequest,
    purpose: Mapping[str, Any],
    seed: int,
    progress: Progress = silent,
) -> PlannedCampaign:
    """Make a plan and write its file; `purpose` says what is measured. What is in the way is refused first.

    >>> from pathlib import Path
    >>> planned = eh.measurement.plan_campaign(
    ...     Path("items.csv"),
    ...     Path("plan.json"),
    ...     roles=eh.measurement.ItemColumns(id="id", score="p"),
    ...     design=eh.sampling.RandomDesign(),
    ...     size=eh.measurement.SampleSizeRequest(n=100),
    ...     purpose={"ground_truth": "policy", "codebook": "v1", "population": "all comments", "period": "2026-01"},
    ...     seed=1,
    ... )
    >>> planned.plan.pools[0].labels
    100
    """
    check_writable(out)
    check_plan_path(out)
    measurement = Measurement.from_purpose(purpose, decided=roles.decision is not None)
    made = make_plan(
        path, out, roles=roles, design=design, size=size, measurement=measurement, seed=seed, progress=progress
    )
    write_plan(made.plan, out)
    return made


def make_plan(
    path: Path,
    out: Path,
    *,
    roles: ItemColumns,
    design: SamplingDesign,
    size: SampleSizeRequest,
    measurement: Measurement,
    seed: int,
    progress: Progress = silent,
) -> PlannedCampaign:
    """Read the items once and settle everything but the draw.

    >>> import polars as pl
    >>> from pathlib import Path
    >>> pl.DataFrame({"id": range(500), "p": np.linspace(0.01, 0.99, 500)}).write_csv("items.csv")
    >>> planned = eh.measurement.make_plan(
    ...     Path("items.csv"),
    ...     Path("plan.json"),
    ...     roles=eh.measurement.ItemColumns(id="id", score="p"),
    ...     design=eh.sampling.RandomDesign(),
    ...     size=eh.measurement.SampleSizeRequest(n=100),
    ...     measurement=eh.measurement.Measurement("policy", "v1", "all comments", "2026-01", "prevalence"),
    ...     seed=1,
    ... )
    >>> planned.plan.pools[0].labels
    100
    """
    _check(roles, design, size)
    arrays.whole(seed, "the seed", least=0)
    source = open_source(path)
    try:
        roles = roles.named(list(source.columns()))
        counted = count_items(ItemSource(source, roles), progress)
        if (
            roles.score
            and (size.promise is not None or size.targets)
            and size.prevalence is None
            and has_constant_score(counted.pools.values())
        ):
            raise InputError(CONSTANT_SCORE, column=roles.score)
        design = RandomDesign() if size.census and not design.traits.clusters else design
        pools, known, promised = _pools(counted, design, size)
        pools, needs = _aimed_pools(pools, known, counted, design, size)
    except InputError as error:
        raise error.within(str(path)) from None
    file = PopulationFile(os.path.relpath(path, out.parent), source.fingerprint()["sha256"], counted.rows)
    plan = SamplingPlan(
        measurement=measurement,
        items=file,
        columns=roles.as_dict(),
        groups=counted.groups,
        design=design.aimed_at(size.target_values),
        pools=pools,
        level=size.level,
        seed=seed,
        promise=size.target_values,
        targets=size.targets,
    )
    for pool in plan.pools:
        plan.design.check_drawable(pool, plan.generator(0, 0))
    return PlannedCampaign(plan, known, promised, needs, size.prevalence)


def has_constant_score(pools: Iterable[CellCounts]) -> bool:
    """Whether all items have one score."""
    return len({step for cells in pools for step in cells.steps.tolist()}) == 1


def _check(roles: ItemColumns, design: SamplingDesign, request: SampleSizeRequest) -> None:
    traits = design.traits
    if traits.score and roles.score is None and not request.census:
        raise InputError("this design needs a score: give `score`, or choose `design` random")
    if traits.clusters != (roles.cluster is not None):
        names = [name for name in DESIGNS if DESIGNS[name].from_settings({}).traits.clusters]
        raise InputError(f"`design` {' or '.join(names)} and `cluster`, the column of threads or authors, go together")
    if roles.decision and not traits.pools:
        *most, last = (name for name in DESIGNS if DESIGNS[name].from_settings({}).traits.pools)
        raise InputError(f"sampling removed and visible items together needs `design` {', '.join(most)} or {last}")
    if roles.by and not traits.groups:
        raise InputError(f"a {design.name} plan has a single interval: leave out `by`, or make a plan for each group")
    check_targets(request.targets, design)
    if request.target is not None and design.forecast is None:
        raise InputError(f"{traits.unforeseeable}: give `n` instead of a target precision")
    if request.target is not None and request.target.bound is not None and roles.decision:
        raise InputError("`below` applies to a prevalence: leave out `decision`, or use `within`, `cv` or `width`")
    aimed = request.promise is not None or bool(request.targets)
    if roles.score is None and aimed and request.prevalence is None:
        raise InputError("without a score, a target precision needs the expected `prevalence`")


def _pools(
    counted: CountedItems, design: SamplingDesign, request: SampleSizeRequest
) -> tuple[tuple[PlanPool, ...], dict[str, PoolExpectation], int | None]:
    forecast = design.forecast
    if forecast is None:
        return _clustered(counted, request), {}, None
    known = {name: _expected(name, cells, forecast, request) for name, cells in counted.pools.items()}
    expects, promised = list(known.values()), None
    if request.target is not None:
        needed, least = _needed(request, counted, expects, forecast), int(fewest_labels(expects).sum())
        request = replace(request, n=max(needed, least))
        promised = needed if needed < least else None
    pools = zip(counted.pools.items(), _labels(request, expects), strict=True)
    return tuple(PlanPool(name, len(cells), n, cells) for (name, cells), n in pools), known, promised


def _aimed_pools(
    pools: tuple[PlanPool, ...],
    known: Mapping[str, PoolExpectation],
    counted: CountedItems,
    design: SamplingDesign,
    request: SampleSizeRequest,
) -> tuple[tuple[PlanPool, ...], tuple[TargetNeed, ...]]:
    """With the labels that several targets take, where there are such."""
    if not request.targets:
        return pools, ()
    planning = TargetPlanning(pools, [known[pool.name] for pool in pools], counted.groups, design, request.level)
    needs = planning.needs(request.targets)
    labels = planning.labels(needs)
    return tuple(replace(pool, labels=n) for pool, n in zip(pools, labels, strict=True)), needs


def _expected(pool: str, cells: CellCounts, forecast: LabelForecast, request: SampleSizeRequest) -> PoolExpectation:
    """By the score; the prevalence that is given is that of what is visible, or of everything."""
    prevalence = None if pool == REMOVED else request.prevalence
    return expect_pool(SamplingFrame.counted(cells), forecast, prevalence=prevalence)


def _labels(request: SampleSizeRequest, pools: list[PoolExpectation]) -> tuple[int, ...]:
    items, n = sum(pool.items for pool in pools), request.n
    if request.census or n is None:
        return tuple(pool.items for pool in pools)
    if n > items:
        raise InputError(f"{n:,} labels requested, but there are only {items:,} items: {CENSUS}")
    if n < _least(pools):
        what = "this design" if len(pools) == 1 else "removed and visible items"
        raise InputError(f"{n:,} labels are too few for {what}: at least {_least(pools):,} are needed")
    return (n,) if len(pools) == 1 else split_labels(n, pools)


def _least(pools: list[PoolExpectation]) -> int:
    return pools[0].fewest if len(pools) == 1 else int(fewest_labels(pools).sum())


def _needed(
    request: SampleSizeRequest, counted: CountedItems, pools: list[PoolExpectation], forecast: LabelForecast
) -> int:
    """Labels for a target precision: of recall if there are two pools, otherwise of the prevalence."""
    target = request.target
    assert target is not None
    if len(pools) == 2:
        return expected_labels_for_recall(pools[0], pools[1], target, request.level)
    (pool,), (cells,) = pools, counted.pools.values()
    needed = expected_labels(PREVALENCE, pools, target, request.level, _needed_of_pool(target, pool, forecast))
    if target.bound is None:
        return needed
    return forecast.size_below(SamplingFrame.counted(cells), target.bound, pool, least=needed)


def _needed_of_pool(target: Target, pool: PoolExpectation, forecast: LabelForecast) -> int:
    endless, size = forecast.size(pool, target, corrected=False), forecast.size(pool, target)
    if endless.n > pool.items:
        many = (
            f"{endless.n:,}"
            if endless.n < HOPELESS_FACTOR * pool.items
            else f"more than {HOPELESS_FACTOR * pool.items:,}"
        )
        raise InputError(
            f"this target precision needs {many} labels in a large population, and there are only {pool.items:,} "
            f"items: {_instead(size)}, or choose a less precise target"
        )
    return size.n


def _instead(size: SampleSize) -> str:
    return CENSUS if size.census else f"{CENSUS}, or {size.n:,} of them (`n` {size.n})"


def _clustered(counted: CountedItems, request: SampleSizeRequest) -> tuple[PlanPool, ...]:
    """One pool; whole clusters are drawn that hold about as many items as there are to be labels."""
    rows, n = counted.rows, counted.rows if request.n is None else request.n
    if n > rows:
        raise InputError(f"{n:,} labels requested, but there are only {rows:,} items: {CENSUS}")
    if counted.clusters < 2:
        raise InputError("there is only one cluster: an interval needs at least two")
    return (PlanPool(ALL, rows, n, clusters=counted.clusters),)
