"""Tables for papers: every table of a report as Markdown or LaTeX, one file each."""

from evenhand.reports.papers.formats import FORMATS, check_formats, tables
from evenhand.reports.papers.sheet import Cell, Sheet, sheets

__all__ = ["FORMATS", "Cell", "Sheet", "check_formats", "sheets", "tables"]
