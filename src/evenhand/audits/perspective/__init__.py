"""Whose judgement does the model share? (Urbinati et al. 2025)"""

from evenhand.audits.perspective.audit import NAME, QUESTION, audit_perspective
from evenhand.audits.perspective.settings import PerspectiveSettings

__all__ = ["NAME", "QUESTION", "PerspectiveSettings", "audit_perspective"]
