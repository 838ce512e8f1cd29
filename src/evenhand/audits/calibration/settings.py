"""What may be chosen about the calibration audit alone."""

from __future__ import annotations

from dataclasses import dataclass

from evenhand.audits.settings import Settings
from evenhand.errors import InputError, nearest
from evenhand.measures.calibration import Bins

WAYS = ("width", "mass")
COUNTS = (5, 10, 20, 40)  # of bins, beside the ones chosen: the paper's Table 4


@dataclass(frozen=True, kw_only=True)
class CalibrationSettings(Settings):
    """How probabilities are sorted into bins, and how many texts of items that went confidently wrong to show."""

    bins: int = 15
    bins_by: str = "width"
    examples: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.bins < 1:
            raise InputError(f"{self.bins} bins are too few: at least 1")
        if self.bins_by not in WAYS:
            hint = nearest(self.bins_by, WAYS)
            raise InputError(f"bins are equal by width or by mass: there is no '{self.bins_by}'; {hint}")
        if self.examples < 0:
            raise InputError("the number of examples may not be negative")

    def sorting(self, count: int | None = None) -> Bins:
        """The bins, or so many of the same kind."""
        return Bins(count or self.bins, self.bins_by)  # type: ignore[arg-type]
