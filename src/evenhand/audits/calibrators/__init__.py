"""Which calibrator makes probabilities honest? Fitted on validation data, measured on others."""

from evenhand.audits.calibrators.applying import apply_file, fit_calibrator
from evenhand.audits.calibrators.comparing import ComparisonSettings, compare_calibrators

__all__ = ["ComparisonSettings", "apply_file", "compare_calibrators", "fit_calibrator"]
