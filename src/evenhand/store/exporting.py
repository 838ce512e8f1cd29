"""Everything that a store knows, as tables: judgements and items for audits, a census of decisions, notices and appeals
for transparency reports, and the events themselves.

An export is the state at a snapshot, derived from the events up to a sealed number: the same number gives the same
tables. People have pseudonyms, which only the key file could undo.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
import sqlalchemy as sa

from evenhand.errors import InputError
from evenhand.evidence.formats import write_table
from evenhand.output_folder import FolderContents, check_folder_writable, staged_folder
from evenhand.store import events as ev
from evenhand.store import schema
from evenhand.store.cases import BENIGN, DONE, GOLD, MEASUREMENT, REVIEW, VIOLATING, Case
from evenhand.store.census import APPEAL_COLUMNS, DECISION_COLUMNS, NOTICE_COLUMNS, census_rows, iso
from evenhand.store.chain import last_sealed, seal
from evenhand.store.export_sample import MeasurementSample
from evenhand.store.ledger import EventLedger, ForbiddenError, batches
from evenhand.store.reasons import reason_text
from evenhand.store.rebuilding import APART, RecordedEvent, derive_case, derive_study, event_streams, is_study
from evenhand.store.roles import ADMINISTRATOR, AUDITOR, LEAD, SYSTEM
from evenhand.store.store import Store
from evenhand.store.study_state import ANSWER_VALUES, StudyCase
from evenhand.store.suggestions import SUGGESTION_COLUMNS, suggestion_rows

EXPORTERS = frozenset({ADMINISTRATOR, LEAD, AUDITOR})
FORMATS = ("parquet", "csv", "jsonl")
TABLES = ("judgements", "items", "decisions", "notices", "appeals", "labels", "scores", "suggestions", "events")
PIECE = 20_000  # rows in memory
LABEL_VALUES = {VIOLATING: 1, BENIGN: 0}
TEXT, WHOLE, REAL, FLAG = pl.String, pl.Int64, pl.Float64, pl.Boolean
JUDGEMENT_COLUMNS = {
    "item_id": TEXT,
    "item_type": TEXT,
    "text": TEXT,
    "language": TEXT,
    "created_at": TEXT,
    "policy_version": WHOLE,
    "annotator_id": TEXT,
    "annotator_role": TEXT,
    "label": TEXT,
    "label_value": WHOLE,
    "is_skip": FLAG,
    "is_gold": FLAG,
    "shown_model_score": FLAG,
    "model_name": TEXT,
    "model_version": TEXT,
    "score": REAL,
    "uncertainty": REAL,
    "route_reason": TEXT,
    "stratum_id": TEXT,
    "inclusion_prob": REAL,
    "weight": REAL,
    "decided_at": TEXT,
    "lead_time_s": REAL,
    "decision_action": TEXT,
    "account_action": TEXT,
    "decision_reason": TEXT,
    "reversed_by": TEXT,
    "appeal_outcome": TEXT,
    "purpose": TEXT,
    "is_undone": FLAG,
    "event": WHOLE,
}
ITEM_COLUMNS = {
    "item_id": TEXT,
    "item_type": TEXT,
    "text": TEXT,
    "language": TEXT,
    "community": TEXT,
    "created_at": TEXT,
    "received_at": TEXT,
    "policy_version": WHOLE,
    "model_name": TEXT,
    "model_version": TEXT,
    "score": REAL,
    "uncertainty": REAL,
    "route": TEXT,
    "route_reason": TEXT,
    "stratum_id": TEXT,
    "drawn": FLAG,
    "draw_probability": REAL,
    "reached": FLAG,
    "verdict": TEXT,
    "label_value": WHOLE,
    "panel_verdict": TEXT,
    "decision": TEXT,
    "basis": TEXT,
    "decided_at": TEXT,
    "notices": WHOLE,
    "edits": WHOLE,
    "appeal_outcome": TEXT,
    "is_gold": FLAG,
}
EVENT_COLUMNS = {
    "number": WHOLE,
    "stream": TEXT,
    "version": WHOLE,
    "at": WHOLE,
    "kind": TEXT,
    "actor": TEXT,
    "payload": TEXT,
    "chain": TEXT,
}
STUDY_LABEL_COLUMNS = {
    "study": TEXT,
    "batch": WHOLE,
    "item_id": TEXT,
    "annotator_id": TEXT,
    "annotator_role": TEXT,
    "label": TEXT,
    "label_value": REAL,
    "purpose": TEXT,
    "item_label": TEXT,
    "decided_at": TEXT,
    "lead_time_s": REAL,
    "note": TEXT,
}
SCORE_COLUMNS = {
    "item_id": TEXT,
    "model_name": TEXT,
    "model_version": TEXT,
    "score": REAL,
    "uncertainty": REAL,
    "is_shadow": FLAG,
    "scored_at": TEXT,
}
COLUMNS = (
    *(JUDGEMENT_COLUMNS, ITEM_COLUMNS, DECISION_COLUMNS, NOTICE_COLUMNS, APPEAL_COLUMNS, STUDY_LABEL_COLUMNS),
    *(SCORE_COLUMNS, SUGGESTION_COLUMNS, EVENT_COLUMNS),
)
SCHEMAS: dict[str, dict[str, Any]] = dict(zip(TABLES, COLUMNS, strict=True))


@dataclass(frozen=True)
class StoreExport:
    """What was written: rows by table, at the snapshot of this number."""

    number: int
    rows: dict[str, int]


def export(
    store: Store,
    folder: Path,
    *,
    file_format: str = "parquet",
    at: int | None = None,
    texts: bool = True,
    actor: str = SYSTEM,
) -> StoreExport:
    """Write all tables at a snapshot; that somebody exported, with or without texts, is itself an event."""
    _check_exporter(store, actor)
    if file_format not in FORMATS:
        raise InputError(f"invalid `format`: '{file_format}' (choose from: {', '.join(FORMATS)})")
    contents = FolderContents(tuple(f"{name}.{file_format}" for name in TABLES))
    check_folder_writable(folder, contents)
    seal(store)
    with store.database.reading() as connection:
        last = last_sealed(connection)[0]
        number = last if at is None else at
        if not 0 <= number <= last:
            raise InputError(f"invalid `at`: {number} (the last sealed event is {last:,})")
        with staged_folder(folder, contents) as staging:
            rows = _write(store, connection, staging, file_format, number, texts=texts)
    with store.write(actor) as ledger:
        reason = "export" if texts else "export without texts"
        ledger.record_apart("store", ev.TextRead(reason=reason, number=rows["items"]))
    return StoreExport(number, rows)


def _check_exporter(store: Store, actor: str) -> None:
    """Whoever may read texts may export them; the program itself exports where nobody is named."""
    with store.database.reading() as connection:
        member = EventLedger(store, connection, actor, store.clock()).member
    if member.role is not None and member.role not in EXPORTERS:
        raise ForbiddenError(f"the role '{member.role}' may not export: it takes {', '.join(sorted(EXPORTERS))}")


def _write(
    store: Store, connection: sa.Connection, staging: Path, file_format: str, number: int, *, texts: bool
) -> dict[str, int]:
    pieces = {name: _Pieces(staging, name) for name in TABLES}
    exporter = _Exporter(store, connection, number, texts=texts)
    streams = (entry for entry in event_streams(connection, at=number) if entry[0] not in APART)
    for tables in exporter.batches(streams):
        for name, rows in tables.items():
            pieces[name].add(rows)
    for row in suggestion_rows(connection, number, texts=texts):
        pieces["suggestions"].add([row])
    for row in _event_rows(connection, number):
        pieces["events"].add([row])
    return {name: made.finish(staging / f"{name}.{file_format}") for name, made in pieces.items()}


class _Pieces:
    """Rows of one table, written piece by piece, and put together at the end."""

    def __init__(self, folder: Path, name: str) -> None:
        self.folder, self.name, self.rows = folder, name, list[dict[str, Any]]()
        self.files: list[Path] = []
        self.count = 0

    def add(self, rows: list[dict[str, Any]]) -> None:
        self.rows += rows
        self.count += len(rows)
        if len(self.rows) >= PIECE:
            self._write()

    def _write(self) -> None:
        path = self.folder / f"{self.name}-{len(self.files)}.piece.parquet"
        pl.DataFrame(self.rows, schema=SCHEMAS[self.name], orient="row").write_parquet(path)
        self.files.append(path)
        self.rows = []

    def finish(self, path: Path) -> int:
        self._write()
        write_table(pl.scan_parquet(self.files, glob=False), path)
        for piece in self.files:
            piece.unlink()
        return self.count


class _Exporter:
    def __init__(self, store: Store, connection: sa.Connection, number: int, *, texts: bool) -> None:
        self.store, self.connection, self.with_texts = store, connection, texts
        self.sample = MeasurementSample(connection, number)
        people = connection.execute(sa.select(schema.people.c.id, schema.people.c.role))
        self.roles = {row.id: row.role for row in people}

    def batches(self, streams: Iterator[tuple[str, list[RecordedEvent]]]) -> Iterator[dict[str, list[dict[str, Any]]]]:
        """Rows of every table but the events."""
        waiting: list[tuple[Case, list[RecordedEvent]]] = []
        for item, history in streams:
            if is_study(item):
                yield {"labels": self._labels(derive_study(history))}
                continue
            waiting.append((derive_case(item, history), history))
            if len(waiting) == 500:
                yield self._rows(waiting)
                waiting = []
        yield self._rows(waiting)

    def _rows(self, several: list[tuple[Case, list[RecordedEvent]]]) -> dict[str, list[dict[str, Any]]]:
        wanted = [ref.id for _, history in several for entry in history for ref in entry.event.contents()]
        values = self._contents(wanted if self.with_texts else [])
        items = [item_row(case, values.get(case.item.text or "")) for case, _ in several]
        judgements = [row for case, history in several for row in self._judgements(case, history, values)]
        scores = [row for case, history in several for row in _score_rows(case, history)]
        census = census_rows(several, values if self.with_texts else None)
        return {"items": items, "judgements": judgements, "scores": scores, **census}

    def _contents(self, names: list[str]) -> dict[str, str]:
        table, found = schema.contents, dict[str, str]()
        for batch in batches(names, 500):
            rows = self.connection.execute(sa.select(table.c.id, table.c.value).where(table.c.id.in_(batch)))
            found |= {row.id: row.value for row in rows}
        return found

    def _judgements(self, case: Case, history: list[RecordedEvent], values: dict[str, str]) -> Iterator[dict[str, Any]]:
        item = case.item
        reversals = {entry.event.decision: entry for entry in history if isinstance(entry.event, ev.Reversed)}
        undone = [(entry.event.task, entry.number) for entry in history if isinstance(entry.event, ev.Undone)]
        said = values if self.with_texts else None
        text: str | None = None
        for place, entry in enumerate(history):
            event = entry.event
            if isinstance(event, ev.Received | ev.Edited | ev.ItemImported):
                text = event.text and event.text.id
            if not isinstance(event, ev.Judged | ev.TaskSkipped):
                continue
            task, skipped = case.tasks[event.task], isinstance(event, ev.TaskSkipped)
            made = _decision_after(history, place)
            measured = self.sample.inclusion(item) if task.purpose == MEASUREMENT else None
            probability = 1.0 if task.purpose == REVIEW else measured
            reversal = reversals.get(made[0]) if made else None
            verdict = None if isinstance(event, ev.TaskSkipped) else event.verdict
            note = None if isinstance(event, ev.TaskSkipped) or event.note is None else values.get(event.note.id)
            yield {
                **_shared(case, values.get(text or "")),
                "annotator_id": self.pseudonym(event.person),
                "annotator_role": self.roles.get(event.person),
                "label": None if verdict is None else getattr(event, "label", None) or verdict,
                "label_value": LABEL_VALUES.get(verdict or ""),
                "is_skip": skipped,
                "is_gold": task.purpose == GOLD,
                "shown_model_score": bool(getattr(event, "score_shown", False)),
                "inclusion_prob": probability,
                "weight": None if probability is None else 1.0 / probability,
                "decided_at": iso(entry.at),
                "lead_time_s": event.lead_time,
                "decision_action": made[1].action if made else None,
                "account_action": made[1].account_action if made else None,
                "decision_reason": reason_text(event.reason, said) if isinstance(event, ev.TaskSkipped) else note,
                "reversed_by": reversal and self.pseudonym(reversal.actor),
                "appeal_outcome": item.appeal,
                "purpose": task.purpose,
                "is_undone": any(name == event.task and (later or 0) > (entry.number or 0) for name, later in undone),
                "event": entry.number,
            }

    def _labels(self, case: StudyCase) -> list[dict[str, Any]]:
        """The answers of a study, those of an unfinished batch too."""
        done = [task for task in case.tasks.values() if task.state == DONE]
        notes = self._contents([task.note for task in done if task.note and self.with_texts])
        return [
            {
                "study": task.study,
                "batch": task.batch,
                "item_id": task.subject,
                "annotator_id": self.pseudonym(task.person),
                "annotator_role": self.roles.get(task.person),
                "label": task.answer,
                "label_value": ANSWER_VALUES[str(task.answer)],
                "purpose": task.purpose,
                "item_label": case.items[task.subject].label,
                "decided_at": iso(task.at),
                "lead_time_s": task.lead_time,
                "note": notes.get(task.note or ""),
            }
            for task in sorted(done, key=lambda task: (task.batch, task.subject, task.id))
        ]

    def pseudonym(self, person: str) -> str:
        """The same for a person in every export of this store."""
        return self.store.keys.pseudonym(person)


def _score_rows(case: Case, history: list[RecordedEvent]) -> Iterator[dict[str, Any]]:
    """Every score of an item, by any model: those that decided, and those of shadow models."""
    for entry in history:
        event = entry.event
        if isinstance(event, ev.Scored):
            names = ("model_version", "score", "uncertainty")
            row = {"item_id": case.item.external_id, "model_name": event.model, "is_shadow": event.shadow}
            yield row | {name: getattr(event, name) for name in names} | {"scored_at": iso(entry.at)}


def _decision_after(history: list[RecordedEvent], place: int) -> tuple[int, ev.Decided] | None:
    """The decision that a judgement made, with its version: it comes within the same moment."""
    for later in range(place + 1, len(history)):
        entry = history[later]
        if entry.at != history[place].at or isinstance(entry.event, ev.Judged):
            return None
        if isinstance(entry.event, ev.Decided):
            return later + 1, entry.event
    return None


def stratum(case: Case) -> str:
    """How the policy dealt with an item, before anything that the measurement corrected."""
    item = case.item
    return "reached" if item.reached else {"remove": "removed", "leave": "left"}.get(item.route or "", "queued")


def _shared(case: Case, text: str | None) -> dict[str, Any]:
    item = case.item
    return {
        "item_id": item.external_id,
        "item_type": item.item_type,
        "text": text,
        "language": item.language,
        "created_at": iso(item.created_at),
        "policy_version": item.policy,
        "model_name": item.model,
        "model_version": item.model_version,
        "score": item.score,
        "uncertainty": item.uncertainty,
        "route_reason": item.route_reason,
        "stratum_id": stratum(case),
    }


def item_row(case: Case, text: str | None) -> dict[str, Any]:
    """One row of the table of items."""
    item = case.item
    return {
        **_shared(case, text),
        "community": item.community,
        "received_at": iso(item.received_at),
        "route": item.route,
        "drawn": item.drawn,
        "draw_probability": item.probability,
        "reached": item.reached,
        "verdict": item.measured_verdict or item.verdict,
        "label_value": LABEL_VALUES.get(item.measured_verdict or item.verdict or ""),
        "panel_verdict": item.panel_verdict,
        "decision": item.action,
        "basis": item.basis,
        "decided_at": iso(item.decided_at),
        "notices": item.notices,
        "edits": item.edits,
        "appeal_outcome": item.appeal,
        "is_gold": item.gold is not None,
    }


def _event_rows(connection: sa.Connection, number: int) -> Iterator[dict[str, Any]]:
    events = schema.events
    query = sa.select(events).where(events.c.number <= number).order_by(events.c.number)
    for row in connection.execute(query.execution_options(yield_per=5000)):
        yield {name: getattr(row, name) for name in EVENT_COLUMNS if name != "chain"} | {
            "chain": bytes(row.chain).hex()
        }
