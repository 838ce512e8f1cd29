"""Does the model score groups differently? (Borkan et al. 2019; section 2 of the definitions)"""

from evenhand.audits.bias.audit import QUESTION, audit_bias
from evenhand.audits.bias.settings import BiasSettings

__all__ = ["QUESTION", "BiasSettings", "audit_bias"]
