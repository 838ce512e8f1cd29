"""Two-threshold policies with a guarantee: remove automatically above, leave alone below, people in between.

`staffing.thresholds` chooses the thresholds from labelled items so that, with probability at least 1 − delta over the
draw of these items, a guaranteed error holds on all items like them: at most so many of the automatic removals are
wrong, at most so many of the violations are left alone. The labelled items must be a random sample of what the policy
will meet.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from scipy.special import betaincinv

from evenhand import arrays
from evenhand.arrays import Bools, Floats
from evenhand.errors import InputError
from evenhand.estimate import Estimate
from evenhand.pandas_frames import rows_as_given

CLOPPER_PEARSON = "clopper_pearson"


def clopper_pearson(hits: int, items: int, level: float, *, nothing: str) -> Estimate:
    """A share with its exact interval; `nothing` is the reason where there are no items."""
    if not items:
        return Estimate.undefined(nothing, level=level, n=0)
    tail = (1.0 - level) / 2.0
    low = float(betaincinv(hits, items - hits + 1.0, tail)) if hits else 0.0
    high = float(betaincinv(hits + 1.0, items - hits, 1.0 - tail)) if hits < items else 1.0
    value = hits / items
    return Estimate(value, min(low, value), max(high, value), level, CLOPPER_PEARSON, items)


Decision = Literal["remove", "review", "leave"]
POLICY_KIND = "evenhand-policy-1"


@dataclass(frozen=True, slots=True)
class PolicyOutcome:
    """What a policy does to labelled items. Optimistic on the items that chose its thresholds.

    >>> policy = eh.routing.Policy(0.9, 0.1, None, None, delta=0.1, n=0, positives=0, data="")
    >>> print(policy.examine([0.95, 0.5, 0.02], [1, 1, 0]).wrong_removals)
    0.000 (0.000 to 0.975)
    """

    removed: Estimate
    reviewed: Estimate
    left: Estimate
    wrong_removals: Estimate
    missed_violations: Estimate


@dataclass(frozen=True, slots=True)
class Policy:
    """Remove from `upper` up, leave below `lower`, review between. None: nothing is removed, or left, unseen.

    `wrong_removals` and `missed_violations` are what was promised, None where nothing was; `n` labelled items, of
    them `positives` violating, chose the thresholds; `data` is their fingerprint; `needed` is an estimate of how
    many labelled items would do for a promise that could not be kept.

    >>> policy = eh.routing.Policy(0.9, 0.1, None, None, delta=0.1, n=0, positives=0, data="")
    >>> policy.decisions([0.95, 0.5, 0.02])
    ['remove', 'review', 'leave']
    """

    upper: float | None
    lower: float | None
    wrong_removals: float | None
    missed_violations: float | None
    delta: float
    n: int
    positives: int
    data: str
    needed: int | None = None
    notes: tuple[str, ...] = ()

    def decide(self, p: float) -> Decision:
        """What happens to one item."""
        return self.decisions(p)[0]

    @rows_as_given
    def decisions(self, p: npt.ArrayLike) -> list[Decision]:
        """What happens to each item."""
        removed, left = self._split(arrays.probabilities(p, "p"))
        return ["remove" if r else "leave" if k else "review" for r, k in zip(removed, left, strict=True)]

    def examine(self, p: npt.ArrayLike, y: npt.ArrayLike, *, level: float = 0.95) -> PolicyOutcome:
        """What the policy does to labelled items, with exact intervals."""
        score, label = scores_and_labels(p, y)
        arrays.share(level, "the level")
        removed, left = self._split(score)

        def among(part: Bools, whole: Bools, nothing: str) -> Estimate:
            return clopper_pearson(int((part & whole).sum()), int(whole.sum()), level, nothing=nothing)

        everything = np.ones(len(score), dtype=np.bool_)
        return PolicyOutcome(
            removed=among(removed, everything, "no items"),
            reviewed=among(~(removed | left), everything, "no items"),
            left=among(left, everything, "no items"),
            wrong_removals=among(~label, removed, "nothing was removed automatically"),
            missed_violations=among(left, label, "no item violates"),
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain data for a JSON file."""
        return {"kind": POLICY_KIND, **asdict(self), "notes": list(self.notes)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Policy:
        """The policy that `to_dict` wrote."""
        names = {field.name for field in fields(cls)}
        if data.get("kind") != POLICY_KIND or set(data) - {"kind"} != names:
            raise InputError(f"not a policy: it must be of the kind '{POLICY_KIND}' with {', '.join(sorted(names))}")
        for name in ("upper", "lower"):
            if data[name] is not None:
                arrays.share(data[name], name, closed=True)
        return cls(**{**{name: data[name] for name in names}, "notes": tuple(data["notes"])})

    def _split(self, p: Floats) -> tuple[Bools, Bools]:
        nowhere = np.zeros(len(p), dtype=np.bool_)
        removed = nowhere if self.upper is None else p >= self.upper
        return removed, nowhere if self.lower is None else (p < self.lower) & ~removed


def scores_and_labels(p: npt.ArrayLike, y: npt.ArrayLike) -> tuple[Floats, Bools]:
    """Checked scores and labels of at least one item."""
    score = arrays.probabilities(p, "p")
    if not len(score):
        raise InputError("there are no labelled items")
    return score, arrays.labels(y, "y", size=len(score)) == 1.0
