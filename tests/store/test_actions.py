"""Random sequences of everything that people do, with jumps of the clock: what must hold, holds at the end."""

from __future__ import annotations

import random
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from evenhand.errors import InputError
from evenhand.store import ConflictError, DeskPolicy, ForbiddenError, NewItem, NewScore
from evenhand.store.actions import ACTIONS
from evenhand.store.cases import VERDICTS
from evenhand.store.roles import ROLES
from evenhand.store.schema import events
from store.desks import PEOPLE, Desk, check, emptied, sqlite_desk

REVIEWERS = st.sampled_from(["ana", "bo", "cy", "lee", "max"])
SCORES = st.sampled_from([0.05, 0.3, 0.5, 0.8, 0.95])
LEADS_DO = (
    *("reverse", "reverse", "decide_many", "erase_item", "rescore", "rescore"),
    *("hold", "erase_person", "invite", "activate", "expire"),
)
SHARES: dict[str, Any] = {"measured": 0.3, "reserved": 0.3, "second": 0.2, "gold": 0.1, "panel": 0.5, "most_skips": 2}
QUEUES = st.sampled_from(["review", "review", "escalated"])


class DeskMachine(RuleBasedStateMachine):
    """People at a desk. `views` are the tasks that somebody was given, old ones included."""

    url: str | None = None

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.items: list[str] = []
        self.views: list[tuple[str, dict[str, Any]]] = []

    @initialize(gold=st.sampled_from([0.2, 0.0]), reserved=st.sampled_from([0.4, 0.0]))
    def open(self, gold: float, reserved: float) -> None:
        policy = {"gold": gold, "reserved": reserved, "most_skips": 2, "panel": 0.5, "notice_weight": 0.1}
        if self.url is None:
            self.desk: Desk = sqlite_desk(self.folder, **policy)
        else:
            self.desk = emptied(self.url, self.folder).staff(**policy)
        gold = [NewItem(f"gold{n}", f"gold {n}", gold="violating") for n in range(2)]
        self.items += [one["item"] for one in self.desk.do("receive", items=gold)["items"]]
        self.items += self.desk.receive(0.5, 0.6, 0.95, 0.05, 0.4)

    def attempt(self, action: str, actor: str, **more: Any) -> dict[str, Any] | None:
        try:
            return self.desk.do(action, actor, **more)
        except (ConflictError, ForbiddenError):
            return None
        except InputError as error:
            if str(error) != "no author has this key":  # erased before, or never written
                raise
            return None

    def view(self, number: int) -> tuple[str, dict[str, Any]] | None:
        return self.views[-1 - number % min(len(self.views), 6)] if self.views else None

    @rule(score=SCORES, number=st.integers(0, 9), text=st.sampled_from(["a", "b"]))
    def receive(self, score: float, number: int, text: str) -> None:
        new = NewItem(f"n{number}", text, scores=[NewScore("m", "1", score)], author=f"author {number % 3}")
        answer = self.desk.do("receive", "io", items=[new, new])
        assert answer["items"][1]["outcome"] == "known"
        if answer["items"][0]["outcome"] == "new":
            self.items.append(answer["items"][0]["item"])

    @rule(who=REVIEWERS, queue=QUEUES)
    def claim(self, who: str, queue: str) -> None:
        view = self.attempt("claim", who, queue=queue)
        if view and view["task"]:
            self.views.append((who, view))

    @rule(who=REVIEWERS, number=st.integers(0, 30))
    def claim_item(self, who: str, number: int) -> None:
        view = self.attempt("claim_item", who, item=self.items[number % len(self.items)])
        if view:
            self.views.append((who, view))

    def claimed(self, who: str, queue: str) -> tuple[int, dict[str, Any]] | None:
        before = len(self.views)
        self.claim(who, queue)
        return (0, self.views[-1][1]) if len(self.views) > before else None

    @rule(several=st.lists(st.tuples(REVIEWERS, QUEUES, st.sampled_from(VERDICTS)), min_size=2, max_size=6))
    def review(self, several: list[tuple[str, str, str]]) -> None:
        """People who take what comes next, and answer."""
        for who, queue, verdict in several:
            if self.claimed(who, queue):
                self.decide(0, verdict, again=False)

    @rule(who=REVIEWERS, verdict=st.sampled_from(VERDICTS), seconds=st.sampled_from([0, 59, 61]))
    def change_of_mind(self, who: str, verdict: str, seconds: int) -> None:
        if self.claimed(who, "review"):
            self.decide(0, verdict, again=False)
            self.desk.clock.pass_seconds(seconds)
            self.undo(0)
            self.decide(0, "benign", again=True)

    @rule(who=REVIEWERS, queue=QUEUES, action=st.sampled_from(["skip", "escalate", "release", "renew", "ask_second"]))
    def take_and_pass_on(self, who: str, queue: str, action: str) -> None:
        if self.claimed(who, queue):
            self.pass_on(0, action)
            self.decide(0, "violating", again=False)

    @rule(number=st.integers(0, 30), verdict=st.sampled_from(VERDICTS))
    def appeal_and_answer(self, number: int, verdict: str) -> None:
        self.appeal(number)
        self.review([("lee", "escalated", verdict), ("max", "escalated", verdict)])

    @rule(number=st.integers(0, 5), verdict=st.sampled_from(VERDICTS), again=st.booleans())
    def decide(self, number: int, verdict: str, again: bool) -> None:
        if found := self.view(number):
            who, view = found
            key = f"decide {view['task']} {view['version']} {verdict}" if again else None
            what = {"task": view["task"], "version": view["version"], "verdict": verdict, "key": key, "note": "why"}
            first = self.attempt("decide", who, **what)
            if first and again:
                assert self.attempt("decide", who, **what) == first
            elif first:
                assert self.attempt("decide", who, **what) is None

    @rule(number=st.integers(0, 5), action=st.sampled_from(["skip", "escalate", "release", "renew", "ask_second"]))
    def pass_on(self, number: int, action: str) -> None:
        if found := self.view(number):
            who, view = found
            more = {"reason": "unsure"} if action == "escalate" else {}
            answer = self.attempt(action, who, task=view["task"], version=view["version"], **more)
            if answer and action in ("renew", "ask_second"):
                view["version"] = answer["version"]

    @rule(number=st.integers(0, 5))
    def undo(self, number: int) -> None:
        if found := self.view(number):
            who, view = found
            answer = self.attempt("undo", who, task=view["task"])
            if answer:
                view["version"] = answer["version"]

    @rule(number=st.integers(0, 30), trusted=st.booleans())
    def notice(self, number: int, trusted: bool) -> None:
        item = self.items[number % len(self.items)]
        self.desk.do("notice", "io", item=item, reason="spam", reporter=f"user {number % 4}", trusted=trusted)

    @rule(number=st.integers(0, 30))
    def appeal(self, number: int) -> None:
        self.attempt("appeal", "io", item=self.items[number % len(self.items)], reason="wrong")

    @rule(number=st.integers(0, 30), action=st.sampled_from(list(LEADS_DO)))
    def lead(self, number: int, action: str) -> None:
        item = self.items[number % len(self.items)]
        more: dict[str, dict[str, Any]] = {
            "reverse": {"item": item, "reason": "wrong", "verdict": "benign"},
            "decide_many": {"items": [item, self.items[0]], "verdict": "violating", "reason": "raid"},
            "erase_item": {"item": item, "reason": "request"},
            "rescore": {"item": item, "scores": [NewScore("m", "2", (number % 10) / 10)]},
            "hold": {"item": item, "held": number % 2 == 0, "reason": "court"},
            "erase_person": {"author": f"author {number % 3}", "reason": "request"},
            "invite": {
                "person": "cy",
                "role": ("moderator", "annotator", "lead")[number % 3],
                "active": number % 5 > 0,
            },
            "activate": {"policy": DeskPolicy.from_thresholds(upper=0.9, lower=number % 3 / 10, **SHARES)},
            "expire": {},
        }
        actor = {"rescore": "io", "expire": "io", "invite": "system"}.get(action, "lee" if number % 2 else "max")
        self.attempt(action, actor, **more[action])

    @rule(seconds=st.sampled_from([1, 59, 61, 599, 601, 100_000]))
    def time_passes(self, seconds: int) -> None:
        self.desk.clock.pass_seconds(seconds)

    def teardown(self) -> None:
        if hasattr(self, "desk"):
            check(self.desk.store)
            self.desk.store.close()
        shutil.rmtree(self.folder)


def wander(machine: DeskMachine, seed: int, steps: int) -> None:
    """Long sequences with much work in them, which searching for short ones does not come to."""
    rng = random.Random(seed)
    machine.open(gold=0.1, reserved=0.3)
    people, verdicts, queues = ["ana", "bo", "cy", "lee", "max"], list(VERDICTS), ["review", "review", "escalated"]
    one, some = rng.choice, rng.randrange
    moves: list[tuple[int, Callable[[], object]]] = [
        (4, lambda: machine.receive(one([0.05, 0.3, 0.5, 0.8, 0.95]), some(60), one("aaab"))),
        (12, lambda: machine.review([(one(people), one(queues), one(verdicts)) for _ in range(3)])),
        (3, lambda: machine.change_of_mind(one(people), one(verdicts), one([0, 59, 61]))),
        (
            3,
            lambda: machine.take_and_pass_on(
                one(people), one(queues), one(["skip", "escalate", "release", "ask_second"])
            ),
        ),
        (3, lambda: machine.take_and_pass_on(one(people), "review", one(["skip", "escalate"]))),
        (2, lambda: machine.claim(one(people), one(queues))),
        (2, lambda: machine.claim_item(one(people), some(60))),
        (2, lambda: machine.decide(some(6), one(verdicts), again=one([True, False]))),
        (2, lambda: machine.pass_on(some(6), one(["skip", "escalate", "release", "renew", "ask_second"]))),
        (2, lambda: machine.undo(some(6))),
        (2, lambda: machine.notice(some(60), trusted=one([True, False]))),
        (2, lambda: machine.appeal_and_answer(some(60), one(verdicts))),
        (2, lambda: machine.lead(some(60), one(list(LEADS_DO)))),
        (1, lambda: machine.time_passes(one([1, 59, 61, 601, 100_000]))),
    ]
    for move in rng.choices([move for _, move in moves], [weight for weight, _ in moves], k=steps):
        move()


def run(kind: type[DeskMachine], seed: int, steps: int) -> set[str]:
    """One long sequence; the kinds of events that came of it."""
    machine = kind()
    try:
        wander(machine, seed, steps)
        with machine.desk.store.database.reading() as connection:
            return set(connection.scalars(sa.select(events.c.kind).distinct()))
    finally:
        machine.teardown()


ALWAYS = {
    "claimed",
    "decided",
    "judged",
    "skipped",
    "escalated",
    "undone",
    "reversed",
    "appealed",
    "answered",
}


def test_a_long_day_at_the_desk_holds() -> None:
    assert run(DeskMachine, 1, 150) >= {"claimed", "judged", "decided", "appealed"}


@pytest.mark.verify
def test_longer_days_at_the_desk_hold() -> None:
    assert set.union(*(run(DeskMachine, seed, 300) for seed in range(2, 4))) >= ALWAYS


@pytest.mark.verify
def test_a_long_day_on_postgres_holds(postgres: str) -> None:
    class PostgresDesk(DeskMachine):
        url = postgres

    assert run(PostgresDesk, 6, 150) >= {"claimed", "judged", "decided", "appealed"}


QUIET = {"deadline": None, "suppress_health_check": list(HealthCheck)}


def test_whatever_people_do_holds() -> None:
    run_state_machine_as_test(DeskMachine, settings=settings(max_examples=4, stateful_step_count=30, **QUIET))


@pytest.mark.verify
def test_whatever_people_do_holds_for_long() -> None:
    run_state_machine_as_test(DeskMachine, settings=settings(max_examples=8, stateful_step_count=40, **QUIET))


@pytest.mark.verify
def test_whatever_people_do_holds_on_postgres(postgres: str) -> None:
    class PostgresDesk(DeskMachine):
        url = postgres

    run_state_machine_as_test(PostgresDesk, settings=settings(max_examples=4, stateful_step_count=25, **QUIET))


@pytest.mark.parametrize("role", ROLES)
def test_every_role_does_what_the_table_says(role: str, tmp_path: Path) -> None:
    """Asked before anything else: whoever may not is refused, whatever the arguments are."""
    desk = sqlite_desk(tmp_path)
    desk.do("invite", person="someone", role=role)
    for name, action in ACTIONS.items():
        try:
            desk.do(name, "someone")
        except ForbiddenError:
            assert role not in action.roles, name
        except TypeError:  # no arguments were given
            assert role in action.roles, name
        else:
            assert role in action.roles, name


def test_strangers_and_those_who_left_have_no_access(tmp_path: Path) -> None:
    desk = sqlite_desk(tmp_path)
    desk.do("invite", person="gone", role="lead", active=False)
    for person in ("gone", "nobody"):
        with pytest.raises(ForbiddenError, match="no access"):
            desk.do("claim", person, queue="review")
    desk.do("invite", person="few", role="moderator", queues=("german",))
    with pytest.raises(ForbiddenError, match="the queue 'review'"):
        desk.do("claim", "few", queue="review")


def test_a_key_is_for_one_request(tmp_path: Path) -> None:
    desk = sqlite_desk(tmp_path)
    (item,) = desk.receive(0.5)
    first = desk.do("notice", "io", key="k", item=item, reason="spam")
    assert desk.do("notice", "io", key="k", item=item, reason="spam") == first
    with pytest.raises(ConflictError, match="another request"):
        desk.do("notice", "io", key="k", item=item, reason="hate")
    assert desk.row(item).notices == 1


def test_unknown_actions_and_roles_are_named(tmp_path: Path) -> None:
    desk = sqlite_desk(tmp_path)
    with pytest.raises(InputError, match="did you mean 'claim'"):
        desk.do("clam")
    with pytest.raises(InputError, match="did you mean 'moderator'"):
        desk.do("invite", person="x", role="moderater")
    assert set(PEOPLE.values()) <= set(ROLES)
