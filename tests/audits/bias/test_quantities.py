"""What may be marked and what may not: rounding, ties, designs, partly annotated groups, groups of a few."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import evenhand as eh
from evenhand.audits.bias.quantities import GroupComparison, JigsawScore, PowerMean
from evenhand.audits.views import View
from evenhand.measures import bias
from evenhand.tally import Membership, PlacedRows, Rows, Weights

NAMES = [f"g{i}" for i in range(4)]


def finding(data: pl.DataFrame, **options) -> eh.Finding:
    return eh.audit(data, **{"score": "p", "label": "y", "groups": NAMES, "audits": "bias", **options}).findings[0]


def marked(found: eh.Finding) -> list[tuple[str, dict[str, str]]]:
    return [(m.measure, dict(m.slice)) for m in found if "stands_out" in m.estimate.flags]


def random_groups(rows: int, rng: np.random.Generator, share: float = 0.3) -> dict[str, np.ndarray]:
    return {name: rng.random(rows) < share for name in NAMES}


def test_rounding_is_no_difference() -> None:
    rng = np.random.default_rng(3)
    y = rng.random(300) < 0.3
    tied = pl.DataFrame({"p": np.full(300, 0.5), "y": y, **random_groups(300, rng)})
    assert marked(finding(tied)) == []
    perfect = tied.with_columns(pl.Series("p", np.where(y, 0.9, 0.1) + 0.05 * rng.random(300)))
    found = finding(perfect.with_columns(pl.Series("pi", rng.uniform(0.05, 0.5, 300))), inclusion="pi")
    assert [mark for mark in marked(found) if "auc" in mark[0]] == []
    assert all(m.estimate.high <= 1.0 for m in found if "auc" in m.measure)


def test_ties_have_a_width() -> None:
    y = np.arange(21) < 10
    found = finding(pl.DataFrame({"p": np.full(42, 0.5), "y": [*y, *y], "g0": [True] * 21 + [False] * 21}), groups="g0")
    for measure in ("subgroup_auc", "bpsn_auc", "negative_aeg"):
        assert found.get(measure, group="g0").high - found.get(measure, group="g0").low > 0.05


def test_groups_annotated_on_harder_items_are_held_against_those() -> None:
    """A quarter was annotated, the items the model ranks badly; within it groups are drawn at random."""
    rng = np.random.default_rng(5)
    rows = 8000
    y, asked = rng.random(rows) < 0.3, rng.random(rows) < 0.25
    p = 1 / (1 + np.exp(-(np.where(asked, 1.0, 4.0) * y + rng.standard_normal(rows))))
    groups = {n: pl.Series(g & asked).set(pl.Series(~asked), None) for n, g in random_groups(rows, rng).items()}
    found = finding(pl.DataFrame({"p": p, "y": y, **groups}))
    assert found.get("subgroup_auc", group="g0").value < found.get("auroc").value - 0.05
    assert marked(found) == []
    assert [reading.shape for reading in found.readings] == [None] * 4


@pytest.mark.parametrize(("few", "tested"), [(9, False), (10, True)])
def test_nothing_with_fewer_than_ten_on_a_side_is_tested(few: int, tested: bool) -> None:
    rng = np.random.default_rng(0)
    y = np.concatenate([np.repeat([True, False], [few, 200]), rng.random(2000) < 0.3])
    inside = np.arange(len(y)) < few + 200
    p = np.where(y, 0.9, 0.1) + 0.05 * rng.random(len(y))
    p[:few] = 0.01  # violating items of the group look benign
    found = finding(pl.DataFrame({"p": p, "y": y, "g0": inside}), groups="g0")
    for measure in ("bnsp_auc", "positive_aeg", "tpr_gap"):
        estimate = found.get(measure, group="g0")
        assert ("stands_out" in estimate.flags) == tested
        assert ("small" in estimate.flags) == (not tested)
    assert ("small" in found.get("jigsaw_score").flags) == (not tested)


def test_the_unseen_item_does_not_depend_on_ties() -> None:
    rng = np.random.default_rng(1)
    y = np.arange(200) % 4 == 0
    pi = np.where(rng.random(200) < 0.05, 0.02, 0.9)
    tied = pl.DataFrame({"p": np.where(y, 0.8, 0.2), "y": y, "pi": pi, "g0": np.arange(200) % 3 == 0})
    apart = tied.with_columns(pl.col("p") + pl.Series(1e-9 * rng.random(200)))
    one, two = (finding(table, groups="g0", inclusion="pi") for table in (tied, apart))
    for measure in ("auroc", "tpr", "fpr"):
        here, there = one.get(measure), two.get(measure)
        assert (here.low, here.high) == pytest.approx((there.low, there.high), abs=1e-6), measure


def test_a_count_under_a_design() -> None:
    rng = np.random.default_rng(2)
    y, pi = rng.random(500) < 0.4, rng.uniform(0.1, 1.0, 500)
    table = pl.DataFrame({"p": rng.random(500), "y": y, "pi": pi, "g0": rng.random(500) < 0.5})
    found = finding(table, groups="g0", inclusion="pi").get("count")
    reach = 1.959964 * np.sqrt(np.sum((1 - pi) / pi**2))
    assert (found.value, found.low, found.high) == pytest.approx(
        (np.sum(1 / pi), np.sum(1 / pi) - reach, np.sum(1 / pi) + reach), rel=1e-6
    )


def test_a_count_of_zero_is_not_there(small: pl.DataFrame) -> None:
    roles = {"score": ["first", "second"], "label": "y", "groups": ["a", "b"], "text": "text", "count": "n"}
    counted = small.with_columns((pl.col("id") % 3).alias("n"), pl.lit(0.5).alias("pi"))
    kept = counted.filter(pl.col("n") > 0)
    for more in ({}, {"inclusion": "pi"}, {"inclusion": "pi", "interval": "bootstrap", "replicates": 50}):
        one, two = (finding(table, **roles, **more) for table in (counted, kept))
        assert [m.record("bias") for m in one] == [m.record("bias") for m in two]


def test_intersections_count_items_not_rows(small: pl.DataFrame) -> None:
    few = small.filter(pl.col("a") & pl.col("b")).head(60)
    table = pl.concat([few, small.filter(~(pl.col("a") & pl.col("b")))]).with_columns(pl.lit(2).alias("n"))
    roles = {"score": "first", "label": "y", "groups": ["a", "b"], "intersections": True}
    counted, repeated = finding(table, count="n", **roles), finding(pl.concat([table, table]), **roles)
    assert counted.values("group") == repeated.values("group") == ("a", "b", "a × b")


def test_bootstrap_leaves_the_tests_alone(small: pl.DataFrame) -> None:
    roles = {"score": ["first", "second"], "label": "y", "groups": ["a", "b"]}
    analytic = finding(small, **roles)
    drawn = finding(small, **roles, interval="bootstrap", replicates=60)
    assert marked(analytic) == marked(drawn) != []
    assert any("too narrow" in caveat for caveat in drawn.caveats)


def test_a_census_has_nothing_left_to_draw(small: pl.DataFrame) -> None:
    census = small.with_columns(pl.lit(1.0).alias("pi"))
    roles = {"score": "first", "label": "y", "groups": ["a", "b"], "inclusion": "pi"}
    for interval in ("analytic", "bootstrap"):
        found = finding(census, **roles, interval=interval, replicates=50).get("bpsn_auc", group="a")
        assert found.high - found.low < 1e-12
    half = finding(small.with_columns(pl.lit(0.5).alias("pi")), **roles, interval="bootstrap", replicates=400)
    plain = finding(small, **{**roles, "inclusion": None}, interval="bootstrap", replicates=400)
    one, two = (found.get("bpsn_auc", group="a") for found in (half, plain))
    assert (one.high - one.low) / (two.high - two.low) == pytest.approx(np.sqrt(0.5), abs=0.2)


def test_summaries_do_not_collapse() -> None:
    rng = np.random.default_rng(4)
    y = rng.random(400) < 0.3
    groups = random_groups(400, rng)
    perfect = finding(pl.DataFrame({"p": np.where(y, 0.9, 0.1), "y": y, **groups}))
    for measure in ("subgroup_auc_power_mean", "bnsp_auc_power_mean", "jigsaw_score"):
        assert perfect.get(measure).value == pytest.approx(1.0)
        assert perfect.get(measure).low < 0.999
    p = np.where(y, 0.9, 0.1)
    one, two = np.flatnonzero(y)[0], np.flatnonzero(~y)[0]
    p[one], p[two] = 0.05, 0.95
    pair = np.isin(np.arange(400), [one, two])
    worst = finding(pl.DataFrame({"p": p, "y": y, **groups, "g0": pair})).get("subgroup_auc_power_mean")
    assert worst.value == 0.0
    assert worst.high > 0.5
    assert "small" in worst.flags


@pytest.mark.parametrize("row", range(0, 120, 7))
def test_the_trace_of_the_jigsaw_score_is_its_derivative(row: int) -> None:
    rng = np.random.default_rng(9)
    y = rng.random(120) < 0.4
    members = {n: Membership(np.flatnonzero(g).astype(np.int32)) for n, g in random_groups(120, rng).items()}
    placed = PlacedRows.from_rows(np.round(y + rng.standard_normal(120), 1), Rows(y, members))
    score, view = JigsawScore(tuple(members)), View(placed.tally(), None, placed)
    weight, step = np.ones(120), 1e-5
    weight[row] += step
    moved = placed.with_rows(Rows(y, members, Weights(weight, weight, weight)))
    change = score.value(View(moved.tally(), None, moved).everything) - score.value(view.everything)
    assert score.trace(view.everything).rows(placed)[row] == pytest.approx(change / step, abs=2e-6)


def test_a_group_annotated_on_one_class_only(small: pl.DataFrame) -> None:
    asked = small.with_columns(pl.when("y").then(None).otherwise("a").alias("a"))
    found = finding(asked, score="first", label="y", groups=["a", "b"])
    assert found.get("bpsn_auc", group="a").value is None
    assert found.get("negative_aeg", group="a").defined
    assert "the same label" in found.readings[0].text


def test_no_shape_by_chance_in_small_groups() -> None:
    """Ten groups of some thirty items: by chance their ranks scatter more widely than a quarter, and mean nothing."""
    rng = np.random.default_rng(6)
    y = rng.random(1500) < 0.5
    groups = {f"g{i}": rng.random(1500) < 0.02 for i in range(10)}
    p = 1 / (1 + np.exp(-(3.0 * y + rng.standard_normal(1500))))
    found = finding(pl.DataFrame({"p": p, "y": y, **groups}), groups=list(groups))
    assert [reading.shape for reading in found.readings] == [None] * 10
    few = [reading.text for reading in found.readings if "The group is small" in reading.text]
    assert len(few) == 10


def test_a_group_within_another_is_no_intersection(small: pl.DataFrame) -> None:
    nested = small.with_columns((pl.col("a") & (pl.col("id") < 500)).alias("c"))
    found = finding(nested, score="first", label="y", groups=["a", "c"], intersections=True)
    assert found.values("group") == ("a", "c")


def test_a_power_mean_over_one_group_is_as_sure_as_the_group() -> None:
    rng = np.random.default_rng(12)
    y = rng.random(300) < 0.4
    members = {"g": Membership(np.flatnonzero(rng.random(300) < 0.2).astype(np.int32))}
    placed = PlacedRows.from_rows(1.5 * y + rng.standard_normal(300), Rows(y, members))
    view = View(placed.tally(), None, placed)
    for comparison in bias.AUCS:
        mean, group = PowerMean(("g",), comparison), GroupComparison(comparison)
        value = group.value(view.group("g"))
        one, two = mean.bounded(view.everything, value), group.bounded(view.group("g"), value)
        assert one.freedom == pytest.approx(two.freedom)
        assert one.interval(0.95) == pytest.approx(two.interval(0.95), abs=0.01)
