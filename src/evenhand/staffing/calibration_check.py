"""Are the scores of a plan calibrated, and what would calibrating them first change?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evenhand.arrays import Floats
from evenhand.calibrators import fit
from evenhand.estimate import Estimate
from evenhand.evidence.scales import BENIGN, VIOLATING, two_classes
from evenhand.routing.policies import clopper_pearson
from evenhand.staffing.history import HistoryRows

BANDS = 10
FEWEST_IN_BAND = 30
LARGE_GAP = 0.05  # between score and share of violations
CHECK_LEVEL = 0.95  # for all bands together
CALIBRATOR = "beta"
PARTS = 5


@dataclass(frozen=True, slots=True)
class MiscalibratedBand:
    """A band of scores, its mean score, and the share of its items that violate."""

    low: float
    high: float
    score: float
    violating: Estimate


def most_miscalibrated(rows: HistoryRows) -> MiscalibratedBand | None:
    """The band of scores that is furthest from what it says, if that is far and not chance; with plain rows only."""
    if rows.inclusion is not None:
        return None
    places = np.minimum((rows.p * BANDS).astype(int), BANDS - 1)
    worst: MiscalibratedBand | None = None
    effect = rows.design_effect
    for band in range(BANDS):
        inside = places == band
        items = round(float(rows.weights[inside].sum()))
        if items < FEWEST_IN_BAND:
            continue
        hits, mean = (
            float(rows.weights[inside & rows.y].sum()),
            float(np.average(rows.p[inside], weights=rows.weights[inside])),
        )
        worth = max(round(items / effect), 1)
        share = clopper_pearson(round(hits * worth / items), worth, 1.0 - (1.0 - CHECK_LEVEL) / BANDS, nothing="")
        far = abs(hits / items - mean) >= LARGE_GAP and not (share.low or 0.0) <= mean <= (share.high or 1.0)
        if far and (worst is None or abs(hits / items - mean) > abs((worst.violating.value or 0.0) - worst.score)):
            worst = MiscalibratedBand(band / BANDS, (band + 1) / BANDS, mean, share)
    return worst


def calibrated_rows(rows: HistoryRows, *, seed: int) -> HistoryRows:
    """The same items with probabilities calibrated on other items."""
    part = np.random.default_rng(seed).permutation(np.arange(len(rows.p)) % PARTS)
    p = rows.p.copy()
    for number in range(PARTS):
        p[part == number] = _calibrated(rows.take(part != number), rows.p[part == number])
    return rows._replace(p=p)


def _calibrated(fitted_on: HistoryRows, p: Floats) -> Floats:
    calibrator = fit(
        two_classes(fitted_on.p), fitted_on.y.astype(int), fitted_on.weights, method=CALIBRATOR,
        classes=(BENIGN, VIOLATING),
    )  # fmt: skip
    return np.asarray(calibrator.apply(two_classes(p)))[:, 1]
