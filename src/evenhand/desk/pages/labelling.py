"""The page of somebody who labels: one text, the codebook beside it, and nothing that could influence the answer.

Neither score nor stratum, earlier answers, or how many others there are is shown, and everybody has an order of their
own. An item is named by the opaque name of its task.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import sqlalchemy as sa

from evenhand.desk.pages.review import LANGUAGE_TAG
from evenhand.desk.pages.words import PhraseConflictError
from evenhand.desk.people import Person
from evenhand.store import ConflictError, Store, perform, schema
from evenhand.store.labelling import LabelProgress, LabelView, label_progress, next_label, own_study
from evenhand.store.study_state import CANNOT_TELL, NO, YES

LABEL_BUTTONS = {"remove": YES, "leave": NO, "unclear": CANNOT_TELL}  # the keys are those of the review
LONGEST_NOTE = 5000


@dataclass(frozen=True)
class LabelPage:
    """An item to label, or none; and how far the person is."""

    study: str
    title: str
    codebook: str
    is_open: bool
    item: LabelView | None
    progress: LabelProgress

    @property
    def language_tag(self) -> str | None:
        """The language of the text, where it is written as a browser knows it."""
        language = self.item.language if self.item else None
        return language if language and LANGUAGE_TAG.fullmatch(language) else None

    @property
    def minutes_left(self) -> int | None:
        """At the person's own pace."""
        pace = self.progress.per_hour
        return None if pace is None else max(1, round(60.0 * self.progress.waiting / pace))


def label_page(store: Store, person: Person, study: str) -> LabelPage:
    """What comes next for a person."""
    with store.database.reading() as connection:
        row = own_study(connection, study, person.id)
        is_open = row.state == "open"
        item = next_label(connection, study, person.id) if is_open else None
        return LabelPage(study, row.title, row.codebook, is_open, item, label_progress(connection, study, person.id))


def answer(store: Store, person: Person, study: str, fields: Mapping[str, str]) -> str:
    """Save an answer, once however often it arrives; the key of the words that say so."""
    button, task = fields.get("do", ""), fields.get("task", "")
    if button not in LABEL_BUTTONS:
        raise PhraseConflictError("conflict.unknown")
    said, version = LABEL_BUTTONS[button], fields.get("version", "")
    note = fields.get("note", "").strip()[:LONGEST_NOTE] or None
    known = int(version) if version.isascii() and version.isdecimal() and len(version) < 10 else 0
    try:
        perform(store, "label_item", actor=person.id, study=study, task=task, version=known, answer=said, note=note)
    except ConflictError:
        if _own_answer(store, person, study, task) != said:
            raise PhraseConflictError("conflict.label") from None
    return f"done.label_{button}"


def _own_answer(store: Store, person: Person, study: str, task: str) -> str | None:
    tasks = schema.study_tasks
    own = (tasks.c.id == task[:40], tasks.c.study == study, tasks.c.person == person.id)
    with store.database.reading() as connection:
        found: str | None = connection.scalar(sa.select(tasks.c.answer).where(*own))
        return found


def undo(store: Store, person: Person, study: str) -> str:
    """Take the last answer back. Why that cannot be is not told: it would tell what others answered."""
    try:
        perform(store, "undo_label", actor=person.id, study=study)
    except ConflictError:
        raise PhraseConflictError("conflict.label_undo") from None
    return "done.label_undo"
