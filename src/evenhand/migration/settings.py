"""Settings of a migration: the old thresholds, and the changes that are tolerated."""

from __future__ import annotations

from dataclasses import dataclass

from evenhand.audits.settings import Settings
from evenhand.errors import InputError

COMMON_THRESHOLDS = (0.7, 0.8, 0.9)


@dataclass(frozen=True, kw_only=True)
class MigrationSettings(Settings):
    """A change is judged by the ratio of two flag rates, and by the precision that is lost."""

    thresholds: tuple[float, ...] = COMMON_THRESHOLDS
    tolerance: float = 1.25
    precision_loss: float = 0.02

    def __post_init__(self) -> None:
        super().__post_init__()
        for threshold in self.thresholds:
            if not 0.0 < threshold <= 1.0:
                raise InputError(f"invalid old threshold: {threshold:g} (must be above 0, and 1 at most)")
        if len(set(self.thresholds)) < len(self.thresholds) or not self.thresholds:
            raise InputError(
                "each old threshold may be given only once" if self.thresholds else "give at least one old threshold"
            )
        if not 1.0 < self.tolerance < 100.0:
            raise InputError(f"invalid `tolerance`: {self.tolerance:g} (must be a ratio above 1, such as 1.25)")
        if not 0.0 <= self.precision_loss < 1.0:
            raise InputError(f"invalid `precision_loss`: {self.precision_loss:g} (must be a share, such as 0.02)")
