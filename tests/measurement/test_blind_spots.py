"""Violations that the score cannot see: said first, how many can hide where, and the wider interval published."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy.special import expit

import evenhand as eh
from evenhand.audits.accuracy.blind_spots import ROBUST, published_estimate
from evenhand.audits.accuracy.verdicts import AccuracyTopic
from evenhand.estimate import Flag
from evenhand.finding import Finding
from evenhand.measurement import AnswerFiles, Campaign, CampaignOutcome, ItemColumns, SampleSizeRequest, plan_campaign
from evenhand.measurement.summary import outcome_lines
from evenhand.sampling import RandomDesign, SamplingDesign, ScoreDrivenDesign

ITEMS = 30_000


@cache
def items() -> pl.DataFrame:
    """One in a hundred violates, and the score cannot see a quarter of that, half of it in the second language."""
    rng = np.random.default_rng(12)
    violating = rng.random(ITEMS) < 0.01
    hidden = violating & (rng.random(ITEMS) < 0.25)
    height = 3.0 * (3.0 * (violating & ~hidden) + rng.normal(size=ITEMS)) - 4.5 + np.log(0.01 / 0.99)
    return pl.DataFrame(
        {
            "id": [f"c{number}" for number in range(ITEMS)],
            "p": expit(height),
            "removed": np.where(height > 0.0, "yes", "no"),
            "language": rng.choice(["de", "en"], ITEMS),
            "violating": violating,
        }
    )


def measured(folder: Path, *, n: int = 700, seed: int = 1, design: SamplingDesign | None = None) -> CampaignOutcome:
    """A campaign with two pools, all labels of which are right."""
    items().write_parquet(folder / "items.parquet")
    roles = {"score": "p"} if design is None else {}
    plan_campaign(
        folder / "items.parquet",
        folder / "plan.json",
        roles=ItemColumns(id="id", decision="removed", by=("language",), **roles),
        design=design or ScoreDrivenDesign(),
        size=SampleSizeRequest(n=n),
        purpose={"ground_truth": "terms", "codebook": "v1", "population": "all", "period": "2026-01"},
        seed=seed,
    )
    campaign, sheets = Campaign(folder / "plan.json"), list[Path]()
    truth = dict(items().select("id", "violating").iter_rows())
    written = campaign.draw(folder / "sheet1.csv")
    while True:
        assert written is not None
        (sheet,) = written.files
        table = pl.read_csv(sheet, infer_schema=False)
        answers = ["yes" if truth[id_] else "no" for id_ in table["id"]]
        table.with_columns(label=pl.Series(answers)).write_csv(sheet)
        sheets.append(sheet)
        outcome = campaign.take(AnswerFiles(tuple(sheets)), evidence=folder / "labelled.parquet")
        written = campaign.go_on(folder / f"sheet{len(sheets) + 1}.csv", outcome)
        if written is None:
            return outcome


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("campaign")


@pytest.fixture(scope="module")
def outcome(folder: Path) -> CampaignOutcome:
    return measured(folder)


def texts(finding: Finding, topic: AccuracyTopic) -> list[str]:
    return [reading.text for reading in finding.readings if reading.topic == topic and not reading.slice]


def test_both_intervals_are_there_and_the_narrow_one_is_flagged(outcome: CampaignOutcome) -> None:
    finding = outcome.finding
    for measure in ("recall", "prevalence", "missed"):
        usual, robust = finding.get(measure), finding.get(measure, **ROBUST)
        assert Flag.BLIND_SPOT in usual.flags
        assert robust.value == usual.value
        assert robust.low <= usual.low <= usual.high <= robust.high
        assert published_estimate(finding, measure) is robust
    assert Flag.BLIND_SPOT not in finding.get("precision").flags
    assert published_estimate(finding, "precision") is finding.get("precision")


def test_the_sentence_has_the_interval_that_is_published(outcome: CampaignOutcome) -> None:
    finding = outcome.finding
    (headline, *_), (which, where, _) = (
        texts(finding, topic) for topic in (AccuracyTopic.MODERATION, AccuracyTopic.BLIND_SPOT)
    )
    robust, usual = finding.get("recall", **ROBUST), finding.get("recall")
    assert f"({100 * robust.low:.0f}–{100 * robust.high:.0f} %)" in headline
    assert which.endswith(f"recall lies between {100 * usual.low:.0f} and {100 * usual.high:.0f} %.")
    assert [verdict.statement for verdict in finding.verdicts][2:4] == [which, where]
    first = outcome_lines(outcome)[1:4]
    assert first == [headline, which, where]


def test_the_low_end_of_the_score_by_brute_force(outcome: CampaignOutcome) -> None:
    record = outcome.finding.provenance["blind_spot"]
    visible = items().filter(
        removed="no",
    )
    low = visible.filter(pl.col("p") <= record["score"] * (1 + 1e-3))
    assert record["items"] == pytest.approx(len(low), rel=0.01)
    labels = outcome.given.labels.values
    answers = [labels[id_] for id_ in low["id"] if id_ in labels]
    assert record["labels"] == pytest.approx(len(answers), abs=2)
    assert record["violating"] == sum(answers)
    assert sorted(record["ids"]) == sorted(id_ for id_ in low["id"] if labels.get(id_))
    assert 0.0 < record["possible"] < 1.0
    assert f"only {record['labels']:,} labels are there" in texts(outcome.finding, AccuracyTopic.BLIND_SPOT)[1]


def test_violations_found_there_are_named(tmp_path: Path) -> None:
    for seed in range(2, 8):
        finding = measured(tmp_path, seed=seed).finding
        record = finding.provenance.get("blind_spot")
        if record and record["ids"]:
            *_, advice = texts(finding, AccuracyTopic.BLIND_SPOT)
            assert all(id_ in advice for id_ in record["ids"][:3])
            assert sum(record["groups"].values()) == len(record["ids"])
            assert all(f"{name} {number}" in advice for name, number in record["groups"].items())
            return
    pytest.fail("no hidden violation was drawn")


def test_an_audit_of_the_labels_gives_the_same_two_intervals(outcome: CampaignOutcome, folder: Path) -> None:
    finding = outcome.finding
    roles = {"label": "label", "decision": "decision", "inclusion": "inclusion", "stratum": "stratum"}
    (audited,) = eh.audit(folder / "labelled.parquet", audits="accuracy", **roles)
    for measure in ("recall", "prevalence", "missed"):
        for slice_ in ({}, ROBUST):
            ours, theirs = finding.get(measure, **slice_), audited.get(measure, **slice_)
            assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), rel=1e-9)
            assert ours.flags == theirs.flags


def test_a_random_sample_has_no_blind_spot(tmp_path: Path) -> None:
    finding = measured(tmp_path, design=RandomDesign()).finding
    assert not [m for m in finding if Flag.BLIND_SPOT in m.estimate.flags]
    assert texts(finding, AccuracyTopic.BLIND_SPOT) == []
    assert not finding.has("recall", **ROBUST)
