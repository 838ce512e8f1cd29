"""An interval that may be looked at after every label: is the truth ever ruled out, and what does looking cost?

On five real sets of scores. Draws go on to four times what the default design needs for "within 20 %"; looks are five
per cent apart, and the first at which everything beyond 20 % of the estimate is ruled out ends the labelling.
"""

from __future__ import annotations

import numpy as np

from evenhand.intervals.confidence_sequence import ConfidenceSequence
from evenhand.sampling.frame import SamplingFrame
from evenhand.sampling.sequential import LabelledDraws, SequentialDesign, combined_bets, draw_sequential
from studies import sampling
from studies.scored import SETS, misled, real
from studies.study import Row, Study

WITHIN, LEVEL, TIMES, STEP = 0.2, 0.95, 4, 1.05
THRESHOLD = float(np.log(2.0 / (1.0 - LEVEL)))


def cells() -> list[Row]:
    return [{"set": name, "classifier": classifier} for name in SETS for classifier in ("as it is", "shuffled")]


def run(cell: Row, draws: int, rng: np.random.Generator) -> list[Row]:
    scored = misled(real(cell["set"]), cell["classifier"], rng)
    frame, needed = SamplingFrame.of(scored.score), fixed(cell)
    looks = np.unique((needed * 0.5 * STEP ** np.arange(60)).astype(int))
    looks = looks[looks <= TIMES * needed]
    held, stopped = np.zeros(draws), np.zeros(draws)
    for draw in range(draws):
        placed = whole(frame, scored.label, round(TIMES * needed), rng)
        held[draw] = max(placed.wealth(scored.prevalence, above=side).max() for side in (True, False)) < THRESHOLD
        stopped[draw] = next((look for look in looks if narrow(placed, look)), np.inf)
    ended = np.isfinite(stopped)
    return [
        {
            "fixed": needed,
            "coverage": float(held.mean()),
            "ended": float(ended.mean()),
            "labels": float(np.median(stopped)) if ended.mean() > 0.5 else TIMES * needed,
            "times_fixed": float(np.median(stopped)) / needed if ended.mean() > 0.5 else float(TIMES),
        }
    ]


def fixed(cell: Row) -> float:
    """What the default design needs, from the committed study."""
    rows = [row for row in sampling.STUDY.read() if row["design"] == "default"]
    return next(row["needed"] for row in rows if all(row[key] == value for key, value in cell.items()))


def whole(frame: SamplingFrame, label: np.ndarray, n: int, rng: np.random.Generator) -> ConfidenceSequence:
    design, past, drawn = SequentialDesign(), [], 0
    while drawn < n:
        draws = draw_sequential(frame, past, min(design.next_size(drawn), n - drawn), rng, design)
        past.append(LabelledDraws(draws, label[draws.rows]))
        drawn += len(draws.rows)
    return combined_bets(past)


def narrow(placed: ConfidenceSequence, look: int) -> bool:
    """Whether all values beyond 20 % of the estimate are ruled out."""
    seen = ConfidenceSequence(placed.values[:look], placed.lows[:look], placed.highs[:look], placed.stakes[:look])
    value = float(seen.values.mean())
    if value <= 0.0:
        return False
    ends = (((1.0 - WITHIN) * value, True), ((1.0 + WITHIN) * value, False))
    return all(seen.wealth(end, above=above).max() >= THRESHOLD for end, above in ends)


STUDY = Study("anytime", cells(), run, draws=1000)
