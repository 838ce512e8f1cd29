"""The items behind a number: searched and browsed at a snapshot. A text is read on request, blurred, and on record."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import urlencode

import numpy as np
import sqlalchemy as sa

from evenhand.desk.live_findings import QUESTIONS, LiveFindings
from evenhand.desk.pages.log import time_of
from evenhand.desk.people import Person
from evenhand.store import ForbiddenError, Store, perform, schema
from evenhand.store.cases import CLAIMED, REMOVE, UNCLEAR, VIOLATING, WAITING
from evenhand.store.live_evidence import REMOVED, VISIBLE, LiveEvidence

PER_PAGE = 25
LABELS = (VIOLATING, "benign", UNCLEAR, "none")
DECISIONS = (REMOVED, VISIBLE)
REASON = "items behind the audit {audit}"


@dataclass(frozen=True)
class ItemFilter:
    """Which items: those that an audit counts, of a language or community, within scores, as decided and labelled."""

    of: str = QUESTIONS[0]
    language: str = ""
    community: str = ""
    low: float | None = None
    high: float | None = None
    decision: str = ""
    label: str = ""
    page: int = 1

    @classmethod
    def from_values(cls, values: Mapping[str, str]) -> ItemFilter:
        """From the query of an address; what makes no sense is left out."""
        page = values.get("page", "")
        return cls(
            values.get("of", "") if values.get("of") in QUESTIONS else QUESTIONS[0],
            values.get("language", "")[:200], values.get("community", "")[:200],
            _score(values.get("low")), _score(values.get("high")),
            values.get("decision", "") if values.get("decision") in DECISIONS else "",
            values.get("label", "") if values.get("label") in LABELS else "",
            int(page) if page.isascii() and page.isdigit() and 0 < len(page) < 8 and int(page) else 1,
        )  # fmt: skip

    def address(self, number: int, page: int) -> str:
        """Where a page of these items is."""
        values = {name: getattr(self, name) for name in self.__dataclass_fields__ if name != "page"}
        chosen = {name: value for name, value in values.items() if value not in ("", None)}
        return f"/audits/items?{urlencode({**chosen, 'snapshot': number, 'page': page})}"


def _score(text: str | None) -> float | None:
    try:
        value = float(text or "nan")
    except ValueError:
        return None
    return value if math.isfinite(value) else None


@dataclass(frozen=True)
class ItemLine:
    """One item as it was at the snapshot. `text` is there only once it was asked for."""

    id: str
    external_id: str
    received: str
    language: str | None
    community: str | None
    score: float | None
    decision: str
    label: str | None
    weight: float | None
    text: str | None = None


@dataclass(frozen=True)
class ItemsPage:
    """A page of items, and what can be chosen."""

    number: int
    chosen: ItemFilter
    lines: tuple[ItemLine, ...]
    total: int
    withheld: int  # items that still wait, which whoever reviews may not see the score of
    languages: tuple[str, ...]
    communities: tuple[str, ...]
    has_texts: bool = False

    @property
    def pages(self) -> int:
        """How many."""
        return max(1, -(-self.total // PER_PAGE))

    @property
    def first(self) -> int:
        """The place of the first line, from 1."""
        return (min(self.chosen.page, self.pages) - 1) * PER_PAGE + 1

    def page_address(self, step: int) -> str | None:
        """The next page or the one before, where there is one."""
        page = min(self.chosen.page, self.pages) + step
        return self.chosen.address(self.number, page) if 1 <= page <= self.pages else None

    @cached_property
    def fields(self) -> tuple[tuple[str, str], ...]:
        """What a form that asks for the texts of this page sends."""
        values = {name: getattr(self.chosen, name) for name in self.chosen.__dataclass_fields__}
        plain = {**values, "snapshot": self.number}
        return tuple((name, str(value)) for name, value in plain.items() if value not in ("", None))


def items_page(live: LiveFindings, person: Person, chosen: ItemFilter, number: int) -> ItemsPage:
    """The items of a filter, the newest first."""
    evidence = live.evidence(number)
    waiting = _waiting(live.store) if person.may("claim") else frozenset[str]()
    counted = _counted(evidence, chosen.of)
    lines = [line for line in _lines(evidence) if line.id in counted and _fits(line, chosen)]
    open_lines = [line for line in lines if line.id not in waiting]
    begin = (min(chosen.page, max(1, -(-len(open_lines) // PER_PAGE))) - 1) * PER_PAGE
    return ItemsPage(
        number, chosen, tuple(open_lines[begin : begin + PER_PAGE]), len(open_lines), len(lines) - len(open_lines),
        _values(evidence, "language"), _values(evidence, "community"),
    )  # fmt: skip


def with_texts(store: Store, person: Person, page: ItemsPage) -> ItemsPage:
    """The same with the texts of its items; each reading is recorded."""
    reason = REASON.format(audit=page.chosen.of)
    lines = tuple(_replaced(line, _read(store, person, line.id, reason)) for line in page.lines)
    values = {name: getattr(page, name) for name in page.__dataclass_fields__}
    return ItemsPage(**{**values, "lines": lines, "has_texts": True})


def _read(store: Store, person: Person, item: str, reason: str) -> str | None:
    try:
        text: str | None = perform(store, "read_text", actor=person.id, item=item, reason=reason)["text"]
    except ForbiddenError:  # of a queue that is not theirs
        return None
    return text


def _replaced(line: ItemLine, text: str | None) -> ItemLine:
    values = {name: getattr(line, name) for name in line.__dataclass_fields__}
    return ItemLine(**{**values, "text": text})


def _waiting(store: Store) -> frozenset[str]:
    """Items of which somebody is asked something now."""
    tasks = schema.tasks
    with store.database.reading() as connection:
        query = sa.select(tasks.c.item).where(tasks.c.state.in_((WAITING, CLAIMED)))
        return frozenset(connection.scalars(query))


def _counted(evidence: LiveEvidence, audit: str) -> frozenset[str]:
    """The ids of the items that an audit rests on."""
    names: set[str] = set()
    for table in evidence.tables():
        if audit in table.audits:
            names |= set(table.source.frame.select("item").collect()["item"].to_list())
    return frozenset(row.id for row in evidence.items if row.external_id in names)


def _lines(evidence: LiveEvidence) -> Iterator[ItemLine]:
    chances: Sequence[float] = evidence.inclusion.chance.tolist()
    for row, chance in reversed(list(zip(evidence.items, chances, strict=True))):
        removed = row.measured_verdict == VIOLATING if row.reached else row.route == REMOVE
        yield ItemLine(
            row.id, row.external_id, time_of(row.received_at), row.language, row.community, row.score,
            REMOVED if removed else VISIBLE, row.measured_verdict, None if np.isnan(chance) else 1.0 / chance,
        )  # fmt: skip


def _fits(line: ItemLine, chosen: ItemFilter) -> bool:
    wanted = ((chosen.language, line.language), (chosen.community, line.community), (chosen.decision, line.decision))
    if any(value and value != own for value, own in wanted):
        return False
    if chosen.label and chosen.label != (line.label or "none"):
        return False
    low, high = chosen.low, chosen.high
    if (low is not None or high is not None) and line.score is None:
        return False
    score = line.score or 0.0
    return (low is None or score >= low) and (high is None or score <= high)


def _values(evidence: LiveEvidence, name: str) -> tuple[str, ...]:
    values: set[Any] = {getattr(row, name) for row in evidence.items}
    return tuple(sorted(value for value in values if value is not None))
