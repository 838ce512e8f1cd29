"""Measures, notices and appeals of an item as rows: what transparency reports count and statements of reasons say.

A measure begins when the action that holds becomes another than to leave the item, or when a decision acts on the
account of the author: a person who confirms what the policy removed takes no second measure, and a decision that was
undone in time was none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import polars as pl
import sqlalchemy as sa

from evenhand.store import events as ev
from evenhand.store.cases import LEAVE, POLICY, REMOVE, Case
from evenhand.store.reasons import reason_text
from evenhand.store.rebuilding import APART, RecordedEvent, derive_case, event_streams, is_study

TEXT, FLAG = pl.String, pl.Boolean
OWN, NOTICE, TRUSTED = "own", "notice", "trusted_flagger"
DECISION_COLUMNS = {
    "decision_id": TEXT,
    "item_id": TEXT,
    "item_type": TEXT,
    "language": TEXT,
    "community": TEXT,
    "created_at": TEXT,
    "decided_at": TEXT,
    "action": TEXT,
    "account_action": TEXT,
    "basis": TEXT,
    "automated": FLAG,
    "source": TEXT,
    "clause": TEXT,
    "ground": TEXT,
    "territory": TEXT,
    "until": TEXT,
}
NOTICE_COLUMNS = {
    "notice_id": TEXT,
    "item_id": TEXT,
    "received_at": TEXT,
    "reason": TEXT,
    "clause": TEXT,
    "trusted": FLAG,
    "acted_at": TEXT,
    "action": TEXT,
    "account_action": TEXT,
    "ground": TEXT,
    "automated": FLAG,
}
APPEAL_COLUMNS = {
    "appeal_id": TEXT,
    "item_id": TEXT,
    "submitted_at": TEXT,
    "action": TEXT,
    "account_action": TEXT,
    "reason": TEXT,
    "outcome": TEXT,
    "decided_at": TEXT,
}
CENSUS_COLUMNS: dict[str, dict[str, Any]] = {
    "decisions": DECISION_COLUMNS,
    "notices": NOTICE_COLUMNS,
    "appeals": APPEAL_COLUMNS,
}
MOMENTS = frozenset({"created_at", "decided_at", "until", "received_at", "acted_at", "submitted_at"})


@dataclass(frozen=True)
class HeldAction:
    """The action that holds from a moment on: who took it, and on what ground."""

    version: int
    at: int
    action: str
    basis: str
    decision: ev.Decided | None = None

    @property
    def automated(self) -> bool:
        """Whether no person was involved."""
        return self.basis == POLICY or (self.decision is not None and self.decision.automated)

    @property
    def account_action(self) -> str | None:
        """What it does to the account of the author."""
        return None if self.decision is None else self.decision.account_action


@dataclass
class ItemCensus:
    """One item, and the actions that held on it, one after another."""

    case: Case
    history: list[RecordedEvent]
    texts: Mapping[str, str | None] | None = None
    held: list[HeldAction] = field(default_factory=list)

    @classmethod
    def from_history(
        cls, case: Case, history: list[RecordedEvent], texts: Mapping[str, str | None] | None = None
    ) -> ItemCensus:
        """From all events of the item; `texts` are contents by id, for the reasons of users, if they are wanted."""
        made = cls(case, history, texts)
        undone = {entry.event.decision for entry in history if isinstance(entry.event, ev.Undone)}
        for version, entry in enumerate(history, start=1):
            if version not in undone:
                made.held += _held(version, entry, made.held)
        return made

    def decisions(self) -> Iterator[dict[str, Any]]:
        """A row for each measure; one that is on the account alone leaves the item."""
        action, account = LEAVE, None
        for one in self.held:
            new_action = LEAVE if one.action == action else one.action
            new_account = None if one.account_action == account else one.account_action
            if new_action != LEAVE or new_account is not None:
                yield self._decision(one, new_action, new_account)
            action, account = one.action, one.account_action

    def notices(self) -> Iterator[dict[str, Any]]:
        """A row for each notice, with what was done next."""
        for version, entry in enumerate(self.history, start=1):
            if isinstance(entry.event, ev.Noticed):
                following = next((one for one in self.held if one.version > version), None)
                yield {
                    "notice_id": f"{self.case.item.id}-{version}",
                    "item_id": self.case.item.external_id,
                    "received_at": entry.at,
                    "reason": reason_text(entry.event.reason, self.texts),
                    "clause": entry.event.clause,
                    "trusted": entry.event.trusted,
                    "acted_at": following and following.at,
                    "action": following and following.action,
                    "account_action": following and following.account_action,
                    "ground": following and following.decision and following.decision.ground,
                    "automated": following and following.automated,
                }

    def appeals(self) -> Iterator[dict[str, Any]]:
        """A row for each appeal; those that are open have no outcome."""
        asked = [(v, e) for v, e in enumerate(self.history, start=1) if isinstance(e.event, ev.Appealed)]
        answers = [(e.at, e.event.outcome) for e in self.history if isinstance(e.event, ev.AppealAnswered)]
        for place, (version, entry) in enumerate(asked):
            decided_at, outcome = answers[place] if place < len(answers) else (None, None)
            against = next((one for one in reversed(self.held) if one.version < version), None)
            yield {
                "appeal_id": f"{self.case.item.id}-{version}",
                "item_id": self.case.item.external_id,
                "submitted_at": entry.at,
                "action": against and against.action,
                "account_action": against and against.account_action,
                "reason": reason_text(getattr(entry.event, "reason", None), self.texts),
                "outcome": outcome,
                "decided_at": decided_at,
            }

    def _decision(self, one: HeldAction, action: str, account_action: str | None) -> dict[str, Any]:
        item, decision = self.case.item, one.decision
        return {
            "decision_id": f"{item.id}-{one.version}",
            "item_id": item.external_id,
            "item_type": item.item_type,
            "language": item.language,
            "community": item.community,
            "created_at": item.created_at or item.received_at,
            "decided_at": one.at,
            "action": action,
            "account_action": account_action,
            "basis": one.basis,
            "automated": one.automated,
            "source": self._source(one.version),
            "clause": decision and decision.clause,
            "ground": decision and decision.ground,
            "territory": decision and decision.territory,
            "until": decision and decision.until,
        }

    def _source(self, version: int) -> str:
        """What brought the item up before it was decided."""
        earlier = [entry.event for entry in self.history[: version - 1] if isinstance(entry.event, ev.Noticed)]
        return TRUSTED if any(notice.trusted for notice in earlier) else NOTICE if earlier else OWN


def _held(version: int, entry: RecordedEvent, before: list[HeldAction]) -> Iterator[HeldAction]:
    event = entry.event
    if isinstance(event, ev.Decided):
        yield HeldAction(version, entry.at, event.action, event.basis, event)
    elif isinstance(event, ev.ItemImported) and event.action is not None:
        yield HeldAction(version, event.decided_at or entry.at, event.action, event.decided_by or "imported")
    elif isinstance(event, ev.Routed) and event.route in (REMOVE, LEAVE) and (not before or before[-1].basis == POLICY):
        yield HeldAction(version, entry.at, event.route, POLICY)


def census_rows(
    several: Sequence[tuple[Case, list[RecordedEvent]]], texts: Mapping[str, str | None] | None = None
) -> dict[str, list[dict[str, Any]]]:
    """The rows of some items, by table; items that test reviewers count nowhere."""
    counted = [ItemCensus.from_history(case, history, texts) for case, history in several if case.item.gold is None]
    tables = {
        "decisions": [row for one in counted for row in one.decisions()],
        "notices": [row for one in counted for row in one.notices()],
        "appeals": [row for one in counted for row in one.appeals()],
    }
    for row in (row for rows in tables.values() for row in rows):
        row.update({name: iso(row[name]) for name in MOMENTS & row.keys()})
    return tables


def census_tables(connection: sa.Connection, number: int) -> dict[str, pl.DataFrame]:
    """Every measure, notice and appeal up to the event with this number, as an export has them; without texts."""
    tables: dict[str, list[dict[str, Any]]] = {name: [] for name in CENSUS_COLUMNS}
    for item, history in event_streams(connection, at=number):
        if item not in APART and not is_study(item):
            for name, rows in census_rows([(derive_case(item, history), history)]).items():
                tables[name] += rows
    return {name: pl.DataFrame(rows, schema=CENSUS_COLUMNS[name], orient="row") for name, rows in tables.items()}


def iso(at: int | None) -> str | None:
    """A time as text, in UTC."""
    return None if at is None else datetime.fromtimestamp(at / 1_000_000, UTC).isoformat(timespec="milliseconds")
