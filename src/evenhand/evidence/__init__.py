"""What is known: scored, labelled items with the groups they belong to. Declared, validated once, immutable.

`Declaration` says what each column means. `open_evidence` reads a file, a database or a frame and checks every value
that was declared; what comes out needs no further checking.
"""

from evenhand.evidence.annotations import AnnotationEvidence
from evenhand.evidence.annotators import Annotators
from evenhand.evidence.declaration import Declaration
from evenhand.evidence.evidence import Classed, Evidence, Part, Thresholds
from evenhand.evidence.opening import open_evidence, open_predictions
from evenhand.evidence.scales import SCALES, Scale
from evenhand.evidence.source import Source, open_source
from evenhand.evidence.table import TableEvidence

__all__ = [
    "SCALES",
    "AnnotationEvidence",
    "Annotators",
    "Classed",
    "Declaration",
    "Evidence",
    "Part",
    "Scale",
    "Source",
    "TableEvidence",
    "Thresholds",
    "open_evidence",
    "open_predictions",
    "open_source",
]
