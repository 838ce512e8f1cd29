"""The reference of measures: every measure that a finding can have, with its title and explanation."""

from __future__ import annotations

from docs.generated.words import cell, table

from evenhand.catalogue import MEASURES

HEAD = """# Measures

The names in `findings.json` and `estimates.csv`, with the titles and explanations used in reports. For interpretation,
see the guide of each audit; for formulas and sources, [statistics](../statistics.md).
"""


def page() -> str:
    """All measures by name."""
    rows = [(f"`{name}`", cell(row.title), cell(row.explanation)) for name, row in sorted(MEASURES.items())]
    return f"{HEAD}\n{table(('measure', 'title in reports', 'explanation'), rows)}"
