"""A policy is the routing's own objects with a version; a file that is not one is refused in a line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evenhand.errors import InputError
from evenhand.routing import ReviewPolicy, parse_strategy
from evenhand.store import DeskPolicy
from evenhand.store.cases import ItemState
from evenhand.store.policy import read_policy

QUEUES = {"german": {"language": ("de",)}, "forum": {"community": ("a", "b"), "language": ("en",)}}


def test_it_comes_back_from_a_file(tmp_path: Path) -> None:
    policy = DeskPolicy.from_thresholds(upper=0.9, lower=None, strategy="hybrid:0.3", queues=QUEUES, second=0.1)
    path = tmp_path / "policy.json"
    path.write_text(json.dumps(policy.to_dict()))
    assert read_policy(path) == policy
    path.write_text(json.dumps(policy.thresholds.to_dict()))
    assert read_policy(path).thresholds == policy.thresholds


def test_what_a_plan_wrote_routes_the_desk(tmp_path: Path) -> None:
    planned = ReviewPolicy(
        upper=0.9, strategy="below-threshold:0.9", capacity=960, items_per_day=40_000, measured_share=0.05
    )
    path = tmp_path / "policy.json"
    path.write_text(json.dumps(planned.to_dict()))
    policy = read_policy(path)
    assert (policy.thresholds.upper, policy.thresholds.lower) == (0.9, None)
    assert (policy.strategy, policy.capacity, policy.reserved) == (planned.strategy, {"review": 960}, 0.05)
    assert policy.measured == pytest.approx(0.05 * 960 / 40_000)
    assert [policy.thresholds.decide(score) for score in (0.95, 0.5)] == ["remove", "review"]
    path.write_text(json.dumps(planned.to_dict() | {"mode": "decide"}))
    with pytest.raises(InputError, match="does not review what the model has removed"):
        read_policy(path)


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "other"},
        {"thresholds": []},
        {"thresholds": {"kind": "evenhand-policy-1"}},
        {"strategy": "luck"},
        {"measured": 0.0},
        {"measured": "much"},
        {"measured_by": {"de": 2.0}},
        {"reserved": 1.5},
        {"lease_seconds": 10**12},
        {"lease_seconds": "long"},
        {"queues": [1]},
        {"queues": {"x": {"colour": ["red"]}}},
        {"unknown": 1},
    ],
    ids=lambda change: next(iter(change)),
)
def test_what_is_not_one_is_refused(change: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "policy.json"
    path.write_text(json.dumps(DeskPolicy.from_thresholds(upper=0.9, lower=0.1).to_dict() | change))
    with pytest.raises(InputError) as error:
        read_policy(path)
    assert str(error.value).startswith(str(path))
    assert len(str(error.value).splitlines()) == 1


def item(**more: Any) -> ItemState:
    return ItemState("i", "e", 0, **more)


def test_queues_and_probabilities_follow_what_is_known_at_arrival() -> None:
    policy = DeskPolicy.from_thresholds(upper=0.9, lower=0.1, queues=QUEUES, measured=0.1, measured_by={"de": 0.5})
    assert policy.queue_of(item(language="de", community="a")) == "german"
    assert policy.queue_of(item(language="en", community="b")) == "forum"
    assert policy.queue_of(item(language="en", community="c")) == "review"
    assert [policy.draw_probability(item(language=name)) for name in ("de", "en", None)] == [0.5, 0.1, 0.1]


def test_the_place_in_the_queue_is_that_of_the_strategy() -> None:
    for name in ("uncertainty", "toxicity", "column:spread:lower", "hybrid:0.5"):
        policy = DeskPolicy.from_thresholds(upper=0.9, lower=0.1, strategy=name)
        shares = parse_strategy(name).shares
        expected = [float(strategy.review_score([0.7], [0.2])[0]) for strategy, _ in shares]
        assert policy.keys_of(item(score=0.7), {"spread": 0.2}) == (expected[0], expected[-1])
    with pytest.raises(InputError, match="attribute 'spread'"):
        DeskPolicy.from_thresholds(upper=0.9, lower=0.1, strategy="column:spread").keys_of(item(score=0.7), {})
