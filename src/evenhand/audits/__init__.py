"""The five questions, where evidence, measures and intervals meet. One table lists them; the rest follows from it."""

from evenhand.audits.registry import AUDITS, Audit, run_audits
from evenhand.audits.settings import Settings

__all__ = ["AUDITS", "Audit", "Settings", "run_audits"]
