"""What may be chosen about a plan."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

from evenhand.audits.collaboration.settings import USUAL
from evenhand.audits.settings import Settings
from evenhand.errors import InputError
from evenhand.routing import Costs, Reviewer, Workload


@dataclass(frozen=True, kw_only=True)
class PlanSettings(Settings):
    """Targets such as "oc_accuracy=0.95", prices, the workload, how often reviewers err, and what is promised."""

    strategies: tuple[str, ...] = USUAL
    targets: tuple[str, ...] = ()
    false_removal: float | None = None
    missed_violation: float | None = None
    review: float | None = None
    items_per_day: float = 10_000.0
    seconds_per_review: float = 30.0
    hours_per_day: float = 6.0
    benign_error: float = 0.0
    violating_error: float = 0.0
    wrong_removals: float | None = None
    missed_violations: float | None = None
    delta: float = 0.1

    @property
    def costs(self) -> Costs | None:
        """All three, or none."""
        given = (self.false_removal, self.missed_violation, self.review)
        if all(price is None for price in given):
            return None
        if None in given:
            raise InputError("costs are three: of a false removal, of a missed violation and of a review")
        return Costs(*cast("tuple[float, float, float]", given))

    @property
    def day(self) -> Workload:
        """What there is to do, and how fast it is done."""
        return Workload(self.items_per_day, self.seconds_per_review, self.hours_per_day)

    @property
    def redraws(self) -> dict[str, Any]:
        """Who reviews, and how sure to be: what every number of a plan is told."""
        reviewer = Reviewer(self.benign_error, self.violating_error)
        return {"reviewer": reviewer, "level": self.level, "replicates": self.replicates, "seed": self.seed}

    @property
    def goals(self) -> list[tuple[str, float]]:
        """What is to be reached."""
        return [_goal(target) for target in self.targets]


def _goal(text: str) -> tuple[str, float]:
    measure, _, value = text.partition("=")
    try:
        return measure.strip(), float(value.strip().removesuffix("%")) / (100.0 if value.strip().endswith("%") else 1.0)
    except ValueError:
        raise InputError(f"a target is written as oc_accuracy=0.95, not '{text}'") from None
