"""A bootstrap for any number: by items, or by whole clusters where items of one author or thread belong together."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from evenhand.arrays import Ints
from evenhand.errors import InputError, Undefined
from evenhand.estimate import Estimate
from evenhand.intervals.bootstrap import percentile_interval, replicate

FEWEST_CLUSTERS = 2
BOOTSTRAP_METHOD, CLUSTER_METHOD = "bootstrap", "cluster_bootstrap"


def bootstrap(
    statistic: Callable[..., float],
    *columns: npt.ArrayLike,
    cluster: npt.ArrayLike | None = None,
    replicates: int = 1000,
    level: float = 0.95,
    seed: int = 0,
) -> Estimate:
    """A statistic of arrays, with the percentile interval of redrawn rows; with `cluster`, of redrawn clusters.

    The statistic takes the arrays and gives a number; one that is not finite counts as not defined. Give `cluster`
    (one value per row, such as the author) where rows are not independent: the interval of rows alone is too narrow
    then. Below some thirty clusters percentile intervals are too narrow as well.

    >>> bootstrap(lambda x: x.mean(), [1.0, 2.0, 3.0, 4.0]).value
    2.5
    """
    if not columns:
        raise InputError("the bootstrap needs at least one array")
    arrays = [np.asarray(column) for column in columns]
    rows = len(arrays[0])
    if any(len(column) != rows for column in arrays) or not rows:
        raise InputError(f"the arrays must have the same length and not empty: {[len(column) for column in arrays]}")
    pieces = _clusters(cluster, rows)
    try:
        value = _value(statistic, arrays)
    except Undefined as why:
        return Estimate.undefined(str(why), level=level, n=rows)

    def draw(rng: np.random.Generator) -> list[float | None]:
        try:
            chosen = _redraw(pieces, rows, rng)
            return [_value(statistic, [column[chosen] for column in arrays])]
        except Undefined:
            return [None]

    (draws,) = replicate(draw, replicates=replicates, seed=seed)
    ends = percentile_interval(draws, value, level)
    if ends is None:
        return Estimate.undefined(f"only {len(draws)} of {replicates} redraws have a value", level=level, n=rows)
    return Estimate(value, *ends, level, CLUSTER_METHOD if pieces else BOOTSTRAP_METHOD, rows)


def _value(statistic: Callable[..., float], columns: list[npt.NDArray[np.generic]]) -> float:
    value = float(statistic(*columns))
    if not np.isfinite(value):
        raise Undefined("the statistic is not a finite number")
    return value


def _clusters(cluster: npt.ArrayLike | None, rows: int) -> list[Ints]:
    """The rows of each cluster; none where rows are redrawn by themselves."""
    if cluster is None:
        return []
    _, number = np.unique(np.asarray(cluster), return_inverse=True)
    if len(number) != rows:
        raise InputError(f"`cluster` has {len(number)} values for {rows} rows")
    order = np.argsort(number, kind="stable")
    pieces = np.split(order, np.flatnonzero(np.diff(number[order])) + 1)
    if len(pieces) < FEWEST_CLUSTERS:
        raise InputError("all rows are in one cluster: nothing can be said about another one")
    return pieces


def _redraw(pieces: list[Ints], rows: int, rng: np.random.Generator) -> Ints:
    if not pieces:
        return rng.integers(0, rows, rows)
    return np.concatenate([pieces[number] for number in rng.integers(0, len(pieces), len(pieces))])
