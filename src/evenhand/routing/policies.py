"""Two-threshold policies with a promise: remove automatically above, leave alone below, people in between.

`choosing.choose` takes the thresholds from labelled items so that, with probability at least 1 − delta over the draw of
these items, a promised error holds on all items like them: at most so many of the automatic removals are wrong, at most
so many of the violations are left alone. The labelled items must be a random sample of what the policy will meet.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from evenhand.errors import InputError
from evenhand.estimate import Estimate
from evenhand.routing import columns
from evenhand.routing.columns import BoolArray
from evenhand.routing.exact import clopper_pearson
from evenhand.tally import FloatArray

Decision = Literal["remove", "review", "leave"]
KIND = "evenhand-policy-1"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a policy does to labelled items. Optimistic on the items that chose its thresholds."""

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

    def decisions(self, p: npt.ArrayLike) -> list[Decision]:
        """What happens to each item."""
        removed, left = self._split(columns.probabilities(p))
        return ["remove" if r else "leave" if k else "review" for r, k in zip(removed, left, strict=True)]

    def examine(self, p: npt.ArrayLike, y: npt.ArrayLike, *, level: float = 0.95) -> Outcome:
        """What the policy does to labelled items, with exact intervals."""
        score, label = labelled(p, y)
        columns.share(level, "the level", closed=False)
        removed, left = self._split(score)

        def among(part: BoolArray, whole: BoolArray, nothing: str) -> Estimate:
            return clopper_pearson(int((part & whole).sum()), int(whole.sum()), level, nothing=nothing)

        everything = np.ones(len(score), dtype=np.bool_)
        return Outcome(
            removed=among(removed, everything, "no items"),
            reviewed=among(~(removed | left), everything, "no items"),
            left=among(left, everything, "no items"),
            wrong_removals=among(~label, removed, "nothing was removed automatically"),
            missed_violations=among(left, label, "no item violates"),
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain data for a JSON file."""
        return {"kind": KIND, **asdict(self), "notes": list(self.notes)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Policy:
        """The policy that `to_dict` wrote."""
        names = {field.name for field in fields(cls)}
        if data.get("kind") != KIND or set(data) - {"kind"} != names:
            raise InputError(f"this is no policy: it must be of the kind '{KIND}' with {', '.join(sorted(names))}")
        for name in ("upper", "lower"):
            if data[name] is not None:
                columns.share(data[name], name)
        return cls(**{**{name: data[name] for name in names}, "notes": tuple(data["notes"])})

    def _split(self, p: FloatArray) -> tuple[BoolArray, BoolArray]:
        nowhere = np.zeros(len(p), dtype=np.bool_)
        removed = nowhere if self.upper is None else p >= self.upper
        return removed, nowhere if self.lower is None else (p < self.lower) & ~removed


def labelled(p: npt.ArrayLike, y: npt.ArrayLike) -> tuple[FloatArray, BoolArray]:
    """Checked scores and labels of at least one item."""
    score = columns.probabilities(p)
    if not len(score):
        raise InputError("there are no labelled items")
    return score, columns.labels(y, len(score))
