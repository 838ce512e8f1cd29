"""Who is asked for which label. It depends on the item and the people, and on no answer that somebody gave.

Labels are spread evenly; whoever has seen an item in a queue is asked last. Each person has a random order of their
own, keyed with the secret of the store.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

import sqlalchemy as sa

from evenhand.errors import InputError
from evenhand.store import schema
from evenhand.store import study_events as ev
from evenhand.store.cases import WAITING
from evenhand.store.ledger import batches
from evenhand.store.roles import LABELLERS
from evenhand.store.study_ledger import StudyLedger
from evenhand.store.study_state import ADJUDICATE, LABEL

MOST_PER_ITEM = 10


def check_people(
    connection: sa.Connection, annotators: Sequence[str], adjudicators: Sequence[str], per_item: int
) -> None:
    """Those who are named work here and may label, are enough, and nobody adjudicates their own labels."""
    if not 1 <= per_item <= MOST_PER_ITEM:
        raise InputError(f"invalid `per_item`: {per_item} (must be a whole number from 1 to {MOST_PER_ITEM})")
    people = schema.people
    query = sa.select(people.c.id).where(people.c.active, people.c.role.in_(LABELLERS))
    known = set(connection.scalars(query))
    for name, named in (("annotators", annotators), ("adjudicators", adjudicators)):
        if len(set(named)) < len(named):
            raise InputError(f"invalid `{name}`: a person is named twice")
        strange = next((person for person in named if person not in known), None)
        if strange is not None:
            raise InputError(f"invalid `{name}`: '{strange:.100}' is no annotator, moderator or lead of this desk")
    if len(annotators) < per_item:
        raise InputError(f"invalid `annotators`: {len(annotators)} named, and each item gets {per_item} labels")
    if both := set(annotators) & set(adjudicators):
        raise InputError(f"'{min(both):.100}' labels and cannot adjudicate split votes: name somebody else")
    if per_item > 1 and not adjudicators:
        raise InputError("invalid `adjudicators`: votes of several annotators can be split: name who decides then")


def ask_labels(study: StudyLedger, batch: int, subjects: Sequence[str]) -> None:
    """Ask for the labels that items of a batch lack."""
    case, people = study.case, study.case.people(LABEL)
    seen = _seen(study, people, subjects)
    load = Counter(task.person for task in case.tasks.values() if task.state == WAITING)
    wanted = defaultdict[str, list[str]](list)
    for subject in sorted(subjects, key=lambda one: _number(study, "study turn", one)):
        tasks = case.tasks_of(subject)
        present = {task.person for task in tasks}
        lacking = case.study.per_item - sum(task.purpose == LABEL for task in tasks)
        free = [person for person in people if person not in present]
        free.sort(key=lambda one: ((one, subject) in seen, load[one], _number(study, "study person", one, subject)))
        for person in free[: max(lacking, 0)]:
            wanted[person].append(subject)
            load[person] += 1
        if len(free) < lacking:
            raise InputError("too few annotators: some items have been labelled by all of them already; name more")
    for person in sorted(wanted):
        _ask(study, batch, person, LABEL, wanted[person])


def ask_adjudication(study: StudyLedger, subject: str) -> None:
    """Ask somebody else to decide a split vote, unless somebody is asked already."""
    case = study.case
    tasks = case.tasks_of(subject)
    present = {task.person for task in tasks}
    if any(task.purpose == ADJUDICATE for task in tasks):
        return
    people = [person for person in case.people(ADJUDICATE) if person not in present]
    seen = _seen(study, people, [subject])
    people.sort(key=lambda one: ((one, subject) in seen, _number(study, "study person", one, subject)))
    if people:
        _ask(study, case.items[subject].batch, people[0], ADJUDICATE, [subject])


def withdraw_absent(study: StudyLedger) -> None:
    """Take back what is asked of people who do not label, or adjudicate, any more."""
    case = study.case
    absent = tuple(
        sorted(
            task.id
            for task in case.tasks.values()
            if task.state == WAITING and task.person not in case.people(task.purpose)
        )
    )
    if absent:
        study.record(ev.LabelsWithdrawn(tasks=absent, reason="other people"))


def _ask(study: StudyLedger, batch: int, person: str, purpose: str, subjects: Iterable[str]) -> None:
    keys, number = study.ledger.store.keys, study.case.study.id
    tasks = [
        (keys.opaque("study task", f"{number}\x1f{person}\x1f{one}"), one, _number(study, "study place", person, one))
        for one in subjects
    ]
    ordered = tuple(sorted(tasks, key=lambda task: (task[2], task[0])))
    study.record(ev.LabelsAsked(batch=batch, person=person, purpose=purpose, tasks=ordered))


def _number(study: StudyLedger, purpose: str, *names: str) -> float:
    return study.ledger.store.keys.uniform(purpose, "\x1f".join((study.case.study.id, *names)))


def _seen(study: StudyLedger, people: Sequence[str], subjects: Sequence[str]) -> set[tuple[str, str]]:
    """Who has seen which of these items in a queue."""
    seen, pairs = schema.seen, set[tuple[str, str]]()
    names = {study.case.items[subject].item: subject for subject in subjects}
    for batch in batches(list(names), 500):
        query = sa.select(seen.c.person, seen.c.item).where(seen.c.item.in_(batch), seen.c.person.in_(people))
        pairs |= {(row.person, names[row.item]) for row in study.ledger.connection.execute(query)}
    return pairs
