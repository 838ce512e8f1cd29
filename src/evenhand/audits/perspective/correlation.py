"""Does a model that fits people's labels well also share their judgement? Over several models."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from evenhand.audits.perspective.crowd import Crowd
from evenhand.estimate import Estimate
from evenhand.finding import Measured, Slice
from evenhand.tally import FloatArray

FEWEST = 5  # models, under which a correlation has no interval to speak of
METHOD = "fisher_z"


def of(measured: Sequence[Measured], crowd: Crowd, level: float) -> Iterator[Measured]:
    """Spearman's of F1 with the mean delta, and the paper's t-test beside, which is no test of correlation."""
    from scipy import stats  # slow to load

    for _, slice_ in crowd.slices:
        pairs = _pairs(measured, slice_)
        if len(pairs) < 2:
            return
        f1, delta = np.asarray(pairs).T
        yield Measured("f1_delta_correlation", slice_, _spearman(f1, delta, level))
        if np.ptp(f1 - delta) > 0.0:
            test = stats.ttest_rel(f1, delta)
            found = Estimate.tested(float(test.statistic), float(test.pvalue), level=level, method="t_test", n=len(f1))
            yield Measured("f1_delta_t", slice_, found)


def _pairs(measured: Sequence[Measured], slice_: Slice) -> list[tuple[float, float]]:
    """F1 and mean delta, model by model."""
    found: dict[str, dict[str, float]] = {}
    for m in measured:
        rest = {key: value for key, value in m.slice.items() if key != "model"}
        wanted = m.measure in ("f1", "conformity_delta") and "model" in m.slice and rest == dict(slice_)
        if wanted and m.estimate.value is not None:
            found.setdefault(m.slice["model"], {})[m.measure] = m.estimate.value
    return [(both["f1"], both["conformity_delta"]) for both in found.values() if len(both) == 2]


def _spearman(f1: FloatArray, delta: FloatArray, level: float) -> Estimate:
    """With the interval of Bonett and Wright (2000): Fisher's z with variance (1 + r²/2) / (n − 3)."""
    from scipy import stats

    n = len(f1)
    if n < FEWEST:
        return Estimate.undefined(f"a correlation needs {FEWEST} models or more", level=level, n=n)
    if not (np.ptp(f1) > 0.0 and np.ptp(delta) > 0.0):
        return Estimate.undefined("all models have the same value", level=level, n=n)
    r = float(stats.spearmanr(f1, delta).statistic)
    z, reach = np.arctanh(np.clip(r, -0.999999, 0.999999)), stats.norm.isf((1.0 - level) / 2.0)
    spread = np.sqrt((1.0 + r * r / 2.0) / (n - 3.0))
    low, high = np.tanh([z - reach * spread, z + reach * spread])
    return Estimate(r, min(float(low), r), max(float(high), r), level, METHOD, n)
