"""A plan in a file: what is read is what was written, and nothing that was altered is read."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from evenhand.errors import InputError
from evenhand.sampling.cells import Counting
from evenhand.sampling.clusters import ClusterDraw
from evenhand.sampling.designs import Adaptive, Done, Random
from evenhand.sampling.plan import AnyDesign, Clusters, ItemsFile, Measurement, Part, Plan, Pool, Round, design_named
from evenhand.sampling.sequential import Sequential, draw_next
from evenhand.sampling.storage import as_json, check_free, from_json, read_plan, seal_of, write_plan
from evenhand.sampling.stratifying import Stratified


def made(design: AnyDesign) -> Plan:
    counting = Counting()
    rng = np.random.default_rng(2)
    counting.add(rng.random(400), rng.integers(0, 2, 400))
    pool = Pool("all", 400, 60, clusters=30) if isinstance(design, Clusters) else Pool("all", 400, 60, counting.cells())
    what = Measurement("illegal content", "rules 3", "visible", "January", "prevalence")
    file = ItemsFile("items.csv", "ab" * 32, 400)
    return Plan(what, file, {"id": "id", "by": ["language"]}, ("de", "en"), design, (pool,), 0.9, 7, {"within": 0.2})


def drawn(plan: Plan) -> Plan:
    pool, rng = plan.pools[0], plan.generator(0, 0)
    if isinstance(plan.design, Clusters):
        one: object = ClusterDraw(np.arange(6), np.array([0, 0, 1, 1, 2, 2]), 3, 30)
        ids = tuple("abcdef")
    elif isinstance(plan.design, Sequential):
        one = draw_next(pool.frame, [], 25, rng, plan.design)
        ids = tuple(map(str, range(25)))
    else:
        one = plan.design.draw(pool.frame, Done(), pool.labels, rng)
        ids = tuple(map(str, range(60)))
    return plan.with_round(Round((Part("all", ids, one),), (3, "cd" * 32)))


DESIGNS = [Adaptive(), Random(), Stratified("equal-width", 3, "equal"), Stratified(None), Sequential(0.3), Clusters()]


@pytest.mark.parametrize("design", DESIGNS, ids=lambda d: type(d).__name__)
def test_what_is_read_is_what_was_written(design: AnyDesign, tmp_path: Path) -> None:
    plan = drawn(drawn(made(design)))
    write_plan(plan, tmp_path / "plan.json")
    again = read_plan(tmp_path / "plan.json")
    assert as_json(again) == as_json(plan)
    assert again.design == plan.design
    assert seal_of(again) == seal_of(made(design))  # batches do not change what estimates refer to
    assert again.rounds[1].ids == plan.rounds[1].ids
    assert [path.name for path in tmp_path.iterdir()] == ["plan.json"]


def test_it_is_readable() -> None:
    text = as_json(drawn(made(Adaptive())))
    assert '"ground_truth": "illegal content"' in text
    assert max(map(len, text.splitlines())) < 20_000
    assert len(text.splitlines()) < 150
    json.loads(text)


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ('"seed": 7', '"seed": 8', "the plan was altered"),
        ('"codebook": "rules 3"', '"codebook": "rules 4"', "the plan was altered"),
        ('"labels": 60,', '"labels": 61,', "the plan was altered"),
        ('"floor": 0.3,', '"floor": 0.4,', "batch 1 of the plan was altered"),
        ('"labels": 3,', '"labels": 4,', "batch 1 of the plan was altered"),
        ('"format": 1', '"format": 2', "another version"),
        ('"kind": "evenhand sampling plan"', '"kind": "list"', "no sampling plan"),
        ("{", "[", "not JSON"),
    ],
)
def test_what_was_altered_is_refused(old: str, new: str, what: str) -> None:
    text = as_json(drawn(made(Adaptive())))
    assert old in text
    with pytest.raises(InputError, match=what):
        from_json(text.replace(old, new, 1))


def test_batches_cannot_be_left_out_or_swapped() -> None:
    content = json.loads(as_json(drawn(drawn(made(Adaptive())))))
    content["batches"] = content["batches"][1:]
    with pytest.raises(InputError, match="batch 1 of the plan was altered"):
        from_json(json.dumps(content))


def test_a_plan_at_work_is_not_written_over(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    check_free(path)
    write_plan(made(Random()), path)
    check_free(path)
    write_plan(drawn(made(Random())), path)
    with pytest.raises(InputError, match="at work"):
        check_free(path)
    path.write_text("id,label\n")
    with pytest.raises(InputError, match="another file"):
        check_free(path)


def test_unknown_designs_are_refused() -> None:
    with pytest.raises(InputError, match=re.escape("did you mean 'random'?")):
        design_named("randem", {})
