"""Whose judgement does a model share (Urbinati et al. 2025)?

`Annotations` are who said what of which item; `majority` gives the label that each is held against; `Deltas` say how
much worse the model fits the person than the majority. From them come sums by group, signs, and `fingerprints`.

    deltas = Deltas.of(annotations, probabilities, majority(annotations))
    sums = sums_by_group(deltas.annotations, deltas.columns, group, groups)   # everybody's last
    MEAN.of(sums[g, [0, 1]])

A `Number` such as `MEAN` or `F1` reads the sums of the data and those of a bootstrap's draws alike.
"""

from evenhand.measures.number import Number
from evenhand.measures.perspective.annotations import Annotations
from evenhand.measures.perspective.deltas import MEAN, RATE, Deltas, conformity, sums_by_group
from evenhand.measures.perspective.fingerprints import BINS, FEWEST, Fingerprints, fingerprints
from evenhand.measures.perspective.fit import F1, F1_GAP, MACRO_F1, as_tables, confusion_columns, confusions, decisions
from evenhand.measures.perspective.majority import TIES, Majority, majority

__all__ = [
    "BINS",
    "F1",
    "F1_GAP",
    "FEWEST",
    "MACRO_F1",
    "MEAN",
    "RATE",
    "TIES",
    "Annotations",
    "Deltas",
    "Fingerprints",
    "Majority",
    "Number",
    "as_tables",
    "conformity",
    "confusion_columns",
    "confusions",
    "decisions",
    "fingerprints",
    "majority",
    "sums_by_group",
]
