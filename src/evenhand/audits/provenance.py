"""What a finding rests on, so that it can be made again: the evidence, the settings and the versions."""

from __future__ import annotations

import platform
from typing import Any

import numpy as np
import polars as pl
import scipy

from evenhand.audits.settings import Settings
from evenhand.evidence import Evidence
from evenhand.version import __version__


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
