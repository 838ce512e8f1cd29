"""What may be chosen about the bias audit alone."""

from __future__ import annotations

from dataclasses import dataclass

from evenhand.audits.settings import Settings
from evenhand.errors import InputError


@dataclass(frozen=True, kw_only=True)
class BiasSettings(Settings):
    """Pairs of groups as well, and how many texts of each to show."""

    intersections: bool = False
    examples: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.examples < 0:
            raise InputError("the number of examples may not be negative")
