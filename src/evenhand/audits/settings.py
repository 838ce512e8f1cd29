"""What a user may choose about an audit beyond the columns."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from evenhand.errors import InputError, nearest

INTERVALS = ("analytic", "bootstrap")


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How sure, where to cut, and what to show."""

    level: float = 0.95
    threshold: float | None = None
    interval: str = "analytic"
    replicates: int = 200
    seed: int = 0
    intersections: bool = False
    examples: int = 0

    def __post_init__(self) -> None:
        if not 0.5 <= self.level < 1.0:
            raise InputError(f"level is {self.level:g}: choose one from 0.5 to below 1, such as 0.95")
        if self.threshold is not None and not math.isfinite(self.threshold):
            raise InputError(f"the threshold must be finite, not {self.threshold}")
        if self.interval not in INTERVALS:
            raise InputError(f"there is no interval '{self.interval}'; {nearest(self.interval, INTERVALS)}")
        if self.replicates < 50:
            raise InputError(f"{self.replicates} bootstrap replicates are too few: at least 50")
        if self.examples < 0 or self.seed < 0:
            raise InputError("examples and seed may not be negative")

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Settings:
        """From loosely typed values."""
        kinds = {f.name: str(f.type) for f in fields(cls)}
        given = {}
        for name, value in values.items():
            if name not in kinds:
                raise InputError(f"there is no setting '{name}'; {nearest(name, kinds)}")
            if value is not None:
                given[name] = _typed(name, kinds[name], value)
        return cls(**given)

    def as_dict(self) -> dict[str, Any]:
        """For the provenance."""
        return asdict(self)


def _typed(name: str, kind: str, value: Any) -> Any:
    wanted = {"bool": bool, "int": int, "str": str}.get(kind, float)
    number = wanted is float and isinstance(value, int) and not isinstance(value, bool)
    if (not isinstance(value, wanted) and not number) or (wanted is int and isinstance(value, bool)):
        words = {bool: "true or false", int: "a whole number", float: "a number", str: "a word"}
        raise InputError(f"{name} must be {words[wanted]}, not {value!r}")
    return float(value) if wanted is float else value
