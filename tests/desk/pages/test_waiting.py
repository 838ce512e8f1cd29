"""What a verdict and the next item cost does not depend on how many items wait (10 s)."""

from __future__ import annotations

import statistics
import time
from pathlib import Path

import pytest
from benchmarks.ours.review import TICKET
from benchmarks.waiting_desk import REVIEWER, fill_desk

from desk.desks import CHEAP, TestDesk
from desk.pages.browsers import Browser
from evenhand.desk.app import create_desk
from evenhand.desk.passwords import PasswordKeeper
from evenhand.service.settings import ServiceSettings
from service.fakes import fake_model
from store.desks import Desk

pytestmark = pytest.mark.verify
FEW, MANY, VERDICTS = 300, 30_000, 40
AS_MUCH = 1.5


def waiting_desk(folder: Path, waiting: int) -> TestDesk:
    folder.mkdir()
    passwords = PasswordKeeper(CHEAP)
    store = fill_desk(folder / "desk.db", waiting, passwords=passwords)
    settings = ServiceSettings(token_file=folder / "tokens.json")
    app = create_desk(store, settings, models={"fake": fake_model()}, passwords=passwords)
    return TestDesk(Desk(store), app, {})


class Reviewer:
    """Gives one verdict after the other, as the review page with scripts does."""

    def __init__(self, desk: TestDesk) -> None:
        self.browser = Browser(desk, REVIEWER)
        page = self.browser.get("/queue")
        self.fields = page.form("review")
        self.current, self.following = (ticket.decode() for ticket in TICKET.findall(page.html.encode()))

    def decide(self) -> float:
        """Seconds of a core."""
        fields = {**self.fields, "ticket": self.current, "showing": self.following, "do": "leave", "part": "1"}
        begun = time.process_time()
        page = self.browser.send("/queue", 200, **fields)
        seconds = time.process_time() - begun
        self.current = self.following
        (self.following,) = (ticket.decode() for ticket in TICKET.findall(page.html.encode()))
        return seconds


def test_a_hundred_times_as_many_waiting_items_cost_the_same(tmp_path: Path) -> None:
    desks = [waiting_desk(tmp_path / str(number), number) for number in (FEW, MANY)]
    few, many = map(Reviewer, desks)
    turns = [(few.decide(), many.decide()) for _ in range(VERDICTS)]
    medians = [statistics.median(side) for side in zip(*turns, strict=True)]
    assert medians[1] <= AS_MUCH * medians[0], medians
    for desk in desks:
        desk.store.close()
