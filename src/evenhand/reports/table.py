"""Which audit is shown how."""

from __future__ import annotations

from evenhand.reports import bias, collaboration
from evenhand.reports.section import Section

SECTIONS: dict[str, Section] = {"bias": bias.SECTION, "collaboration": collaboration.SECTION}
