"""The first page: its numbers are the store's, its sentences follow from the estimates."""

from __future__ import annotations

import math
import random
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import sqlalchemy as sa

from desk.desks import STAFF
from desk.pages.browsers import Browser, plain_desk
from evenhand.catalogue import MEASURES, Direction
from evenhand.desk.demo import MODERATORS, DemoSize, fill_demo
from evenhand.desk.pages.changes import TOLERANCE, MeasuredChange, WeekVerdict, measured_changes
from evenhand.desk.pages.judged_items import judged_history
from evenhand.desk.pages.today import DeskNumbers, gold_agreement, my_page, today_page
from evenhand.desk.pages.week_summary import week_summary
from evenhand.desk.pages.words import words
from evenhand.desk.people import Person, Role
from evenhand.formatting import format_share
from evenhand.store import Store, open_store, schema
from evenhand.store.erasure import DAY
from evenhand.store.measured import MeasuredItems
from evenhand.store.weeks import SHOWN, PeriodAnswer, measure_weeks
from store.desks import check

SAY = words()
SMALL = DemoSize(weeks=1, items_per_day=16, reviews_per_shift=5, gold=8, waiting=10, study_batches=0)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    path, key = fill_demo(tmp_path_factory.mktemp("demo"), size=SMALL)
    with open_store(str(path), key=key) as opened:
        yield opened


def rows(store: Store, table: sa.Table) -> list[sa.Row[tuple[object, ...]]]:
    with store.database.reading() as connection:
        return list(connection.execute(sa.select(table)))


def test_the_demo_is_a_store_like_any_other(store: Store) -> None:
    check(store)
    assert sum(row.state == "done" for row in rows(store, schema.tasks)) > 80


def test_counts_are_those_of_the_rows(store: Store) -> None:
    page = today_page(store)
    items, tasks, week = rows(store, schema.items), rows(store, schema.tasks), page.at - 7 * DAY
    own = [row for row in items if row.gold is None]
    assert page.numbers.received == sum(row.received_at > week for row in own)
    assert page.numbers.received_before == sum(week - 7 * DAY < row.received_at <= week for row in own)
    judged = [row for row in tasks if row.state == "done" and row.person]
    assert page.numbers.decided == sum(row.done_at > week for row in judged)
    unseen = Counter(row.action for row in own if row.basis == "policy" and row.received_at > week)
    assert (page.numbers.removed_unseen, page.numbers.left_unseen) == (unseen["remove"], unseen["leave"])
    open_tasks = [row for row in tasks if row.state in ("waiting", "claimed") and not row.virtual]
    assert page.waiting == len({row.item for row in open_tasks})
    for queue in page.backlog:
        assert queue.waiting == len({row.item for row in open_tasks if row.queue == queue.queue})
    oldest = min(row.opened_at for row in open_tasks)
    assert page.oldest_days == pytest.approx((page.at - oldest) / DAY)


def test_measured_weeks_are_those_of_the_command_line(store: Store) -> None:
    page = today_page(store)
    answers = measure_weeks(store)
    assert len(page.periods) == len(answers)
    for period, answer in zip(page.periods, answers, strict=True):
        known = {measure: e for target, measure, e in answer.estimates(0.95) if target == "reviewer"}
        assert period.estimates == known
        assert (period.items, period.drawn) == (len(answer.items.drawn), int(answer.items.sampled.sum()))


def test_the_page_says_what_the_view_holds(tmp_path: Path) -> None:
    desk = plain_desk(tmp_path, measured=1.0, reserved=0.5)
    desk.desk.receive(*[0.5] * 40)
    for _ in range(30):
        task = desk.desk.do("claim", "ana", queue="review")
        desk.desk.do("decide", "ana", task=task["task"], version=task["version"], verdict="violating")
    page, view = Browser(desk, STAFF[Role.LEAD]).get("/"), today_page(desk.store)
    assert SAY("today.inflow", n=40, before="0") in page.text
    assert SAY("today.decisions", n=30, before="0") in page.text
    assert SAY("today.backlog", n=view.waiting, age=SAY("today.minutes", n=0)) in page.text
    for measure in SHOWN:
        estimate = view.periods[0].estimates[measure]
        assert estimate.value is not None
        assert f"{format_share(estimate.value)}" in page.text
    desk.store.close()


def test_an_empty_desk_has_a_first_page_too(tmp_path: Path) -> None:
    page = Browser(plain_desk(tmp_path), STAFF[Role.LEAD]).get("/")
    assert SAY("today.not_measured") in page.text
    assert SAY("today.no_backlog") in page.text


def test_my_week_is_counted_from_my_verdicts(store: Store) -> None:
    for name in MODERATORS:
        page = my_page(store, Person(name, Role.MODERATOR))
        mine = [row for row in rows(store, schema.tasks) if row.person == name and row.state == "done"]
        assert sum(number for _, number in page.per_day) == page.verdicts
        assert page.verdicts <= sum(row.done_at > store.clock() - 7 * DAY for row in mine)
        gold = {row.id: row.gold for row in rows(store, schema.items)}
        judged = [row for row in mine if row.purpose == "gold"]
        with store.database.reading() as connection:
            agreement = gold_agreement(connection, name, before=store.clock())
        assert agreement.n == len(judged)
        if judged:
            assert agreement.value == sum(row.verdict == gold[row.item] for row in judged) / len(judged)


def random_period(chance: np.random.Generator, share: float) -> PeriodAnswer:
    """A week of 400 items, of which half are drawn and judged and a fifth is removed unseen."""
    size = 400
    violates = chance.random(size) < share
    flags = {"removed_unseen": 0.2, "drawn": 0.5, "panel": 0.0}
    columns = {name: chance.random(size) < probability for name, probability in flags.items()}
    none = np.zeros(size, dtype=np.bool_)
    numbers = {"probability": np.full(size, 0.5), "order": chance.random(size), "panel_probability": np.zeros(size)}
    verdicts = {"verdict": violates.astype(np.int64), "panel_verdict": np.full(size, -2)}
    return PeriodAnswer(0, 1, MeasuredItems(**columns, **numbers, **verdicts, reached=none))


def test_changes_are_the_difference_of_the_last_period_and_all_before() -> None:
    chance = np.random.default_rng(1)
    answers = [random_period(chance, share) for share in (0.3, 0.35, 0.6)]
    changes = measured_changes(answers)
    assert [change.measure for change in changes] == list(SHOWN)
    level = 1.0 - 0.05 / 3
    before = MeasuredItems.joined([one.items for one in answers[:-1]]).estimates(level=level)
    now = answers[-1].items.estimates(level=level)
    for change in changes:
        first, last = before[change.measure], now[change.measure]
        assert None not in (first.value, first.low, first.high, last.value, last.low, last.high)
        down = math.hypot(last.value - last.low, first.high - first.value)  # type: ignore[operator]
        up = math.hypot(last.high - last.value, first.value - first.low)  # type: ignore[operator]
        difference = last.value - first.value  # type: ignore[operator]
        assert (change.low, change.high) == pytest.approx((difference - down, difference + up))
    assert changes[-1].is_alarm  # prevalence rose from about 0.33 to 0.6
    assert measured_changes(answers[:1]) == []


def test_the_sentence_about_a_change_can_be_read_back() -> None:
    """Direction, size and verdict, from the words alone, for random changes."""
    chance = random.Random(3)
    seen = Counter[str]()
    for _ in range(600):
        before, now = chance.random(), chance.random()
        if chance.random() < 0.5:
            now = min(max(before + chance.uniform(-0.01, 0.01), 0.0), 1.0)
        width = chance.choice((0.001, 0.01, 0.1))
        change = MeasuredChange("recall", before, now, now - before - width, now - before + width)
        text = SAY(f"today.sentence_{change.sentence}", measure="Recall", **change.values)
        numbers = [float(number.replace("−", "-")) for number in re.findall(r"[−+]?\d+(?:\.\d+)?", text)]
        seen[change.verdict] += 1
        assert abs(numbers[0 if "from" in text else 1] / 100 - before) < 0.0051
        if change.verdict == WeekVerdict.LARGER:
            assert ("rose" in text) == (now > before)
            assert min(abs(change.low), abs(change.high)) > TOLERANCE
            assert change.is_alarm == (now < before)
        elif change.verdict == WeekVerdict.RULED_OUT:
            assert numbers[-1] / 100 <= TOLERANCE + 0.0005
            assert max(abs(change.low), abs(change.high)) <= TOLERANCE
        else:
            assert numbers[-2] / 100 == pytest.approx(change.low, abs=0.0006)
            assert numbers[-1] / 100 == pytest.approx(change.high, abs=0.0006)
    assert min(seen[verdict] for verdict in WeekVerdict) > 20


NUMBERS = DeskNumbers(40, 35, 20, 22, 3, 4, waiting=12, waiting_before=7)


def test_the_two_sentences_can_be_read_back() -> None:
    """Which measure changed how, from the words alone, for random changes; each in one place."""
    chance, titles = random.Random(8), {str(measure): MEASURES[measure].title.lower() for measure in SHOWN}
    for _ in range(300):
        changes = list[MeasuredChange]()
        for measure in SHOWN:
            before, now = chance.random(), chance.random()
            width = chance.choice((0.001, 0.1, 0.6))
            now = before + 0.004 if chance.random() < 0.4 else now
            changes.append(MeasuredChange(measure, before, now, now - before - width, now - before + width))
        text = week_summary(changes, NUMBERS, SAY)[0].lower()
        parts = text.removesuffix(".").split("; ")
        for change in changes:
            (said,) = [part for part in parts if titles[change.measure] in part]
            if change.verdict == WeekVerdict.LARGER:
                assert ("rose" in said, "fell" in said) == (change.now > change.before, change.now < change.before)
                shown = [float(number) / 100 for number in re.findall(r"\d+(?:\.\d+)?", said)]
                ends = sorted((abs(change.low), abs(change.high)))
                assert shown == pytest.approx([change.before, change.now, *ends], abs=0.0051)
            else:
                assert ("ruled out" in said) == (change.verdict == WeekVerdict.RULED_OUT)
                assert ("undetermined" in said) == (change.verdict == WeekVerdict.UNDETERMINED)


def test_the_second_sentence_counts_what_came_and_what_waits() -> None:
    text = week_summary([], NUMBERS, SAY)[1]
    assert re.findall(r"\d+", text) == ["40", "35", "12", "7"]
    assert "more than a week ago" in text
    assert "not known" in week_summary([], NUMBERS, SAY)[0]


@pytest.mark.parametrize("measure", SHOWN)
@pytest.mark.parametrize("rise", [0.3, -0.3])
def test_the_catalogue_says_which_way_is_worse(measure: str, rise: float) -> None:
    change = MeasuredChange(measure, 0.5, 0.5 + rise, rise - 0.1, rise + 0.1)
    assert change.is_alarm == ((rise < 0) == (MEASURES[measure].direction == Direction.HIGHER))


def test_waiting_a_week_ago_is_counted_from_the_tasks(store: Store) -> None:
    page = today_page(store)
    then = page.at - 7 * DAY
    opened = [row for row in rows(store, schema.tasks) if row.opened_at <= then and not row.virtual]
    assert page.numbers.waiting_before == len({row.item for row in opened if row.done_at is None or row.done_at > then})


def test_agreement_and_errors_of_the_policy_are_counted_from_the_rows(tmp_path: Path) -> None:
    path, key = fill_demo(tmp_path, size=DemoSize(weeks=2, items_per_day=40, reviews_per_shift=14, gold=8, waiting=0))
    with open_store(str(path), key=key) as store:
        page, history = today_page(store), judged_history(store)
        tasks, items = rows(store, schema.tasks), {row.id: row for row in rows(store, schema.items)}
    done = [row for row in tasks if row.state == "done" and row.person]
    first = {row.item: row.verdict for row in done if row.purpose in ("review", "measurement")}
    shares = {one.name: one.estimate for one in page.agreement}
    for purpose in ("panel", "second"):
        again = [row for row in done if row.purpose == purpose and row.item in first]
        assert shares[purpose].n == len(again) > 0
        assert shares[purpose].value == pytest.approx(sum(row.verdict == first[row.item] for row in again) / len(again))
    shown = [row for row in done if row.purpose == "gold"]
    assert shares["gold"].value == pytest.approx(sum(row.verdict == items[row.item].gold for row in shown) / len(shown))
    assert history is not None
    assert history.is_random
    weights, wrong = history.sample.weights, history.removed & ~history.sample.y
    assert page.automatic.removed.value == pytest.approx(weights[wrong].sum() / weights[history.removed].sum())
    missed = history.left & history.sample.y
    assert page.automatic.left.value == pytest.approx(weights[missed].sum() / weights[history.left].sum())
    assert page.capacity is not None
    assert page.capacity.gain.value is not None
    assert page.capacity.recall.value is not None


def test_nothing_is_counted_for_single_people_where_the_policy_says_so(tmp_path: Path) -> None:
    for counted in (True, False):
        folder = tmp_path / str(counted)
        folder.mkdir()
        desk = plain_desk(folder, person_statistics=counted)
        page = Browser(desk, STAFF[Role.MODERATOR]).get("/")
        assert (SAY("mine.week") in page.html) == counted
        desk.store.close()


def test_nobody_is_compared_with_others(tmp_path: Path) -> None:
    """No page names who judged how much: a lead reads numbers of the desk, and reviewers their own."""
    desk = plain_desk(tmp_path)
    desk.desk.receive(*[0.5] * 12)
    people = (*["ana"] * 6, *["bo"] * 3, "cy")
    for person in people:
        task = desk.desk.do("claim", person, queue="review")
        desk.desk.do("decide", person, task=task["task"], version=task["version"], verdict="violating")
    for role in (Role.LEAD, Role.MODERATOR):
        browser = Browser(desk, STAFF[role])
        for address in ("/", "/queue", *(("/audits", "/policy") if role == Role.LEAD else ())):
            assert not re.search(rf"\b({'|'.join(set(people))})\b", browser.get(address).text), address
    desk.store.close()
