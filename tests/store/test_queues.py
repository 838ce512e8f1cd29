"""Claims: in the order of the policy, one person at a time, with leases that end; also when many take at once."""

from __future__ import annotations

import random
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from evenhand.errors import InputError
from evenhand.store import ConflictError, DeskPolicy, ForbiddenError, NewItem
from evenhand.store.queues import waiting_counts
from evenhand.store.schema import events
from evenhand.store.schema import items as items_table
from store.desks import Desk, check, emptied, reopened, sqlite_desk

PLAIN = {"measured": 0.0001, "reserved": 0.0, "second": 0.0}


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return sqlite_desk(tmp_path, **PLAIN)


def drain(desk: Desk, person: str, queue: str = "review") -> list[dict[str, Any]]:
    views = []
    while (view := desk.do("claim", person, queue=queue))["task"]:
        views.append(view)
        desk.do("decide", person, task=view["task"], version=view["version"], verdict="benign")
    return views


def test_items_come_in_the_order_of_the_strategy(desk: Desk) -> None:
    scores = [0.2, 0.5, 0.8, 0.45, 0.3]
    items = desk.receive(*scores)
    order = [view["item"] for view in drain(desk, "ana")]
    expected = sorted(range(5), key=lambda k: (-scores[k] * (1 - scores[k]), k))
    uncertain = [items[k] for k in expected]
    assert order[:2] == uncertain[:2]
    assert set(order) == set(items)


def test_notices_move_an_item_up(tmp_path: Path) -> None:
    desk = sqlite_desk(tmp_path, **PLAIN, notice_weight=0.2)
    first, second = desk.receive(0.5, 0.2)
    assert first != second
    for _ in range(3):
        desk.do("notice", "io", item=second, reason="spam")
    assert desk.do("claim", "ana", queue="review")["item"] == second


def test_one_reporter_counts_once_however_often_they_report(tmp_path: Path) -> None:
    desk = sqlite_desk(tmp_path, **PLAIN, notice_weight=0.05)
    pestered, reported = desk.receive(0.5, 0.5)
    for _ in range(100):
        desk.do("notice", "io", item=pestered, reason="spam", reporter="one user")
    for reporter in ("a", "b"):
        desk.do("notice", "io", item=reported, reason="spam", reporter=reporter)
    assert (desk.row(pestered).notices, desk.row(pestered).reporters) == (100, 1)
    assert desk.row(reported).reporters == 2
    assert desk.do("claim", "ana", queue="review")["item"] == reported
    check(desk.store)


def test_a_trusted_flagger_moves_an_item_up(tmp_path: Path) -> None:
    desk = sqlite_desk(tmp_path, **PLAIN, notice_weight=0.01, trusted_weight=0.5)
    many, trusted = desk.receive(0.5, 0.3)
    for reporter in range(5):
        desk.do("notice", "io", item=many, reason="spam", reporter=f"user {reporter}")
    desk.do("notice", "io", item=trusted, reason="spam", reporter="office", trusted=True)
    assert desk.do("claim", "ana", queue="review")["item"] == trusted


def test_age_moves_an_item_up_as_declared(tmp_path: Path) -> None:
    """0.2 of the key for two days make up for what a score of 0.5 has over one of 0.3."""
    for weight, first in ((0.0, "young"), (0.2, "old")):
        folder = tmp_path / first
        folder.mkdir()
        desk = sqlite_desk(folder, **PLAIN, age_weight=weight)
        desk.receive(0.3, prefix="old")
        desk.clock.pass_seconds(2 * 86_400)
        desk.receive(0.5, prefix="young")
        assert desk.do("claim", "ana", queue="review")["external_id"] == f"{first}0"
    with pytest.raises(InputError, match="`age_weight`"):
        DeskPolicy.from_thresholds(upper=None, lower=None, age_weight=-1.0)


def test_a_hybrid_takes_turns(tmp_path: Path) -> None:
    desk = sqlite_desk(tmp_path, **PLAIN, strategy="hybrid:0.5")
    desk.receive(*[0.5] * 30, *[0.89] * 30)
    first = [view["external_id"] for view in drain(desk, "ana")[:20]]
    toxic = sum(int(name[1:]) >= 30 for name in first)
    assert 2 <= toxic <= 18


def test_nothing_is_given_to_two_people(desk: Desk) -> None:
    desk.receive(0.5, 0.6)
    views = [desk.do("claim", person, queue="review") for person in ("ana", "bo", "cy")]
    assert len({view["item"] for view in views[:2]}) == 2
    assert views[2] == {"task": None}


def test_a_lease_ends_renews_and_is_given_back(desk: Desk) -> None:
    desk.receive(0.5)
    view = desk.do("claim", "ana", queue="review")
    desk.clock.pass_seconds(599)
    renewed = desk.do("renew", "ana", task=view["task"], version=view["version"])
    with pytest.raises(ConflictError, match="has changed"):
        desk.do("release", "ana", task=view["task"], version=view["version"])
    desk.clock.pass_seconds(599)
    assert desk.do("claim", "bo", queue="review") == {"task": None}
    desk.clock.pass_seconds(2)
    with pytest.raises(ConflictError, match="expired"):
        desk.do("decide", "ana", task=view["task"], version=renewed["version"], verdict="benign")
    taken = desk.do("claim", "bo", queue="review")
    assert taken["task"] == view["task"]
    desk.do("release", "bo", task=taken["task"], version=taken["version"])
    assert desk.do("claim", "bo", queue="review")["task"] == view["task"]  # given back, not judged
    check(desk.store)


def test_what_one_has_skipped_never_comes_back(desk: Desk) -> None:
    (item,) = desk.receive(0.5)
    for person in ("ana", "bo", "cy"):
        view = desk.do("claim", person, queue="review")
        desk.do("skip", person, task=view["task"], version=view["version"], reason="language")
        assert desk.do("claim", person, queue="review") == {"task": None}
        with pytest.raises((ForbiddenError, ConflictError)):
            desk.do("claim_item", person, item=item)
    assert desk.do("claim", "lee", queue="escalated")["item"] == item  # three skipped it
    check(desk.store)


def test_the_purpose_and_the_score_stay_hidden_where_a_share_is_measured(tmp_path: Path) -> None:
    desk = sqlite_desk(tmp_path, measured=1.0, reserved=0.5)
    desk.receive(0.5, 0.95, 0.05)
    for _ in range(3):
        view = desk.do("claim", "ana", queue="review")
        assert view["score"] is None
        assert not {"purpose", "route", "drawn"} & set(view)
        desk.do("decide", "ana", task=view["task"], version=view["version"], verdict="benign")


def test_score_is_shown_where_nothing_is_measured(desk: Desk) -> None:
    desk.receive(0.5)
    assert desk.do("claim", "ana", queue="review")["score"] == 0.5


def test_gold_is_shown_once_to_each_and_decides_nothing(tmp_path: Path) -> None:
    desk = sqlite_desk(tmp_path, **PLAIN, gold=1.0)
    desk.do("receive", items=[NewItem("gold", "gold", gold="violating")])
    desk.receive(0.5)
    for person in ("ana", "bo"):
        view = desk.do("claim", person, queue="review")
        assert view["external_id"] == "gold"
        desk.do("decide", person, task=view["task"], version=view["version"], verdict="violating")
    row = desk.row(view["item"])
    assert (row.action, row.verdict, row.decision) == (None, None, None)
    assert desk.do("claim", "ana", queue="review")["external_id"] == "e0"
    check(desk.store)


def test_nobody_holds_too_many(desk: Desk) -> None:
    desk.receive(*[0.5] * 12)
    for _ in range(10):
        desk.do("claim", "ana", queue="review")
    with pytest.raises(ConflictError, match="10 tasks"):
        desk.do("claim", "ana", queue="review")
    with desk.store.database.reading() as connection:
        assert waiting_counts(connection) == {"review": 2}


def work(desk: Desk, people: int, errors: list[BaseException]) -> None:
    """People who take and decide until nothing is left, each with connections of their own."""

    def one(number: int) -> None:
        own = Desk.__new__(Desk)
        own.store, own.clock = reopened(desk.store), desk.clock
        try:
            drain(own, f"r{number}")
        except BaseException as error:
            errors.append(error)
        finally:
            own.store.close()

    threads = [threading.Thread(target=one, args=(number,)) for number in range(people)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def together(desk: Desk, people: int, items: int) -> None:
    for number in range(people):
        desk.do("invite", person=f"r{number}", role="moderator")
    desk.receive(*[0.3 + 0.4 * number / items for number in range(items)])
    errors: list[BaseException] = []
    work(desk, people, errors)
    assert errors == []
    check(desk.store)
    with desk.store.database.reading() as connection:
        assert waiting_counts(connection) == {}
        count = sa.select(sa.func.count()).where(events.c.kind == "decided")
        assert connection.scalar(count) == items
        streams = sa.select(sa.func.count(events.c.stream.distinct())).where(events.c.kind == "decided")
        assert connection.scalar(streams) == items


def test_eight_people_take_from_one_file(tmp_path: Path) -> None:
    together(sqlite_desk(tmp_path, **PLAIN), 8, 60)


@pytest.mark.verify
def test_fifty_people_take_from_postgres(postgres: str, tmp_path: Path) -> None:
    desk = emptied(postgres, tmp_path).staff(**PLAIN)
    together(desk, 50, 500)
    desk.store.close()


def killed(location: str, key: Path, people: list[str], after: list[float]) -> set[str]:
    """Start reviewers, kill each with SIGKILL after so many acknowledged decisions; what they acknowledged."""
    acknowledged: set[str] = set()
    script = str(Path(__file__).with_name("worker.py"))
    started = [
        subprocess.Popen([sys.executable, script, location, str(key), person], stdout=subprocess.PIPE, text=True)
        for person in people
    ]
    for process, number in zip(started, after, strict=True):
        assert process.stdout is not None
        acknowledged |= {line.strip() for line, _ in zip(process.stdout, range(int(number)), strict=False)}
        time.sleep(number % 1.0 / 50)  # somewhere within the next transaction
        process.kill()
    for process in started:
        rest = process.communicate()[0]
        acknowledged |= {line for line in rest.split("\n")[:-1] if line}
    return acknowledged


def decided(desk: Desk) -> set[str]:
    with desk.store.database.reading() as connection:
        return set(connection.scalars(sa.select(items_table.c.id).where(items_table.c.decision.is_not(None))))


def survives(desk: Desk, location: str, key: Path, moments: int) -> None:
    people = [f"r{number}" for number in range(moments)]
    for person in people:
        desk.do("invite", person=person, role="moderator")
    items = desk.receive(*[0.3 + 0.4 * number / 100 for number in range(100)])
    rng = random.Random(7)
    acknowledged = killed(location, key, people, [rng.uniform(1.0, 12.0) for _ in people])
    assert acknowledged
    check(desk.store)
    assert acknowledged <= decided(desk)
    desk.clock.at = time.time_ns() // 1000
    desk.clock.pass_seconds(601)
    taken = {view["item"] for view in drain(desk, "ana")}  # leases of the dead have ended
    assert not taken & acknowledged
    assert decided(desk) == set(items)
    check(desk.store)


@pytest.mark.verify
def test_reviewers_that_are_killed_lose_nothing_in_a_file(tmp_path: Path) -> None:
    desk = sqlite_desk(tmp_path, **PLAIN)
    survives(desk, str(tmp_path / "desk.db"), tmp_path / "desk.db.key", 5)


@pytest.mark.verify
def test_reviewers_that_are_killed_lose_nothing_on_postgres(postgres: str, tmp_path: Path) -> None:
    desk = emptied(postgres, tmp_path).staff(**PLAIN)
    survives(desk, postgres, next(tmp_path.glob("*.key")), 4)
    desk.store.close()
