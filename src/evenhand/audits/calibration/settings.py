"""Settings of the calibration audit alone: bins of probabilities, how many examples to show, the tolerance."""

from __future__ import annotations

from dataclasses import dataclass

from evenhand.audits.settings import Settings
from evenhand.audits.tolerance import TOLERATED_DIFFERENCE, check_tolerance
from evenhand.errors import InputError, nearest
from evenhand.finding import Finding
from evenhand.measures.calibration import Bins

BIN_KINDS = ("width", "mass")
BIN_COUNTS = (5, 10, 20, 40)  # of bins, beside the ones chosen: the paper's Table 4


@dataclass(frozen=True, kw_only=True)
class CalibrationSettings(Settings):
    """Bins of probabilities, how many texts of confident errors to show, and which distance of scores matters."""

    bins: int = 15
    bins_by: str = "width"
    examples: int = 0
    tolerance: float = TOLERATED_DIFFERENCE

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.bins < 1:
            raise InputError(f"invalid `bins`: {self.bins} (must be at least 1)")
        if self.bins_by not in BIN_KINDS:
            hint = nearest(self.bins_by, BIN_KINDS)
            raise InputError(f"invalid `bins_by`: '{self.bins_by}'; {hint}")
        if self.examples < 0:
            raise InputError(f"invalid `examples`: {self.examples} (must be 0 or more)")
        check_tolerance(self.tolerance)

    def require_items(self, items: int, source: str) -> None:
        """Refuse more bins than there are items."""
        if self.bins > items:
            raise InputError(f"{self.bins} bins, but only {items} items; lower `bins`", source=source)

    def sorting(self, count: int | None = None) -> Bins:
        """The bins, or so many of the same kind."""
        return Bins(count or self.bins, self.bins_by)  # type: ignore[arg-type]


def chosen_bins(finding: Finding) -> str:
    """The number of bins of all numbers that are not by the number of bins; empty where it is not known."""
    return str(finding.provenance.get("settings", {}).get("bins", ""))
