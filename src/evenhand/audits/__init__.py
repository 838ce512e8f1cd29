"""The questions, where evidence, measures and intervals meet. One table lists them; everything else follows from it."""

from evenhand.audits.settings import Settings
from evenhand.audits.table import AUDITS, Audit, run_audits

__all__ = ["AUDITS", "Audit", "Settings", "run_audits"]
