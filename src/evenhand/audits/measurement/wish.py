"""How many labels somebody wants: a number, everything there is, or a promise."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from evenhand import arrays
from evenhand.audits.sizing import target
from evenhand.errors import InputError
from evenhand.sampling.targets import Target, known

USUAL = {"within": 0.2}  # what is promised when nothing is said


@dataclass(frozen=True)
class Wish:
    """How many labels: a number, everything, or a promise; and the prevalence to plan for, if one is given."""

    n: int | None = None
    census: bool = False
    promise: Mapping[str, Any] | None = None
    prevalence: float | None = None
    level: float = 0.95

    @classmethod
    def of(cls, n: str | None, promise: Mapping[str, Any], prevalence: float | None, level: float) -> Wish:
        """From what was typed."""
        arrays.share(level, "the level")
        if prevalence is not None:
            known(prevalence)
        said = any(value is not None for value in promise.values())
        if n is not None and said:
            raise InputError("say how many labels with --n (a number, or all), or what to promise: one of them")
        if n is None:
            promise = promise if said else USUAL
            return cls(promise=promise, prevalence=prevalence, level=level)
        if n.strip().lower() == "all":
            return cls(census=True, level=level)
        if not n.strip().isdigit():
            raise InputError(f"--n is a whole number or 'all', not '{n}'")
        return cls(n=int(n), prevalence=prevalence, level=level)

    @property
    def target(self) -> Target | None:
        """The promise."""
        return None if self.promise is None else target(self.promise, self.level)

    @property
    def said(self) -> dict[str, float]:
        """The promise as plain data."""
        return {name: value for name, value in (self.promise or {}).items() if value is not None}
