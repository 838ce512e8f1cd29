"""What a plan knows about itself: its pools, the sizes of its batches, and what was drawn."""

from __future__ import annotations

import numpy as np
import pytest

from evenhand.errors import InputError
from evenhand.measurement import plan as plans
from evenhand.measurement.plan import DrawnPart, Measurement, PlanPool, PlanRound, PopulationFile, SamplingPlan
from evenhand.sampling.clusters import ClusterDesign, ClusterDraw
from evenhand.sampling.design import DrawnSoFar, SamplingDesign
from evenhand.sampling.frame import CellCounter
from evenhand.sampling.score_driven import ScoreDrivenDesign
from evenhand.sampling.sequential import SequentialDesign
from evenhand.sampling.simple_random import RandomDesign
from evenhand.sampling.stratified import StratifiedDesign


def pool(name: str, labels: int = 60) -> PlanPool:
    counting = CellCounter()
    counting.add(np.random.default_rng(2).random(400), np.zeros(400, dtype=np.int64))
    return PlanPool(name, 400, labels, counting.cells())


def plan(design: SamplingDesign) -> SamplingPlan:
    what = Measurement("illegal content", "rules 3", "visible", "January", "prevalence")
    pools = (pool(plans.REMOVED), pool(plans.VISIBLE, 90))
    return SamplingPlan(what, PopulationFile("items.csv", "ab" * 32, 800), {}, (), design, pools, 0.9, 7)


def test_pools_have_the_names_that_files_hold() -> None:
    assert (plans.REMOVED, plans.VISIBLE, plans.ALL) == ("removed", "visible", "all")
    assert plan(RandomDesign()).pool("visible").labels == 90
    assert plan(RandomDesign()).pool("removed").labels == 60


@pytest.mark.parametrize(
    ("items", "labels", "clusters", "wanted"),
    [
        (1000, 100, 50, 5),  # twenty items each
        (1000, 110, 50, 6),  # 5.5 is rounded to the even number
        (1000, 10, 50, 2),  # two at least: one says nothing about how they differ
        (1000, 1000, 50, 50),
        (100, 200, 8, 8),  # no more than there are
    ],
)
def test_clusters_hold_about_as_many_items_as_there_are_to_be_labels(items, labels, clusters, wanted) -> None:
    assert PlanPool("all", items, labels, clusters=clusters).wanted == wanted


def test_sizes_of_batches() -> None:
    for design in (
        RandomDesign(),
        StratifiedDesign(),
        ScoreDrivenDesign(),
        StratifiedDesign(allocation="pilot", pilot=4),
    ):
        known = plan(design)
        assert known.sizes(known.pools[1]) == design.sizes(known.pools[1].frame, 90)
        assert sum(known.sizes(known.pools[1])) == 90
    for design in (SequentialDesign(), ClusterDesign()):
        assert plan(design).sizes(pool("all")) == (60,)
    with pytest.raises(InputError) as raised:
        _ = PlanPool("all", 400, 60, clusters=30).counted
    assert str(raised.value) == "a cluster plan has no cells"


def test_places_are_those_of_the_draw() -> None:
    one = pool("all")
    batch = RandomDesign().draw(one.frame, DrawnSoFar(), 20, np.random.default_rng(1))
    np.testing.assert_array_equal(DrawnPart("all", (), batch).places, batch.places)
    threads = ClusterDraw(np.array([3, 4, 9]), np.array([0, 0, 1]), 2, 30)
    np.testing.assert_array_equal(DrawnPart("all", (), threads).places, [3, 4, 9])
    drawn = PlanRound((DrawnPart("removed", ("a", "b"), batch), DrawnPart("visible", ("b", "c"), batch)))
    assert drawn.ids == ("a", "b", "c")


def test_each_batch_of_each_pool_has_a_generator_of_its_own() -> None:
    known = plan(RandomDesign())
    first = {(n, p): known.generator(n, p).integers(0, 1 << 40) for n in range(3) for p in range(2)}
    assert len(set(first.values())) == 6
    assert first[1, 1] == known.generator(1, 1).integers(0, 1 << 40)


@pytest.mark.parametrize(
    ("design", "name"),
    [
        (ScoreDrivenDesign(), "score-driven"),
        (RandomDesign(), "random"),
        (StratifiedDesign(), "stratified"),
        (ClusterDesign(), "clusters"),
        (SequentialDesign(), "sequential"),
    ],
)
def test_designs_are_called_as_on_the_command_line(design: SamplingDesign, name: str) -> None:
    assert design.name == name


def test_a_plan_by_clusters_has_no_cells() -> None:
    with pytest.raises(InputError, match="a cluster plan has no cells"):
        _ = PlanPool("all", 10, 4, clusters=3).counted
