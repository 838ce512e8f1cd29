"""Does the model score groups differently? (Borkan et al. 2019; section 2 of the definitions)"""

from evenhand.audits.bias.audit import NAME, QUESTION, audit_bias
from evenhand.audits.bias.settings import BiasSettings

__all__ = ["NAME", "QUESTION", "BiasSettings", "audit_bias"]
