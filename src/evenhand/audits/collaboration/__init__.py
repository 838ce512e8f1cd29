"""What is a limited review capacity worth? (Kivlichan et al. 2021; section 3 of the definitions)"""

from evenhand.audits.collaboration.audit import NAME, QUESTION, audit_collaboration
from evenhand.audits.collaboration.settings import CollaborationSettings

__all__ = ["NAME", "QUESTION", "CollaborationSettings", "audit_collaboration"]
