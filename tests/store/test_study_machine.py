"""Studies under random sequences of everything that people can do: what holds, holds after every step."""

from __future__ import annotations

import shutil
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from evenhand.errors import InputError
from evenhand.measurement.labels import label_items
from evenhand.store import ConflictError, ForbiddenError, schema
from evenhand.store.labelling import next_label
from evenhand.store.study_ledger import load_study
from evenhand.store.study_results import ANSWER_VALUES, labels_of, outcome_of
from evenhand.store.study_state import StudyCase
from store.desks import check, sqlite_desk
from store.study_desks import open_study, with_items

PEOPLE = ("una", "vic", "wes", "ana", "max", "io")
ANSWERS = st.sampled_from(("yes", "no", "no", "cannot tell"))
EXPECTED = {"violating": 1.0, "benign": 0.0, "unclear": None}
STAFFINGS = (
    (("una", "vic"), ("wes",)), (("vic", "ana", "una"), ("max",)), (("ana", "wes"), ("max", "una")), (("una",), ()),
)  # fmt: skip


class StudyMachine(RuleBasedStateMachine):
    """One study with two labels of each item; refusals are part of the game, faults are not."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="evenhand-study-"))
        self.desk = with_items(sqlite_desk(self.folder), 40)
        settings_of_design = {"allocation": "pilot", "pilot": 3, "count": 2}
        self.study = open_study(
            self.desk, annotators=("una", "vic"), adjudicators=("wes",), per_item=2, draw=False, design="stratified",
            settings=settings_of_design, n="16",
        )  # fmt: skip
        self.stopped = False

    def teardown(self) -> None:
        check(self.desk.store)
        self.desk.store.close()
        shutil.rmtree(self.folder)

    def attempt(self, name: str, person: str, **more: Any) -> dict[str, Any] | None:
        try:
            return self.desk.do(name, person, study=self.study, **more)
        except (ConflictError, ForbiddenError, InputError):
            return None

    def case(self) -> StudyCase:
        with self.desk.store.database.reading() as connection:
            return load_study(connection, self.study)

    @rule(person=st.sampled_from(PEOPLE), answer=ANSWERS, stale=st.integers(0, 9))
    def label(self, person: str, answer: str, stale: int) -> None:
        with self.desk.store.database.reading() as connection:
            view = next_label(connection, self.study, person)
        if view is not None:
            wrong = stale == 0
            done = self.attempt("label_item", person, task=view.task, version=view.version + wrong, answer=answer)
            assert (done is None) == (wrong or self.stopped)

    @rule(answer=ANSWERS)
    def label_what_waits(self, answer: str) -> None:
        """So that batches are finished at times."""
        for person in PEOPLE:
            for _ in range(6):
                self.label(person, answer, 1)

    @rule(person=st.sampled_from(PEOPLE), number=st.integers(0, 40), answer=ANSWERS)
    def label_what_is_not_asked(self, person: str, number: int, answer: str) -> None:
        tasks = sorted(self.case().tasks.values(), key=lambda task: task.id)
        if number < len(tasks) and (tasks[number].person != person or tasks[number].state != "waiting"):
            task = tasks[number]
            assert self.attempt("label_item", person, task=task.id, version=task.version, answer=answer) is None

    @rule(person=st.sampled_from(PEOPLE))
    def undo(self, person: str) -> None:
        self.attempt("undo_label", person)

    @rule(number=st.integers(1, 3), person=st.sampled_from(("lee", "lee", "una")))
    def draw(self, number: int, person: str) -> None:
        before = self.case()
        drawn = self.attempt("draw_batch", person, number=number)
        if drawn is not None:
            assert (person, number, before.complete) == ("lee", before.study.batches + 1, before.study.batches)

    @rule(staffing=st.sampled_from(STAFFINGS))
    def staff(self, staffing: tuple[tuple[str, ...], tuple[str, ...]]) -> None:
        self.attempt("staff_study", "lee", annotators=staffing[0], adjudicators=staffing[1])

    @precondition(lambda self: not self.stopped)
    @rule(batches=st.integers(0, 2), sure=st.integers(0, 5))
    def stop(self, batches: int, sure: int) -> None:
        if sure == 0:
            self.stopped = self.attempt("stop_study", "lee", batches=batches, reason="enough") is not None

    @rule(seconds=st.floats(0, 1e6))
    def wait(self, seconds: float) -> None:
        self.desk.clock.pass_seconds(seconds)

    @invariant()
    def counts_add_up(self) -> None:
        case = self.case()
        assert (case.study.state == "stopped") == self.stopped
        for batch in case.batches.values():
            own = [item for item in case.items.values() if item.batch == batch.number]
            assert (batch.items, batch.done) == (len(own), sum(item.state == "done" for item in own))
        assert sum(batch.items for batch in case.batches.values()) == len(case.items)
        assert case.complete >= case.study.batches - 1

    @invariant()
    def nobody_labels_twice_or_adjudicates_their_own(self) -> None:
        case = self.case()
        for subject, item in case.items.items():
            tasks = case.tasks_of(subject)
            people = [task.person for task in tasks]
            assert len(people) == len(set(people))
            purposes = Counter(task.purpose for task in tasks)
            assert purposes["label"] <= case.study.per_item
            assert purposes["adjudicate"] <= 1
            if purposes["adjudicate"] == 1 and item.state == "open":
                raise AssertionError("an adjudicator is asked where the vote is not split")
            assert (item.state == "done") == (item.label is not None)

    @invariant()
    def labels_are_those_of_the_command_line(self) -> None:
        from evenhand.measurement.answers import Answer

        case = self.case()
        with self.desk.store.database.reading() as connection:
            labels = labels_of(connection, self.desk.store.keys, self.study, case.study.batches)
            outcome = outcome_of(connection, self.desk.store.keys, case)
        answers = [Answer(one.id, ANSWER_VALUES[one.label], one.annotator, "", 1) for one in labels]
        values = label_items(answers, several=None, annotators=True).values
        for item in case.items.values():
            if item.state == "done":
                assert values[item.id] == EXPECTED[str(item.label)]
        assert (outcome is None) == (case.complete == 0)

    @invariant()
    def no_event_changed(self) -> None:
        with self.desk.store.database.reading() as connection:
            stream = schema.events.c.stream == f"study-{self.study}"
            count = connection.scalar(sa.select(sa.func.count()).select_from(schema.events).where(stream))
            version = connection.scalar(sa.select(schema.studies.c.version))
        assert count == version


def play(examples: int, steps: int) -> None:
    chosen = settings(
        max_examples=examples,
        stateful_step_count=steps,
        deadline=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(StudyMachine, settings=chosen)  # type: ignore[no-untyped-call]


def test_a_few_random_days() -> None:
    play(1, 15)


@pytest.mark.verify
def test_many_random_days() -> None:
    play(15, 30)
