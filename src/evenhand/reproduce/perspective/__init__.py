"""The paper `perspective`: Urbinati et al. 2025."""

from evenhand.reproduce.perspective.paper import reproduce

__all__ = ["reproduce"]
