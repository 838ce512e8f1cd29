"""What is known: scored, labelled items with the groups they belong to. Declared, validated once, immutable.

`Declaration` says what each column means. `open_evidence` reads a file, a database or a frame and checks every value
that was declared; what comes out needs no further checking.
"""

from evenhand.evidence.annotators import Annotators
from evenhand.evidence.declaration import Declaration
from evenhand.evidence.evidence import (
    AnnotatedEvidence,
    ClassedEvidence,
    ClassedRows,
    Evidence,
    EvidencePart,
    JudgedEvidence,
    ScoredEvidence,
    TalliedEvidence,
    Thresholds,
    as_annotated,
    as_classed,
    as_judged,
    as_scored,
    as_tallied,
)
from evenhand.evidence.frames import TableSource
from evenhand.evidence.opening import open_evidence, open_predictions
from evenhand.evidence.scales import SCALES, ScoreScale
from evenhand.evidence.source import Source, open_source
from evenhand.evidence.text_layout import declared_layout

__all__ = [
    "SCALES",
    "AnnotatedEvidence",
    "Annotators",
    "ClassedEvidence",
    "ClassedRows",
    "Declaration",
    "Evidence",
    "EvidencePart",
    "JudgedEvidence",
    "ScoreScale",
    "ScoredEvidence",
    "Source",
    "TableSource",
    "TalliedEvidence",
    "Thresholds",
    "as_annotated",
    "as_classed",
    "as_judged",
    "as_scored",
    "as_tallied",
    "declared_layout",
    "open_evidence",
    "open_predictions",
    "open_source",
]
