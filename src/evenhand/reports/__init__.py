"""Findings for people: a terminal table, JSON, CSV, and one HTML file that opens offline.

A report is data first. Everything here renders the same findings; nothing here measures.
"""

from evenhand.reports.report import Report, audit, load

__all__ = ["Report", "audit", "load"]
