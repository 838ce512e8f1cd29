"""The paper `bias`: Borkan et al. 2019."""

from evenhand.reproduce.bias.paper import reproduce

__all__ = ["reproduce"]
