"""The paper `calibration`: Obadinma, Guo and Zhu 2021."""

from evenhand.reproduce.calibration.paper import reproduce

__all__ = ["reproduce"]
