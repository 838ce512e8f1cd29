"""The day itself: who works when, and what happens meanwhile."""

from __future__ import annotations

import random
import sqlite3
import statistics
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from evenhand.store import DeskPolicy
from studies.production_day.clock import DayClock
from studies.production_day.content import ArrivingItem, ContentTruth, arriving_items, training_rows
from studies.production_day.people import (
    ANNOTATORS,
    LEADS,
    NEXT_MORNING,
    PEOPLE,
    PLATFORM,
    QUEUES,
    SHIFTS,
    Annotator,
    DayLog,
    Platform,
    Reviewer,
)
from studies.production_day.running_desk import DeskCaller, RunningDesk

EVE = 3.0  # seconds before midnight in which the desk is opened
BEFORE, IDLE_CLAIMS = 50, 100  # items that wait when the day begins; claims before and after it
FIRST_MODEL, SECOND_MODEL = "default", "trained"
EARLIER_TABLES = "0004"
STUDY_LABELS = 150
OPEN_MEASUREMENTS = "SELECT count(*) FROM tasks WHERE purpose = 'measurement' AND state IN ('waiting', 'claimed')"
POLICY = {"reserved": 0.5, "panel": 0.5, "second": 0.05, "notice_weight": 0.1, "trusted_weight": 0.5, "age_weight": 0.1}
THRESHOLDS = {FIRST_MODEL: {"upper": 0.6, "lower": 0.02}, SECOND_MODEL: {"upper": 0.25, "lower": 0.06}}


@dataclass(frozen=True)
class DaySize:
    """How many comments arrive, and in how many seconds the day passes.

    A review takes so many minutes of the day; `drawn` is the share of comments that is drawn for measurement.
    """

    items: int
    seconds: float
    review_minutes: float
    drawn: float

    def policy(self, model: str) -> DeskPolicy:
        """With thresholds for this model; a lease is four times what a review takes."""
        more = {"measured": self.drawn, "lease_seconds": round(240 * self.review_minutes)}
        return DeskPolicy.from_thresholds(**POLICY, **THRESHOLDS[model], **more)


@dataclass
class ProductionDay:
    """A desk, what arrives, who works, and what was noted."""

    folder: Path
    size: DaySize
    seed: int
    log: DayLog = field(default_factory=DayLog)
    times: dict[str, float] = field(default_factory=dict)  # seconds of what was timed
    idle: list[float] = field(default_factory=list)  # seconds of each claim while nobody else asks
    study: str = ""
    faults: list[BaseException] = field(default_factory=list)
    model: str = FIRST_MODEL

    def __post_init__(self) -> None:
        arriving = arriving_items(BEFORE + self.size.items, self.seed)
        self.before, self.arriving = arriving[:BEFORE], arriving[BEFORE:]
        self.truth = ContentTruth({item.name: item for item in arriving})

    def run(self) -> None:
        """From the set-up until the desk is closed."""
        training_rows(1500, self.seed + 1).write_parquet(self.folder / "training.parquet")
        roles = ("--text", "text", "--label", "label", "--called", "toxic", "--method", "unigram")
        self.clock = DayClock.on_the_eve(self.size.seconds, self.folder / "clock", EVE)
        self.desk = RunningDesk(self.folder, self.clock)
        with self.clock.standing_still():
            self.desk.run("train", "training.parquet", *roles, "-o", SECOND_MODEL)
        self.desk.set_up(PEOPLE, self.size.policy(self.model))
        with self.clock.standing_still():
            self.desk.start(self.model)
        try:
            self._platform(self.before).send(self.before)
            self._measure_idle()
            self.clock.wait_until(0.0)
            self._pass()
        finally:
            self.desk.close()

    def _measure_idle(self) -> None:
        """How soon the next item is there, while nobody else asks: before the day, and after it."""
        reviewer = DeskCaller(self.desk, LEADS[0])
        for _ in range(IDLE_CLAIMS):
            answer = reviewer.ask("POST", f"/queues/{QUEUES[0]}/claim")
            self.idle.append(answer.seconds)
            path = f"/tasks/{answer.document['task']}/release"
            reviewer.ask("POST", path, {"version": answer.document["version"]})

    def _pass(self) -> None:
        """Everybody works, and things happen at their hours."""
        platform, reviewers = self._platform(self.arriving), list(self._reviewers())
        self._together([platform.work, self._events, *(reviewer.work for reviewer in reviewers)])
        early = [reviewer for reviewer in reviewers if reviewer.person in NEXT_MORNING]
        self._together([lambda one=one: one.work_until(self._is_measured) for one in early])
        self._close(platform)

    def _together(self, works: Sequence[Callable[[], None]]) -> None:
        """Each in a thread of its own, until all are done."""
        threads = [threading.Thread(target=self._guarded, args=(work,)) for work in works]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if self.faults:
            raise self.faults[0]

    def _is_measured(self) -> bool:
        """Whether all that was drawn is judged."""
        with closing(sqlite3.connect(self.desk.store)) as connection:
            return connection.execute(OPEN_MEASUREMENTS).fetchone() == (0,)

    def _guarded(self, work: Callable[[], None]) -> None:
        try:
            work()
        except BaseException as error:
            self.faults.append(error)

    def _platform(self, items: list[ArrivingItem]) -> Platform:
        caller = DeskCaller(self.desk, PLATFORM)
        return Platform(caller, self.clock, items, self.log, random.Random(self.seed))

    def _reviewers(self) -> Iterator[Reviewer]:
        for number, person in enumerate(SHIFTS):
            chance = random.Random(1000 * self.seed + number)
            caller, minutes = DeskCaller(self.desk, person), self.size.review_minutes
            yield Reviewer(person, caller, self.clock, self.truth, self.log, chance, minutes)

    def _events(self) -> None:
        for hour, event in (
            (3.2, self._upgrade),
            (9.0, self._crash),  # in the middle of the first burst
            (11.0, self._change_model),
            (12.5, self._study),
            (17.5, self._back_up),
            (19.5, self._crash),  # of the second
        ):
            self.clock.wait_until(hour)
            event()

    def _upgrade(self) -> None:
        """As the guide says: back up, stop, upgrade, verify, start. The tables are those of an earlier version."""
        self.desk.run("store", "backup", "desk.db", "-o", "before-upgrade.db")
        with self._timed("upgrade"):
            self.desk.stop()
            self.desk.mark_as_earlier(EARLIER_TABLES)
            self.desk.run("store", "upgrade", "desk.db")
            self.desk.run("store", "verify", "desk.db")
            self.desk.start(self.model)

    def _crash(self) -> None:
        with self._timed("crash"):
            self.desk.crash()
            self.desk.start(self.model)

    def _change_model(self) -> None:
        """Another model decides from now on, by thresholds of its own; what waits is scored again."""
        with self._timed("model change"):
            self.desk.stop()
            self.model = SECOND_MODEL
            self.desk.start(self.model)
        policy = self.size.policy(self.model).to_dict()
        body = {"policy": policy, "reason": "thresholds of the second model"}
        answer = DeskCaller(self.desk, LEADS[0]).ask("POST", "/policies", body)
        assert answer.ok, answer.document

    def _study(self) -> None:
        """A random sample of what has arrived, which three people label."""
        lead = DeskCaller(self.desk, LEADS[0])
        body = {"title": "Prevalence at noon", "annotators": ANNOTATORS, "design": "random", "n": STUDY_LABELS}
        answer = lead.ask("POST", "/studies", {**body, "seed": self.seed})
        assert answer.ok, answer.document
        self.study = answer.document["study"]
        assert lead.ask("POST", f"/studies/{self.study}/batches", {"number": 1}).ok
        texts = {item.body["text"]: item for item in self.truth.items.values()}
        for person in ANNOTATORS:
            annotator = Annotator(DeskCaller(self.desk, person), self.clock, texts, self.log)
            threading.Thread(target=self._guarded, args=(lambda one=annotator: one.work(self.study),)).start()

    def _back_up(self) -> None:
        """While everybody works; and the copy becomes a store again."""
        self.times["backup"], _ = self.desk.run("store", "backup", "desk.db", "-o", "copy.db")
        key = ("--key", "desk.db.key")
        self.times["restore"], _ = self.desk.run("store", "restore", "copy.db", "restored.db", *key)

    def _close(self, platform: Platform) -> None:
        """After midnight: leases that nobody came back to end, and the platform reads what is left."""
        lead = DeskCaller(self.desk, LEADS[0])
        self.clock.pass_minutes(5.0 * self.size.review_minutes)
        self._measure_idle()
        if self.study:
            lead.ask("POST", f"/studies/{self.study}/stop", {"batches": 1})
        time.sleep(1.5)  # seconds: until all events have their numbers
        platform.read_decisions()

    @contextmanager
    def _timed(self, name: str) -> Iterator[None]:
        """The longest of each name, in seconds, until the desk answers again; the day stands still meanwhile."""
        began = time.monotonic()
        with self.clock.standing_still():
            yield
        seconds = time.monotonic() - began
        self.times[name] = max(seconds, self.times.get(name, 0.0))


def slow(seconds: list[float]) -> float:
    """The 95th percentile."""
    return statistics.quantiles(seconds, n=20)[-1]
