"""Several audits from one command look at a file once, and sort its scores once."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import evenhand as eh
from evenhand.evidence import Declaration, open_evidence
from evenhand.evidence.source import Source
from evenhand.tally import PlacedRows, Rows, dot

THREE = ("bias", "collaboration", "calibration")


def test_three_audits_read_the_table_once(small: pl.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "items.parquet"
    small.write_parquet(path)
    reads, sorts, collect, place = [], [], Source.collect, PlacedRows.from_rows
    monkeypatch.setattr(Source, "collect", lambda self, build: reads.append(1) or collect(self, build))
    monkeypatch.setattr(PlacedRows, "from_rows", lambda score, rows: sorts.append(len(rows)) or place(score, rows))
    report = eh.audit(path, audits=THREE, score=["first", "second"], label="y", groups=["a", "b"], replicates=50)
    assert [finding.audit for finding in report] == list(THREE)
    assert len(reads) == 1
    assert sorts == [600, 600]  # one for each model


@pytest.mark.verify
def test_together_and_alone_give_the_same_numbers(small: pl.DataFrame) -> None:
    options = {"score": "first", "label": "y", "groups": ["a", "b"], "text": "text", "replicates": 50}
    together = eh.audit(small, audits=THREE, **options)
    for name, finding in zip(THREE, together, strict=True):
        (alone,) = eh.audit(small, audits=name, **options)
        assert finding.estimates == alone.estimates


def test_parts_are_counted_apart_from_everything(small: pl.DataFrame) -> None:
    evidence = open_evidence(small, Declaration(score=("first",), label="y", text="text"))
    whole, part = (next(evidence.tallies(part, {"first": 0.5})) for part in evidence.parts)
    again = next(evidence.tallies(evidence.parts[0], {"first": 0.5}))
    assert whole.tally is again.tally
    assert len(part.placed.rows) == (small["text"].str.len_chars() < 100).sum()


def test_places_without_groups_count_everybody_alike() -> None:
    rng = np.random.default_rng(3)
    score, label = rng.integers(0, 40, 300) / 40, rng.random(300) < 0.3
    placed = PlacedRows.from_rows(score, Rows(label, {}))
    rows = placed.rows.resampled(np.random.default_rng(1))
    one, two = placed.with_rows(rows).tally(), placed.without_groups().with_rows(rows).tally()
    assert not two.groups
    assert all(np.array_equal(a.weight, b.weight) for a, b in zip(one.everyone, two.everyone, strict=True))


def test_a_sum_of_products_is_what_numpy_says() -> None:
    one, two = np.random.default_rng(0).random((2, 100_001))
    assert dot(one, two) == pytest.approx(float((one * two).sum()), rel=1e-12)
    assert dot(np.empty(0), np.empty(0)) == 0.0
