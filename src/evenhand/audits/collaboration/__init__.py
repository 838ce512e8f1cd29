"""What is a limited number of human looks worth? (Kivlichan et al. 2021; section 3 of the definitions)"""

from evenhand.audits.collaboration.audit import QUESTION, audit_collaboration
from evenhand.audits.collaboration.settings import CollaborationSettings

__all__ = ["QUESTION", "CollaborationSettings", "audit_collaboration"]
