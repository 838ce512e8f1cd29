"""The catalogue: one table of everything Evenhand measures.

A row is a constant (`evenhand.catalogue.bias.BPSN_AUC`) with its name, title, unit, direction, digits, explanation and
docs page. Rows are filed by the audit that takes them; `find_measure` finds one by its name, also one from a file
that is not in the table.
"""

from __future__ import annotations

from evenhand.catalogue import accuracy, bias, calibration, collaboration, migration, perspective, shared
from evenhand.catalogue.measure import Direction, Measure, Unit

MEASURES: dict[str, Measure] = {
    str(row): row
    for file in (shared, bias, collaboration, calibration, accuracy, perspective, migration)
    for row in vars(file).values()
    if isinstance(row, Measure)
}


def find_measure(name: str) -> Measure:
    """The row of a measure; one made of its bare name where there is none."""
    return MEASURES.get(name) or Measure(
        name,
        title=name.replace("_", " "),
        unit=Unit.AREA,
        direction=Direction.NEUTRAL,
        digits=3,
        explanation="",
        page="statistics.md",
    )


__all__ = ["MEASURES", "Direction", "Measure", "Unit", "find_measure"]
