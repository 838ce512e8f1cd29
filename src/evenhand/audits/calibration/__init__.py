"""Are the probabilities calibrated, also for the rare classes? (Obadinma, Guo and Zhu 2021)"""

from evenhand.audits.calibration.audit import NAME, QUESTION, audit_calibration
from evenhand.audits.calibration.settings import CalibrationSettings

__all__ = ["NAME", "QUESTION", "CalibrationSettings", "audit_calibration"]
