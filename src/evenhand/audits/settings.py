"""What a user may choose about an audit beyond the columns. An audit with choices of its own has a subclass."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Self, get_args, get_origin, get_type_hints

from evenhand.errors import InputError, nearest

INTERVALS = ("analytic", "bootstrap")
WORDS = {bool: "true or false", int: "a whole number", float: "a number", str: "a word"}


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How sure, and where to cut: what every audit knows."""

    level: float = 0.95
    threshold: float | None = None
    interval: str = "analytic"
    replicates: int = 200
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0.5 <= self.level < 1.0:
            raise InputError(f"level is {self.level:g}: choose one from 0.5 to below 1, such as 0.95")
        if self.threshold is not None and not math.isfinite(self.threshold):
            raise InputError(f"the threshold must be finite, not {self.threshold}")
        if self.interval not in INTERVALS:
            raise InputError(f"there is no interval '{self.interval}'; {nearest(self.interval, INTERVALS)}")
        if self.replicates < 50:
            raise InputError(f"{self.replicates} bootstrap replicates are too few: at least 50")
        if self.seed < 0:
            raise InputError("the seed may not be negative")

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """What may be chosen."""
        return tuple(f.name for f in fields(cls))

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Self:
        """From loosely typed values; those that this audit does not know are left to others."""
        kinds = get_type_hints(cls)
        given = {name: value for name, value in values.items() if name in kinds and value is not None}
        return cls(**{name: _typed(name, kinds[name], value) for name, value in given.items()})

    def as_dict(self) -> dict[str, Any]:
        """For the provenance."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}


def _typed(name: str, kind: Any, value: Any) -> Any:
    """A value of the kind that the setting has; of a list each part."""
    if get_origin(kind) is tuple:
        parts = list(value) if isinstance(value, (list, tuple)) else [value]
        return tuple(_typed(name, get_args(kind)[0], part) for part in parts)
    kinds = get_args(kind) or (kind,)  # such as str | None
    wanted = next((option for option in (bool, int, str) if option in kinds), float)
    number = wanted is float and isinstance(value, int) and not isinstance(value, bool)
    if (not isinstance(value, wanted) and not number) or (wanted is int and isinstance(value, bool)):
        raise InputError(f"{name} must be {WORDS[wanted]}, not {value!r}")
    if number and abs(value) > sys.float_info.max:
        raise InputError(f"{name} is larger than any number can be")
    return float(value) if wanted is float else value
