"""Findings for people: a terminal table, JSON, CSV, and one HTML file that opens offline.

A report is data first. Everything here renders the same findings; nothing here measures.
"""

from evenhand.findings_file import load
from evenhand.reports.report import Report, audit, migrate_perspective

__all__ = ["Report", "audit", "load", "migrate_perspective"]
