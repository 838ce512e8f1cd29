"""The state of a study, derived from its events: what was drawn, who is asked for which label, what was answered.

As with items, `StudyCase.apply` is the only place that knows what an event means; a write and a rebuild share it. It
changes only what is loaded: a label needs its item and the labels of that item, and not the whole study.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

from evenhand.store import study_events as ev
from evenhand.store.cases import BENIGN, DONE, OPEN, UNCLEAR, VIOLATING, WAITING, WITHDRAWN
from evenhand.store.events import ContentRef, StoreEvent

STOPPED, SPLIT = "stopped", "split"
LABEL, ADJUDICATE = "label", "adjudicate"
YES, NO, CANNOT_TELL = "yes", "no", "cannot tell"
ANSWER_VALUES = {YES: 1.0, NO: 0.0, CANNOT_TELL: None}  # as labels of a plan


@dataclass(slots=True)
class StudyState:
    """One row of `studies`, by the names of its columns."""

    id: str
    opened_at: int
    opened_by: str
    version: int = 0
    title: str = ""
    state: str = OPEN
    codebook: str = ""
    plan: str = ""
    per_item: int = 1
    annotators: str = "[]"
    adjudicators: str = "[]"
    batches: int = 0
    stopped_at: int | None = None
    stopped_by: str | None = None
    stop_reason: str | None = None
    target_reached: bool | None = None


@dataclass(slots=True)
class BatchState:
    """One row of `study_batches`: how many items it added, and how many of them have their label."""

    study: str
    number: int
    draws: str
    items: int
    drawn_at: int
    done: int = 0


@dataclass(slots=True)
class StudyItemState:
    """One row of `study_items`: open, split (somebody else decides) or done, with its label."""

    study: str
    id: str
    item: str
    text: str | None
    batch: int
    state: str = OPEN
    label: str | None = None


@dataclass(slots=True)
class LabelTaskState:
    """One row of `study_tasks`: the label of one item that one person is asked for."""

    id: str
    study: str
    subject: str
    person: str
    batch: int
    place: float
    purpose: str
    version: int = 1
    state: str = WAITING
    answer: str | None = None
    note: str | None = None
    at: int | None = None
    lead_time: float | None = None


@dataclass(slots=True)
class StudyCase:
    """A study with what is loaded of it."""

    study: StudyState
    batches: dict[int, BatchState] = field(default_factory=dict)
    items: dict[str, StudyItemState] = field(default_factory=dict)
    tasks: dict[str, LabelTaskState] = field(default_factory=dict)
    population: dict[int, ContentRef] = field(default_factory=dict)
    _by_subject: dict[str, dict[str, None]] = field(default_factory=dict)

    @classmethod
    def begin(cls, first: ev.StudyOpened, at: int, actor: str) -> StudyCase:
        """Before its first event."""
        return cls(StudyState(first.study, at, actor))

    def apply(self, event: StoreEvent, at: int, actor: str) -> None:
        """One more event."""
        self.study.version += 1
        _ACTIONS[type(event)](self, event, at, actor)

    def people(self, purpose: str) -> tuple[str, ...]:
        """Who labels, or who adjudicates."""
        return tuple(json.loads(self.study.annotators if purpose == LABEL else self.study.adjudicators))

    def tasks_of(self, subject: str) -> list[LabelTaskState]:
        """The labels of an item that people are or were asked for, except those withdrawn."""
        tasks = (self.tasks[name] for name in self._by_subject.get(subject, ()))
        return [task for task in tasks if task.state != WITHDRAWN]

    def add_task(self, task: LabelTaskState) -> None:
        """A task that is loaded or new."""
        self.tasks[task.id] = task
        self._by_subject.setdefault(task.subject, {})[task.id] = None

    @property
    def complete(self) -> int:
        """Batches whose items all have their label, up to the first that has not."""
        number = 0
        while (batch := self.batches.get(number + 1)) is not None and batch.done == batch.items:
            number += 1
        return number

    def rows(self) -> dict[str, list[dict[str, Any]]]:
        """The rows of what is loaded, by table."""
        return {
            "studies": [asdict(self.study)],
            "study_batches": [asdict(batch) for batch in self.batches.values()],
            "study_items": [asdict(item) for item in self.items.values()],
            "study_tasks": [asdict(task) for task in self.tasks.values()],
        }


Action = Callable[..., None]  # of a case, an event, its time and its actor


def _opened(case: StudyCase, event: ev.StudyOpened, *_: Any) -> None:
    study = case.study
    study.title, study.plan, study.codebook, study.per_item = event.title, event.plan, event.codebook, event.per_item
    _name_people(case, event.annotators, event.adjudicators)


def _name_people(case: StudyCase, annotators: tuple[str, ...], adjudicators: tuple[str, ...]) -> None:
    case.study.annotators, case.study.adjudicators = json.dumps(list(annotators)), json.dumps(list(adjudicators))


def _kept(case: StudyCase, event: ev.PopulationKept, *_: Any) -> None:
    case.population[event.part] = event.population


def _staffed(case: StudyCase, event: ev.StudyStaffed, *_: Any) -> None:
    _name_people(case, event.annotators, event.adjudicators)


def _drawn(case: StudyCase, event: ev.BatchDrawn, at: int, *_: Any) -> None:
    study, number = case.study.id, event.number
    case.study.batches = number
    draws = json.dumps(event.draws, sort_keys=True)
    case.batches[number] = BatchState(study, number, draws, len(event.items), at)
    for subject, item, text in event.items:
        case.items[subject] = StudyItemState(study, subject, item, text, number)


def _asked(case: StudyCase, event: ev.LabelsAsked, *_: Any) -> None:
    for task, subject, place in event.tasks:
        version = case.tasks[task].version + 1 if task in case.tasks else 1
        own = (event.person, event.batch, place, event.purpose)
        case.add_task(LabelTaskState(task, case.study.id, subject, *own, version))


def _withdrawn(case: StudyCase, event: ev.LabelsWithdrawn, *_: Any) -> None:
    for name in event.tasks:
        task = case.tasks[name]
        task.state, task.version = WITHDRAWN, task.version + 1


def _labelled(case: StudyCase, event: ev.Labelled, at: int, *_: Any) -> None:
    task = case.tasks[event.task]
    task.state, task.version, task.answer, task.at = DONE, task.version + 1, event.answer, at
    task.note, task.lead_time = event.note and event.note.id, event.lead_time
    _count(case, task.subject)


def _undone(case: StudyCase, event: ev.LabelUndone, *_: Any) -> None:
    task = case.tasks[event.task]
    task.state, task.version = WAITING, task.version + 1
    task.answer = task.note = task.at = task.lead_time = None
    _count(case, task.subject)


def _stopped(case: StudyCase, event: ev.StudyStopped, at: int, actor: str) -> None:
    study = case.study
    study.state, study.stopped_at, study.stopped_by = STOPPED, at, actor
    study.stop_reason, study.target_reached = event.reason, event.reached


def _count(case: StudyCase, subject: str) -> None:
    """The state of an item from its labels; the batch counts those that are done."""
    item = case.items[subject]
    batch, before = case.batches[item.batch], item.state
    item.state, item.label = _settled(case, subject)
    batch.done += (item.state == DONE) - (before == DONE)


def _settled(case: StudyCase, subject: str) -> tuple[str, str | None]:
    done = [task for task in case.tasks_of(subject) if task.state == DONE]
    if sum(task.purpose == LABEL for task in done) < case.study.per_item:
        return OPEN, None
    votes = Counter(task.answer for task in done)
    if votes[YES] == votes[NO] > 0 and not any(task.purpose == ADJUDICATE for task in done):
        return SPLIT, None
    if votes[YES] == votes[NO]:  # nobody can tell
        return DONE, UNCLEAR
    return DONE, VIOLATING if votes[YES] > votes[NO] else BENIGN


_ACTIONS: dict[type[StoreEvent], Action] = {
    ev.StudyOpened: _opened,
    ev.PopulationKept: _kept,
    ev.StudyStaffed: _staffed,
    ev.BatchDrawn: _drawn,
    ev.LabelsAsked: _asked,
    ev.LabelsWithdrawn: _withdrawn,
    ev.Labelled: _labelled,
    ev.LabelUndone: _undone,
    ev.StudyStopped: _stopped,
}
