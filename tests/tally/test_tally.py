"""What a tally promises beyond the measures taken from it: adding, binning, thresholds inside bins."""

from __future__ import annotations

import numpy as np
import pytest

from evenhand.measures import bias
from evenhand.tally import Amount, Classes, GroupSample, Mass, Membership, PlacedRows, Rows, Tally, Weights


def placed(seed: int, size: int = 300, inclusion: bool = False) -> PlacedRows:
    rng = np.random.default_rng(seed)
    known = rng.random(size) < 0.7
    groups = {
        "g": Membership(np.flatnonzero(rng.random(size) < 0.3).astype(np.int32)),
        "h": Membership(np.flatnonzero((rng.random(size) < 0.3) & known).astype(np.int32), known),
    }
    weights = Weights.from_columns(inclusion=rng.uniform(0.1, 1, size)) if inclusion else None
    label = rng.random(size) < 0.4
    return PlacedRows.from_rows(np.round(rng.normal(size=size) + label, 1), Rows(label, groups, weights))


def binned(tally: Tally, edges: np.ndarray) -> Tally:
    """The same on a grid of bins, as a cluster would count it."""
    cell = np.searchsorted(edges, tally.scores, side="right") - 1

    def heap(classes: Classes, at: np.ndarray) -> Classes:
        return Classes(*(Mass(np.bincount(at, mass.weight, len(edges))) for mass in classes))

    everyone, groups = heap(tally.everyone, cell), {}
    for name, members in tally.groups.items():
        dense = heap(members.inside, cell[members.cells])
        cells = np.flatnonzero(dense.violating.weight + dense.benign.weight).astype(np.int32)
        inside = Classes(*(Mass(mass.weight[cells]) for mass in dense))
        groups[name] = type(members)(cells, inside, heap(members.universe, cell))
    lowest = np.array([tally.scores[cell == c].min(initial=np.inf) for c in range(len(edges))])
    highest = np.array([tally.scores[cell == c].max(initial=-np.inf) for c in range(len(edges))])
    return Tally(edges, everyone, groups, lowest, highest)


def test_shared_universe_stays_shared() -> None:
    tally = placed(1).tally() + placed(2).tally()
    assert tally.groups["g"].universe is tally.everyone
    assert tally.groups["h"].universe is not tally.everyone


def test_tallies_of_other_groups_do_not_add() -> None:
    tally = placed(1).tally()
    with pytest.raises(ValueError, match="same groups"):
        tally + Tally(tally.scores, tally.everyone, {})


def test_sampled_tallies_add_all_three_parts() -> None:
    first, second = placed(1, inclusion=True).tally(), placed(2, inclusion=True).tally()
    for part in ("weight", "spread", "count"):
        separate = sum(getattr(t.everyone.violating.total, part) for t in (first, second))
        assert getattr((first + second).everyone.violating.total, part) == pytest.approx(separate)


@pytest.mark.parametrize("bins", [3, 10, 40])
def test_a_binned_auc_is_off_by_no_more_than_it_says(bins: int) -> None:
    exact = placed(3, 2000).tally()
    coarse = binned(exact, np.linspace(exact.scores[0], exact.scores[-1], bins))
    for comparison in bias.COMPARISONS:
        off = coarse.split("g").unresolved(comparison.high, comparison.low)
        error = abs(comparison(coarse.split("g")) - comparison(exact.split("g")))
        assert error <= off + 1e-12
        assert off < 0.5
    assert coarse.unresolved() > 0.0


def test_bins_that_hold_one_score_each_are_exact() -> None:
    exact = placed(3).tally()
    fine = binned(exact, exact.scores)
    assert fine.unresolved() == 0.0
    assert fine.split("g").unresolved(bias.bpsn_auc.high, bias.bpsn_auc.low) == 0.0


def test_binned_tallies_add() -> None:
    first, second = placed(3).tally(), placed(4).tally()
    edges = np.linspace(-5, 6, 12)
    added, together = binned(first, edges) + binned(second, edges), binned(first + second, edges)
    assert np.array_equal(added.lowest, together.lowest)
    assert np.array_equal(added.highest, together.highest)
    assert bias.bpsn_auc(added.split("g")) == pytest.approx(bias.bpsn_auc(together.split("g")), abs=1e-12)


def test_a_threshold_inside_a_bin_is_refused() -> None:
    exact = placed(3).tally()
    coarse = binned(exact, np.array([-10.0, 0.0, 10.0]))
    with pytest.raises(ValueError, match="inside a score bin"):
        coarse.confusion(0.55)
    cut = coarse.confusion(0.0)
    assert cut.true_positive.weight == exact.confusion(0.0).true_positive.weight


def test_two_background_samples_are_not_compared_on_a_split() -> None:
    with pytest.raises(ValueError, match="outside"):
        placed(1).tally().split("g").placements(GroupSample(False, True), GroupSample(False, False))


def test_histogram_counts_every_item_once() -> None:
    tally = placed(5).tally()
    edges = np.linspace(tally.scores[0], tally.scores[-1], 8)
    own, universe = tally.histogram(edges, "g"), tally.histogram(edges, "g", universe=True)
    assert own["violating"].sum() == tally.groups["g"].inside.violating.total.weight
    assert universe["benign"].sum() == tally.everyone.benign.total.weight


def test_resampling_is_seeded_and_keeps_what_it_should() -> None:
    rows = placed(6).rows
    one, two = (rows.resampled(np.random.default_rng(4)).weights for _ in range(2))
    assert np.array_equal(one.weight, two.weight)
    assert abs(one.weight.mean() - 1.0) < 0.15
    sampled = placed(6, inclusion=True).rows
    again = sampled.resampled(np.random.default_rng(4)).weights
    assert np.array_equal(again.weight > 0, again.count > 0)


def test_the_heaviest_unseen_item_is_that_of_both_shards() -> None:
    """Also where one shard has only ties, and outside a group."""
    rng = np.random.default_rng(8)
    label, pi = rng.random(60) < 0.5, np.where(np.arange(60) == 7, 0.01, 0.5)
    group = Membership(np.arange(30, 60, dtype=np.int32))

    def counted(keep: np.ndarray) -> Tally:
        rows = Rows(label, {"g": group}, Weights.from_columns(inclusion=pi)).take(keep)
        return PlacedRows.from_rows(np.round(rng.random(int(keep.sum())), 1), rows).tally()

    first = np.arange(60) < 20
    both = counted(first) + counted(~first)
    assert both.everyone.mass(violating=bool(label[7])).total.heaviest == pytest.approx(99.0)
    split = both.split("g")
    assert split.outside.mass(violating=bool(label[7])).total.heaviest == pytest.approx(99.0)
    assert split.inside.mass(violating=bool(label[7])).total.heaviest == pytest.approx(1.0)


def test_tallies_on_different_grids_do_not_add() -> None:
    def binned(low: float, high: float) -> Tally:
        mass = Mass(np.array([1.0]))
        return Tally(np.array([low]), Classes(mass, mass), {}, np.array([low]), np.array([high]))

    apart = binned(0.0, 0.1) + binned(0.2, 0.3)
    assert apart.unresolved() == pytest.approx(0.25)
    with pytest.raises(ValueError, match="different grids"):
        binned(0.0, 0.2) + binned(0.1, 0.3)
    one = Mass(np.array([1.0]))
    exact = Tally(np.array([0.5]), Classes(one, one), {})
    assert (binned(0.0, 0.1) + exact).unresolved() == pytest.approx(0.125)
    with pytest.raises(ValueError, match="different grids"):
        binned(0.4, 0.6) + exact


def test_taking_rows_renumbers_groups() -> None:
    rows = placed(7).rows
    keep = np.random.default_rng(0).random(len(rows)) < 0.5
    some = rows.take(keep)
    inside = np.zeros(len(rows), dtype=bool)
    inside[rows.groups["h"].rows] = True
    assert np.array_equal(some.groups["h"].rows, np.flatnonzero(inside[keep]))
    assert np.array_equal(some.groups["h"].annotated, rows.groups["h"].annotated[keep])


def test_what_rounding_leaves_of_weights_is_nothing() -> None:
    """Ten items of a tenth, added in two orders, and one of them that is sure to be drawn."""
    tenths = sum([Amount(0.1, 0.01, 1.0)] * 9, Amount(0.1, 0.01, 1.0))
    assert tenths.weight != 1.0
    assert Amount(1.0, 0.1, 10.0) - tenths == Amount(0.0, 0.0, 0.0)
    assert (Amount(2.0, 0.1 - 1e-17, 11.0) - Amount(1.0, 0.1, 10.0)).spread >= 0.0
