"""Sets of labels that promise to hold what people say: how often they do, and how large they are, group by group."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy import sparse

from evenhand.audits.perspective.estimating import Labelled
from evenhand.audits.perspective.settings import PerspectiveSettings
from evenhand.conformal import KINDS, Sets, calibrate, split_by_item
from evenhand.finding import Measured, Slice
from evenhand.measures.perspective import RATE, Annotations
from evenhand.tally import FloatArray


def of(labelled: Labelled, p: FloatArray, named: Slice, settings: PerspectiveSettings) -> Iterator[Measured]:
    """Calibrated on half of the items, with a promise over all, for each class, or for each group."""
    known = labelled.annotations
    first = split_by_item(known.item, seed=settings.seed)
    fitted, held = known.only(first), known.only(~first)
    if not len(fitted) or not len(held):
        return
    for kind in KINDS:
        group = {name: labelled.crowd.group[rows.annotator] for name, rows in (("fitted", fitted), ("held", held))}
        made = calibrate(
            p[fitted.item], fitted.label, alpha=settings.miss, kind=kind, group=group["fitted"], item=fitted.item
        )
        sets = made.predict(p[held.item], group=group["held"])
        yield from _measured(labelled, held, sets, {**named, "sets": kind}, settings)


def _measured(
    labelled: Labelled, held: Annotations, sets: Sets, named: Slice, settings: PerspectiveSettings
) -> Iterator[Measured]:
    """The share that holds the label, and the mean size, of everybody and of each group."""
    here = Labelled(held, labelled.crowd, settings)
    inside, size = sets[np.arange(len(held)), held.label], sets.sum(axis=1)
    plain, drawn = here.sums(sparse.csc_array(np.column_stack((inside, size, np.ones(len(held)))).astype(np.float64)))
    for group, slice_ in labelled.crowd.slices:
        for measure, column, most in (("set_coverage", 0, 1.0), ("set_size", 1, float(held.classes))):
            some = [column, 2]
            estimate = here.estimate(RATE, plain[group, some], drawn[:, group, some], group=group, bounds=(0.0, most))
            yield Measured(measure, {**named, **slice_}, estimate)
