"""The table of audits: one row each. Command, report section and docs page follow from it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from evenhand.audits import accuracy, bias, calibration, collaboration, perspective
from evenhand.audits.settings import Settings
from evenhand.errors import InputError, nearest
from evenhand.evidence import Declaration, Evidence
from evenhand.evidence.declaration import OUTCOME, PREDICTIONS
from evenhand.finding import Finding
from evenhand.progress import Progress, silent


@dataclass(frozen=True, slots=True)
class Audit:
    """A question, the roles it needs declared, and the function that answers it; some need the rows at hand."""

    name: str
    question: str
    needs: frozenset[str]
    settings: type[Settings]
    run: Callable[[Evidence, Any, Progress], Finding]
    on_a_cluster: bool = True
    on_request: bool = False  # where another audit can be run, only when it is named: it takes its time
    kind: str = "items"  # what a row of the evidence is
    of_models: bool = True  # whether it looks at scores


AUDITS: tuple[Audit, ...] = (
    Audit(
        name="bias",
        question=bias.QUESTION,
        needs=frozenset({"score", "label", "groups"}),
        settings=bias.BiasSettings,
        run=bias.audit_bias,
    ),
    Audit(
        name="collaboration",
        question=collaboration.QUESTION,
        needs=frozenset({"score", "label"}),
        settings=collaboration.CollaborationSettings,
        run=collaboration.audit_collaboration,
        on_a_cluster=False,
        on_request=True,
    ),
    Audit(
        name="calibration",
        question=calibration.QUESTION,
        needs=frozenset({PREDICTIONS, "label"}),
        settings=calibration.CalibrationSettings,
        run=calibration.audit_calibration,
        on_a_cluster=False,
        on_request=True,
    ),
    Audit(
        name="accuracy",
        question=accuracy.QUESTION,
        needs=frozenset({"label", OUTCOME}),
        settings=accuracy.AccuracySettings,
        run=accuracy.audit_accuracy,
        on_a_cluster=False,
        on_request=True,
        of_models=False,
    ),
    Audit(
        name="perspective",
        question=perspective.QUESTION,
        needs=frozenset({"item", "annotator", "label", "annotator_groups", PREDICTIONS}),
        settings=perspective.PerspectiveSettings,
        run=perspective.audit_perspective,
        on_a_cluster=False,
        kind="annotations",
    ),
)


def choose(
    names: Sequence[str] | None, declared: frozenset[str], *, has_rows: bool = True, kind: str = "items"
) -> list[Audit]:
    """The audits asked for, or all whose columns are declared and which can be run where the rows are."""
    known = {audit.name: audit for audit in AUDITS}
    if not names:
        fitting = [audit for audit in AUDITS if audit.kind == kind]
        chosen = [audit for audit in fitting if audit.needs <= declared and (has_rows or audit.on_a_cluster)]
        if not chosen:
            here = [audit for audit in fitting if has_rows or audit.on_a_cluster]
            lacking = ((audit.name, sorted(audit.needs - declared)) for audit in here)
            wishes = "; ".join(f"{name} needs {', '.join(roles)}" for name, roles in lacking if roles)
            raise InputError(f"no audit can run on what is declared: {wishes}")
        return [audit for audit in chosen if not audit.on_request] or chosen
    for name in names:
        if name not in known:
            raise InputError(f"there is no audit '{name}'; {nearest(name, known)}")
        if known[name].kind != kind and known[name].kind == "items":
            raise InputError(f"the audit '{name}' is of items, and a row here is one annotator's label")
        if missing := known[name].needs - declared:
            raise InputError(f"the audit '{name}' needs {', '.join(sorted(missing))} to be declared")
    return [known[name] for name in names]


def looked_at(names: Sequence[str] | None, declaration: Declaration) -> Declaration:
    """Without the scores, where only audits are asked for that do not look at any: those may lack a label."""
    asked = [audit for audit in AUDITS if audit.name in (names or ())]
    if not asked or any(audit.of_models for audit in asked):
        return declaration
    return replace(declaration, score=(), scale=("probability",), probabilities=(), classes=(), uncertainty=())


def known_settings() -> tuple[str, ...]:
    """What may be chosen about any audit."""
    return tuple(dict.fromkeys(name for audit in AUDITS for name in audit.settings.names()))


def run_audits(
    evidence: Evidence,
    settings: Mapping[str, Any],
    *,
    audits: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> list[Finding]:
    """Answer the questions, in the order of the table; each audit takes of the settings what it knows."""
    declaration = evidence.declaration
    chosen = choose(audits, declaration.declared, has_rows=evidence.has_rows, kind=declaration.kind)
    asked = [(audit, audit.settings.of(settings)) for audit in chosen]  # all are checked before the first is run
    return [audit.run(evidence, own, progress or silent) for audit, own in asked]
