"""Webhooks: decisions are sent to the platform in order, signed, again after failures, and again on request.

A webhook knows the number up to which it has delivered. What comes next is sent as one body, the same as a call of
`/decisions` would give, so nothing is left out. A delivery that fails is tried again after 10 seconds, 20, 40, … up to
six hours; after 16 attempts, a good day, it is a dead letter, which is listed, and the next one is tried.
"""

from __future__ import annotations

import hashlib
import hmac
import logging
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from pydantic_core import to_json

from evenhand.desk import feeds
from evenhand.desk.outgoing import SIGNATURE_HEADER, DeliveryError, OutgoingRequests, signature
from evenhand.store import Store, schema
from evenhand.store.census import iso
from evenhand.store.chain import last_sealed
from evenhand.store.events import WebhookChanged
from evenhand.store.ledger import EventLedger, MissingError, new_id

LOG = logging.getLogger(__name__)
SECOND = 1_000_000
AT_ONCE = 100  # decisions in one body
FIRST_WAIT, LONGEST_WAIT = 10, 6 * 3600  # seconds
MOST_ATTEMPTS = 16
TURN = 60 * SECOND  # one process delivers; another may after this
KEPT = 30 * 86_400 * SECOND  # how long deliveries that arrived are listed
DELIVERED, DEAD = "delivered", "dead"


def secret_of(store: Store, webhook: str) -> str:
    """What the deliveries of a webhook are signed with: made from the key file, so the database does not have it."""
    return "whsec_" + hmac.digest(store.keys.drawing, f"webhook\x1f{webhook}".encode(), hashlib.sha256).hex()


def add_webhook(ledger: EventLedger, url: str) -> dict[str, Any]:
    """Send decisions to an address from now on."""
    name, known = new_id(ledger.at), last_sealed(ledger.connection)[0]
    row = {"id": name, "url": url, "active": True, "known": known, "failures": 0, "due_at": ledger.at}
    ledger.connection.execute(schema.webhooks.insert(), [row])
    ledger.record_apart("store", WebhookChanged(webhook=name, url=url, active=True))
    return {"webhook": name, "url": url}


def end_webhook(ledger: EventLedger, webhook: str) -> dict[str, Any]:
    """Send nothing there any more."""
    row = _row(ledger, webhook)
    return _change(ledger, row, {"active": False, "known": row.known}, again_after=None)


def replay(ledger: EventLedger, webhook: str, after: int) -> dict[str, Any]:
    """Send once more what came after a number, and everything since."""
    row = _row(ledger, webhook)
    known = min(after, last_sealed(ledger.connection)[0])
    values = {"active": row.active, "known": known, "failures": 0, "due_at": ledger.at}
    return _change(ledger, row, values, again_after=known)


def _change(ledger: EventLedger, row: Any, values: dict[str, Any], again_after: int | None) -> dict[str, Any]:
    table = schema.webhooks
    ledger.connection.execute(table.update().where(table.c.id == row.id).values(**values))
    told = WebhookChanged(webhook=row.id, url=row.url, active=values["active"], again_after=again_after)
    ledger.record_apart("store", told)
    return {"webhook": row.id, "active": values["active"], "known": values["known"]}


def _row(ledger: EventLedger, webhook: str) -> Any:
    row = ledger.connection.execute(sa.select(schema.webhooks).where(schema.webhooks.c.id == webhook)).first()
    if row is None:
        raise MissingError(f"there is no webhook '{webhook}'")
    return row


def list_webhooks(connection: sa.Connection) -> list[dict[str, Any]]:
    """All of them, with how far each has come."""
    last = last_sealed(connection)[0]
    rows = connection.execute(sa.select(schema.webhooks).order_by(schema.webhooks.c.id))
    return [
        {"webhook": row.id, "url": row.url, "active": row.active, "known": row.known, "behind": last - row.known}
        | {"failures": row.failures}
        for row in rows
    ]


def list_deliveries(connection: sa.Connection, webhook: str, limit: int) -> list[dict[str, Any]]:
    """The last deliveries of a webhook, newest first; those that are dead with the reason."""
    table = schema.deliveries
    query = sa.select(table).where(table.c.webhook == webhook).order_by(table.c.at.desc(), table.c.id.desc())
    names = ("after", "last", "decisions", "attempts", "state", "problem")
    rows = connection.execute(query.limit(limit))
    return [{"at": iso(row.at), **{name: getattr(row, name) for name in names}} for row in rows]


@dataclass(frozen=True)
class Deliverer:
    """Delivers what is due; several processes may, and each webhook is dealt with by one of them at a time."""

    store: Store
    outgoing: OutgoingRequests

    def deliver_due(self) -> int:
        """One body for each webhook that is due; how many arrived."""
        return sum(self._deliver(webhook) for webhook in self._due())

    def _due(self) -> list[str]:
        table = schema.webhooks
        with self.store.database.reading() as connection:
            last = last_sealed(connection)[0]
            due = sa.select(table.c.id).where(
                table.c.active, table.c.due_at <= self.store.clock(), table.c.known < last
            )
            return list(connection.scalars(due))

    def _deliver(self, webhook: str) -> bool:
        row = self._take_turn(webhook)
        if row is None:
            return False
        with self.store.database.reading() as connection:
            page = feeds.decisions_after(connection, row.known, AT_ONCE)
        problem = None
        if page["decisions"]:
            try:
                self._send(row, page)
            except DeliveryError as error:
                problem = str(error)[:200]
        self._note(row, page, problem)
        return problem is None

    def _send(self, row: Any, page: dict[str, Any]) -> None:
        body = to_json({"webhook": row.id, **page})
        at = self.store.clock() // SECOND
        self.outgoing.post(row.url, body, {SIGNATURE_HEADER: signature(secret_of(self.store, row.id), at, body)})

    def _take_turn(self, webhook: str) -> Any:
        table, now = schema.webhooks, self.store.clock()
        with self.store.database.writing() as connection:
            mine = table.update().where(table.c.id == webhook, table.c.active, table.c.due_at <= now)
            if connection.execute(mine.values(due_at=now + TURN)).rowcount != 1:
                return None
            return connection.execute(sa.select(table).where(table.c.id == webhook)).one()

    def _note(self, row: Any, page: dict[str, Any], problem: str | None) -> None:
        """Go on, wait, or give up; whoever asked for a replay meanwhile is not overruled."""
        table, log, now = schema.webhooks, schema.deliveries, self.store.clock()
        attempts = row.failures + 1
        over = problem is None or attempts >= MOST_ATTEMPTS
        wait = 0 if over else min(FIRST_WAIT * 2 ** (attempts - 1), LONGEST_WAIT)
        values = {"due_at": now + wait * SECOND, "failures": 0 if over else attempts}
        with self.store.database.writing() as connection:
            same = table.update().where(table.c.id == row.id, table.c.known == row.known, table.c.due_at == row.due_at)
            connection.execute(same.values(**values, **({"known": page["next"]} if over else {})))
            if over and page["decisions"]:
                entry = {"id": new_id(now), "webhook": row.id, "after": row.known, "last": page["next"], "at": now}
                entry |= {"decisions": len(page["decisions"]), "attempts": attempts, "problem": problem}
                connection.execute(log.insert(), [{**entry, "state": DELIVERED if problem is None else DEAD}])
                connection.execute(log.delete().where(log.c.state == DELIVERED, log.c.at < now - KEPT))
        if problem is not None:
            LOG.warning("a webhook failed", extra={"facts": {"webhook": row.id, "attempts": attempts}})
