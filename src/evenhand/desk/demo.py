"""A desk with a history, for a first look: weeks of the synthetic community, reviewed by people who err at times.

The functions that the desk itself uses write what happened, with a clock that is set back. In the last week the model
misses every second violation, as it does when people find new words: the measurement in the queue shows it.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import sqlalchemy as sa
from fastapi import FastAPI

from evenhand.desk.app import open_desk
from evenhand.desk.invitations import issue_link
from evenhand.errors import InputError
from evenhand.service.settings import ServiceSettings
from evenhand.store import decisions, intake, queues, schema
from evenhand.store.actions import perform
from evenhand.store.cases import BENIGN, MEASUREMENT, REVIEW, VIOLATING, WAITING
from evenhand.store.erasure import DAY
from evenhand.store.events import ReviewReached, TaskClaimed
from evenhand.store.intake import NewItem, NewScore
from evenhand.store.labelling import label_item
from evenhand.store.ledger import EventLedger
from evenhand.store.policy import DeskPolicy
from evenhand.store.store import Store, create_store, now
from evenhand.store.studies import StudyDesign, StudySetup, draw_batch, open_study
from evenhand.synthetic.community import community

BENIGN_KEPT = 0.2  # share of the benign items that come here: the platform sends what its filters noticed
MODERATORS = {"ana": 0.03, "ben": 0.06, "chloe": 0.04, "dev": 0.05}  # and how often each errs
LEADS = {"lena": 0.02, "lars": 0.04}  # who review too
VISITORS = (("a moderator", "ana"), ("a lead", "lena"), ("an annotator", "noor"), ("an auditor", "aud"))
ANNOTATORS = {"noor": 0.05, "omar": 0.08}  # and how often each errs
SECONDS = 1_000_000
HOUR = 3600 * SECONDS
QUEUE = "review"
NEW_WORDS = 0.05  # the score of what the model of the last week does not know
DRAWN_SHARE, SKIPPED = 0.75, 0.01
CLAIMED_SINGLY = 2  # of the reviews of a shift
STUDY_WITHIN = 0.25
CODEBOOK = """Yes: insults, threats, hate against groups, and spam.
No: criticism, however sharp, quotations that are marked as such, and jokes at nobody's expense.
Cannot tell: the text is incomplete, or its meaning depends on what came before."""
REASONS = ("harassment", "hate", "spam")


@dataclass(frozen=True)
class DemoSize:
    """How much happened; `waiting` items arrived within the last hour."""

    weeks: int = 4
    items_per_day: int = 80
    reviews_per_shift: int = 15
    gold: int = 30
    waiting: int = 60
    study_batches: int = 3

    @property
    def days(self) -> int:
        """Of work."""
        return 7 * self.weeks


@dataclass(frozen=True)
class DemoItem:
    """An item of the community, with what is true of it."""

    new: NewItem
    violates: bool
    reports: int


@contextmanager
def open_demo(settings: ServiceSettings) -> Iterator[tuple[FastAPI, list[str]]]:
    """A desk in a folder that is deleted afterwards, and the lines to show whoever started it."""
    if settings.store is not None:
        raise InputError("`demo` makes a store of its own: leave out `store`")
    with tempfile.TemporaryDirectory(prefix="evenhand-demo-") as folder:
        path, key = fill_demo(Path(folder))
        tokens = settings.token_file or Path(folder) / "tokens.json"  # those of the user stay as they are
        own = replace(settings, store=str(path), store_key=key, token_file=tokens)
        with open_desk(own) as (desk, lines):
            desk.state.scorer.rescores = False  # the audits are of the model that made the history
            links = [f"as {role} ({name}): {{url}}{issue_link(desk.state.store, name)}" for role, name in VISITORS]
            note = "synthetic data, deleted when the desk is stopped (ctrl-c)"
            yield desk, [*lines, "to look around, open a link and choose a password (each works once):", *links, note]


def fill_demo(folder: Path, *, seed: int = 0, size: DemoSize = DemoSize()) -> tuple[Path, Path]:  # noqa: B008 (frozen)
    """Write a store with weeks of history; where it and its key are."""
    path, key = folder / "desk.db", folder / "desk.key"
    store = create_store(str(path), key=key)
    store.close()
    sa.event.listen(store.database.engine, "connect", lambda raw, _: raw.execute("PRAGMA synchronous = OFF"))
    clock = store.clock = _Clock(now() - size.days * DAY - HOUR)
    store.chance = random.Random(seed + 1).random
    with store:
        _open(store, size)
        _write_history(store, clock, size, random.Random(seed))
    return path, key


def _write_history(store: Store, clock: _Clock, size: DemoSize, chance: random.Random) -> None:
    items = demo_items(size.gold + size.days * size.items_per_day + size.waiting, chance)
    truth = {item.new.external_id: item.violates for item in items}
    gold, items = items[: size.gold], items[size.gold :]
    perform(store, "receive", actor="platform", items=[_gold(item) for item in gold])
    for day in range(size.days):
        morning = clock.at = clock.begin + day * DAY
        arrivals = items[day * size.items_per_day : (day + 1) * size.items_per_day]
        _arrive(store, arrivals, unknown=day >= size.days - 7, chance=chance)
        for shift, person in enumerate(_on_duty(day)):
            clock.at = morning + (9 + 3 * shift) * HOUR
            _work(store, person, truth, size.reviews_per_shift, chance)
    if size.study_batches:
        _study(store, truth, size, chance)
    clock.at = clock.begin + size.days * DAY
    _arrive(store, items[-size.waiting :], unknown=True, chance=chance)


def _gold(item: DemoItem) -> NewItem:
    """A test item, whose verdict is known."""
    return replace(item.new, scores=(), gold=VIOLATING if item.violates else BENIGN)


def _study(store: Store, truth: dict[str, bool], size: DemoSize, chance: random.Random) -> None:
    """A study of the prevalence: some batches are labelled, and one is under way."""
    lead, adjudicator = LEADS
    setup = StudySetup("Prevalence of violations", tuple(ANNOTATORS), (adjudicator,), CODEBOOK, per_item=2)
    design = StudyDesign(design="sequential", target={"within": STUDY_WITHIN}, seed=1)
    with store.write(lead) as ledger:
        study = open_study(ledger, setup, design)["study"]
    for number in range(1, size.study_batches + 1):
        with store.write(lead) as ledger:
            draw_batch(ledger, study, number)
        for person in (*ANNOTATORS, adjudicator):
            last = number == size.study_batches
            _label(store, study, person, truth, 0.4 if last else 1.0, chance)


def _label(store: Store, study: str, person: str, truth: dict[str, bool], share: float, chance: random.Random) -> None:
    """A share of what waits for a person in a study; those who adjudicate do not err."""
    tasks, errs = schema.study_tasks, ANNOTATORS.get(person, 0.0)
    waiting = sa.select(tasks.c.id, tasks.c.version, tasks.c.subject).where(
        tasks.c.study == study, tasks.c.person == person, tasks.c.state == WAITING
    )
    with store.write(person) as ledger:
        rows = ledger.connection.execute(waiting.order_by(tasks.c.batch, tasks.c.place)).all()
        for row in rows[: round(share * len(rows))]:
            ledger.at += chance.randrange(4, 25) * SECONDS
            answer = "yes" if truth[row.subject] != (chance.random() < errs) else "no"
            label_item(ledger, study, row.id, row.version, "cannot tell" if chance.random() < SKIPPED else answer)


class _Clock:
    """Set by whoever writes the history."""

    def __init__(self, begin: int) -> None:
        self.begin = self.at = begin

    def __call__(self) -> int:
        self.at += 1
        return self.at


def demo_items(number: int, chance: random.Random) -> list[DemoItem]:
    """Items of the community, in the order of their arrival."""
    made = community(4 * number, seed=chance.randrange(1 << 30))
    rows = made.items.join(made.truths.select("id", "violates"), on="id").sort("created")
    kept = [bool(violates) or chance.random() < BENIGN_KEPT for violates in rows["violates"]]
    rows = rows.filter(kept).head(number)
    columns = ("id", "text", "language", "community", "thread", "author", "model_a", "model_a_uncertainty")
    return [
        DemoItem(_new_item(*row[: len(columns)]), bool(row[-2]), int(row[-1]))
        for row in rows.select(*columns, "violates", "reports").iter_rows()
    ]


def _new_item(
    name: str, text: str, language: str, place: str, thread: str, author: str, score: float, doubt: float
) -> NewItem:
    scores = [NewScore("model_a", "demo", score, doubt)]
    return NewItem(name, text, language=language, community=place, thread=thread, author=author, scores=scores)


def _open(store: Store, size: DemoSize) -> None:
    """People and a policy."""
    roles = dict.fromkeys(MODERATORS, "moderator") | dict.fromkeys(LEADS, "lead")
    roles |= dict.fromkeys(ANNOTATORS, "annotator")
    for person, role in {**roles, "aud": "auditor", "platform": "service"}.items():
        perform(store, "invite", actor="system", person=person, role=role)
    policy = DeskPolicy.from_thresholds(
        upper=0.92, lower=0.12, strategy="uncertainty", capacity={QUEUE: 3 * size.reviews_per_shift},
        measured=0.45, reserved=DRAWN_SHARE, panel=0.1, second=0.03, gold=0.1, notice_weight=0.1, undo_seconds=300,
    )  # fmt: skip
    perform(store, "activate", actor=next(iter(LEADS)), policy=policy)


def _on_duty(day: int) -> Sequence[str]:
    """Three people in turns, of whom one is a lead every other day."""
    names, leads = tuple(MODERATORS), tuple(LEADS)
    third = leads[day // 2 % len(leads)] if day % 2 else names[(day + 2) % len(names)]
    return names[day % len(names)], names[(day + 1) % len(names)], third


def _arrive(store: Store, items: Sequence[DemoItem], *, unknown: bool, chance: random.Random) -> None:
    with store.write("platform") as ledger:
        known = [_unknown(item) if unknown and item.violates and chance.random() < 0.5 else item for item in items]
        answers = intake.receive(ledger, [item.new for item in known])
        for item, answer in zip(known, answers, strict=True):
            for _ in range(item.reports):
                intake.notice(ledger, answer["item"], chance.choice(REASONS))


def _unknown(item: DemoItem) -> DemoItem:
    new = item.new
    scores = [NewScore("model_a", "demo", score.score * NEW_WORDS, score.uncertainty) for score in new.scores]
    return replace(item, new=replace(new, scores=scores))


def _work(store: Store, person: str, truth: dict[str, bool], reviews: int, chance: random.Random) -> None:
    """A shift: a few claims as the desk makes them, which find test items and second reviews; the rest at once."""
    with store.write(person) as ledger:
        for _ in range(CLAIMED_SINGLY):
            if (view := queues.claim(ledger, QUEUE))["task"] is not None:
                ledger.flush()
                _judge(ledger, view["task"], view["version"], truth[view["external_id"]], chance)
            ledger.flush()
        drawn = round(DRAWN_SHARE * (reviews - CLAIMED_SINGLY))
        for purpose, number in ((MEASUREMENT, drawn), (REVIEW, reviews - CLAIMED_SINGLY - drawn)):
            _take(ledger, purpose, number, truth, chance)
            ledger.flush()


def _take(ledger: EventLedger, purpose: str, number: int, truth: dict[str, bool], chance: random.Random) -> None:
    """Claim and judge what comes first; places that the measurement has filled are counted as reached."""
    tasks, seen = schema.tasks, schema.seen
    known = sa.exists().where(seen.c.item == tasks.c.item, seen.c.person == ledger.actor)
    waiting = sa.select(tasks.c.id, tasks.c.item).where(tasks.c.state == WAITING, tasks.c.purpose == purpose)
    order = (tasks.c.first_key.desc(), tasks.c.opened_at, tasks.c.id)
    rows = ledger.connection.execute(waiting.where(tasks.c.virtual | ~known).order_by(*order).limit(number)).all()
    by_item = {case.item.id: case for case in ledger.cases(row.item for row in rows)}
    for row in rows:
        case = by_item[row.item]
        task = case.tasks[row.id]
        if task.virtual:
            ledger.record(case, ReviewReached(task=task.id))
            continue
        ledger.at += chance.randrange(8, 60) * SECONDS
        ledger.record(case, TaskClaimed(task=task.id, person=ledger.actor, until=ledger.at + HOUR))
        _judge(ledger, task.id, task.version, truth[case.item.external_id], chance)


def _judge(ledger: EventLedger, task: str, version: int, violates: bool, chance: random.Random) -> None:
    ledger.at += chance.randrange(3, 30) * SECONDS
    if chance.random() < SKIPPED:
        decisions.skip(ledger, task, version)
        return
    seen = violates != (chance.random() < {**MODERATORS, **LEADS}[ledger.actor])
    decisions.decide(ledger, task, version, VIOLATING if seen else BENIGN)
