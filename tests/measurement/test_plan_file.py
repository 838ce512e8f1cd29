"""A plan in a file: what is read is what was written, and nothing that was altered is read."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from evenhand.errors import InputError
from evenhand.measurement.plan import DrawnPart, Measurement, PlanPool, PlanRound, PopulationFile, SamplingPlan
from evenhand.measurement.plan_file import check_plan_path, plan_as_json, plan_from_json, read_plan, seal_of, write_plan
from evenhand.sampling.clusters import ClusterDesign, ClusterDraw
from evenhand.sampling.design import DrawnSoFar, SamplingDesign
from evenhand.sampling.designs import design_named
from evenhand.sampling.frame import CellCounter
from evenhand.sampling.score_driven import ScoreDrivenDesign
from evenhand.sampling.sequential import SequentialDesign, draw_sequential
from evenhand.sampling.simple_random import RandomDesign
from evenhand.sampling.stratified import StratifiedDesign
from sampling.made import SCORE


def made(design: SamplingDesign) -> SamplingPlan:
    counting = CellCounter()
    rng = np.random.default_rng(2)
    counting.add(rng.random(400), rng.integers(0, 2, 400))
    pool = (
        PlanPool("all", 400, 60, clusters=30)
        if isinstance(design, ClusterDesign)
        else PlanPool("all", 400, 60, counting.cells())
    )
    what = Measurement("illegal content", "rules 3", "visible", "January", "prevalence")
    file = PopulationFile("items.csv", "ab" * 32, 400)
    return SamplingPlan(
        what, file, {"id": "id", "by": ["language"]}, ("de", "en"), design, (pool,), 0.9, 7, {"within": 0.2}
    )


def drawn(plan: SamplingPlan) -> SamplingPlan:
    pool, rng = plan.pools[0], plan.generator(0, 0)
    if isinstance(plan.design, ClusterDesign):
        one: object = ClusterDraw(np.arange(6), np.array([0, 0, 1, 1, 2, 2]), 3, 30)
        ids = tuple("abcdef")
    elif isinstance(plan.design, SequentialDesign):
        one = draw_sequential(pool.frame, [], 25, rng, plan.design)
        ids = tuple(map(str, range(25)))
    else:
        one = plan.design.draw(pool.frame, DrawnSoFar(), pool.labels, rng)
        ids = tuple(map(str, range(60)))
    return plan.with_round(PlanRound((DrawnPart("all", ids, one),), (3, "cd" * 32)))


DESIGNS = [
    ScoreDrivenDesign(),
    RandomDesign(),
    StratifiedDesign("equal-width", 3, "equal"),
    StratifiedDesign(None),
    SequentialDesign(0.3),
    ClusterDesign(),
]


@pytest.mark.parametrize("design", DESIGNS, ids=lambda d: type(d).__name__)
def test_what_is_read_is_what_was_written(design: SamplingDesign, tmp_path: Path) -> None:
    plan = drawn(drawn(made(design)))
    write_plan(plan, tmp_path / "plan.json")
    again = read_plan(tmp_path / "plan.json")
    assert plan_as_json(again) == plan_as_json(plan)
    assert again.design == plan.design
    assert seal_of(again) == seal_of(made(design))  # batches do not change what estimates refer to
    assert again.rounds[1].ids == plan.rounds[1].ids
    assert [path.name for path in tmp_path.iterdir()] == ["plan.json"]


def test_it_is_readable() -> None:
    text = plan_as_json(drawn(made(ScoreDrivenDesign())))
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
        ('"floor": 0.5,', '"floor": 0.6,', "batch 1 of the plan was altered"),
        ('"number": 1', '"number": 2', "batch 1 of the plan was altered"),
        ('"labels": 3,', '"labels": 4,', "batch 1 of the plan was altered"),
        ('"format": 1', '"format": 2', "another version"),
        ('"kind": "evenhand sampling plan"', '"kind": "list"', "not a sampling plan"),
        ("{", "[", "not JSON"),
    ],
)
def test_what_was_altered_is_refused(old: str, new: str, what: str) -> None:
    text = plan_as_json(drawn(made(ScoreDrivenDesign())))
    assert old in text
    with pytest.raises(InputError, match=what):
        plan_from_json(text.replace(old, new, 1))


def test_batches_cannot_be_left_out_or_swapped() -> None:
    content = json.loads(plan_as_json(drawn(drawn(made(ScoreDrivenDesign())))))
    first, second = content["batches"]
    for batches in ([second], [second, first], [first], [], [first, second, second]):
        with pytest.raises(InputError, match="batches of the plan are missing, or were added or altered"):
            plan_from_json(json.dumps({**content, "batches": batches}))


def test_nor_can_the_seal_that_covers_them() -> None:
    content = json.loads(plan_as_json(drawn(drawn(made(ScoreDrivenDesign())))))
    del content["batches_seal"]
    for batches in (content["batches"], content["batches"][:1]):
        with pytest.raises(InputError, match="batches of the plan are missing"):
            plan_from_json(json.dumps({**content, "batches": batches}))


def test_a_plan_of_an_earlier_version_opens_and_is_sealed_with_the_next_batch() -> None:
    old = Path(__file__).parents[1] / "guard" / "files" / "plan.json"
    assert "batches_seal" not in old.read_text(encoding="utf-8")
    plan = read_plan(old)
    assert len(plan.rounds) == 2
    again = json.loads(plan_as_json(plan))
    assert [batch["number"] for batch in again["batches"]] == [1, 2]
    assert again["seal"] == json.loads(old.read_text(encoding="utf-8"))["seal"]
    with pytest.raises(InputError, match="batches of the plan are missing"):
        plan_from_json(json.dumps({**again, "batches": again["batches"][:1]}))


def test_a_plan_at_work_is_not_written_over(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    check_plan_path(path)
    write_plan(made(RandomDesign()), path)
    check_plan_path(path)
    write_plan(drawn(made(RandomDesign())), path)
    with pytest.raises(InputError, match="have been drawn with this plan"):
        check_plan_path(path)
    path.write_text("id,label\n")
    with pytest.raises(InputError, match="another file"):
        check_plan_path(path)


def test_unknown_designs_are_refused() -> None:
    with pytest.raises(InputError, match=re.escape("did you mean 'random'?")):
        design_named("randem", {})


def test_the_file_of_a_plan_holds_what_a_reader_needs(tmp_path) -> None:
    counting = CellCounter()
    counting.add(SCORE, None)
    pool = PlanPool("all", 600, 60, counting.cells())
    what = Measurement("illegal content", "rules 3", "visible", "January", "prevalence")
    plan = SamplingPlan(what, PopulationFile("items.csv", "ab" * 32, 600), {}, (), ScoreDrivenDesign(), (pool,), 0.9, 7)
    batch = ScoreDrivenDesign().draw(pool.frame, DrawnSoFar(), 60, plan.generator(0, 0))
    ids = tuple(map(str, batch.places))
    text = plan_as_json(plan.with_round(PlanRound((DrawnPart("all", ids, batch),))))
    (part,) = json.loads(text)["batches"][0]["parts"]
    assert sorted(part) == ["floor", "items", "pool", "recalibration", "strata"]
    assert sorted(part["items"]) == ["expected", "id", "inclusion", "place", "stratum"]
    assert sorted(part["strata"]) == ["expected", "first_cell", "items", "labels"]
    assert part["items"]["inclusion"] == batch.draw.inclusion.tolist()
    again = plan_from_json(text)
    (found,) = again.rounds[0].parts
    np.testing.assert_array_equal(found.drawn.draw.rows, batch.places)
    np.testing.assert_array_equal(found.drawn.draw.weights, batch.draw.weights)
    np.testing.assert_array_equal(again.pools[0].counted.groups, 0)
    (tmp_path / "picture.json").write_bytes(b"\xff\xd8")
    with pytest.raises(InputError) as raised:
        read_plan(tmp_path / "picture.json")
    assert str(raised.value) == f"{tmp_path / 'picture.json'}: not JSON, so not a plan"
