"""Evenhand: moderation done by people and models together, audited with numbers that know how sure they are.

import evenhand as eh
eh.audit("comments.parquet", score="p", label="toxic", groups=["women", "men"])
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from evenhand.version import __version__

if TYPE_CHECKING:
    from evenhand.audits import AUDITS, Audit, Settings
    from evenhand.audits.bias.agreement import agreement
    from evenhand.cards import train
    from evenhand.classifiers.opening import open_model
    from evenhand.classifiers.protocol import Classifier, Scores
    from evenhand.classifiers.scoring import score, score_file
    from evenhand.errors import EvenhandError, InputError, Undefined
    from evenhand.estimate import Estimate
    from evenhand.evidence import Declaration, Evidence, open_evidence
    from evenhand.finding import Finding, Measured
    from evenhand.reports import Report, audit, load
    from evenhand.tally import Tally

_HOMES = {
    "AUDITS": "evenhand.audits",
    "Audit": "evenhand.audits",
    "Classifier": "evenhand.classifiers.protocol",
    "Declaration": "evenhand.evidence",
    "Estimate": "evenhand.estimate",
    "EvenhandError": "evenhand.errors",
    "Evidence": "evenhand.evidence",
    "Finding": "evenhand.finding",
    "InputError": "evenhand.errors",
    "Measured": "evenhand.finding",
    "Report": "evenhand.reports",
    "Scores": "evenhand.classifiers.protocol",
    "Settings": "evenhand.audits",
    "Tally": "evenhand.tally",
    "Undefined": "evenhand.errors",
    "agreement": "evenhand.audits.bias.agreement",
    "audit": "evenhand.reports",
    "load": "evenhand.reports",
    "open_evidence": "evenhand.evidence",
    "open_model": "evenhand.classifiers.opening",
    "score": "evenhand.classifiers.scoring",
    "score_file": "evenhand.classifiers.scoring",
    "train": "evenhand.cards",
}

__all__ = [
    "AUDITS",
    "Audit",
    "Classifier",
    "Declaration",
    "Estimate",
    "EvenhandError",
    "Evidence",
    "Finding",
    "InputError",
    "Measured",
    "Report",
    "Scores",
    "Settings",
    "Tally",
    "Undefined",
    "__version__",
    "agreement",
    "audit",
    "load",
    "open_evidence",
    "open_model",
    "score",
    "score_file",
    "train",
]


def __getattr__(name: str) -> Any:
    """Names come in when they are first used, so that the command line starts fast."""
    if name not in _HOMES:
        raise AttributeError(f"evenhand has no '{name}'")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value
