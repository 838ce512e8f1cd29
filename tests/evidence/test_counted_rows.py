"""Rows counted as they are read: the same findings as from rows in memory, and the same words where a value is bad."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import evenhand as eh
from evenhand.evidence import Declaration, ScoredEvidence, counted_rows, open_evidence

AUDITS = ("bias", "collaboration", "calibration")


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files of any length are counted."""
    monkeypatch.setattr(counted_rows, "COUNTED_FROM", 0)


@pytest.fixture(scope="module")
def many() -> pl.DataFrame:
    """Sixty thousand items; a group that not everybody was annotated for; scores piled up near 0."""
    rng = np.random.default_rng(3)
    size = 60_000
    label = rng.random(size) < 0.1
    a, b = rng.random(size) < 0.4, rng.random(size) < 0.3
    logit = 4.0 * label - 7.0 + 0.4 * a + 2.0 * rng.normal(size=size)
    known = rng.random(size) < 0.9
    return pl.DataFrame(
        {
            "y": label,
            "a": a,
            "b": pl.Series(np.where(b, 1.0, 0.0)).zip_with(pl.Series(known), pl.Series([None], dtype=pl.Float64)),
            "lang": np.where(rng.random(size) < 0.6, "en", "de"),
            "first": 1.0 / (1.0 + np.exp(-logit)),
            "logit": logit,
            "text": np.where(rng.random(size) < 0.5, "women here", "a long one " * 12),
            "id": np.arange(size),
        }
    )


def findings(table: pl.DataFrame, path: Path, **roles: object) -> tuple[eh.Report, eh.Report]:
    """Of the table in memory, and of a file."""
    table.write_parquet(path)
    return eh.audit(table, **roles), eh.audit(path, **roles)


def furthest(here: eh.Finding, there: eh.Finding) -> tuple[float, float]:
    """The largest difference of a value, and of an end of an analytic interval."""
    assert len(here.estimates) == len(there.estimates) > 10
    pairs = [(one.estimate, there.get(one.measure, **one.slice)) for one in here]
    assert all((one.value is None) == (two.value is None) for one, two in pairs)
    both = [(one, two) for one, two in pairs if one.value is not None and two.value is not None]
    values = max(abs(one.value - two.value) for one, two in both)
    ends = [max(abs(one.low - two.low), abs(one.high - two.high)) for one, two in both if "bootstrap" not in one.method]
    assert all(one.n == two.n for one, two in both)
    return values, max(ends)


def test_few_scores_are_counted_exactly(counted: None, many: pl.DataFrame, tmp_path: Path) -> None:
    table = many.head(10_000).with_columns(pl.col("first").round(3))
    roles = {"score": "first", "label": "y", "groups": ["a", "b"], "slices": "lang", "text": "text", "id": "id"}
    here, there = findings(table, tmp_path / "t.parquet", **roles, audits="bias")
    values, ends = furthest(here.findings[0], there.findings[0])
    assert values < 1e-12
    assert ends < 1e-9
    assert there.findings[0].provenance["rows"] == len(table)
    assert any("every number is that of the rows" in caveat for caveat in there.findings[0].caveats)


@pytest.mark.parametrize("scale", ["probability", "percent", "logit"])
def test_scores_in_cells_give_the_same_within_what_is_stated(
    counted: None, many: pl.DataFrame, tmp_path: Path, scale: str
) -> None:
    score = "logit" if scale == "logit" else "first"
    table = many.with_columns(pl.col("first") * (100.0 if scale == "percent" else 1.0))
    roles = {"score": score, "scale": scale, "label": "y", "groups": ["a", "b"], "threshold": 0.234}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counted_rows, "FEW_SCORES", 100)
        here, there = findings(table, tmp_path / "t.parquet", **roles, audits="bias")
    values, ends = furthest(here.findings[0], there.findings[0])
    assert values < 5e-6  # of sixty thousand items; a hundred times as many are ten times nearer
    assert ends < 5e-5
    for measure in ("fpr", "tpr"):
        one, two = (report.findings[0].get(measure, group="a").value for report in (here, there))
        assert one == two  # a threshold is an edge
    assert any("cells of the score. An AUC may be off by 0.0000" in caveat for caveat in there.findings[0].caveats)


@pytest.mark.verify
def test_all_audits_of_a_score_take_counted_rows(counted: None, many: pl.DataFrame, tmp_path: Path) -> None:
    roles = {"score": "first", "label": "y", "groups": ["a", "b"], "audits": AUDITS}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counted_rows, "FEW_SCORES", 100)
        here, there = findings(many, tmp_path / "t.parquet", **roles)
    for name, most in zip(AUDITS, (5e-6, 5e-3, 5e-4), strict=True):  # of review, an item more or less
        one, two = (next(f for f in report if f.audit == name) for report in (here, there))
        assert furthest(one, two)[0] < most
        assert [verdict.status for verdict in one.verdicts] == [verdict.status for verdict in two.verdicts]


@pytest.mark.parametrize(
    ("change", "options"),
    [
        (pl.when(pl.col("id") == 7).then(None).otherwise("first").alias("first"), {}),
        (pl.when(pl.col("id") == 7).then(float("nan")).otherwise("first").alias("first"), {}),
        (pl.when(pl.col("id") == 7).then(float("inf")).otherwise("logit").alias("first"), {"scale": "logit"}),
        (pl.when(pl.col("id") == 7).then(1.5).otherwise("first").alias("first"), {}),
        (pl.when(pl.col("id") == 7).then(3).otherwise(pl.col("y").cast(pl.Int64)).alias("y"), {}),
        (pl.when(pl.col("id") == 7).then(0.5).otherwise("id").alias("id"), {"id": "id"}),
        (pl.when(pl.col("id") == 7).then(6).otherwise("id").alias("id"), {"id": "id"}),
        (pl.lit(False).alias("y"), {}),
        (pl.lit(False).alias("a"), {}),
        (pl.col("id").alias("lang"), {"slices": "lang"}),
        (pl.lit(1).alias("lang"), {"where": "lang > 3"}),
        (pl.lit(None, dtype=pl.Float64).alias("first"), {"skip_unscored": True}),
    ],
)
def test_bad_values_are_refused_in_the_same_words(
    counted: None, many: pl.DataFrame, tmp_path: Path, change: pl.Expr, options: dict[str, object]
) -> None:
    table, path = many.head(500).with_columns(change), tmp_path / "t.parquet"
    table.write_parquet(path)
    declaration = Declaration.of({"score": "first", "label": "y", "groups": "a", **options})
    errors = []
    for data in (table, path):
        try:
            open_evidence(data, declaration, cuts=())
        except eh.InputError as error:
            errors.append((error.problem, error.column, error.row))
    assert len(errors) == 2 * len(errors[:1])  # both or none: 0.5 is an id like any other
    assert errors[:1] == errors[1:]


def test_rows_are_chosen_and_groups_found_as_elsewhere(counted: None, many: pl.DataFrame, tmp_path: Path) -> None:
    blank = pl.when(pl.col("id") % 10 == 0).then(None).otherwise(pl.col("first").round(2)).alias("first")
    roles = {"score": "first", "label": "y", "text": "text", "terms": ["women"], "where": "lang = 'en'"}
    here, there = findings(many.with_columns(blank), tmp_path / "t.parquet", **roles, skip_unscored=True, audits="bias")
    assert furthest(here.findings[0], there.findings[0])[0] < 1e-12
    left_out = [next(c for c in report.findings[0].caveats if "left out" in c) for report in (here, there)]
    assert left_out[0] == left_out[1]
    values = {"score": "first", "label": "y", "group_by": "lang", "audits": "bias"}
    here, there = findings(many.with_columns(pl.col("first").round(2)), tmp_path / "t.parquet", **values)
    assert furthest(here.findings[0], there.findings[0])[0] < 1e-12


def test_what_needs_every_row_is_read_as_ever(counted: None, many: pl.DataFrame, tmp_path: Path) -> None:
    table, path = many.head(500), tmp_path / "t.parquet"
    table.write_parquet(path)
    for roles in ({"score": ["first", "logit"], "scale": "rank"}, {"score": "first", "cluster": "lang"}):
        evidence = open_evidence(path, Declaration.of({"label": "y", "groups": "a", **roles}), cuts=())
        assert isinstance(evidence, ScoredEvidence)
        assert evidence.rows.weights is None
    declaration = Declaration.of({"score": "first", "label": "y", "groups": "a"})
    assert isinstance(whole := open_evidence(path, declaration), ScoredEvidence)
    assert whole.rows.weights is None  # nobody said that rows which are alike are one
    assert open_evidence(path, declaration, cuts=()).size == 500
