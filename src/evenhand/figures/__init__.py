"""Findings as pictures. A figure is drawn from a finding alone, never from data."""

from evenhand.figures.figure import Figure
from evenhand.figures.table import figures

__all__ = ["Figure", "figures"]
