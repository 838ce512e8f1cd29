"""The five questions on a store at a snapshot: the same findings as of any file, with roles from the store's columns.

The command line, the service and the pages of the desk all call `audit_store`: the same snapshot and options give the
same bytes of JSON.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Unpack

import sqlalchemy as sa

from evenhand.audits.registry import AUDITS, answer_questions, choose_audits
from evenhand.audits.request import ROLES, AuditRequest
from evenhand.choices import Options, without_unset
from evenhand.choices.python_help import lists_options
from evenhand.comparison.runs import compare_runs
from evenhand.errors import InputError, nearest
from evenhand.evidence import Evidence, open_evidence
from evenhand.finding import Finding
from evenhand.findings_file import read_findings
from evenhand.progress import Progress
from evenhand.reports import Report
from evenhand.reports.cover import ReportCover
from evenhand.store import events as ev
from evenhand.store import schema
from evenhand.store.ledger import batches
from evenhand.store.live_evidence import LiveEvidence, LiveTable
from evenhand.store.snapshots import StoreSnapshot, read_snapshot
from evenhand.store.store import Store

GROUPINGS = ("groups", "group_by", "terms")
OF_LABELS = frozenset({"annotator_groups", "within", "spellings", "duplicates", "annotators"})  # of a table of labels
NO_ROWS = "no such judgements are in the store"


@lists_options(Options)
def audit_store(
    store: Store,
    *,
    snapshot: int | None = None,
    audits: str | Sequence[str] | None = None,
    compare: str | None = None,
    progress: Progress | None = None,
    **options: Unpack[Options],
) -> Report:
    """Audit what happened at a desk, as of the event with the number `snapshot` (default: the last one).

    Roles come from the columns of the store; an option replaces its role. Without `audits`, all that the store has
    columns for; `not_run` of the report says what the others need.

    >>> store = eh.store.create_store("desk.db")
    >>> eh.store.audit_store(store)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    evenhand.errors.InputError: ...: no item has been routed yet, so there is nothing to audit
    """
    earlier = None if compare is None else read_findings(compare)
    names = _names(audits)
    own = without_unset(options)
    read = read_snapshot(store, snapshot)
    evidence = LiveEvidence(read, _texts(store, read) if own.get("text") or own.get("terms") else None)
    findings, not_run = _answers(evidence, names, own, progress)
    if earlier is not None:
        findings = [*findings, compare_runs(findings, earlier, called=str(compare))]
    cover = AuditRequest.of(None, options=own).cover
    return Report(tuple(findings), read.name, not_run, ReportCover.of(cover))


def _names(audits: str | Sequence[str] | None) -> tuple[str, ...]:
    names = (audits,) if isinstance(audits, str) else tuple(audits or ())
    known = [audit.name for audit in AUDITS]
    for name in names:
        if name not in known:
            raise InputError(f"there is no audit '{name}'; {nearest(name, known)}")
    return names


def _answers(
    evidence: LiveEvidence, names: Sequence[str], options: Mapping[str, Any], progress: Progress | None
) -> tuple[list[Finding], dict[str, str]]:
    """Findings in the order of the table of audits; where none was asked for by name, why others were not made."""
    tables = {name: table for table in evidence.tables() for name in table.audits}
    opened: dict[int, Evidence] = {}
    findings, not_run = [], {}
    for audit in AUDITS:
        if names and audit.name not in names:
            continue
        try:
            if (table := tables.get(audit.name)) is None:
                raise InputError(NO_ROWS, source=evidence.snapshot.name)
            findings += list(_findings(table, audit.name, options, opened, progress))
        except InputError as error:
            if names:
                raise
            not_run[audit.name] = error.problem
    if not findings:
        reasons = "; ".join(f"{name}: {reason}" for name, reason in not_run.items())
        raise InputError(f"no audit can run: {reasons}", source=evidence.snapshot.name)
    return findings, not_run


def _findings(
    table: LiveTable, audit: str, options: Mapping[str, Any], opened: dict[int, Evidence], progress: Progress | None
) -> Iterator[Finding]:
    """One audit of a table, which is opened once for all."""
    request = AuditRequest.of(None, audits=audit, options=_with_roles(table, options))
    choose_audits(request.audits, request.declaration.declared, kind=request.declaration.kind)  # before rows are read
    if (evidence := opened.get(id(table))) is None:
        evidence = opened[id(table)] = open_evidence(table.source, request.declaration, **request.tables)
    yield from answer_questions(evidence, request.settings, audits=request.audits, progress=progress).findings


def _with_roles(table: LiveTable, options: Mapping[str, Any]) -> dict[str, Any]:
    """The roles of the table, and the options on top of them, as far as they are of such rows."""
    of_labels = "annotator" in table.roles
    own = {name: value for name, value in options.items() if _fits(name, of_labels=of_labels)}
    roles = dict(table.roles)
    if any(name in own for name in GROUPINGS):
        roles = {name: value for name, value in roles.items() if name not in GROUPINGS}
    return {**roles, **own}


def _fits(name: str, *, of_labels: bool) -> bool:
    """Whether an option is for a table: settings are for all, roles for labels or for items."""
    if name in OF_LABELS:
        return of_labels
    return name not in ROLES or not of_labels


def _texts(store: Store, snapshot: StoreSnapshot) -> dict[str, str | None]:
    """The texts by item, for groups by words and for examples; that they were read is recorded."""
    contents, texts = schema.contents, dict[str, str | None]()
    names = {row.text: row.id for row in snapshot.items if row.text is not None}
    with store.write() as ledger:
        for batch in batches(list(names), 500):
            rows = ledger.connection.execute(sa.select(contents.c.id, contents.c.value).where(contents.c.id.in_(batch)))
            texts |= {names[row.id]: row.value for row in rows}
        ledger.record_apart("store", ev.TextRead(reason="audit", number=len(texts)))
    return texts
