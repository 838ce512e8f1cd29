"""The reference of measures: every number that a finding can hold, in the words that reports use."""

from __future__ import annotations

from docs.generated.words import cell, table

from evenhand.reports.vocabulary import WORDS

HEAD = """# Measures

The names in `findings.json` and `estimates.csv`, and the words that reports have for them. How to read them is in the
guide of each question; formulas and sources are under [statistics](../statistics.md).
"""


def page() -> str:
    """All measures by name."""
    rows = [(f"`{name}`", cell(word.label), cell(word.meaning)) for name, word in sorted(WORDS.items())]
    return f"{HEAD}\n{table(('measure', 'in reports', 'what it is'), rows)}"
