"""Weeks as the store has them: the numbers are those of its items, and weeks with few violations are pooled."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from evenhand.errors import InputError
from evenhand.store.measured import REVIEWER
from evenhand.store.weeks import WEEK, measure_weeks
from store.desks import Desk, check, sqlite_desk


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """Two weeks of fifty items, all drawn and all judged by their score."""
    made = sqlite_desk(tmp_path_factory.mktemp("weeks"), measured=1.0, reserved=0.5, second=0.0, panel=1.0)
    made.store.chance = np.random.default_rng(5).random
    for week in range(2):
        made.receive(*(number / 25 for number in range(25)), prefix=f"w{week}-")
        for person in ("ana", "bo", "cy"):
            while (view := made.do("claim", person, queue="review"))["task"]:
                verdict = "violating" if float(view["text"].split()[2]) > 0.5 else "benign"
                made.do("decide", person, task=view["task"], version=view["version"], verdict=verdict)
        made.clock.pass_seconds(WEEK / 1_000_000)
    check(made.store)
    return made


def test_weeks_with_few_violations_are_pooled(desk: Desk) -> None:
    (answer,) = measure_weeks(desk.store)
    assert answer.weeks == 2
    assert len(answer.items.drawn) == 50
    assert "2 weeks pooled" in answer.lines(0.95)[0]


def test_everything_judged_gives_the_values_themselves(desk: Desk) -> None:
    """Violating is a score above a half: 12 of 25 a week, and reviewers and panel agree."""
    (answer,) = measure_weeks(desk.store)
    found = answer.items.estimates(REVIEWER)
    scores = np.arange(25) / 25
    removed = scores >= 0.9
    reached = 2 * int(((scores >= 0.1) & ~removed).sum())
    assert int(answer.items.reached.sum()) == reached
    assert found["prevalence"].value == pytest.approx(12 / 25)
    assert found["precision"].value == pytest.approx(1.0)
    assert found["recall"].value == pytest.approx(1.0)
    assert [record["slice"]["target"] for record in answer.records(0.95)] == ["reviewer"] * 3 + ["adjudicated"] * 3


def test_nothing_to_measure_is_said(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nothing to measure"):
        measure_weeks(sqlite_desk(tmp_path).store)
