"""Calibrators for files: fitted to evidence, compared with one another on other items, and applied."""

from evenhand.recalibration.comparison import RecalibrationSettings, compare_calibrators
from evenhand.recalibration.fitting import apply_file, fit_calibrator
from evenhand.recalibration.one_file import calibrate_one_file

__all__ = ["RecalibrationSettings", "apply_file", "calibrate_one_file", "compare_calibrators", "fit_calibrator"]
