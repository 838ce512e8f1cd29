"""The table of audits: one row each. Command, report section and docs page follow from it.

A sixth audit is a folder beside the five whose `__init__` has its `NAME`, `QUESTION`, settings and function, and a row
in `AUDITS`. That is enough to run it, to show it as a plain table and to sum it up by its verdicts. Its measures are
rows in `catalogue/`, what may be chosen about it rows in `choices/settings.py`. Figures are a row in
`figures/audit_table.py` and a section of its own is one in `reports/audit_table.py`, both by its `NAME`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any

from evenhand.audits import accuracy, bias, calibration, collaboration, perspective
from evenhand.audits.bias.verdicts import bias_verdicts
from evenhand.audits.calibration.verdicts import calibration_verdicts
from evenhand.audits.collaboration.verdicts import collaboration_verdicts
from evenhand.audits.perspective.verdicts import perspective_verdicts
from evenhand.audits.settings import Settings
from evenhand.errors import InputError, nearest
from evenhand.evidence import Declaration, Evidence, as_annotated, as_classed, as_judged, as_tallied
from evenhand.evidence.declaration import OUTCOME, PREDICTIONS
from evenhand.finding import Finding, Verdict
from evenhand.progress import Progress, silent


@dataclass(frozen=True, slots=True)
class Audit:
    """A question, the roles it needs declared, and the function that answers it; some need the rows at hand.

    >>> eh.AUDITS[0].name, eh.AUDITS[0].question
    ('bias', 'Does the model score groups differently?')
    """

    name: str
    question: str
    needs: frozenset[str]
    settings: type[Settings]
    takes: Callable[[Evidence], Any]  # evidence as the kind that the audit is of, or why it is not
    run: Callable[..., Finding]  # of evidence, settings and progress
    on_a_cluster: bool = True
    companion: bool = False  # beside another audit that nobody named either: what stands in its way is no error
    kind: str = "items"  # what a row of the evidence is
    of_models: bool = True  # whether it looks at scores
    by_weight: bool = False  # whether its numbers may be those of a view, or whatever items are weighted by
    judge: Callable[[Finding], Iterable[Verdict]] | None = None  # what a finding of an earlier version amounts to


NEEDS_ROWS = "needs the rows on one machine"
WEIGHT, COUNTS_ITEMS = "weight", "counts items: leave out `weight`"
AUDITS: tuple[Audit, ...] = (
    Audit(
        name=bias.NAME,
        question=bias.QUESTION,
        needs=frozenset({"score", "label", "groups"}),
        settings=bias.BiasSettings,
        takes=as_tallied,
        run=bias.audit_bias,
        by_weight=True,
        judge=bias_verdicts,
    ),
    Audit(
        name=collaboration.NAME,
        question=collaboration.QUESTION,
        needs=frozenset({"score", "label"}),
        settings=collaboration.CollaborationSettings,
        takes=as_tallied,
        run=collaboration.audit_collaboration,
        judge=collaboration_verdicts,
        on_a_cluster=False,
        companion=True,
    ),
    Audit(
        name=calibration.NAME,
        question=calibration.QUESTION,
        needs=frozenset({PREDICTIONS, "label"}),
        settings=calibration.CalibrationSettings,
        takes=as_classed,
        run=calibration.audit_calibration,
        judge=calibration_verdicts,
        on_a_cluster=False,
        companion=True,
        by_weight=True,
    ),
    Audit(
        name=accuracy.NAME,
        question=accuracy.QUESTION,
        needs=frozenset({"label", OUTCOME}),
        settings=accuracy.AccuracySettings,
        takes=as_judged,
        run=accuracy.audit_accuracy,
        on_a_cluster=False,
        companion=True,
        of_models=False,
    ),
    Audit(
        name=perspective.NAME,
        question=perspective.QUESTION,
        needs=frozenset({"item", "annotator", "label", "annotator_groups", PREDICTIONS}),
        settings=perspective.PerspectiveSettings,
        takes=as_annotated,
        run=perspective.audit_perspective,
        judge=perspective_verdicts,
        on_a_cluster=False,
        kind="annotations",
    ),
)


def verdicts_of(finding: Finding) -> tuple[Verdict, ...]:
    """The verdicts that a finding carries; for one of an earlier version, those that its audit gives now, if any."""
    judges = {audit.name: audit.judge for audit in AUDITS}
    judge = judges.get(finding.audit)
    return finding.verdicts or (tuple(judge(finding)) if judge else ())


def choose_audits(
    names: Sequence[str] | None, declared: frozenset[str], *, has_rows: bool = True, kind: str = "items"
) -> list[Audit]:
    """The audits named, or all whose columns are declared and which can be run where the rows are."""
    known = {audit.name: audit for audit in AUDITS}
    if not names:
        fitting = [audit for audit in AUDITS if audit.kind == kind and (audit.by_weight or WEIGHT not in declared)]
        chosen = [audit for audit in fitting if audit.needs <= declared and (has_rows or audit.on_a_cluster)]
        if not chosen:
            here = [audit for audit in fitting if has_rows or audit.on_a_cluster]
            lacking = ((audit.name, audit.needs - declared) for audit in here)
            needed = "; ".join(f"{name} needs {_named(roles)}" for name, roles in lacking if roles)
            raise InputError(f"no audit can run with the declared columns: {needed}")
        return chosen
    for name in names:
        if name not in known:
            raise InputError(f"there is no audit '{name}'; {nearest(name, known)}")
        if known[name].kind != kind and known[name].kind == "items":
            raise InputError(f"the audit '{name}' is of items, and a row here is one annotator's label")
        _require_columns(known[name], declared)
    return [known[name] for name in names]


def without_unused_scores(names: Sequence[str] | None, declaration: Declaration) -> Declaration:
    """Without the scores, where only audits are asked for that do not look at any: those may lack a label."""
    chosen = [audit for audit in AUDITS if audit.name in (names or ())]
    if not chosen or any(audit.of_models for audit in chosen):
        return declaration
    for audit in chosen:
        _require_columns(audit, declaration.declared)
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
    return answer_questions(evidence, settings, audits=audits, progress=progress).findings


@dataclass(frozen=True)
class Answers:
    """The findings of one run; and by the name of an audit that was not run, what it would need."""

    findings: list[Finding]
    not_run: Mapping[str, str]


def answer_questions(
    evidence: Evidence,
    settings: Mapping[str, Any],
    *,
    audits: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> Answers:
    """`run_audits`, and why other audits were not run; nothing of that where audits are named."""
    declaration = evidence.declaration
    chosen = choose_audits(audits, declaration.declared, has_rows=evidence.has_rows, kind=declaration.kind)
    settings_by_audit = [
        (audit, audit.settings.of(settings)) for audit in chosen
    ]  # all are checked before the first is run
    shown = evidence.without_small_groups(settings_by_audit[0][1].smallest_group)
    lenient = not audits and any(not audit.companion for audit in chosen)
    findings, problems = [], {}
    for audit, own in settings_by_audit:
        try:
            findings.append(audit.run(audit.takes(shown), own, progress or silent))
        except InputError as error:
            if not (lenient and audit.companion):
                raise
            problems[audit.name] = error.problem
    return Answers(findings, {} if audits else {**problems, **_lacking(chosen, declaration.declared)})


def _lacking(chosen: Sequence[Audit], declared: frozenset[str]) -> dict[str, str]:
    """What the audits that were not chosen would need."""
    others = [audit for audit in AUDITS if audit not in chosen]
    return {
        audit.name: _obstacle(audit, declared)
        for audit in others
        if audit.kind == "annotations" or not any(one.kind == "annotations" for one in chosen)
    }


def _obstacle(audit: Audit, declared: frozenset[str]) -> str:
    if missing := audit.needs - declared:
        return f"needs {_named(missing)}"
    return COUNTS_ITEMS if WEIGHT in declared and not audit.by_weight else NEEDS_ROWS


def _require_columns(audit: Audit, declared: frozenset[str]) -> None:
    if WEIGHT in declared and not audit.by_weight:
        raise InputError(f"the audit '{audit.name}' {COUNTS_ITEMS}")
    if missing := audit.needs - declared:
        raise InputError(f"the audit '{audit.name}' also needs {_named(missing)}")


def _named(roles: Set[str]) -> str:
    """Roles as a message names them, also those of which one is enough."""
    return ", ".join(" or ".join(f"`{name}`" for name in role.split(" or ")) for role in sorted(roles))
