"""Texts, notes, reasons and keys of people: read with a record, erased by age or on request, kept under a legal hold.

Erasing removes the content and its salt. The event that holds the salted hash stays, so the chain still verifies, and
nobody can test a guess against the hash. Users can complain about a decision for six months; nothing younger is erased
by age unless told so.
"""

from __future__ import annotations

import json
from typing import Any

import sqlalchemy as sa

from evenhand.errors import ErrorKind, InputError
from evenhand.store import schema
from evenhand.store.events import ContentErased, LegalHold, TextRead, payload_references
from evenhand.store.ledger import ConflictError, EventLedger, batches
from evenhand.store.reasons import keep_reason

DAY = 86_400_000_000  # microseconds
COMPLAINT_DAYS = 183  # six months, as Article 20 of the Digital Services Act has it
BATCH = 500
SUGGESTED = "suggestion"  # the kind of the texts that callers suggested scores for
SAID = frozenset({"note", "reason"})  # what a reporter wrote


def hold(ledger: EventLedger, item: str, held: bool, reason: str) -> dict[str, Any]:
    """Forbid the erasure of an item's contents, or allow it again."""
    case = ledger.case(item)
    ledger.record(case, LegalHold(held=held, reason=keep_reason(ledger, reason, item)))
    return {"item": item, "held": held}


def read_text(ledger: EventLedger, item: str, reason: str) -> dict[str, Any]:
    """The text of an item, outside a review; that it was read is recorded."""
    case, table = ledger.case(item), schema.contents
    ledger.record(case, TextRead(reason=keep_reason(ledger, reason, item)))
    return {
        "item": item,
        "text": ledger.connection.scalar(sa.select(table.c.value).where(table.c.id == case.item.text)),
    }


def erase_item(ledger: EventLedger, item: str, reason: str) -> dict[str, Any]:
    """Erase the text of an item in all its versions, and the notes and reasons about it."""
    if ledger.case(item).item.held:
        raise ConflictError("a legal hold forbids this: the contents of the item must be kept")
    return {"item": item, "erased": _erase(ledger, [item], reason)}


def erase_person(ledger: EventLedger, author: str, reason: str) -> dict[str, Any]:
    """Erase an author or a reporter: their key, the contents of their items, and what they wrote in notices.

    Items under a legal hold are left alone, and with them the key.
    """
    table, items = schema.contents, schema.items
    query = sa.select(table.c.id).where(table.c.kind.in_(("author", "reporter")), table.c.value == author)
    keys = list(ledger.connection.scalars(query))
    if not keys:
        raise InputError("no author has this key")
    theirs = ledger.connection.execute(sa.select(items.c.id, items.c.held).where(items.c.author.in_(keys))).all()
    erased = _erase(ledger, [row.id for row in theirs if not row.held], reason)
    in_notices, notices_on_hold = _erase_notices(ledger, keys, reason)
    items_on_hold = sum(row.held for row in theirs)
    if not items_on_hold and not notices_on_hold:
        _forget(ledger, table.c.id.in_(keys))
        said = keep_reason(ledger, reason)
        ledger.record_apart("store", ContentErased(reason=said, number=len(keys)))
    return {"items": len(theirs) - items_on_hold, "erased": erased + in_notices, "held": items_on_hold}


def _erase_notices(ledger: EventLedger, reporters: list[str], reason: str) -> tuple[int, bool]:
    """Erase notes and reasons of all notices by these keys; how many contents, and whether a hold keeps some."""
    notices, events, by_item = schema.notices, schema.events, dict[str, list[str]]()
    made = sa.and_(events.c.stream == notices.c.item, events.c.version == notices.c.version)
    query = sa.select(events.c.stream, events.c.payload).join(notices, made).where(notices.c.reporter.in_(reporters))
    for row in ledger.connection.execute(query):
        references = payload_references(json.loads(row.payload))
        by_item.setdefault(row.stream, []).extend(references[name].id for name in SAID & references.keys())
    erased, on_hold = 0, False
    for case in ledger.cases(by_item):
        if case.item.held:
            on_hold = True
            continue
        theirs = schema.contents.c.id.in_(by_item[case.item.id])
        number = _count(ledger, theirs)
        _forget(ledger, theirs)
        if number:
            said = keep_reason(ledger, reason, case.item.id)
            ledger.record(case, ContentErased(reason=said, number=number))
        erased += number
    return erased, on_hold


def erase_by_age(ledger: EventLedger, days: int, *, below_complaint_window: bool = False) -> int:
    """Erase what is so many days old: contents of items, texts of suggestions, keys not used since; how many."""
    if days < 0 or (days < COMPLAINT_DAYS and not below_complaint_window):
        raise InputError(
            f"invalid `days`: {days} (must be {COMPLAINT_DAYS} or more, the period for complaints, unless "
            "`below_complaint_window` is set)"
        )
    items, table, before = schema.items, schema.contents, ledger.at - days * DAY
    there = sa.exists().where(table.c.item == items.c.id, table.c.salt.is_not(None))
    query = sa.select(items.c.id).where(items.c.received_at < before, ~items.c.held, there)
    code = f"retention of {days} days"
    erased = _erase(ledger, list(ledger.connection.scalars(query)), code, by_program=True)
    suggested = sa.and_(table.c.kind == SUGGESTED, table.c.salt.is_not(None), table.c.at < before)
    return erased + _erase_apart(ledger, suggested, code) + _erase_unused_keys(ledger, before, code)


def _erase_unused_keys(ledger: EventLedger, before: int, code: str) -> int:
    """Erase keys of authors and reporters of whom nothing younger and nothing on hold is known; how many."""
    table, items, notices = schema.contents, schema.items, schema.notices
    written = sa.exists().where(items.c.author == table.c.id, sa.or_(items.c.received_at >= before, items.c.held))
    reported = sa.exists().where(
        notices.c.reporter == table.c.id,
        notices.c.item == items.c.id,
        sa.or_(notices.c.at >= before, items.c.held),
    )
    old = sa.and_(table.c.item.is_(None), table.c.salt.is_not(None), table.c.at < before, ~written, ~reported)
    return _erase_apart(ledger, old, code)


def _erase_apart(ledger: EventLedger, which: sa.ColumnElement[bool], code: str) -> int:
    """Erase contents that belong to no item; how many."""
    number = _count(ledger, which)
    if number:
        _forget(ledger, which)
        ledger.record_apart("store", ContentErased(reason=code, number=number))
    return number


def item_of(ledger: EventLedger, external_id: str) -> str:
    """The id of an item, by the one that the platform has for it."""
    items = schema.items
    item_id = ledger.connection.scalar(sa.select(items.c.id).where(items.c.external_id == external_id))
    if item_id is None:
        raise InputError(f"there is no item '{external_id}'", kind=ErrorKind.NOT_FOUND)
    return str(item_id)


def erase_as_told(
    ledger: EventLedger,
    *,
    days: int | None,
    item: str | None,
    author: str | None,
    reason: str,
    below_complaint_window: bool,
) -> int:
    """Erase by age, one item or one author; how many contents."""
    if [days, item, author].count(None) != 2:
        raise InputError("set what to erase: one of `days`, `item` and `author`")
    if days is not None:
        return erase_by_age(ledger, days, below_complaint_window=below_complaint_window)
    if item is not None:
        return int(erase_item(ledger, item_of(ledger, item), reason)["erased"])
    return int(erase_person(ledger, str(author), reason)["erased"])


def _erase(ledger: EventLedger, names: list[str], reason: str, *, by_program: bool = False) -> int:
    """Erase the contents of items; why they are erased is a content of its own, which stays until the next time."""
    erased, table = 0, schema.contents
    for batch in batches(names, BATCH):
        for case in ledger.cases(batch):
            if number := _count(ledger, table.c.item == case.item.id):
                said = reason if by_program else keep_reason(ledger, reason, case.item.id)
                ledger.record(case, ContentErased(reason=said, number=number))
                erased += number
        _forget(ledger, table.c.item.in_(batch))
    return erased


def _count(ledger: EventLedger, which: sa.ColumnElement[bool]) -> int:
    table = schema.contents
    present = sa.select(sa.func.count()).select_from(table).where(which, table.c.salt.is_not(None))
    return int(ledger.connection.scalar(present) or 0)


def _forget(ledger: EventLedger, which: Any) -> None:
    ledger.connection.execute(schema.contents.update().where(which).values(value=None, salt=None))
