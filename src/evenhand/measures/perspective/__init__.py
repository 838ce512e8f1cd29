"""Whose judgement does a model share (Urbinati et al. 2025)?

`Annotations` are who gave which label to which item; `majority_labels` gives the label that each is compared with;
`ConformityDeltas` say how much worse the model fits the person than the majority. From them come sums by group, signs,
and `delta_fingerprints`.

    deltas = ConformityDeltas.from_labels(annotations, probabilities, majority_labels(annotations))
    sums = sums_by_group(deltas.annotations, deltas.columns, group, groups)   # the last row is all annotators
    MEAN_DELTA.of(sums[g, [0, 1]])

A `SumStatistic` such as `MEAN_DELTA` or `F1` reads the sums of the data and those of a bootstrap's draws alike.
"""

from evenhand.measures.perspective.annotations import Annotations
from evenhand.measures.perspective.conformity import (
    FEWEST_LABELS,
    FINGERPRINT_BINS,
    ConformityDeltas,
    Fingerprints,
    conformity_scores,
    delta_fingerprints,
)
from evenhand.measures.perspective.group_statistics import (
    ANNOTATION_RATE,
    F1,
    F1_GAP,
    MACRO_F1,
    MEAN_DELTA,
    SumStatistic,
    as_confusion_tables,
    confusion_columns,
    decided_classes,
    group_confusions,
    sums_by_group,
)
from evenhand.measures.perspective.majority import TIE_RULES, Majority, majority_labels

__all__ = [
    "ANNOTATION_RATE",
    "F1",
    "F1_GAP",
    "FEWEST_LABELS",
    "FINGERPRINT_BINS",
    "MACRO_F1",
    "MEAN_DELTA",
    "TIE_RULES",
    "Annotations",
    "ConformityDeltas",
    "Fingerprints",
    "Majority",
    "SumStatistic",
    "as_confusion_tables",
    "conformity_scores",
    "confusion_columns",
    "decided_classes",
    "delta_fingerprints",
    "group_confusions",
    "majority_labels",
    "sums_by_group",
]
