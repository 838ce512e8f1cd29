"""What may be chosen about the accuracy audit alone."""

from __future__ import annotations

from dataclasses import dataclass

from evenhand.audits.settings import Settings
from evenhand.errors import InputError


@dataclass(frozen=True, kw_only=True)
class AccuracySettings(Settings):
    """What to plan for, and a second source to hold the order of communities against.

    `target` is the share of a prevalence within which it should be known, `effect` the change between two periods that
    should be seen; `rank_with` is a file with a prevalence for each value of a sliced column.
    """

    target: float = 0.2
    effect: float = 0.01
    rank_with: str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("target", "effect"):
            if not 0.0 < getattr(self, name) < 1.0:
                raise InputError(f"{name} must lie between 0 and 1, not {getattr(self, name):g}")
