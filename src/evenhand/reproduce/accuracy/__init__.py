"""The paper `accuracy`: Wei, Zufall and Jia 2023."""

from evenhand.reproduce.accuracy.paper import reproduce

__all__ = ["reproduce"]
