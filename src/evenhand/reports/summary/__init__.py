"""All findings of a report in one minute: what stands out, what does not, how sure that is, and what to do next.

Each audit says its own points; one without a row in the table is summed up by its marks and readings.
"""

from evenhand.reports.summary.point import HEADINGS, Point, Summary
from evenhand.reports.summary.table import summary

__all__ = ["HEADINGS", "Point", "Summary", "summary"]
