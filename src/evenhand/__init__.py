"""Evenhand audits content moderation by people and models: every number comes with an interval.

    import evenhand as eh
    report = eh.audit("comments.parquet", score="p", label="toxic", groups=["women", "men"])
    report.save("report")

`help(eh.audit)` lists the columns and settings that an audit takes. Modules: `metrics` (one measure of arrays),
`calibrators`, `conformal` (prediction sets), `routing` (what people review), `staffing` (how many reviewers),
`sampling` (what people label), `measurement` (a labelling campaign), `comparison` (two runs or periods), `store` (what
happens at the desk). `AUDITS` is the table of audits, `__version__` the version.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from evenhand.version import __version__

if TYPE_CHECKING:
    from evenhand import calibrators, comparison, conformal, measurement, metrics, routing, sampling, staffing, store
    from evenhand.audits import AUDITS, Audit, Settings
    from evenhand.cards import train
    from evenhand.classifiers.models import open_model
    from evenhand.classifiers.protocol import Classifier, Scores
    from evenhand.classifiers.scoring import score, score_file
    from evenhand.comparison.rankings import agreement
    from evenhand.errors import EvenhandError, InputError, Undefined
    from evenhand.estimate import Estimate
    from evenhand.evidence import Declaration, Evidence, open_evidence
    from evenhand.finding import Finding, Measured
    from evenhand.reports import Report, audit, load, migrate_perspective
    from evenhand.tally import Tally

_MODULES = (
    *("calibrators", "comparison", "conformal", "measurement", "metrics", "routing", "sampling", "staffing"),
    "store",
)
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
    "agreement": "evenhand.comparison.rankings",
    "audit": "evenhand.reports",
    "load": "evenhand.reports",
    "migrate_perspective": "evenhand.reports",
    "open_evidence": "evenhand.evidence",
    "open_model": "evenhand.classifiers.models",
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
    "calibrators",
    "comparison",
    "conformal",
    "load",
    "measurement",
    "metrics",
    "migrate_perspective",
    "open_evidence",
    "open_model",
    "routing",
    "sampling",
    "score",
    "score_file",
    "staffing",
    "store",
    "train",
]


def __getattr__(name: str) -> object:
    """Names come in when they are first used, so that the command line starts fast."""
    if name in _MODULES:
        return import_module(f"evenhand.{name}")
    if name not in _HOMES:
        raise AttributeError(f"evenhand has no '{name}'")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """The public names, also those that nobody has used yet: for tab completion."""
    return sorted(__all__)
