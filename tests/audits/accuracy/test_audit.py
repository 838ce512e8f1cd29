"""The accuracy audit: values from the definition, the same numbers as the estimators of a design, parts, and words."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import evenhand as eh
from evenhand.audits.accuracy.pools import ModeratedPopulation, PoolShare, pool_measures
from evenhand.sampling import (
    LabelledBatch,
    SamplingFrame,
    ScoreDrivenSettings,
    draw_stratified,
    estimate_batches,
    estimate_draw,
    next_batch,
    row_weights,
    strata,
)

ROLES = {"label": "y", "decision": "removed", "inclusion": "pi", "audits": "accuracy"}
RATES = ("recall", "precision", "f1", "accuracy", "prevalence", "missed", "fpr", "specificity", "fnr", "npv")


def population(items: int = 20_000, seed: int = 3) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    bad = rng.random(items) < 0.08
    score = 1 / (1 + np.exp(-(2.5 * bad + rng.normal(size=items) - 2)))
    removed = rng.random(items) < np.where(bad, 0.6, 0.02)
    community = rng.choice(["garden", "news", "games"], items, p=[0.2, 0.5, 0.3])
    return pl.DataFrame({"y": bad, "p": score, "removed": removed, "community": community})


def drawn(everything: pl.DataFrame, seed: int = 1) -> pl.DataFrame:
    """Four strata of the score in each pool, drawn apart."""
    parts = []
    for name, n in (("removed", 300), ("visible", 1200)):
        rows = np.flatnonzero(everything["removed"].to_numpy() == (name == "removed"))
        cut = strata.quantile_strata(everything["p"].to_numpy()[rows], 4)
        draw = draw_stratified(cut, [n // 4] * 4, seed=seed)
        names = [f"{name} {number}" for number in draw.strata]
        parts.append(everything[rows[draw.rows]].with_columns(pi=pl.Series(draw.inclusion), stratum=pl.Series(names)))
    return pl.concat(parts)


EVERYTHING = population()
SAMPLE = drawn(EVERYTHING)


def brute(sample: pl.DataFrame) -> dict[str, float]:
    """From the definition: sums of weights in the four cells."""
    cells = {(bad, removed): 0.0 for bad in (True, False) for removed in (True, False)}
    for row in sample.iter_rows(named=True):
        cells[row["y"], row["removed"]] += 1.0 / row["pi"]
    right, missed, wrong, passed = cells[True, True], cells[True, False], cells[False, True], cells[False, False]
    precision, recall = right / (right + wrong), right / (right + missed)
    return {
        "recall": recall,
        "precision": precision,
        "f1": 2 * precision * recall / (precision + recall),
        "accuracy": (right + passed) / (right + wrong + missed + passed),
        "prevalence": (right + missed) / (right + wrong + missed + passed),
        "missed": missed,
        "fpr": wrong / (wrong + passed),
        "specificity": passed / (wrong + passed),
        "fnr": missed / (right + missed),
        "npv": passed / (missed + passed),
    }


@pytest.mark.parametrize("stratum", [None, "stratum"])
def test_values_are_those_of_the_definition(stratum: str | None) -> None:
    (finding,) = eh.audit(SAMPLE, **ROLES, stratum=stratum, slices="community")
    for name, value in brute(SAMPLE).items():
        assert finding.get(name).value == pytest.approx(value, rel=1e-12), name
    for community in ("garden", "news", "games"):
        own = brute(SAMPLE.filter(pl.col("community") == community))
        for name in RATES:
            assert finding.get(name, community=community).value == pytest.approx(own[name], rel=1e-12), name


def test_a_stratified_draw_gives_the_stratified_estimate_and_interval() -> None:
    """What the estimators of a design say of the same sample, to the last digits."""
    pools = {}
    for name in ("removed", "visible"):
        rows = np.flatnonzero(EVERYTHING["removed"].to_numpy() == (name == "removed"))
        cut = strata.quantile_strata(EVERYTHING["p"].to_numpy()[rows], 4)
        draw = draw_stratified(cut, [75 if name == "removed" else 300] * 4, seed=1)
        label = EVERYTHING["y"].to_numpy()[rows[draw.rows]]
        pools[name] = PoolShare(estimate_draw(draw, label).figure(), len(rows))
    expected = {(m.measure, tuple(m.slice.items())): m.estimate for m in pool_measures(ModeratedPopulation(**pools))}
    (finding,) = eh.audit(SAMPLE, **ROLES, stratum="stratum")
    assert len(expected) > 15
    for (measure, slice_), other in expected.items():
        found = finding.get(measure, **dict(slice_))
        assert (found.method, found.n, found.flags) == (other.method, other.n, other.flags), measure
        for end in ("value", "low", "high"):
            assert getattr(found, end) == pytest.approx(getattr(other, end), rel=1e-12), (measure, end)


def test_the_batches_of_the_default_design_give_the_same_value() -> None:
    bad, frame = EVERYTHING["y"].to_numpy(), SamplingFrame.of(EVERYTHING["p"].to_numpy())
    design, n, past = ScoreDrivenSettings(), 600, []
    for size in design.batches(n):
        batch = next_batch(frame, past, size, seed=7)
        past.append(LabelledBatch.of(batch, bad[batch.draw.rows]))
    weights = np.concatenate(row_weights(past, design.weights(n)))
    named = [f"{number} {stratum}" for number, done in enumerate(past) for stratum in done.batch.draw.strata]
    label = np.concatenate([done.label for done in past])
    table = pl.DataFrame({"y": label, "pi": 1.0 / weights, "stratum": named})
    (finding,) = eh.audit(table, label="y", inclusion="pi", stratum="stratum")
    figure = estimate_batches(frame, past, design.weights(n)).figure()
    found, planned = finding.get("prevalence"), figure.estimate()
    assert found.value == pytest.approx(figure.value, rel=1e-12)
    assert found.high - found.low == pytest.approx(planned.high - planned.low, rel=0.25)
    assert finding.get("population").value == pytest.approx(len(EVERYTHING), rel=1e-12)


def test_unlabelled_items_say_how_many_there_are() -> None:
    there = SAMPLE.with_columns(times=pl.lit(1))
    counts = EVERYTHING.group_by("removed", "community").len("times")
    have = SAMPLE.group_by("removed", "community").len("have")
    rest = counts.join(have, on=["removed", "community"]).with_columns(pl.col("times") - pl.col("have")).drop("have")
    whole = pl.concat([there, rest], how="diagonal_relaxed")
    (finding,) = eh.audit(whole, **ROLES, stratum="stratum", count="times", slices="community")
    (plain,) = eh.audit(SAMPLE, **ROLES, stratum="stratum", slices="community")
    for name in RATES:
        assert finding.get(name).value == pytest.approx(plain.get(name).value, rel=1e-9), name
    for community in ("garden", "news", "games"):
        size = EVERYTHING.filter(pl.col("community") == community).height
        assert finding.get("population", community=community).value == size
        truth = EVERYTHING.filter(pl.col("community") == community)["y"].mean()
        known = finding.get("prevalence", community=community)
        assert known.low <= truth <= known.high
    assert any("known only from the labels" in caveat for caveat in plain.caveats)
    assert not any("known only from the labels" in caveat for caveat in finding.caveats)


def test_a_census_is_counted() -> None:
    (finding,) = eh.audit(EVERYTHING, label="y", decision="removed", audits="accuracy", slices="community")
    for name, value in brute(EVERYTHING.with_columns(pi=pl.lit(1.0))).items():
        assert finding.get(name).value == pytest.approx(value, rel=1e-12), name
    assert finding.get("missed").method == "exact"
    assert any("plain counts" in caveat for caveat in finding.caveats)
    assert finding.get("recall").low < finding.get("recall").value < finding.get("recall").high


def test_without_decisions_there_is_the_prevalence_alone() -> None:
    (finding,) = eh.audit(SAMPLE, label="y", inclusion="pi", stratum="stratum")
    assert finding.get("prevalence").value == pytest.approx(brute(SAMPLE)["prevalence"], rel=1e-12)
    assert not finding.has("recall")
    assert finding.readings[0].text.startswith("About ")


def test_no_violation_at_all_is_an_answer() -> None:
    clean = SAMPLE.with_columns(y=pl.lit(False))
    (finding,) = eh.audit(clean, **ROLES, stratum="stratum")
    assert finding.get("recall").note == "no item violates"
    assert finding.get("prevalence").value == 0.0
    assert 0.0 < finding.get("prevalence", pool="visible").high < 0.02
    assert "safe level" in str(finding.get("labels_needed", pool="visible").note)


def test_a_count_is_the_row_so_many_times() -> None:
    times = pl.Series("times", np.random.default_rng(0).integers(0, 3, SAMPLE.height))
    counted = SAMPLE.with_columns(times)
    again = SAMPLE.select(pl.all().repeat_by(times).explode())
    (one,) = eh.audit(counted, **ROLES, count="times", stratum="stratum")
    (other,) = eh.audit(again.drop_nulls("y"), **ROLES, stratum="stratum")
    for m in other:
        found = one.get(m.measure, **m.slice)
        assert found.value == pytest.approx(m.estimate.value, rel=1e-12), m
        assert found.low == pytest.approx(m.estimate.low, rel=1e-9), m


def test_row_order_does_not_matter() -> None:
    (one,) = eh.audit(SAMPLE, **ROLES, stratum="stratum", slices="community")
    (other,) = eh.audit(
        SAMPLE.sample(fraction=1.0, shuffle=True, seed=1), **ROLES, stratum="stratum", slices="community"
    )
    for m in one:
        found = other.get(m.measure, **m.slice)
        assert found.value == pytest.approx(m.estimate.value, rel=1e-12), m


def test_who_cannot_tell_is_left_out_and_said() -> None:
    words = pl.when(pl.col("y")).then(pl.lit("yes")).otherwise(pl.lit("no"))
    told = SAMPLE.with_columns(words.alias("y")).with_row_index("row")
    unsure = told.with_columns(y=pl.when(pl.col("row") % 10 == 0).then(pl.lit("cannot tell")).otherwise("y"))
    (finding,) = eh.audit(unsure, **ROLES, positive="yes", skip="cannot tell", stratum="stratum")
    assert finding.get("count").value == SAMPLE.height - 150
    assert finding.get("population").value == pytest.approx(len(EVERYTHING), rel=1e-12)
    (caveat,) = [text for text in finding.caveats if "cannot tell" in text]
    assert "150 of 1,500" in caveat


def test_labels_needed_follow_the_published_relation() -> None:
    """Table 3 of the paper: n for an effect d is n within r, at the low end, times (2 r p_low / d)²."""
    (finding,) = eh.audit(SAMPLE, **ROLES, stratum="stratum", target=0.2, effect=0.01)
    needed, share = (finding.get(name, pool="visible") for name in ("labels_needed", "prevalence"))
    effect = finding.get("labels_for_effect", pool="visible").value
    assert effect == pytest.approx(needed.high * (2 * 0.2 * share.low / 0.01) ** 2, rel=0.005)
    assert needed.low <= needed.value <= needed.high
    random = finding.get("labels_needed_random", pool="visible")
    assert finding.get("efficiency", pool="visible").low == pytest.approx(1 - needed.high / random.high)


def test_the_order_of_communities_is_held_against_another_source(tmp_path) -> None:
    rng = np.random.default_rng(2)
    names = [f"c{number}" for number in range(8)]
    community = rng.choice(names, 6000)
    rates = {name: 0.02 * (number + 1) for number, name in enumerate(names)}
    table = pl.DataFrame({"community": community, "y": rng.random(6000) < [rates[name] for name in community]})
    other = pl.DataFrame({"community": [*names[:7], "elsewhere"], "prevalence": [*range(7), 3]})
    other.write_csv(tmp_path / "other.csv")
    table = table.with_columns(pi=pl.lit(0.1))
    roles = {"label": "y", "inclusion": "pi", "slices": "community"}
    (finding,) = eh.audit(table, **roles, rank_with=str(tmp_path / "other.csv"))
    assert finding.get("kendall_tau", of="community").value > 0.7
    assert finding.get("kendall_tau", of="community").p_value < 0.05
    assert finding.get("rank_agreement", of="community").n == 7
    assert any("c7, elsewhere" in caveat for caveat in finding.caveats)


def test_scores_may_stand_beside_and_another_audit_too() -> None:
    rng = np.random.default_rng(0)
    table = SAMPLE.with_columns(g=pl.Series(rng.random(SAMPLE.height) < 0.5))
    report = eh.audit(table, **(ROLES | {"audits": ["bias", "accuracy"]}), score="p", groups="g", stratum="stratum")
    assert [finding.audit for finding in report] == ["bias", "accuracy"]
    (alone,) = eh.audit(table, **ROLES, groups="g", stratum="stratum")
    assert report.findings[1].get("recall") == alone.get("recall")
    assert alone.has("recall", group="g")


def test_two_sentences_come_first() -> None:
    (finding,) = eh.audit(SAMPLE, **ROLES, stratum="stratum")
    first, second = (reading.text for reading in finding.readings[:2])
    recall = finding.get("recall")
    assert first.startswith(f"About {100 * recall.value:.0f}")
    assert first.endswith("are still visible.")
    assert second.startswith("About ")
    assert " of removed items were not violating; about " in second
    assert "visible items" in finding.caveats[0]


def test_comments_of_the_same_authors_are_not_independent() -> None:
    """Each author's comments are all violating or all benign: ten times the variance, and the caveat says so."""
    rng = np.random.default_rng(6)
    bad = np.repeat(rng.random(200) < 0.3, 10)
    frame = pl.DataFrame({"y": bad, "removed": rng.random(2000) < 0.5, "author": np.repeat(np.arange(200), 10)})
    roles = {"label": "y", "decision": "removed", "audits": "accuracy"}
    (alone,), (by_author,) = eh.audit(frame, **roles), eh.audit(frame, cluster="author", **roles)
    for measure in ("prevalence", "precision"):
        narrow, wide = alone.get(measure), by_author.get(measure)
        assert wide.value == narrow.value
        assert (wide.high - wide.low) > 2.2 * (narrow.high - narrow.low)
    (said,) = [text for text in by_author.caveats if "Items belong together by author" in text]
    assert "these 2,000 items carry as much information as 200 independent ones" in said
