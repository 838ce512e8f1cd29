"""Settings of the bias audit alone.

Which groups are looked at beyond those declared, how many texts a report shows, and which difference of error rates
matters to whoever asks.
"""

from __future__ import annotations

from dataclasses import dataclass

from evenhand.audits.settings import Settings
from evenhand.audits.tolerance import TOLERATED_RATIO, check_tolerance
from evenhand.errors import InputError


@dataclass(frozen=True, kw_only=True)
class BiasSettings(Settings):
    """Pairs of groups as well, how many texts of each to show, and which ratio or difference of error rates matters."""

    intersections: bool = False
    examples: int = 0
    tolerance: float = TOLERATED_RATIO

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.examples < 0:
            raise InputError(f"invalid `examples`: {self.examples} (must be 0 or more)")
        check_tolerance(self.tolerance)
