"""A made-up community with everything an audit can ask for, and the truth beside it."""

from evenhand.synthetic.community.planted import GROUPS
from evenhand.synthetic.community.whole import Community, community

__all__ = ["GROUPS", "Community", "community"]
