"""How sure an area under precision over recall is: the influence of each item on the average precision.

A violating item brings its own precision, and every item changes the precision at the violating items that score no
higher. A sample that happens to find little also shows little of that variance, and one that finds all shows none. So
the area is never taken to be surer than a share of the items that are to be found: of the two effective numbers of
items, the smaller enters Wilson's form. docs/intervals.md shows the coverage.
"""

from __future__ import annotations

import numpy as np

from evenhand.intervals.bounded import Bounded
from evenhand.tally import Classes, FloatArray, dot

METHOD = "precision_score"


def of_classes(classes: Classes, area: float) -> Bounded:
    """The area under precision over recall of the violating items among all; there must be some."""
    found = classes.violating.total
    squares = (values * values for values in influence(classes))
    variance = sum(dot(mass.spread, square) for mass, square in zip(classes, squares, strict=True))
    variance *= found.count / max(found.count - 1.0, 1.0)
    share = max(found.spread, found.weight * found.heaviest) / found.weight**2  # a design may have left no variance
    size = max(Bounded.of(area, variance).size, share)
    return Bounded(area, size, max(0.5 * (found.count - 1.0), 1.0))


def influence(classes: Classes) -> tuple[FloatArray, FloatArray]:
    """On the average precision, of a violating and of a benign item at each score, per unit of weight."""
    found, missed = (mass.weight for mass in classes)
    hits, flagged = (np.cumsum(part[::-1])[::-1] for part in (found, found + missed))
    precision, steps = (np.divide(p, flagged, out=np.zeros_like(hits), where=flagged > 0.0) for p in (hits, found))
    total = classes.violating.total.weight
    area = dot(found, precision) / total
    lower = np.cumsum(steps * precision)
    return (precision - area + np.cumsum(steps) - lower) / total, -lower / total
