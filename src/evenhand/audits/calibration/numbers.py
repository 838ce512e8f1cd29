"""What the calibration audit measures. A new number is a new row in the tables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter

from evenhand.errors import Undefined
from evenhand.measures.calibration import Calibration


@dataclass(frozen=True)
class Number:
    """One number of all items, or of one class. An `error` is 0 at best, and above 0 by chance."""

    measure: str
    of: Callable[[Calibration], float]
    error: bool = True
    column: int | None = None  # of which class

    @property
    def smaller_is_better(self) -> bool:
        """Errors and losses, as opposed to shares of what is right."""
        return self.measure not in ("accuracy", "weighted_f1")

    def value(self, found: Calibration) -> float:
        """The number; `Undefined` where it has none."""
        return self.of(found)

    def value_or_none(self, found: Calibration) -> float | None:
        """The number, or None where it has none."""
        try:
            return self.of(found)
        except Undefined:
            return None


ERRORS = tuple(
    Number(name, attrgetter(name)) for name in ("ece", "ace", "sce", "cece", "msece", "wsece", "ece_variance")
)
SCORES = tuple(Number(name, attrgetter(name), error=False) for name in ("accuracy", "weighted_f1", "brier", "log_loss"))
OVERALL = (*SCORES, *ERRORS)
OF_GROUPS = (*SCORES, *(number for number in ERRORS if number.measure in ("ece", "ace", "sce")))
OF_CLASSES = ("class_ece", "class_ace", "class_brier")


def of_class(measure: str, column: int) -> Number:
    """A number of one class."""
    if measure == "class_ece":
        return Number(measure, lambda found: found.class_ece(column), column=column)
    if measure == "class_ace":
        return Number(measure, lambda found: found.class_ace(column), column=column)
    return Number(measure, lambda found: float(found.class_briers[column]), error=False, column=column)


def binned(classes: int) -> tuple[Number, ...]:
    """What is shown against the number of bins."""
    some = tuple(number for number in ERRORS if number.measure in ("ece", "cece"))
    return (*some, *(of_class("class_ece", column) for column in range(classes)))
