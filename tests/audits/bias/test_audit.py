"""The bias audit end to end: its numbers against brute force, its marks, its words, and what it does with odd data."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import brute
import evenhand as eh
from evenhand.measures.bias import power_mean
from evenhand.synthetic.bias_shapes import SHAPES, scores_with_shape
from evenhand.synthetic.community import GROUPS, community

ROLES = {"score": ["first", "second"], "label": "y", "groups": ["a", "b"], "audits": "bias"}
FIVE = ("subgroup_auc", "bpsn_auc", "bnsp_auc", "negative_aeg", "positive_aeg")


def finding(data, **options) -> eh.Finding:
    return eh.audit(data, **{**ROLES, **options}).findings[0]


def test_all_numbers_equal_brute_force(small: pl.DataFrame) -> None:
    found = finding(small)
    label = small["y"].to_numpy()
    for model in ("first", "second"):
        score = small[model].to_numpy()
        flagged = score >= 0.5
        for group in ("a", "b"):
            inside = small[group].to_numpy()
            for measure, value in brute.five(score, label, list(inside)).items():
                assert found.get(measure, model=model, group=group).value == pytest.approx(value, abs=1e-12)
            rates = {
                "tpr": flagged[inside & label].mean(),
                "fpr": flagged[inside & ~label].mean(),
                "precision": label[inside & flagged].mean(),
                "tpr_gap": flagged[~inside & label].mean() - flagged[inside & label].mean(),
                "fpr_gap": flagged[~inside & ~label].mean() - flagged[inside & ~label].mean(),
                "count": inside.sum(),
                "positive_share": label[inside].mean(),
            }
            for measure, value in rates.items():
                assert found.get(measure, model=model, group=group).value == pytest.approx(value, abs=1e-12), measure
        overall = found.get("auroc", model=model).value
        assert overall == pytest.approx(brute.auc(score[label], score[~label]), abs=1e-12)
        means = [
            power_mean([found.get(m, model=model, group=g).value for g in ("a", "b")])
            for m in ("subgroup_auc", "bpsn_auc", "bnsp_auc")
        ]
        assert found.get("bpsn_auc_power_mean", model=model).value == pytest.approx(means[1], abs=1e-12)
        assert found.get("jigsaw_score", model=model).value == pytest.approx((overall + sum(means)) / 4, abs=1e-12)


def test_differences_are_differences(small: pl.DataFrame) -> None:
    found = finding(small)
    for measure in (*FIVE, "tpr", "fpr"):
        one, two = (found.get(measure, model=m, group="a").value for m in ("first", "second"))
        assert found.get(measure, model="second", against="first", group="a").value == pytest.approx(two - one)
    assert not found.has("bpsn_auc", model="first", against="second", group="a")


def test_a_model_against_itself_differs_by_nothing(small: pl.DataFrame) -> None:
    twin = small.with_columns(pl.col("first").alias("second"))
    for measured in finding(twin):
        if "against" in measured.slice:
            e = measured.estimate
            assert e.value == 0.0
            assert e.low == pytest.approx(-e.high, abs=1e-12)
            assert "stands_out" not in e.flags


def test_one_model_has_no_model_in_its_slices(small: pl.DataFrame) -> None:
    found = finding(small, score="first")
    assert found.values("model") == ()
    assert found.get("auroc").defined


def test_analytic_and_bootstrap_intervals_agree(small: pl.DataFrame) -> None:
    analytic, drawn = finding(small), finding(small, interval="bootstrap", replicates=600, seed=3)
    for one, two in zip(analytic, drawn, strict=True):
        a, b = one.estimate, two.estimate
        assert a.value == pytest.approx(b.value, abs=1e-12)
        if a.method == "exact" or a.method.endswith("_simultaneous"):
            assert b.method == a.method
            continue
        assert b.method == "poisson_bootstrap"
        assert (b.high - b.low) == pytest.approx(a.high - a.low, rel=0.3, abs=0.012), (one.measure, one.slice)


def test_bootstrap_is_seeded(small: pl.DataFrame) -> None:
    runs = [finding(small, interval="bootstrap", replicates=60, seed=seed).estimates for seed in (1, 1, 2)]
    assert runs[0] == runs[1]
    assert runs[0] != runs[2]


def test_level_widens_intervals(small: pl.DataFrame) -> None:
    narrow, wide = finding(small, level=0.8), finding(small, level=0.99)
    for one, two in zip(narrow, wide, strict=True):
        assert one.estimate.low >= two.estimate.low - 1e-12
        assert one.estimate.high <= two.estimate.high + 1e-12


def test_counts_are_repetitions_everywhere(small: pl.DataFrame) -> None:
    """Values and intervals alike: a row that stands for two is two rows."""
    counted = small.with_columns((pl.col("id") % 3 + 1).alias("n"))
    repeated = counted.select(pl.all().repeat_by("n")).explode(pl.all())
    for one, two in zip(finding(counted, count="n"), finding(repeated), strict=True):
        for part in ("value", "low", "high", "n"):
            assert getattr(one.estimate, part) == pytest.approx(getattr(two.estimate, part), abs=1e-9), one


def test_short_items_are_looked_at_apart(small: pl.DataFrame) -> None:
    found = finding(small, text="text")
    short = finding(small.filter(pl.col("text") == "a short one"))
    one = found.get("bpsn_auc", model="first", group="a", length="short")
    assert one.value == short.get("bpsn_auc", model="first", group="a").value


def test_slices_by_a_column(small: pl.DataFrame) -> None:
    table = small.with_columns(
        pl.when(pl.col("id") % 2 == 0).then(pl.lit("en")).otherwise(pl.lit("de")).alias("language")
    )
    found = finding(table, slices=["language"])
    assert set(found.values("language")) == {"en", "de"}
    alone = finding(table.filter(pl.col("language") == "de"))
    assert (
        found.get("bnsp_auc", model="second", group="b", language="de").value
        == alone.get("bnsp_auc", model="second", group="b").value
    )


def test_intersections_on_request(small: pl.DataFrame) -> None:
    wide = pl.concat([small] * 3)
    found = finding(wide, intersections=True)
    both = wide.with_columns((pl.col("a") & pl.col("b")).alias("both"))
    direct = finding(both, groups=["both"])
    assert found.get("bpsn_auc", model="first", group="a × b").value == pytest.approx(
        direct.get("bpsn_auc", model="first", group="both").value
    )
    assert "a × b" not in finding(wide).values("group")
    plain = finding(wide)
    assert found.get("jigsaw_score", model="first").value == plain.get("jigsaw_score", model="first").value


def test_intersections_know_who_was_annotated(small: pl.DataFrame) -> None:
    wide = pl.concat([small] * 4).with_columns(
        pl.when(pl.int_range(pl.len()) % 5 > 0).then(pl.col("a")).alias("a"),
        pl.when(pl.int_range(pl.len()) % 7 > 0).then(pl.col("b")).alias("b"),
    )
    found = finding(wide, intersections=True)
    both = wide.filter(pl.col("a").is_not_null() & pl.col("b").is_not_null())
    direct = finding(both.with_columns((pl.col("a") & pl.col("b")).alias("c")), groups=["c"])
    one, two = found.get("bpsn_auc", model="first", group="a × b"), direct.get("bpsn_auc", model="first", group="c")
    assert one.value == pytest.approx(two.value, abs=1e-12)


def test_what_was_not_annotated_is_in_neither(small: pl.DataFrame) -> None:
    holed = small.with_columns(pl.when(pl.col("id") >= 200).then(pl.col("a")).alias("a"))
    found = finding(holed)
    alone = finding(holed.filter(pl.col("id") >= 200), groups=["a"])
    assert (
        found.get("bpsn_auc", model="first", group="a").value == alone.get("bpsn_auc", model="first", group="a").value
    )
    assert any("200 of 600" in caveat for caveat in found.caveats)


def test_the_planted_truth_is_found() -> None:
    found = finding(
        community(60_000, seed=1).items, score=["model_a", "model_b"], label="toxicity", groups=list(GROUPS)
    )
    for group, planted in GROUPS.items():
        for measure, shift in (("negative_aeg", planted.benign), ("positive_aeg", planted.violating)):
            e = found.get(measure, model="model_a", group=group)
            if abs(shift) >= 0.5 and group != "disabled":
                assert "stands_out" in e.flags, (group, measure)
                assert (e.value > 0) == (shift > 0)
                worse, better = abs(e.value), abs(found.get(measure, model="model_b", group=group).value)
                assert better < worse
    for group in ("men", "asian"):
        assert [m for m in FIVE if "stands_out" in found.get(m, model="model_a", group=group).flags] == [], group
    assert "small" in found.get("bpsn_auc", model="model_a", group="disabled").flags
    change = found.get("jigsaw_score", model="model_b", against="model_a")
    assert change.low > 0


@pytest.mark.parametrize("letter", SHAPES)
def test_every_shape_is_recognised(letter: str) -> None:
    report = eh.audit(
        scores_with_shape(letter, rows=20_000, seed=6), score="score", label="label", groups="group", audits="bias"
    )
    reading = report.findings[0].readings[0]
    assert reading.shape == letter
    assert f"shape {letter}" in reading.text


def test_no_shape_where_nothing_is_planted() -> None:
    table = scores_with_shape("A", rows=20_000, seed=6)
    anyone = table.with_columns(pl.Series("group", np.random.default_rng(0).random(20_000) < 0.3))
    reading = eh.audit(anyone, score="score", label="label", groups="group", audits="bias").findings[0].readings[0]
    assert reading.shape is None
    assert "other items, benign or violating" in reading.text


def test_a_group_without_violating_items(small: pl.DataFrame) -> None:
    table = small.with_columns((pl.col("a") & ~pl.col("y")).alias("a"))
    found = finding(table)
    missing = found.get("subgroup_auc", model="first", group="a")
    assert missing.value is None
    assert missing.note == "there are no violating items in the group"
    assert found.get("bpsn_auc", model="first", group="a").defined
    assert found.get("bpsn_auc", model="first", group="b").defined
    assert found.get("jigsaw_score", model="first").defined
    assert any("the tables say why" in caveat for caveat in found.caveats)


def test_a_group_of_everybody_has_no_background(small: pl.DataFrame) -> None:
    found = finding(small.with_columns(pl.lit(True).alias("a")))
    assert found.get("bpsn_auc", model="first", group="a").note == "there are no violating items outside the group"
    assert found.get("subgroup_auc", model="first", group="a").value == found.get("auroc", model="first").value


def test_a_slice_without_a_group_or_a_class(small: pl.DataFrame) -> None:
    table = small.with_columns(
        pl.when(pl.col("id") < 40).then(pl.lit("odd")).otherwise(pl.lit("even")).alias("part"),
        (pl.col("a") & (pl.col("id") >= 40)),
        (pl.col("y") & (pl.col("id") >= 40)),
    )
    found = finding(table, slices="part")
    assert not found.get("auroc", model="first", part="odd").defined
    assert not found.get("positive_share", model="first", group="a", part="odd").defined
    assert found.get("count", model="first", group="a", part="odd").value == 0
    assert found.get("auroc", model="first", part="even").defined


@pytest.mark.parametrize("rows", [2, 4, 8])
def test_tiny_tables_yield_a_whole_report(rows: int) -> None:
    table = pl.DataFrame(
        {"p": [0.1 * i for i in range(rows)], "y": [i % 2 for i in range(rows)], "g": [1] + [0] * (rows - 1)}
    )
    report = eh.audit(table, score="p", label="y", groups="g", audits="bias")
    assert "<html" in report.html()


def test_examples_only_when_asked_for(small: pl.DataFrame) -> None:
    table = small.with_columns(pl.format("text number {}", "id").alias("text"))
    assert finding(table, text="text").examples == ()
    found = finding(table, text="text", examples=2).examples
    assert len(found) == 2 * 2 * 2 * 2
    benign = table.filter(~pl.col("y") & pl.col("a")).sort("first", descending=True)
    top = [x for x in found if x.slice == {"model": "first", "group": "a"} and x.kind.startswith("benign")]
    assert [x.text for x in top] == benign["text"].head(2).to_list()
    kept = finding(table, text="text", examples=1, where="id >= 300").examples
    assert all(int(x.text.split()[-1]) >= 300 for x in kept)


def test_progress_is_reported(small: pl.DataFrame) -> None:
    seen: list[tuple[str, int, int]] = []
    eh.audit(small, **ROLES, interval="bootstrap", replicates=50, progress=lambda *step: seen.append(step))
    assert ("measuring: bootstrap", 50, 50) in seen
    assert all(0 < done <= of for _, done, of in seen)


def test_group_names_may_be_anything(small: pl.DataFrame) -> None:
    odd = "<b>x</b> & \"y\" = 'z', {0}"
    found = finding(small.rename({"a": odd}), groups=[odd])
    assert found.values("group") == (odd,)
