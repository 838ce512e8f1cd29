"""The paper `collaboration`: Kivlichan et al. 2021."""

from evenhand.reproduce.collaboration.paper import reproduce

__all__ = ["reproduce"]
