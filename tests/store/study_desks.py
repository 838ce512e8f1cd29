"""Studies for tests: a store with items whose truth is known, and people who label them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sqlalchemy as sa

from evenhand.store import schema
from evenhand.store.labelling import next_label
from evenhand.store.studies import StudyDesign, StudySetup
from store.desks import Desk

LABELLERS = ("una", "vic", "wes")
Answers = Callable[[str, str], str]  # of a person and an item


def with_items(desk: Desk, number: int = 200, **more: Any) -> Desk:
    """Items with scores, every fifth of them violating; and people who may label."""
    for person in LABELLERS:
        desk.do("invite", person=person, role="annotator")
    desk.receive(*[0.02 + 0.96 * ((37 * place) % number) / number for place in range(number)], **more)
    return desk


def violates(subject: str) -> bool:
    return int(subject.removeprefix("e")) % 5 == 0


def truthful(_person: str, subject: str) -> str:
    return "yes" if violates(subject) else "no"


def open_study(
    desk: Desk, *, annotators: tuple[str, ...] = ("una",), adjudicators: tuple[str, ...] = (), per_item: int = 1,
    draw: bool = True, **design: Any,
) -> str:  # fmt: skip
    setup = StudySetup("Spam in spring", annotators, adjudicators, "Count insults only.", per_item)
    chosen = StudyDesign(**{"design": "random", "n": "60", "seed": 3, **design})
    study: str = desk.do("open_study", "lee", setup=setup, design=chosen)["study"]
    if draw:
        desk.do("draw_batch", "lee", study=study, number=1)
    return study


def subject_of(desk: Desk, task: str) -> str:
    with desk.store.database.reading() as connection:
        tasks = schema.study_tasks
        return str(connection.scalar(sa.select(tasks.c.subject).where(tasks.c.id == task)))


def label_all(desk: Desk, study: str, person: str, answers: Answers = truthful, most: int = 10_000) -> int:
    """Label everything that waits for a person; how many."""
    for number in range(most):
        with desk.store.database.reading() as connection:
            view = next_label(connection, study, person)
        if view is None:
            return number
        answer = answers(person, subject_of(desk, view.task))
        desk.do("label_item", person, study=study, task=view.task, version=view.version, answer=answer)
    return most
