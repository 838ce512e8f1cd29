"""Are the probabilities honest, also for the rare classes? (Obadinma, Guo and Zhu 2021)"""

from evenhand.audits.calibration.audit import QUESTION, audit_calibration
from evenhand.audits.calibration.settings import CalibrationSettings

__all__ = ["QUESTION", "CalibrationSettings", "audit_calibration"]
