"""Choosing the thresholds of a policy so that its promises hold.

Wrong removals: thresholds of a grid fixed in advance are tested from the highest down with exact binomial p-values (see
`grid`). Missed violations: an order statistic of the violating items' scores, whose rank is exact for any scores.
"""

from __future__ import annotations

import hashlib

import numpy as np
import numpy.typing as npt

from evenhand.errors import InputError
from evenhand.routing import columns
from evenhand.routing.columns import BoolArray
from evenhand.routing.exact import items_to_rank, safe_rank
from evenhand.routing.grid import GRID, Grid
from evenhand.routing.policies import Policy, labelled
from evenhand.tally import FloatArray

LABELLED = 1_000_000  # items that anybody could have labelled


def choose(
    p: npt.ArrayLike,
    y: npt.ArrayLike,
    *,
    wrong_removals: float | None = None,
    missed_violations: float | None = None,
    delta: float = 0.1,
    grid: Grid = GRID,
) -> Policy:
    """Thresholds that keep what is promised with probability 1 − delta, halved between two promises (Bonferroni).

    `wrong_removals`: at most this share of automatic removals is wrong. `missed_violations`: at most this share of
    violations is left alone. What is not promised is not done: without the first nothing is removed automatically.
    """
    score, label = labelled(p, y)
    promises = [share for share in (wrong_removals, missed_violations) if share is not None]
    if not promises:
        raise InputError("promise something: wrong_removals, missed_violations, or both")
    for share in (*promises, delta):
        columns.share(share, "a promised share, or delta,", closed=False)
    each, upper, lower = delta / len(promises), None, None
    needed: list[int | None] = []
    notes: list[str] = []
    if wrong_removals is not None:
        upper = _upper(score, label, wrong_removals, each, grid, needed, notes)
    if missed_violations is not None:
        lower = _lower(score, label, missed_violations, each, needed, notes)
    if upper is not None and lower is not None and upper <= lower:
        lower = upper
        notes.append("the thresholds meet: the model decides everything, and there is nothing in between to review")
    more = None if None in needed else max((n for n in needed if n), default=None)
    return Policy(
        upper, lower, wrong_removals, missed_violations, delta, len(score), int(label.sum()),
        _fingerprint(score, label), more, tuple(notes),
    )  # fmt: skip


def _upper(
    p: FloatArray, y: BoolArray, allowed: float, delta: float, grid: Grid, needed: list[int | None], notes: list[str]
) -> float | None:
    """The lowest threshold that was shown to be safe; of those that remove the same items, the highest."""
    items, wrong = grid.count(p, ~y)
    passed = np.flatnonzero(grid.passed(items, wrong, allowed, delta))
    if len(passed):
        same = passed[items[passed] == items[passed[-1]]]  # nothing was seen between them
        return grid.thresholds[int(same[0])]
    enough = grid.needed(items, wrong, len(p), allowed, delta)
    beyond = enough is not None and enough > LABELLED
    needed.append(None if beyond else enough)
    why = f"no threshold was shown to keep wrong removals at or below {allowed:.3g}, so nothing is removed unseen"
    if enough is None:
        notes.append(f"{why}; at the rates seen here no number of labelled items would show it")
    elif beyond:
        notes.append(
            f"{why}; the share of wrong removals seen here is so near what is allowed that these items cannot tell, "
            f"and no sample that people could label would (it would take more than {LABELLED:,} items)"
        )
    else:
        notes.append(f"{why}; at the rates seen here about {enough:,} labelled items would do")
    return None


def _lower(
    p: FloatArray, y: BoolArray, allowed: float, delta: float, needed: list[int | None], notes: list[str]
) -> float | None:
    """The score of the violating item that has as many below it as is safe."""
    scores = np.sort(p[y])
    rank = safe_rank(len(scores), allowed, delta)
    if rank:
        return float(scores[rank - 1])
    enough = items_to_rank(allowed, delta)
    needed.append(-(-enough * len(p) // len(scores)) if len(scores) else None)
    notes.append(
        f"{len(scores)} violating items cannot show that at most {allowed:.3g} of violations are left alone, "
        f"so nothing is left unseen; {enough:,} violating items would do"
    )
    return None


def _fingerprint(p: FloatArray, y: BoolArray) -> str:
    return hashlib.sha256(p.tobytes() + y.tobytes()).hexdigest()[:16]
