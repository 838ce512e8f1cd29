"""Sampling piece by piece, from the definitions: grids, allocations, bets, sizes, draws, and the file of a plan."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from scipy import stats
from scipy.special import expit, logit

from evenhand.errors import InputError
from evenhand.intervals.survey import Figure, Sampled, score
from evenhand.sampling import allocation, effects, strata
from evenhand.sampling.adaptive import ScoreDriven, draw_batch, next_batch
from evenhand.sampling.batches import Labelled, learned
from evenhand.sampling.cells import EDGE, Cells, Counting, Grid, Search
from evenhand.sampling.clusters import ClusterDraw, draw_clusters
from evenhand.sampling.designs import Adaptive, Done, Random, by_labels
from evenhand.sampling.drawing import Draw, Ranges, stratified, without_replacement
from evenhand.sampling.estimation import Joined, difference_of_batches, of_batches
from evenhand.sampling.expectations import Expected, size_for, size_for_recall, split
from evenhand.sampling.frame import Frame
from evenhand.sampling.plan import ItemsFile, Measurement, Part, Plan, Pool, Round
from evenhand.sampling.sequential import Answered, Sequential, _chances, _Plan, draw_next, next_draws
from evenhand.sampling.simulation import Population, Simulated, Urns, coverage, holds, simulated
from evenhand.sampling.sizes import Parts, Size, random_size, size_of
from evenhand.sampling.storage import as_json, check_free, from_json, read_plan
from evenhand.sampling.stored_parts import part_of
from evenhand.sampling.strata import Strata
from evenhand.sampling.stratifying import Stratified
from evenhand.sampling.targets import Below, Variation, Width, Within

RNG = np.random.default_rng(8)
SCORE = RNG.beta(0.5, 3.0, 600)
LABEL = (RNG.random(600) < SCORE).astype(float)
GROUP = np.arange(600) % 3 // 2
FRAME = Frame.of(SCORE, by=Strata(GROUP, ("de", "en")))


def test_a_grid_has_equal_steps_of_the_logit() -> None:
    grid = Grid(8)  # each is nine logits wide
    heights = np.array([-35.9, -27.1, -26.9, -0.1, 0.1, 17.9, 26.9, 27.1, 35.0])
    steps, found = grid.places(np.concatenate((expit(heights), [0.0, 1.0])))
    assert steps.tolist() == [1, 1, 2, 4, 5, 6, 7, 8, 8, 0, 9]
    assert grid.width == 10
    assert found[-2:].tolist() == [-EDGE, EDGE]
    assert Counting(grid).grid is grid
    assert len(Frame.of(np.linspace(0.01, 0.99, 500), cells=4).sizes) == 2


def test_cells_remember_their_grid_and_ends_are_halves() -> None:
    counting = Counting(Grid(16))
    counting.add(np.array([0.0, 0.2, 0.6, 1.0]), None)
    cells = counting.cells()
    assert cells.grid.steps == 16
    assert cells.logits[[0, -1]] == pytest.approx(
        [logit(0.1), logit(0.8)], abs=1e-6
    )  # half of .2, halfway to 1 from .6
    one = Counting()
    one.add(np.array([0.0, 0.3, 1.0]), None)
    assert one.cells().logits[[0, -1]] == pytest.approx([logit(0.15), logit(0.65)], abs=1e-6)
    only = Counting()
    only.add(np.array([0.0, 1.0]), None)
    assert only.cells().logits == pytest.approx([logit(0.1), logit(0.9)], abs=1e-6)


def test_columns_of_cells_are_named() -> None:
    for wrong, said in (
        (([0], [1], [0], [0.0]), "column 'items', row 1: a whole number from 1 up is needed"),
        (([0.5], [1], [1], [0.0]), "column 'groups', row 1: a whole number from 0 up is needed"),
        (([0], [0.5], [1], [0.0]), "column 'steps', row 1: a whole number from 0 up is needed"),
        (([0], [99], [1], [0.0]), "column 'steps', row 1: there is no such step"),
        (([0, 0], [2, 1], [1, 1], [0.0, 0.0]), "column 'cells', row 2: cells are in order, each once"),
        (([0, 0], [1, 1], [1, 1], [0.0, 0.0]), "column 'cells', row 2: cells are in order, each once"),
        (([0], [1], [1], [np.nan]), "column 'logits', row 1: the value is missing or not finite"),
    ):
        with pytest.raises(InputError) as raised:
            Cells.of(*wrong, Grid(8))
        assert str(raised.value) == said
    search = Search(Cells.of([0], [9], [2], [0.0], Grid(8)), np.array([0]))
    with pytest.raises(InputError) as raised:
        search.add(np.array([0.0]), np.array([1]))  # the first step of a group that is not there
    assert str(raised.value) == "an item falls into a cell that held none when the plan was made"


def batches(design: Adaptive | Stratified, n: int) -> list[Labelled]:
    past: list[Labelled] = []
    gone = np.empty(0, dtype=np.int64)
    for _ in design.sizes(FRAME, n):
        batch = design.draw(FRAME, Done(past, gone), n, np.random.default_rng(len(past)))
        gone = np.append(gone, batch.places)
        past.append(Labelled(batch, LABEL[batch.draw.rows]))
    return past


def test_a_group_is_estimated_by_itself() -> None:
    past = batches(Adaptive(), 200)
    parts = by_labels(past)
    assert parts == pytest.approx([len(done.label) / 200 for done in past])
    for group in (None, 0, 1):
        ours = Adaptive().sampled(FRAME, past, group=group).figure()
        assert ours == of_batches(FRAME, past, parts, group=group).figure()
    values = [Adaptive().sampled(FRAME, past, group=g).figure().value for g in (None, 0, 1)]
    assert len(set(values)) == 3
    assert values[0] == pytest.approx(2 / 3 * values[1] + 1 / 3 * values[2], rel=1e-9)


@pytest.mark.parametrize("name", ["equal", "proportional", "optimal"])
def test_strata_get_labels_by_their_allocation(name: str) -> None:
    design = Stratified("quantile", 3, name)
    (done,) = batches(design, 90)
    counts, sizes = done.batch.draw.counts, done.batch.draw.sizes
    expected = {
        "equal": lambda: allocation.equal(90, sizes, least=2),
        "proportional": lambda: allocation.proportional(90, sizes, least=2),
        "optimal": lambda: allocation.optimal(90, sizes, np.sqrt((p := means(done, sizes)) * (1 - p)), least=2),
    }[name]()
    np.testing.assert_array_equal(counts, expected)
    if name == "equal":
        assert counts.tolist() == [15] * 6
    own = GROUP[done.batch.draw.rows] == 1
    found = design.sampled(FRAME, [done], group=1).figure()
    assert (found.n, found.hits) == (own.sum(), done.label[own].sum())


def means(done: Labelled, sizes: np.ndarray) -> np.ndarray:
    """The mean score of each stratum, by its cells."""
    firsts = done.batch.firsts
    return np.add.reduceat(FRAME.sizes * expit(FRAME.logits), firsts) / sizes


def test_settings_of_strata_are_named() -> None:
    for wrong, said in (
        (("halves", 8, "optimal"), "strata by score are quantile or equal-width, not 'halves'"),
        (("quantile", 8, "best"), "an allocation is proportional, equal, optimal, pilot, not 'best'"),
        (("quantile", 0, "equal"), "the number of strata must be a whole number from 1 up, not 0"),
        (("quantile", 2, "pilot", 1), "the pilot must be a whole number from 2 up, not 1"),
    ):
        with pytest.raises(InputError) as raised:
            Stratified(*wrong)
        assert str(raised.value) == said
    for wrong, said in (
        (lambda: strata.equal_width([0.1, 1.2], 2), "column 'score', row 2: a probability lies between 0 and 1"),
        (lambda: strata.quantile([0.1, np.nan], 2), "column 'score', row 2: the value is missing or not finite"),
        (lambda: strata.oracle([0.1, np.nan], [0, 1], 2), "column 'score', row 2: the value is missing or not finite"),
        (lambda: strata.oracle([0.1, 0.2], [0], 2), "column 'label': there are 1 values for 2 items"),
        (lambda: strata.equal_width([0.1], 0), "the number of strata must be a whole number from 1 up, not 0"),
        (lambda: strata.quantile([0.1, 0.2], 1).prevalences([1]), "column 'label': there are 1 values for 2 items"),
        (lambda: Urns.of(strata.quantile([0.1, 0.2], 1), [1]), "column 'label': there are 1 values for 2 items"),
        (
            lambda: stratified(strata.quantile([0.1], 1), [0], seed=0),
            "column 'counts', row 1: a whole number from 1 up is needed",
        ),
        (
            lambda: allocation.pilot_deviations([0.5], [0]),
            "column 'labelled', row 1: a whole number from 0 up is needed",
        ),
        (
            lambda: allocation.pilot_deviations([1], [0.5]),
            "column 'violating', row 1: a whole number from 0 up is needed",
        ),
        (lambda: of_batches(FRAME, [], [1.0]), "column 'weights': there are 1 values for 0 items"),
        (
            lambda: of_batches(FRAME, batches(Adaptive(), 100), [0.9]),
            "the weights of the batches must add up to 1",
        ),
    ):
        with pytest.raises(InputError) as raised:
            wrong()
        assert str(raised.value) == said


def test_bets_grow_as_the_formula_says() -> None:
    """Stake s gains s·d − s²·v/2 on average: most at d/v, and at the boldest stake where a reach forbids more."""
    free = _Plan(np.ones(1), variance=0.2, worst=1.0, reach=0.5)
    assert free.growth(0.1) == pytest.approx(0.1**2 / (2 * 0.2))
    bound = _Plan(np.ones(1), variance=0.01, worst=1.0, reach=4.0)
    stake = 0.9 / 4.0
    assert bound.growth(0.1) == pytest.approx(stake * 0.1 - 0.5 * stake**2 * 0.01)


def test_stakes_are_wary_at_first_and_learn() -> None:
    design = Sequential(floors=(0.5,))
    frame = Frame.of(SCORE)
    first = draw_next(frame, [], 60, np.random.default_rng(1), design)
    chance = _chances(frame, [])
    plan = _Plan.of(frame, chance, 0.5, design)
    mean = float(chance @ frame.sizes) / 600
    assert first.stake == pytest.approx(0.2 * mean / plan.worst)
    assert first.mean == pytest.approx(mean)
    past = [Answered.of(first, LABEL[first.rows])]
    later = draw_next(frame, past, 60, np.random.default_rng(2), design)
    chance = _chances(frame, past)
    plan = _Plan.of(frame, chance, 0.5, design)
    seen = float(first.values(past[0].label).mean())
    assert later.stake == pytest.approx(0.2 * max(seen, 0.1 * later.mean) / plan.variance)
    share = frame.sizes / 600
    assert float(share @ plan.density) == pytest.approx(1.0)
    assert plan.variance == pytest.approx(float(np.sum(share * chance * (1 - chance) / plan.density)))
    assert plan.worst == pytest.approx(float(np.sum(share * np.maximum(chance, 0.25) / plan.density)))
    best = max((0.3, 0.5, 0.8), key=lambda floor: _Plan.of(frame, chance, floor, design).growth(0.2 * seen))
    chosen = draw_next(frame, past, 5, np.random.default_rng(3), Sequential())
    assert chosen.high == pytest.approx(later.mean + _Plan.of(frame, chance, best, design).reach)


def test_errors_that_targets_allow() -> None:
    z = stats.norm.ppf(0.975)
    assert Within(0.2).error(0.1) == pytest.approx(0.02 / z)
    assert Variation(0.3).error(0.1) == pytest.approx(0.03)
    assert Width(0.04).error(0.1) == pytest.approx(0.02 / z)
    assert Below(0.05).error(0.01) == pytest.approx(0.04 / stats.norm.ppf(0.95))
    assert Below(0.05, level=0.9).error(0.0) == pytest.approx(0.05 / stats.norm.ppf(0.9))
    for wrong, said in (
        (Below(1.5), "the safe level must lie between 0 and 1, not 1.5"),
        (Below(0.1, level=1.0), "the level must lie between 0 and 1, not 1"),
        (Width(-1.0), "the width must be a number above 0, not -1"),
        (Within(-1.0), "the share must be a number above 0, not -1"),
        (Variation(0.0), "the coefficient of variation must be a number above 0, not 0"),
    ):
        with pytest.raises(InputError) as raised:
            wrong.error(0.05)
        assert str(raised.value) == said


def test_sizes_end_at_one_and_at_the_population() -> None:
    assert size_of(0.2, 10, error=0.1) == Size(1, 0.1, 10)
    assert size_of(0.2, None, error=0.1) == Size(1, 0.1)
    assert size_of(1e9, 10, error=0.1) == Size(10, 0.1, 10)
    assert size_of(40.0, 100, error=0.1).n == math.ceil(100 * 40 / 139)
    pool = Expected(0.1, 0.09, 500)
    error = Within(0.2).error(0.1)
    endless = size_for(pool, Within(0.2), corrected=False)
    assert endless.n == math.ceil(0.09 / error**2) == random_size(0.1, Within(0.2)).n
    assert size_for(pool, Within(0.2)).n == math.ceil(500 * (0.09 / error**2) / (0.09 / error**2 + 499))
    with pytest.raises(InputError) as raised:
        Parts.of([1, 1], [0.1, np.nan])
    assert str(raised.value) == "column 'prevalences', row 2: the value is missing or not finite"
    visible = Expected(0.001, 0.0009, 10**6)
    recall = 50 / 1050
    logits = Within(0.2).error(recall) / (recall * (1 - recall))
    both = (math.sqrt(0.09) / 0.1 + math.sqrt(0.0009) / 0.001) ** 2
    assert size_for_recall(pool, visible, Within(0.2)).n == math.ceil(both / logits**2)
    assert split(330, [pool, visible]) == (50, 280)  # in proportion it would be 30, and fifty are the fewest


def test_a_known_period_may_be_compared() -> None:
    found = effects.compare((0.1, 0.0), (0.2, 0.02))
    reach = stats.norm.ppf(0.975) * 0.02
    assert (found.difference, found.low, found.high) == pytest.approx((0.1, 0.1 - reach, 0.1 + reach))
    assert found.threshold == pytest.approx(reach)
    assert found.alarm
    for wrong, said in (
        (lambda: effects.size_for_effect(0.1, 0.0), "the effect must be a number above 0, not 0"),
        (lambda: effects.size_for_effect(0.0, 0.1), "the variance must be a number above 0, not 0"),
        (lambda: effects.detectable(0.0), "the standard error must be a number above 0, not 0"),
        (lambda: effects.detectable(0.1, rule=effects.Power(1.0)), "the power must lie between 0 and 1, not 1"),
    ):
        with pytest.raises(InputError) as raised:
            wrong()
        assert str(raised.value) == said


@pytest.mark.parametrize(
    ("labels", "sizes", "into"),
    [
        ([2, 2, 2], [9, 9, 9], [0, 1, 2]),
        ([2, 1, 2], [9, 9, 9], [0, 1, 1]),  # one label joins what comes after it
        ([2, 2, 1], [9, 9, 9], [0, 1, 1]),  # the last joins what is before it
        ([1, 1, 2], [9, 9, 9], [0, 0, 1]),
        ([0, 0, 2], [9, 9, 9], [0, 0, 0]),
        ([2, 2, 2, 0], [9, 9, 9, 9], [0, 1, 2, 2]),
        ([2, 1, 3], [9, 1, 9], [0, 1, 2]),  # all of it is labelled
        ([2, 1, 0], [9, 9, 9], [0, 0, 0]),
    ],
)
def test_strata_that_lack_labels_join_their_neighbours(labels: list, sizes: list, into: list) -> None:
    of = np.repeat(np.arange(len(labels)), labels)
    joined = Joined.of(Draw(of, of, np.array(sizes), np.array(labels)))
    assert joined.into.tolist() == into
    assert joined.sizes.tolist() == np.bincount(into, sizes).tolist()
    assert joined.drawn.tolist() == np.bincount(into, labels).tolist()
    assert joined.strata.tolist() == [into[s] for s in of]


def test_samples_of_urns_are_those_of_labels() -> None:
    urns = Urns(np.array([30, 20]), np.array([6, 10]))
    draws = urns.drawn(np.array([10, 5]), 20, np.random.default_rng(4))
    for found, hits in zip(draws.samples(), draws.hits, strict=True):
        label = np.concatenate([np.repeat([1, 0], [h, n - h]) for h, n in zip(hits, (10, 5), strict=True)])
        expected = Sampled.of(label, np.repeat([0, 1], [10, 5]), [30, 20])
        for name in ("shares", "counts", "means", "variances", "fractions", "hits"):
            np.testing.assert_allclose(getattr(found, name), getattr(expected, name), rtol=1e-12, err_msg=name)


def test_populations_many_times_over() -> None:
    small = Population.of(SCORE, LABEL)
    twice = Population.of(SCORE, LABEL, times=2)
    assert (len(small), len(twice), len(small.frame), len(twice.frame)) == (600, 1200, 600, 1200)
    np.testing.assert_array_equal(np.bincount(twice.frame.rows(np.arange(1200))), np.full(600, 2))
    assert small.endless().times == 50
    many = Population.of(np.tile(SCORE, 400), np.tile(LABEL, 400))  # 240,000 items: 21 times are enough
    assert many.endless().times == 21
    for wrong, said in (
        (lambda: Population.of([0.1], [1], times=0), "the times must be a whole number from 1 up, not 0"),
        (lambda: Population.of([0.1], [1, 0]), "column 'label': there are 2 values for 1 items"),
        (lambda: Population.of([1.1], [1]), "column 'score', row 1: a probability lies between 0 and 1"),
    ):
        with pytest.raises(InputError) as raised:
            wrong()
        assert str(raised.value) == said


def test_simulations_without_scatter_have_no_error() -> None:
    still = Simulated(np.full(10, 0.2), 50.0, 0.25)
    assert still.bias_in_errors == 0.0
    assert still.relative_bias == pytest.approx(-0.2)
    assert still.labels(0.01, level=0.9, least=7.0).value == 7.0
    values = np.array([0.1, 0.2, 0.3, 0.6])
    found = Simulated(values, 50.0, 0.25)
    assert found.bias_in_errors == pytest.approx((0.3 - 0.25) / values.std() * 2.0)
    reach = stats.norm.ppf(0.95) * values.std() / 2.0 / 0.25
    assert (found.bias(level=0.9).low, found.bias(level=0.9).high) == pytest.approx((0.2 - reach, 0.2 + reach))
    assert found.bias(level=0.9).method == simulated.METHOD == "monte_carlo"
    away = (values - 0.3) ** 2
    factor = math.exp(stats.norm.ppf(0.95) * away.std() / away.mean() / 2.0)
    need = 50.0 * values.var() / 0.1**2
    labels = found.labels(0.1, level=0.9)
    assert (labels.value, labels.low, labels.high) == pytest.approx((need, need / factor, need * factor))


def test_every_free_place_may_be_drawn_until_none_is_left() -> None:
    ranges, rng = Ranges(np.array([0, 6]), np.array([6, 9])), np.random.default_rng(5)
    places, of = without_replacement(ranges, np.array([6, 3]), rng)
    assert sorted(places.tolist()) == list(range(9))
    assert of.tolist() == [0] * 6 + [1] * 3
    places, _ = without_replacement(ranges, np.array([4, 0]), rng, taken=np.array([1, 3]))
    assert sorted(places.tolist()) == [0, 2, 4, 5]
    with pytest.raises(InputError) as raised:
        without_replacement(ranges, np.array([5, 0]), rng, taken=np.array([1, 3]))
    assert str(raised.value) == "a stratum has fewer items left than are to be drawn"


def test_the_file_of_a_plan_holds_what_a_reader_needs(tmp_path) -> None:
    counting = Counting()
    counting.add(SCORE, None)
    pool = Pool("all", 600, 60, counting.cells())
    what = Measurement("illegal content", "rules 3", "visible", "January", "prevalence")
    plan = Plan(what, ItemsFile("items.csv", "ab" * 32, 600), {}, (), Adaptive(), (pool,), 0.9, 7)
    batch = Adaptive().draw(pool.frame, Done(), 60, plan.generator(0, 0))
    ids = tuple(map(str, batch.places))
    text = as_json(plan.with_round(Round((Part("all", ids, batch),))))
    (part,) = json.loads(text)["batches"][0]["parts"]
    assert sorted(part) == ["floor", "items", "pool", "recalibration", "strata"]
    assert sorted(part["items"]) == ["expected", "id", "inclusion", "place", "stratum"]
    assert sorted(part["strata"]) == ["expected", "first_cell", "items", "labels"]
    assert part["items"]["inclusion"] == batch.draw.inclusion.tolist()
    again = from_json(text)
    (found,) = again.rounds[0].parts
    np.testing.assert_array_equal(found.drawn.draw.rows, batch.places)
    np.testing.assert_array_equal(found.drawn.draw.weights, batch.draw.weights)
    np.testing.assert_array_equal(again.pools[0].counted.groups, 0)
    (tmp_path / "picture.json").write_bytes(b"\xff\xd8")
    with pytest.raises(InputError) as raised:
        read_plan(tmp_path / "picture.json")
    assert str(raised.value) == f"{tmp_path / 'picture.json'}: this is not JSON, so no plan"


def test_estimates_of_one_batch_by_hand() -> None:
    """The stratified mean; or what is expected of all items, and the stratified mean of what labels say beyond it."""
    batch = draw_batch(FRAME, [], 100, np.random.default_rng(3), ScoreDriven())
    past = [Labelled(batch, LABEL[batch.draw.rows])]
    label, of, sizes = past[0].label, batch.draw.strata, batch.draw.sizes
    plain = sum(size * label[of == h].mean() for h, size in enumerate(sizes)) / 600
    beyond = sum(size * (label - batch.expected)[of == h].mean() for h, size in enumerate(sizes)) / 600
    assert of_batches(FRAME, past, [1.0]).figure().value == pytest.approx(plain, rel=1e-12)
    both = difference_of_batches(FRAME, past, [1.0])
    assert both.figure().value == pytest.approx(float(sizes @ batch.means) / 600 + beyond, rel=1e-12)
    residual = label - batch.expected
    assert both.variances == pytest.approx([residual[of == h].var(ddof=1) for h in range(len(sizes))])
    chance = learned(FRAME, batch.places, label).chance(FRAME.logits)
    ends = np.append(batch.firsts[1:], len(FRAME.sizes))
    model = [
        np.average((chance * (1 - chance))[a:b], weights=FRAME.sizes[a:b])
        for a, b in zip(batch.firsts, ends, strict=True)
    ]
    assert of_batches(FRAME, past, [1.0]).expected == pytest.approx(model, rel=1e-9)


def test_draws_lie_in_their_cells_and_a_batch_takes_no_more_than_its_part() -> None:
    score = np.repeat([0.02, 0.1, 0.3, 0.7], [3000, 500, 300, 200])
    frame = Frame.of(score)
    draws = draw_next(frame, [], 400, np.random.default_rng(1), Sequential())
    chance = _chances(frame, [])[frame.cell_of(draws.places)]
    expected = (draws.mean - draws.other) / (draws.violating - draws.other)
    assert expected == pytest.approx(chance)  # of the very cell that the place lies in
    assert len(np.unique(draws.places)) > 200
    first = draw_batch(frame, [], 400, np.random.default_rng(2), ScoreDriven())
    past = [Labelled(first, (np.arange(400) % 9 == 0).astype(float))]
    later = draw_batch(frame, past, 200, np.random.default_rng(3), ScoreDriven()).draw
    assert (later.counts <= np.maximum(np.floor(later.sizes / 3), ScoreDriven().each)).all()
    assert later.counts.sum() == 200


def test_small_things_that_numbers_rest_on() -> None:
    assert Grid(8).places(np.array([1.0 - 1.2e-16]))[0].tolist() == [8]
    assert size_for(Expected(0.1, 0.09, 500), Within(0.2)).error == Within(0.2).error(0.1)
    assert Population(SCORE, LABEL, FRAME).times == 1
    found = Simulated(np.array([0.1, 0.2, 0.3, 0.6]), 50.0, 0.25)
    assert found.labels(0.1, level=0.9, items=100).value == pytest.approx(found.needed(0.1, items=100))
    assert found.needed(0.1, items=100) < found.needed(0.1)
    for wrong, said in (
        (
            lambda: stratified(strata.quantile([0.1, 0.2, 0.3], 2), [1, 9], seed=0),
            "'score 0.2 to highest' has 2 items, fewer than the 9 wanted",
        ),
        (
            lambda: draw_batch(FRAME, [], 601, RNG, ScoreDriven()),
            "601 labels are more than the 600 items that are left: label all of them, a census",
        ),
        (lambda: next_draws(FRAME, [], 1, seed=-1), "the seed must be a whole number from 0 up, not -1"),
        (lambda: next_batch(FRAME, [], 99, seed=-1), "the seed must be a whole number from 0 up, not -1"),
        (lambda: allocation.proportional(2, [3, 0]), "column 'sizes', row 2: a whole number from 1 up is needed"),
        (lambda: allocation.pilot_deviations([1, 1], [0]), "column 'violating': there are 1 values for 2 items"),
        (lambda: Cells.of([0], [1], [1], [0.0, 1.0], Grid(8)), "column 'logits': there are 2 values for 1 items"),
        (
            lambda: Frame.of([0.1, 0.2], by=Strata(np.array([0]), ("de",))),
            "column 'strata': there are 1 values for 2 items",
        ),
        (lambda: Strata.of([-1], ["de"]), "column 'strata', row 1: a whole number from 0 up is needed"),
        (lambda: strata.oracle([0.1], [0], 0), "the number of strata must be a whole number from 1 up, not 0"),
    ):
        with pytest.raises(InputError) as raised:
            wrong()
        assert str(raised.value) == said
    assert draw_clusters([1, 1, 2, 3], 2, seed=0).drawn == 2


def test_the_file_of_a_draw_of_clusters(tmp_path) -> None:
    drawn = ClusterDraw(np.array([3, 4, 9]), np.array([0, 0, 1]), 2, 8)
    content = part_of(Part("all", ("a", "b", "c"), drawn))
    assert content["items"] == {"id": ["a", "b", "c"], "row": [3, 4, 9], "cluster": [0, 0, 1], "inclusion": [0.25] * 3}
    assert content["clusters"] == {"drawn": 2, "total": 8}
    (tmp_path / "other.json").write_text("{}")
    with pytest.raises(InputError) as raised:
        check_free(tmp_path / "other.json")
    said = "this is another file already: choose another name for the plan"
    assert str(raised.value) == f"{tmp_path / 'other.json'}: {said}"


def test_ends_of_intervals_hold_and_one_label_says_nothing() -> None:
    figure = Figure(0.2, 0.001, np.inf, 100, 20.0, 0.01)
    low, high = score(figure, 0.95)
    for way, end, kept in (("wilson", low, True), ("wilson", high, True), ("wilson", high + 1e-9, False)):
        assert holds(way, figure, end, 0.95) == kept
    found = coverage([figure] * 4, 0.2, level=0.9)["log"]
    assert (found.value, found.method, found.n, found.level) == (1.0, "wilson", 4, 0.9)
    with pytest.raises(InputError) as raised:
        Random().draw(FRAME, Done(), 1, RNG)
    assert str(raised.value) == "the number of labels must be a whole number from 2 up, not 1"


def test_strata_of_one_group_that_is_not_the_first_and_their_names() -> None:
    frame = Frame.of(SCORE, by=Strata(np.ones(600, dtype=np.int64), ("de", "en")))
    assert Stratified("quantile", 4, "equal").fewest(frame) == 8
    assert strata.quantile([0.1, 0.2, 0.3, 0.4], 2).names == ("score lowest to 0.3", "score 0.3 to highest")
    assert strata.equal_width([0.1, 0.6], 2).names == ("score lowest to 0.5", "score 0.5 to highest")
