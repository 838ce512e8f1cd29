"""Probabilities made honest: fit a calibrator on validation data, keep it as JSON, apply it to new rows."""

from evenhand.calibrators.calibrator import Calibrator
from evenhand.calibrators.methods import METHODS, Method, fit
from evenhand.calibrators.predictions import FLOOR
from evenhand.calibrators.storage import read, write

__all__ = ["FLOOR", "METHODS", "Calibrator", "Method", "fit", "read", "write"]
