"""What an accuracy finding amounts to: verdicts over everything, readings by topic, parts in order."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import evenhand as eh
from evenhand.audits.accuracy.verdicts import AccuracyTopic, accuracy_verdicts, parts_by_prevalence, sliced_columns
from evenhand.catalogue.accuracy import PREVALENCE
from evenhand.finding import Finding, Status


def table(*, violating: float = 0.1) -> pl.DataFrame:
    rng = np.random.default_rng(3)
    removed = np.arange(1500) < 300
    bad = rng.random(1500) < np.where(removed, 0.9, violating)
    places = rng.choice(["a", "b", "c"], 1500)
    return pl.DataFrame({"y": bad & (violating > 0), "removed": removed, "pool": places})


def audited(frame: pl.DataFrame, **options: object) -> Finding:
    (finding,) = eh.audit(frame, label="y", audits="accuracy", **options)  # type: ignore[arg-type]
    return finding


@pytest.fixture(scope="module")
def finding() -> Finding:
    return audited(table(), decision="removed", slices="pool")


def test_verdicts_are_about_everything(finding: Finding) -> None:
    assert [verdict.status for verdict in finding.verdicts] == [Status.MEASURED] * 3
    assert all(verdict.slice == {} for verdict in finding.verdicts)
    texts = [r.text for r in finding.readings if not r.slice and r.topic != AccuracyTopic.FEW_LABELS]
    assert [verdict.statement for verdict in finding.verdicts] == texts


def test_what_has_no_value_is_open() -> None:
    nothing = audited(table(violating=0.0), decision="removed")
    first, second = nothing.verdicts
    assert (first.status, second.status) == (Status.OPEN, Status.MEASURED)
    assert first.statement == "Recall could not be estimated: no violating item was found."
    assert tuple(accuracy_verdicts(nothing)) == nothing.verdicts


def test_without_decisions_there_is_one_verdict_on_moderation() -> None:
    finding = audited(table().with_columns(pi=pl.lit(0.5)), inclusion="pi")
    topics = [reading.topic for reading in finding.readings]
    assert topics == [AccuracyTopic.MODERATION, AccuracyTopic.NEXT_LABELS]
    assert len(finding.verdicts) == 2


def test_a_column_called_like_a_key_is_a_part_like_any_other(finding: Finding) -> None:
    assert sliced_columns(finding) == ["pool_column"]
    parts = parts_by_prevalence(finding, "pool_column")
    assert sorted(parts) == ["a", "b", "c"]
    values = [finding.get(PREVALENCE, pool_column=part).value for part in parts]
    assert values == sorted(values, reverse=True)
    assert finding.values("pool") == ("removed", "visible")
