"""Findings as figures. A figure is drawn from a finding alone, never from data."""

from evenhand.figures.audit_table import draw_figures
from evenhand.figures.figure import Figure

__all__ = ["Figure", "draw_figures"]
