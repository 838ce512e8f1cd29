"""The findings on the live evidence, kept for those who ask again: the same snapshot has the same answer.

One audit is computed at a time, however many people ask for it.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from threading import Lock
from time import monotonic
from typing import Any

from evenhand.audits import AUDITS
from evenhand.errors import ErrorKind, InputError, nearest
from evenhand.reports import Report
from evenhand.store import Store, audit_store, seal
from evenhand.store.chain import last_sealed
from evenhand.store.live_evidence import LiveEvidence
from evenhand.store.snapshots import check_number, read_snapshot

QUESTIONS = tuple(audit.name for audit in AUDITS)
MOST_KEPT = 24  # findings, and snapshots of items
FRESH_SECONDS = 120.0  # for which a page shows the snapshot that it showed last


@dataclass(frozen=True)
class LiveAnswer:
    """What an audit of a snapshot came to: a report with its finding, or why there is none."""

    question: str
    report: Report | None
    problem: str = ""


class LiveFindings:
    """The findings of a store by question and snapshot."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._answers = _Recent(MOST_KEPT)
        self._evidence = _Recent(2)
        self._number, self._until = 0, 0.0

    def answer(self, question: str, number: int) -> LiveAnswer:
        """Of one question; an unknown one is an `InputError`."""
        if question not in QUESTIONS:
            problem = f"there is no audit '{question:.40}'; {nearest(question, QUESTIONS)}"
            raise InputError(problem, kind=ErrorKind.NOT_FOUND)
        made: LiveAnswer = self._answers.once((question, number), lambda: self._audited(question, number))
        return made

    def answers(self, number: int) -> list[LiveAnswer]:
        """Of all questions, in the order of the table of audits."""
        return [self.answer(question, number) for question in QUESTIONS]

    def report(self, number: int) -> Report:
        """All findings, as `evenhand audit` makes them; `InputError` where there is none."""
        reports = [answer.report for answer in self.answers(number) if answer.report is not None]
        if not reports:
            return audit_store(self.store, snapshot=number)  # says why
        return Report(tuple(finding for report in reports for finding in report.findings), reports[0].source)

    def one(self, question: str, number: int) -> Report:
        """One finding; `InputError` says why there is none."""
        answer = self.answer(question, number)
        return answer.report or audit_store(self.store, audits=question, snapshot=number)

    def evidence(self, number: int) -> LiveEvidence:
        """The items of a snapshot."""
        made: LiveEvidence = self._evidence.once(number, lambda: LiveEvidence(read_snapshot(self.store, number)))
        return made

    def number(self, wanted: int | None = None) -> int:
        """A sealed number: the one that is wanted, or the last one."""
        if wanted is None:
            seal(self.store)
        with self.store.database.reading() as connection:
            last = last_sealed(connection)[0]
        number = last if wanted is None else wanted
        check_number(number, last, self.store.name)
        return number

    def shown_number(self) -> int:
        """The number that pages show: the last one of a short time ago."""
        if monotonic() > self._until:
            self._number, self._until = self.number(), monotonic() + FRESH_SECONDS
        return self._number

    def _audited(self, question: str, number: int) -> LiveAnswer:
        try:
            return LiveAnswer(question, audit_store(self.store, audits=question, snapshot=number))
        except InputError as error:
            return LiveAnswer(question, None, error.problem)


class _Recent:
    """The last few values by key, each made once."""

    def __init__(self, most: int) -> None:
        self.most, self.values, self.lock = most, OrderedDict[Hashable, Any](), Lock()

    def once(self, key: Hashable, make: Callable[[], Any]) -> Any:
        with self.lock:
            if key not in self.values:
                self.values[key] = make()
            self.values.move_to_end(key)
            while len(self.values) > self.most:
                self.values.popitem(last=False)
            return self.values[key]
