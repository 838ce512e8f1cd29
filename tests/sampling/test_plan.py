"""What a plan knows about itself: its pools, the sizes of its batches, and what was drawn."""

from __future__ import annotations

import numpy as np
import pytest

from evenhand.errors import InputError
from evenhand.sampling import plan as plans
from evenhand.sampling.cells import Counting
from evenhand.sampling.clusters import ClusterDraw
from evenhand.sampling.designs import Adaptive, Done, Random
from evenhand.sampling.plan import AnyDesign, Clusters, ItemsFile, Measurement, Part, Plan, Pool, Round, name_of
from evenhand.sampling.sequential import Sequential
from evenhand.sampling.stratifying import Stratified


def pool(name: str, labels: int = 60) -> Pool:
    counting = Counting()
    counting.add(np.random.default_rng(2).random(400), np.zeros(400, dtype=np.int64))
    return Pool(name, 400, labels, counting.cells())


def plan(design: AnyDesign) -> Plan:
    what = Measurement("illegal content", "rules 3", "visible", "January", "prevalence")
    pools = (pool(plans.REMOVED), pool(plans.VISIBLE, 90))
    return Plan(what, ItemsFile("items.csv", "ab" * 32, 800), {}, (), design, pools, 0.9, 7)


def test_pools_have_the_names_that_files_hold() -> None:
    assert (plans.REMOVED, plans.VISIBLE, plans.ALL) == ("removed", "visible", "all")
    assert plan(Random()).pool("visible").labels == 90
    assert plan(Random()).pool("removed").labels == 60


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
    assert Pool("all", items, labels, clusters=clusters).wanted == wanted


def test_sizes_of_batches_and_designs_on_cells() -> None:
    for design in (Random(), Stratified(), Adaptive(), Stratified(allocation="pilot", pilot=4)):
        known = plan(design)
        assert known.on_cells is design
        assert known.sizes(known.pools[1]) == design.sizes(known.pools[1].frame, 90)
        assert sum(known.sizes(known.pools[1])) == 90
    for design in (Sequential(), Clusters()):
        assert plan(design).sizes(pool("all")) == (60,)
        with pytest.raises(InputError) as raised:
            _ = plan(design).on_cells
        assert str(raised.value) == "this design draws no strata"
    with pytest.raises(InputError) as raised:
        _ = Pool("all", 400, 60, clusters=30).counted
    assert str(raised.value) == "a plan by clusters has no cells"


def test_places_are_those_of_the_draw() -> None:
    one = pool("all")
    batch = Random().draw(one.frame, Done(), 20, np.random.default_rng(1))
    np.testing.assert_array_equal(Part("all", (), batch).places, batch.places)
    threads = ClusterDraw(np.array([3, 4, 9]), np.array([0, 0, 1]), 2, 30)
    np.testing.assert_array_equal(Part("all", (), threads).places, [3, 4, 9])
    drawn = Round((Part("removed", ("a", "b"), batch), Part("visible", ("b", "c"), batch)))
    assert drawn.ids == ("a", "b", "c")


def test_each_batch_of_each_pool_has_a_generator_of_its_own() -> None:
    known = plan(Random())
    first = {(n, p): known.generator(n, p).integers(0, 1 << 40) for n in range(3) for p in range(2)}
    assert len(set(first.values())) == 6
    assert first[1, 1] == known.generator(1, 1).integers(0, 1 << 40)


@pytest.mark.parametrize(
    ("design", "name"),
    [
        (Adaptive(), "score-driven"),
        (Random(), "random"),
        (Stratified(), "stratified"),
        (Clusters(), "clusters"),
        (Sequential(), "sequential"),
    ],
)
def test_designs_are_called_as_on_the_command_line(design: AnyDesign, name: str) -> None:
    assert name_of(design) == name
