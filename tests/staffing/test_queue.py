"""Today's queue: exact capacity, an order that the policy gives, draws with the probabilities that are recorded."""

from __future__ import annotations

import json
import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from studies.queue import STUDY

from evenhand.errors import InputError
from evenhand.routing import Policy, ReviewPolicy
from evenhand.staffing import make_queue
from evenhand.staffing.queue import STRATUM_NAMES
from evenhand.staffing.queue_file import _sheet_order, read_policy

ORDERS = ["below-threshold:0.8", "toxicity", "uncertainty", "benefit:0.8:1:5", "hybrid:0.5"]


def policy(strategy: str = "below-threshold:0.8", upper: float | None = 0.8, **fields) -> ReviewPolicy:
    return ReviewPolicy(**{"upper": upper, "strategy": strategy, "capacity": 10.0, "items_per_day": 100.0, **fields})


@given(
    scores=st.lists(st.integers(0, 20), min_size=1, max_size=60),
    capacity=st.integers(0, 70),
    share=st.floats(0.0, 1.0),
    order=st.sampled_from(ORDERS),
    mode=st.sampled_from(["review", "decide"]),
    upper=st.sampled_from([None, 0.3, 0.8]),
    seed=st.integers(0, 5),
)
@settings(max_examples=50, deadline=None)
def test_what_holds_of_every_queue(scores, capacity, share, order, mode, upper, seed) -> None:
    p = np.array(scores) / 20.0
    plan = policy(order, upper, mode=mode)
    queue = make_queue(plan, p, capacity=capacity, measured_share=share, seed=seed)
    table = queue.columns("v1")
    assert len(table) == len(p)
    assert (table["action"] == "review").sum() == queue.reviews == min(capacity, len(p))
    for row, action in enumerate(table["action"]):
        unseen = "remove" if upper is not None and p[row] >= upper else "leave"
        assert table["otherwise"][row] == unseen
        assert action in ("review", unseen)
        assert (table["inclusion"][row] is None) == (action != "review")
    ranks = [rank for rank in table["rank"] if rank is not None]
    assert sorted(ranks) == list(range(1, len(ranks) + 1))
    assert len(ranks) == queue.reviews - queue.drawn.sum()
    drawn = pl.DataFrame({"stratum": queue.stratum, "drawn": queue.drawn}).filter("drawn").group_by("stratum").len()
    assert set(drawn["stratum"]) <= set(range(len(STRATUM_NAMES)))
    assert np.isclose((1.0 / queue.inclusion[queue.reviewed]).sum(), len(p)) or not queue.drawn.any()
    again = make_queue(plan, p, capacity=capacity, measured_share=share, seed=seed)
    assert again.columns("v1").equals(table)


@pytest.mark.parametrize("order", ORDERS[:4])
def test_reviews_are_the_best_by_the_strategy(order: str) -> None:
    p = np.random.default_rng(0).permutation(np.linspace(0.001, 0.999, 500))
    for mode in ("review", "decide"):
        plan = policy(order, mode=mode)
        queue = make_queue(plan, p, capacity=40, measured_share=0.0)
        score = plan.order.review_score(p)
        waiting = p < 0.8 if mode == "review" else np.ones(500, dtype=bool)
        expected = [row for row in np.argsort(-score, kind="stable") if waiting[row]][:40]
        assert score[np.argsort(np.where(queue.rank > 0, queue.rank, 10**6), kind="stable")[:40]].tolist() == (
            score[expected].tolist()
        )


def test_ties_at_the_boundary_are_drawn_by_lot() -> None:
    p, hits = np.full(20, 0.5), np.zeros(20)
    for seed in range(600):
        hits += make_queue(policy(), p, capacity=5, measured_share=0.0, seed=seed).reviewed
    assert abs(hits - 150).max() < 4 * math.sqrt(600 * 0.25 * 0.75)


def test_items_are_drawn_as_often_as_is_recorded() -> None:
    p = np.random.default_rng(1).beta(0.4, 1.0, 300)
    drawn, recorded = np.zeros(300), np.zeros(300)
    for seed in range(500):
        queue = make_queue(policy(), p, capacity=40, measured_share=0.5, seed=seed)
        drawn += queue.drawn
        recorded[queue.drawn] = queue.inclusion[queue.drawn]
    often, share = drawn / 500, recorded
    inside = share > 0.0
    spread = np.sqrt(share * (1.0 - share) / 500)
    assert (abs(often - share)[inside] <= 4.5 * spread[inside] + 1e-9).all()


def test_drawn_items_stand_in_random_places_of_the_sheet() -> None:
    p = np.random.default_rng(1).beta(0.4, 1.0, 300)
    queue = make_queue(policy(), p, capacity=40, measured_share=0.25)
    places = np.zeros(40)
    for seed in range(2000):
        order = _sheet_order(queue, np.random.default_rng(seed))
        assert sorted(order) == sorted(np.flatnonzero(queue.reviewed))
        own = queue.rank[order][~queue.drawn[order]]
        assert own.tolist() == sorted(own.tolist())
        places += queue.drawn[order]
    assert abs(places / 2000 - 0.25).max() < 4.5 * math.sqrt(0.25 * 0.75 / 2000)


def test_a_policy_of_two_thresholds_has_everything_between_them_reviewed(tmp_path) -> None:
    path = tmp_path / "policy.json"
    own = Policy(0.9, 0.2, None, None, delta=0.1, n=0, positives=0, data="")
    path.write_text(json.dumps(own.to_dict()))
    queue = make_queue(read_policy(path), np.array([0.95, 0.5, 0.3, 0.1]))
    assert queue.columns("m")["action"].to_list() == own.decisions([0.95, 0.5, 0.3, 0.1])


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"kind": "other"}, "not a policy: its kind"),
        ({"upper": "high"}, "`upper` is invalid"),
        ({"upper": 7}, "must be from 0 to 1"),
        ({"capacity": True}, "`capacity` is invalid"),
        ({"capacity": -1}, "invalid `capacity`"),
        ({"strategy": "guess"}, "there is no strategy 'guess'"),
        ({"mode": "x"}, "invalid `mode`"),
        ({"guarantee": []}, "`guarantee` is invalid"),
        ({"guarantee": {}}, "not a policy"),
        ({"score": 3}, "`score` is invalid"),
        ({"more": 1}, "not a policy: it must have"),
    ],
)
def test_files_that_are_no_policy(tmp_path, change: dict, says: str) -> None:
    path = tmp_path / "policy.json"
    path.write_text(json.dumps(policy().to_dict() | change))
    with pytest.raises(InputError, match=says) as error:
        read_policy(path)
    assert str(path) in str(error.value)
    assert "\n" not in str(error.value)


def test_a_policy_survives_json() -> None:
    own = policy(guarantee=Policy(0.8, None, 0.05, None, delta=0.1, n=9, positives=3, data="x"))
    assert ReviewPolicy.from_dict(json.loads(json.dumps(own.to_dict()))) == own
    assert own.version != policy().version


def test_days_of_the_committed_study() -> None:
    """1,000 days in each cell: unbiased up to the scatter of the simulation, coverage of at least 93.5 %."""
    rows = STUDY.read()
    assert {row["measure"] for row in rows} == {"prevalence", "recall"}
    assert STUDY.draws >= 1000
    for row in rows:
        assert row["coverage"] >= 0.935, row
        assert abs(row["bias"]) <= 3.0 * row["bias_error"], row


@pytest.mark.verify
def test_days_of_a_queue() -> None:
    (prevalence, recall) = STUDY.cell(0, 150)
    assert min(prevalence["coverage"], recall["coverage"]) >= 0.935 - 3.0 * math.sqrt(0.935 * 0.065 / 150)
    for row in (prevalence, recall):  # without its correction recall is 1 to 3 points too high
        assert abs(row["bias"]) <= 4.0 * row["bias_error"]
