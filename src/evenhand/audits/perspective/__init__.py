"""Whose judgement does the model share? (Urbinati et al. 2025)"""

from evenhand.audits.perspective.audit import QUESTION, audit_perspective
from evenhand.audits.perspective.settings import PerspectiveSettings

__all__ = ["QUESTION", "PerspectiveSettings", "audit_perspective"]
