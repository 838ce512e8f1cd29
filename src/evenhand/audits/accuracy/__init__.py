"""How accurate is moderation: what is removed, what is missed? (Wei, Zufall and Jia 2023; section 5)"""

from evenhand.audits.accuracy.audit import NAME, QUESTION, audit_accuracy
from evenhand.audits.accuracy.settings import AccuracySettings

__all__ = ["NAME", "QUESTION", "AccuracySettings", "audit_accuracy"]
