"""The first page: what came in, what waits and since when, what was decided, and how well the policy works.

A lead sees numbers of the desk, measured weeks with intervals, and what changed. A moderator sees their own queues and
their own week: no comparison with others, and no test item before its week is over.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from time import monotonic
from typing import Any

import sqlalchemy as sa

from evenhand.desk.pages.agreement import Agreement, AutomaticErrors, agreements, automatic_errors
from evenhand.desk.pages.capacity import CapacityStanding, capacity_standing
from evenhand.desk.pages.changes import LEVEL, TOLERANCE, MeasuredChange, known_periods, measured_changes
from evenhand.desk.pages.judged_items import judged_history
from evenhand.desk.pages.review import queues_of
from evenhand.desk.pages.studies import OwnStudy, own_label_work
from evenhand.desk.people import Person
from evenhand.errors import InputError
from evenhand.estimate import Estimate
from evenhand.figures.desk_charts import ControlPoint, draw_control_chart
from evenhand.routing.policies import clopper_pearson
from evenhand.store import Store, schema
from evenhand.store.cases import CLAIMED, DONE, GOLD, LEAVE, POLICY, REMOVE, WAITING
from evenhand.store.erasure import DAY
from evenhand.store.measured import MeasuredItems
from evenhand.store.weeks import SHOWN, WEEK, PeriodAnswer, measure_weeks

DAYS = 7
PATIENCE = 20  # how many times as long as it takes to compute


@dataclass(frozen=True)
class QueueBacklog:
    """What waits in a queue, and since when the oldest does (microseconds)."""

    queue: str
    waiting: int
    oldest: int | None


@dataclass(frozen=True)
class MeasuredPeriod:
    """A week, or several pooled, with its estimates by measure."""

    begin: str
    end: str
    weeks: int
    items: int
    reviewed: int
    drawn: int
    estimates: dict[str, Estimate]
    alarms: frozenset[str] = frozenset()  # measures whose change was an alarm when the period ended

    @property
    def is_known(self) -> bool:
        """Whether anything could be estimated."""
        return any(estimate.value is not None for estimate in self.estimates.values())


@dataclass(frozen=True)
class DeskNumbers:
    """Of the last seven days and the seven before."""

    received: int
    received_before: int
    decided: int
    decided_before: int
    removed_unseen: int
    left_unseen: int
    waiting: int
    waiting_before: int  # a week ago


@dataclass(frozen=True)
class TodayPage:
    """The page of a lead."""

    at: int
    numbers: DeskNumbers
    backlog: tuple[QueueBacklog, ...]
    waiting: int
    oldest_days: float | None
    periods: tuple[MeasuredPeriod, ...]
    changes: tuple[MeasuredChange, ...]
    since_last: tuple[MeasuredChange, ...]  # the last period against the one before
    charts: tuple[str, ...]  # SVG, one for each measure
    agreement: tuple[Agreement, ...]
    automatic: AutomaticErrors
    capacity: CapacityStanding | None
    per_day: tuple[tuple[str, int, int], ...]  # day, received, decided

    @property
    def alarms(self) -> tuple[MeasuredChange, ...]:
        """Changes for the worse that are larger than the tolerance."""
        return tuple(change for change in self.changes if change.is_alarm)


@dataclass(frozen=True)
class MyPage:
    """The page of somebody who reviews."""

    queues: tuple[tuple[str, bool], ...]  # and whether anything waits there
    verdicts: int
    per_day: tuple[tuple[str, int], ...]
    agreement: Estimate  # with test items, up to the end of last week
    studies: tuple[OwnStudy, ...] = ()  # that are open
    counted: bool = True  # the policy may switch off that anything is counted for single people


class TodayKeeper:
    """The page of a lead, computed anew only after twenty times as long as it took: large desks need seconds."""

    def __init__(self, store: Store) -> None:
        self.store, self._until = store, 0.0
        self._page: TodayPage | None = None

    def page(self) -> TodayPage:
        """As of a short time ago; the page says when."""
        begun = monotonic()
        if self._page is None or begun > self._until:
            self._page = today_page(self.store)
            self._until = monotonic() + PATIENCE * (monotonic() - begun)
        return self._page


def today_page(store: Store) -> TodayPage:
    """What a lead reads in the morning."""
    at, history = store.clock(), judged_history(store)
    with store.database.reading() as connection:
        numbers, agreement = desk_numbers(connection, at), tuple(agreements(connection, at))
        backlog = tuple(queue_backlog(connection))
        received, decided = _days(connection, at)
    oldest = min((queue.oldest for queue in backlog if queue.oldest is not None), default=None)
    try:
        answers = measure_weeks(store)
    except InputError:  # nothing has been routed yet
        answers = []
    return TodayPage(
        at, numbers, backlog, numbers.waiting,
        None if oldest is None else (at - oldest) / DAY,
        tuple(_period(answers, number) for number in range(len(answers))), tuple(measured_changes(answers)),
        tuple(measured_changes(answers, against=1)), tuple(_control_charts(answers)), agreement,
        automatic_errors(history), capacity_standing(store, history, at),
        tuple((day, received[day], decided[day]) for day in last_days(at)),
    )  # fmt: skip


def _control_charts(answers: Sequence[PeriodAnswer]) -> Iterator[str]:
    """A chart for each measure, of the periods with estimates."""
    known = known_periods(answers)
    if not known:
        return
    periods = [_period(answers, answers.index(answer)) for answer in known]
    before = MeasuredItems.joined([one.items for one in known[:-1]]).estimates(level=LEVEL) if len(known) > 1 else {}
    for measure in SHOWN:
        points = [ControlPoint(one.begin[5:], one.estimates[measure], measure in one.alarms) for one in periods]
        mean = before[measure].value if before else None
        yield draw_control_chart(measure, points, before=mean, tolerance=TOLERANCE).svg


def desk_numbers(connection: sa.Connection, at: int) -> DeskNumbers:
    """Counts of the last seven days and those before."""
    items, tasks = schema.items, schema.tasks
    week, before = (at - WEEK, at), (at - 2 * WEEK, at - WEEK)

    def count(column: sa.Column[int], span: tuple[int, int], *which: sa.ColumnElement[bool]) -> int:
        query = sa.select(sa.func.count()).where(column > span[0], column <= span[1], *which)
        return int(connection.scalar(query) or 0)

    own = items.c.gold.is_(None)
    judged = (tasks.c.state == DONE, tasks.c.person.is_not(None))
    unseen = (own, items.c.basis == POLICY)
    return DeskNumbers(
        count(items.c.received_at, week, own), count(items.c.received_at, before, own),
        count(tasks.c.done_at, week, *judged), count(tasks.c.done_at, before, *judged),
        count(items.c.received_at, week, *unseen, items.c.action == REMOVE),
        count(items.c.received_at, week, *unseen, items.c.action == LEAVE),
        _waiting_at(connection, at), _waiting_at(connection, at - WEEK),
    )  # fmt: skip


def _waiting_at(connection: sa.Connection, at: int) -> int:
    """Items that waited for a person at a time; one that waited for two counts once."""
    tasks = schema.tasks
    later = sa.or_(tasks.c.done_at.is_(None), tasks.c.done_at > at)
    query = sa.select(sa.func.count(tasks.c.item.distinct())).where(tasks.c.opened_at <= at, later, ~tasks.c.virtual)
    return int(connection.scalar(query) or 0)


def queue_backlog(connection: sa.Connection) -> list[QueueBacklog]:
    """Items that wait for a verdict, also those on a screen, by queue; one that waits for two people counts once."""
    tasks = schema.tasks
    query = (
        sa.select(tasks.c.queue, sa.func.count(tasks.c.item.distinct()), sa.func.min(tasks.c.opened_at))
        .where(tasks.c.state.in_((WAITING, CLAIMED)), ~tasks.c.virtual)
        .group_by(tasks.c.queue)
        .order_by(tasks.c.queue)
    )
    return [QueueBacklog(row[0], row[1], row[2]) for row in connection.execute(query)]


def _days(connection: sa.Connection, at: int) -> tuple[Counter[str], Counter[str]]:
    items, tasks, begin = schema.items, schema.tasks, at - DAYS * DAY
    received = sa.select(items.c.received_at).where(items.c.received_at > begin, items.c.gold.is_(None))
    decided = sa.select(tasks.c.done_at).where(tasks.c.done_at > begin, tasks.c.person.is_not(None))
    return Counter(map(day_of, connection.scalars(received))), Counter(map(day_of, connection.scalars(decided)))


def day_of(at: int) -> str:
    """The date, in UTC."""
    return datetime.fromtimestamp(at / 1e6, UTC).date().isoformat()


def last_days(at: int) -> list[str]:
    """The last seven dates, today the last."""
    return [day_of(at - (DAYS - 1 - number) * DAY) for number in range(DAYS)]


def _period(answers: Sequence[PeriodAnswer], number: int) -> MeasuredPeriod:
    answer, so_far = answers[number], answers[: number + 1]
    items, estimates = answer.items, answer.items.estimates(level=LEVEL)
    changes = measured_changes(so_far) if answer in known_periods(so_far) else []
    return MeasuredPeriod(
        day_of(answer.begin), day_of(answer.end - 1), answer.weeks, len(items.drawn), int(items.reached.sum()),
        int(items.sampled.sum()), {measure: estimates[measure] for measure in SHOWN},
        frozenset(change.measure for change in changes if change.is_alarm),
    )  # fmt: skip


def my_page(store: Store, person: Person) -> MyPage:
    """What a reviewer sees of their own work."""
    at, tasks = store.clock(), schema.tasks
    mine = sa.select(tasks.c.done_at).where(tasks.c.person == person.id, tasks.c.state == DONE)
    with store.database.reading() as connection:
        days = Counter(map(day_of, connection.scalars(mine.where(tasks.c.done_at > at - WEEK))))
        waiting = set(connection.scalars(_waiting_for(person)))
        agreement = gold_agreement(connection, person.id, before=_week_begin(at))
        studies = tuple(one for one in own_label_work(connection, person) if one.is_open)
    per_day = tuple((day, days[day]) for day in last_days(at))
    queues = tuple((queue, queue in waiting) for queue in queues_of(store, person))
    return MyPage(queues, sum(number for _, number in per_day), per_day, agreement, studies, _counts_people(store))


def _counts_people(store: Store) -> bool:
    with store.database.reading() as connection:
        return store.policy(connection)[1].person_statistics


def _waiting_for(person: Person) -> sa.Select[Any]:
    """The queues where something waits that a person may take and has not seen."""
    tasks, seen = schema.tasks, schema.seen
    known = sa.exists().where(seen.c.item == tasks.c.item, seen.c.person == person.id)
    waiting = [tasks.c.state == sa.literal_column(f"'{WAITING}'"), ~tasks.c.virtual, ~known]
    if person.purposes is not None:
        waiting.append(tasks.c.purpose.in_(sorted(person.purposes)))
    return sa.select(tasks.c.queue).where(*waiting).distinct()


def gold_agreement(connection: sa.Connection, person: str, *, before: int) -> Estimate:
    """Of the test items that a person judged, the share judged as they should be."""
    tasks, items = schema.tasks, schema.items
    query = (
        sa.select(tasks.c.verdict == items.c.gold, sa.func.count())
        .join(items, items.c.id == tasks.c.item)
        .where(tasks.c.purpose == GOLD, tasks.c.state == DONE, tasks.c.person == person, tasks.c.done_at < before)
        .group_by(tasks.c.verdict == items.c.gold)
    )
    counts = {bool(row[0]): int(row[1]) for row in connection.execute(query)}
    hits = counts.get(True, 0)
    return clopper_pearson(hits, hits + counts.get(False, 0), LEVEL, nothing="no test item was judged before this week")


def _week_begin(at: int) -> int:
    """Monday, 0:00 UTC."""
    day = at // DAY
    return (day - (day + 3) % 7) * DAY
