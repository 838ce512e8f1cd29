"""Does the model score groups differently? (Borkan et al. 2019; section 2 of the definitions)"""

from evenhand.audits.bias.audit import audit_bias

__all__ = ["audit_bias"]
