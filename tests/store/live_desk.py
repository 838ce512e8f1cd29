"""A desk with two weeks of history that every audit can be asked of: two languages, two models' worth of error, twelve
reviewers in two roles, and verdicts of two people on many items."""

from __future__ import annotations

import random
from pathlib import Path

from evenhand.store import NewItem, NewScore, decisions, intake, queues
from evenhand.store.cases import BENIGN, UNCLEAR, VIOLATING
from evenhand.store.erasure import DAY
from store.desks import Desk, sqlite_desk

POLICY = {"upper": 0.9, "lower": 0.15, "measured": 0.6, "reserved": 0.7, "second": 0.6}
LEADS, MODERATORS = [f"lead{n}" for n in range(6)], [f"mod{n}" for n in range(6)]
PER_WEEK, WAITING = 110, 8


def live_desk(folder: Path, name: str = "desk.db") -> Desk:
    """In a file."""
    desk = sqlite_desk(folder, name, **POLICY)
    write_history(desk)
    return desk


def write_history(desk: Desk, *, weeks: int = 2, per_week: int = PER_WEEK, seed: int = 0) -> None:
    """Arrivals on the first day of each week, reviewed on the next; the last items wait."""
    chance = random.Random(seed)
    for person, role in {**dict.fromkeys(LEADS, "lead"), **dict.fromkeys(MODERATORS, "moderator")}.items():
        desk.do("invite", person=person, role=role)
    begin = desk.clock.at
    for week in range(weeks):
        desk.clock.at = begin + 7 * week * DAY
        truth = arrive(desk, per_week, f"w{week}-", chance)
        desk.clock.at += DAY
        for number in range(3 * per_week):
            if not judge_next(desk, (LEADS + MODERATORS)[number % 12], truth, chance):
                break
    desk.clock.at = begin + 7 * weeks * DAY
    arrive(desk, WAITING, "new-", chance)


def arrive(desk: Desk, number: int, prefix: str, chance: random.Random) -> dict[str, bool]:
    """Items with scores that say something; whether each violates."""
    items, truth = [], {}
    for place in range(number):
        name, violates = f"{prefix}{place}", chance.random() < 0.35
        score = min(max(chance.gauss(0.7 if violates else 0.3, 0.22), 0.01), 0.99)
        truth[name] = violates
        items.append(
            NewItem(
                name, f"text of {name}", author=f"a{chance.randrange(40)}", language=chance.choice(("en", "en", "de")),
                community=chance.choice(("games", "news")), scores=[NewScore("m", "1", score, 0.25)],
            )
        )  # fmt: skip
    with desk.store.write("io") as ledger:
        intake.receive(ledger, items)
    return truth


def judge_next(desk: Desk, person: str, truth: dict[str, bool], chance: random.Random) -> bool:
    """Claim and decide: leads see a little more violations than moderators do."""
    with desk.store.write(person) as ledger:
        view = queues.claim(ledger, "review")
        if view["task"] is None:
            return False
        ledger.flush()
        seen = truth[view["external_id"]] != (chance.random() < (0.12 if person in LEADS else 0.05))
        verdict = UNCLEAR if chance.random() < 0.02 else VIOLATING if seen else BENIGN
        decisions.decide(ledger, view["task"], view["version"], verdict)
    return True
