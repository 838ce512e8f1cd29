"""What people do today with annotations: a loop with one boolean mask per annotator.

For a bootstrap over annotators and items the loop runs again in each draw. It is timed on some of the annotators and
scaled up by the caller: whole, it would take hours.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.clock import timed

EDGES = np.linspace(-1.0, 1.0, 41)


def loop(path: str, timed_people: int) -> dict[str, Any]:
    columns = (np.load(f"{path}/{name}.npy") for name in ("item", "annotator", "label", "probabilities", "group"))
    item, annotator, label, probabilities, group = columns
    most = np.bincount(item, label) * 2 > np.bincount(item)  # five labels each: no ties
    people = [int(person) for person in np.flatnonzero(group == 0)[:timed_people]]
    found, each = timed(lambda: [one(p, item, annotator, label, probabilities, most.astype(int)) for p in people])
    shares = {str(person): list(shares) for person, (*_, shares) in zip(people, each, strict=True)}
    return found | {"people": people, "of": len(group), "shares": shares}


def one(
    person: int, item: np.ndarray, annotator: np.ndarray, label: np.ndarray, probabilities: np.ndarray, most: np.ndarray
) -> tuple[Any, ...]:
    """Deltas, signs, confusion table and histogram of one annotator; agreement is left out."""
    mask = annotator == person
    items, own = item[mask], label[mask]
    delta = probabilities[items, most[items]] - probabilities[items, own]
    flagged = probabilities[items, 1] >= probabilities[items, 0]
    table = [((flagged == d) & (own == y)).sum() for d in (0, 1) for y in (0, 1)]
    signs = [(delta < 0).sum(), (delta == 0).sum(), (delta > 0).sum()]
    return delta.sum(), table, signs, np.histogram(delta, EDGES)[0] / max(1, len(delta))
