"""Exported inclusion probabilities are those with which a judgement stands for others: draw times share reached."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from evenhand.store import events as ev
from evenhand.store.cases import REVIEW
from evenhand.store.exporting import export
from evenhand.store.intake import open_task
from store.desks import Desk, sqlite_desk


def judged(desk: Desk, folder: Path) -> pl.DataFrame:
    export(desk.store, folder / "out")
    return pl.read_parquet(folder / "out" / "judgements.parquet")


def measure(desk: Desk, number: int) -> None:
    for _ in range(number):
        view = desk.do("claim", "ana", queue="review")
        verdict = "violating" if float(view["text"].split()[2]) >= 0.97 else "benign"
        desk.do("decide", "ana", task=view["task"], version=view["version"], verdict=verdict)


def test_drawn_items_stand_also_for_those_that_were_not_reached(tmp_path: Path) -> None:
    """Twelve removed unseen, all drawn with 0.8; of these only four are judged."""
    desk = sqlite_desk(tmp_path, measured=0.8, reserved=1.0, second=0.0, panel=0.0)
    items = desk.receive(*[0.95] * 40)
    drawn = [item for item in items if desk.row(item).drawn]
    measure(desk, 4)
    rows = judged(desk, tmp_path)
    assert rows["inclusion_prob"].to_list() == pytest.approx([0.8 * 4 / len(drawn)] * 4)
    assert rows["weight"].sum() == pytest.approx(40, rel=0.25)  # the draw alone would have said 5


def test_each_week_has_its_own_share(tmp_path: Path) -> None:
    desk = sqlite_desk(tmp_path, measured=1.0, reserved=1.0, second=0.0, panel=0.0)
    desk.receive(*[0.95] * 4, prefix="first")
    measure(desk, 4)
    desk.clock.pass_seconds(8 * 86_400)
    desk.receive(*[0.95] * 10, prefix="second")
    measure(desk, 5)
    rows = judged(desk, tmp_path).with_columns(week=pl.col("item_id").str.extract("([a-z]+)"))
    shares = dict(rows.group_by("week").agg(pl.col("inclusion_prob").mean()).iter_rows())
    assert shares == pytest.approx({"first": 1.0, "second": 0.5})


def test_what_was_judged_out_of_turn_stands_for_nothing_and_what_the_order_reached_for_itself(tmp_path: Path) -> None:
    desk = sqlite_desk(tmp_path, measured=1.0, reserved=1.0, second=0.0, panel=0.0)
    items = desk.receive(*[0.95] * 6)
    last = max(items, key=lambda item: desk.row(item).draw_order)
    view = desk.do("claim_item", "ana", item=last)
    desk.do("decide", "ana", task=view["task"], version=view["version"], verdict="benign")
    assert judged(desk, tmp_path)["inclusion_prob"].to_list() == [None]
    with desk.store.write() as ledger:  # the policy reviews one of them after all, and its order comes to it
        case = ledger.case(last)
        open_task(ledger, case, REVIEW, "review")
    with desk.store.write() as ledger:
        case = ledger.case(last)
        ledger.record(case, ev.ReviewReached(task=next(t.id for t in case.tasks.values() if t.purpose == REVIEW)))
    export(desk.store, tmp_path / "again")
    assert pl.read_parquet(tmp_path / "again" / "judgements.parquet")["inclusion_prob"].to_list() == [1.0]


def test_the_exported_weights_give_the_share_of_violations(tmp_path: Path) -> None:
    """Three quarters of the drawn items are never reached; of 400 removed unseen a tenth violates."""
    desk = sqlite_desk(tmp_path, measured=0.5, reserved=1.0, second=0.0, panel=0.0)
    rng = np.random.default_rng(3)
    desk.receive(*rng.choice([0.98, 0.95], 400, p=[0.1, 0.9]))
    measure(desk, 50)
    rows = judged(desk, tmp_path)
    assert rows["weight"].sum() == pytest.approx(400, rel=0.15)
    share = (rows["weight"] * rows["label_value"]).sum() / rows["weight"].sum()
    assert share == pytest.approx(0.1, abs=0.09)
