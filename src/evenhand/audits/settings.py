"""The settings that all audits share, and the provenance by which a finding can be made again.

An audit with settings of its own has a subclass. Provenance is the evidence, the settings and the versions.
"""

from __future__ import annotations

import math
import platform
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Self, get_type_hints

import numpy as np
import polars as pl
import scipy

from evenhand.choices import check_limits
from evenhand.errors import InputError
from evenhand.evidence import Evidence
from evenhand.loose_values import typed
from evenhand.version import __version__

ANALYTIC, BOOTSTRAP = "analytic", "bootstrap"
INTERVALS = (ANALYTIC, BOOTSTRAP)
SMALLEST_GROUP = 5  # items of a group, or people in it: of fewer somebody might be recognised


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How sure, and where to cut: what every audit knows.

    >>> eh.Settings(level=0.9, seed=7).level
    0.9
    """

    level: float = 0.95
    threshold: float | None = None
    interval: str = ANALYTIC
    replicates: int = 200
    seed: int = 0
    smallest_group: int = SMALLEST_GROUP

    def __post_init__(self) -> None:
        check_limits({name: getattr(self, name) for name in self.names()})
        if not 0.5 <= self.level < 1.0:
            raise InputError(f"invalid `level`: {self.level:g} (must be at least 0.5 and below 1, such as 0.95)")
        if self.threshold is not None and not math.isfinite(self.threshold):
            raise InputError(f"invalid `threshold`: {self.threshold} (must be a finite number)")
        if self.interval not in INTERVALS:
            raise InputError(f"invalid `interval`: '{self.interval}' (choose from: {', '.join(INTERVALS)})")
        if self.replicates < 50:
            raise InputError(f"invalid `replicates`: {self.replicates} (must be at least 50)")
        if self.seed < 0:
            raise InputError(f"invalid `seed`: {self.seed} (must be 0 or more)")
        if self.smallest_group < 1:
            raise InputError(
                f"invalid `smallest_group`: {self.smallest_group} (must be 1 or more; 1 shows every group)"
            )

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """What may be chosen."""
        return tuple(f.name for f in fields(cls))

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Self:
        """From loosely typed values; those that this audit does not know are left to others."""
        kinds = get_type_hints(cls)
        own_values = {name: value for name, value in values.items() if name in kinds and value is not None}
        return cls(**{name: typed(name, kinds[name], value) for name, value in own_values.items()})

    def as_dict(self) -> dict[str, Any]:
        """For the provenance."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}


def provenance(evidence: Evidence, settings: Settings) -> dict[str, Any]:
    """Plain data for the output contract."""
    return {**evidence.provenance(), "settings": settings.as_dict(), "seed": settings.seed, "versions": versions()}


def versions() -> dict[str, str]:
    """Of everything that a number rests on."""
    return {
        "evenhand": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "polars": pl.__version__,
    }
