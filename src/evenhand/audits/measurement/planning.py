"""Making a plan: count the items once, choose how many labels, and split them between pools."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from evenhand import arrays
from evenhand.audits.measurement.counting import Counted, count
from evenhand.audits.measurement.items import Items, Roles
from evenhand.audits.measurement.safety import one_sided, size_below
from evenhand.audits.measurement.wish import Wish
from evenhand.errors import InputError
from evenhand.evidence import open_source
from evenhand.progress import Progress, silent
from evenhand.sampling.cells import Cells
from evenhand.sampling.designs import Adaptive, Design, Done, Random
from evenhand.sampling.expectations import Expected, expected, least, size_for, size_for_recall, split
from evenhand.sampling.frame import Frame
from evenhand.sampling.plan import ALL, REMOVED, AnyDesign, Clusters, ItemsFile, Measurement, Plan, Pool
from evenhand.sampling.sequential import Sequential
from evenhand.sampling.sizes import Size, random_size
from evenhand.sampling.targets import Below

FLAT = "the score is the same for all items, so it says nothing: give --n, or --prevalence to plan for"
MANY = 100  # times the items, beyond which nobody wants to know how many labels it would take
LONGER = 2.2  # times the labels of the default, until a sequential plan is as sure (docs/sampling.md)


@dataclass(frozen=True)
class Made:
    """A plan, and what it expects of each pool; `promised` labels would do for the promise, where more are planned."""

    plan: Plan
    expected: Mapping[str, Expected]
    ids_looked_at: int
    promised: int | None = None


def make_plan(
    path: Path,
    out: Path,
    *,
    roles: Roles,
    design: AnyDesign,
    wish: Wish,
    measurement: Measurement,
    seed: int,
    progress: Progress = silent,
) -> Made:
    """Read the items once and settle everything but the draw."""
    _check(roles, design, wish)
    arrays.whole(seed, "the seed", least=0)
    source = open_source(path)
    try:
        roles = roles.named(list(source.columns()))
        counted = count(Items(source, roles), progress)
        if roles.score and wish.promise is not None and wish.prevalence is None and flat(counted.pools.values()):
            raise InputError(FLAT, column=roles.score)
        design = Random() if wish.census and not isinstance(design, Clusters) else design
        pools, known, promised = _pools(counted, design, wish)
    except InputError as error:
        raise error.within(str(path)) from None
    file = ItemsFile(os.path.relpath(path, out.parent), source.fingerprint()["sha256"], counted.rows)
    plan = Plan(
        measurement=measurement,
        items=file,
        columns=roles.as_dict(),
        groups=counted.groups,
        design=_aimed(design, wish),
        pools=pools,
        level=wish.level,
        seed=seed,
        promise=wish.said,
    )
    _check_draw(plan)
    return Made(plan, known, counted.ids_looked_at, promised)


def flat(pools: Iterable[Cells]) -> bool:
    """Whether all items have one score."""
    return len({step for cells in pools for step in cells.steps.tolist()}) == 1


def _check(roles: Roles, design: AnyDesign, wish: Wish) -> None:
    needs_score = not isinstance(design, Random | Clusters) and getattr(design, "score", True) is not None
    if needs_score and roles.score is None and not wish.census:
        raise InputError("this design goes by the score: give --score, or choose --design random")
    if isinstance(design, Clusters) != (roles.cluster is not None):
        raise InputError("--design clusters goes with --cluster, the column of threads or authors")
    if isinstance(design, Sequential | Clusters) and roles.decision:
        raise InputError("removed and visible items together need --design score-driven, random or stratified")
    if isinstance(design, Sequential) and roles.by:
        raise InputError("a sequential plan has one interval: leave --by out, or make a plan for each group")
    if isinstance(design, Clusters) and wish.promise is not None:
        raise InputError("nobody knows beforehand how alike the items of a cluster are: give --n, not a promise")
    if wish.promise is not None and wish.target is not None and roles.decision and isinstance(wish.target, Below):
        raise InputError("--below is about a prevalence: leave --decision out, or promise --within, --cv or --width")
    if roles.score is None and wish.promise is not None and wish.prevalence is None:
        raise InputError("a promise without a score needs --prevalence, the share of violating items to plan for")


def _check_draw(plan: Plan) -> None:
    """What cannot be drawn is refused now."""
    if not isinstance(plan.design, Sequential | Clusters):
        for pool in plan.pools:
            plan.on_cells.draw(pool.frame, Done(), pool.labels, plan.generator(0, 0))


def _pools(counted: Counted, design: AnyDesign, wish: Wish) -> tuple[tuple[Pool, ...], dict[str, Expected], int | None]:
    if isinstance(design, Clusters):
        return _clustered(counted, wish), {}, None
    plain: Design = Adaptive() if isinstance(design, Sequential) else design
    known = {name: _expected(name, cells, plain, wish) for name, cells in counted.pools.items()}
    expects, promised = list(known.values()), None
    if wish.promise is not None:
        needed = _below(wish, counted, known, design) or _needed(wish, expects, design)
        wish = replace(wish, n=max(needed, _least(expects)))
        promised = needed if needed < _least(expects) else None
    pools = zip(counted.pools.items(), _labels(wish, expects), strict=True)
    return tuple(Pool(name, len(cells), n, cells) for (name, cells), n in pools), known, promised


def _expected(pool: str, cells: Cells, design: Design, wish: Wish) -> Expected:
    """By the score; the prevalence that is given is that of what is visible, or of everything."""
    given = None if pool == REMOVED else wish.prevalence
    return expected(Frame.counted(cells), design, prevalence=given)


def _labels(wish: Wish, pools: list[Expected]) -> tuple[int, ...]:
    items, n = sum(pool.items for pool in pools), wish.n
    if wish.census or n is None:
        return tuple(pool.items for pool in pools)
    if n > items:
        raise InputError(f"{n:,} labels are more than the {items:,} items: label all of them, a census (--n all)")
    if n < _least(pools):
        what = "this design" if len(pools) == 1 else "what was removed and what is visible"
        raise InputError(f"{n} labels are too few for {what}: give {_least(pools)} or more")
    return (n,) if len(pools) == 1 else split(n, pools)


def _least(pools: list[Expected]) -> int:
    return pools[0].fewest if len(pools) == 1 else int(least(pools).sum())


def _below(wish: Wish, counted: Counted, known: Mapping[str, Expected], design: AnyDesign) -> int | None:
    """Labels that can keep the promise of a safe level, where that is the promise and the design has an end."""
    asked = wish.target
    if not isinstance(asked, Below):
        return None
    (cells,), (pool,) = counted.pools.values(), known.values()
    least = _needed(wish, [pool], design)
    if isinstance(design, Sequential | Clusters):
        return max(least, random_size(pool.prevalence, one_sided(asked), items=pool.items).n)
    return size_below(Frame.counted(cells), design, asked, pool.prevalence, least=least).n


def _needed(wish: Wish, pools: list[Expected], design: AnyDesign) -> int:
    asked = wish.target
    assert asked is not None
    if len(pools) == 2:
        return size_for_recall(pools[0], pools[1], asked).n
    (pool,) = pools
    if isinstance(design, Random):
        endless, size = random_size(pool.prevalence, asked), random_size(pool.prevalence, asked, items=pool.items)
    else:
        pool = replace(pool, variance=pool.variance * (LONGER if isinstance(design, Sequential) else 1.0))
        endless, size = size_for(pool, asked, corrected=False), size_for(pool, asked)
    if endless.n > pool.items:
        many = f"{endless.n:,}" if endless.n < MANY * pool.items else f"more than {MANY * pool.items:,}"
        raise InputError(
            f"this promise takes {many} labels where there is no end of items, and there are {pool.items:,}: "
            f"{_instead(size)}, or promise less"
        )
    return size.n


def _instead(size: Size) -> str:
    census = "label all of them, a census (--n all)"
    return census if size.census else f"{census}, or {size.n:,} of them (--n {size.n})"


def _clustered(counted: Counted, wish: Wish) -> tuple[Pool, ...]:
    """One pool; whole clusters are drawn that hold about as many items as there are to be labels."""
    rows, n = counted.rows, counted.rows if wish.n is None else wish.n
    if n > rows:
        raise InputError(f"{n:,} labels are more than the {rows:,} items: label all of them, a census (--n all)")
    if counted.clusters < 2:
        raise InputError("there is one cluster only: it says nothing of others")
    return (Pool(ALL, rows, n, clusters=counted.clusters),)


def _aimed(design: AnyDesign, wish: Wish) -> AnyDesign:
    """Bets aim at what is promised."""
    within = wish.said.get("within")
    return replace(design, within=within) if isinstance(design, Sequential) and within else design
