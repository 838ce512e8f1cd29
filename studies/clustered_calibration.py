"""Is a calibrated model called calibrated where authors write many comments that are alike?

The probabilities are right for every comment, but two comments of one author are more often violating together than
the probabilities say. Coverage of calibration errors, whose truth is 0, and of means; and the share of audits in which
an error is marked, which is false. `independent` is the same without declared clusters.
"""

from __future__ import annotations

from collections import Counter
from functools import cache

import numpy as np
from scipy.stats import norm

from evenhand.audits.calibration.quantities import OVERALL_MEASURES, CalibrationProbe, draw_replicates, measure_probe
from evenhand.audits.calibration.sample import ClassedSample
from evenhand.audits.calibration.settings import CalibrationSettings
from evenhand.evidence import ClassedRows
from evenhand.intervals.significance import holm
from evenhand.measures.calibration import two_class_probabilities
from evenhand.tally import Clusters
from studies.study import Row, Study

SETTINGS = CalibrationSettings(replicates=100)
MEASURES = ("ece", "ace", "sce", "brier", "accuracy")
LEVEL = 0.95


def cells() -> list[Row]:
    return [
        {"authors": authors, "correlation": correlation} for authors, correlation in ((30, 0.4), (100, 0.1), (100, 0.4))
    ]


def drawn(authors: int, correlation: float, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Probabilities, labels and authors."""
    sizes = np.maximum(1, np.rint(20 * rng.lognormal(-0.18, 0.6, authors))).astype(int)
    author = np.repeat(np.arange(authors), sizes)
    p = norm.cdf(0.7 * rng.normal(size=authors)[author] + 0.7 * rng.normal(size=len(author)) - 1.0)
    shared, own = rng.normal(size=authors)[author], rng.normal(size=len(author))
    return p, norm.cdf(np.sqrt(correlation) * shared + np.sqrt(1.0 - correlation) * own) < p, author


@cache
def truth() -> dict[str, float]:
    p, y, _ = drawn(100_000, 0.1, np.random.default_rng(1))
    return dict.fromkeys(MEASURES, 0.0) | {
        "brier": float(np.mean((y - p) ** 2)),
        "accuracy": float(np.mean(y == (p >= 0.5))),
    }


def run(cell: Row, draws: int, rng: np.random.Generator) -> list[Row]:
    right = Counter[tuple[str, str]]()
    for number in range(draws):
        p, y, author = drawn(cell["authors"], cell["correlation"], rng)
        for way, clusters in (("coverage", Clusters.from_codes(author)), ("independent", None)):
            rows = ClassedRows("p", ("no", "yes"), two_class_probabilities(p), y.astype(np.int32), None, {}, clusters)
            right.update(_results(ClassedSample(rows), way, number))
    return [
        {"measure": name, **{way: right[name, way] / draws for way in ("coverage", "independent")}}
        for name in (*MEASURES, "false marks")
    ]


def _results(sample: ClassedSample, way: str, seed: int) -> Counter[tuple[str, str]]:
    """Which intervals hold the truth, and whether anything is marked."""
    bins = SETTINGS.sorting()
    replicates = draw_replicates(sample, [bins], CalibrationSettings(replicates=100, seed=seed), lambda *_: None)
    found = [measure_probe(sample, replicates, CalibrationProbe(one, bins, {}), LEVEL) for one in OVERALL_MEASURES]
    right = Counter(
        (str(one.probe.number.measure), way)
        for one in found
        if (value := truth().get(str(one.probe.number.measure))) is not None
        and one.estimate.low <= value <= one.estimate.high
    )
    right["false marks", way] += any(holm([one.p_value for one in found if one.p_value is not None], 1.0 - LEVEL))
    return right


STUDY = Study("clustered_calibration", cells(), run, draws=120)
