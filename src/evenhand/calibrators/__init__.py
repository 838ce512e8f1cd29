"""Calibrated probabilities: fit a calibrator on validation data, save it as JSON, apply it to new rows.

`ProbabilityCalibrator` is for scikit-learn. `fit` gives a `Calibrator` with `apply`; `METHODS` is the table of methods,
among them `TEMPERATURE` and `WEIGHTED_TEMPERATURE`. Probabilities below `FLOOR` count as it before logarithms.
"""

from typing import TYPE_CHECKING

from evenhand.calibrators.calibrator import (
    METHODS,
    TEMPERATURE,
    WEIGHTED_TEMPERATURE,
    CalibrationMethod,
    Calibrator,
    fit,
)
from evenhand.calibrators.predictions import FLOOR
from evenhand.calibrators.storage import read, write

if TYPE_CHECKING:
    from evenhand.calibrators.estimator import ProbabilityCalibrator

__all__ = [
    "FLOOR",
    "METHODS",
    "TEMPERATURE",
    "WEIGHTED_TEMPERATURE",
    "CalibrationMethod",
    "Calibrator",
    "ProbabilityCalibrator",
    "fit",
    "read",
    "write",
]


def __dir__() -> list[str]:
    """The public names, for tab completion."""
    return sorted(__all__)


def __getattr__(name: str) -> object:
    """The estimator needs scikit-learn, which an audit does not."""
    if name != "ProbabilityCalibrator":
        raise AttributeError(f"evenhand.calibrators has no '{name}'")
    from evenhand.calibrators.estimator import ProbabilityCalibrator

    return ProbabilityCalibrator
