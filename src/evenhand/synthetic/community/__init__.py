"""A synthetic community with everything an audit can ask for, and the truth beside it."""

from evenhand.synthetic.community.parameters import GROUPS
from evenhand.synthetic.community.tables import Community, community

__all__ = ["GROUPS", "Community", "community"]
