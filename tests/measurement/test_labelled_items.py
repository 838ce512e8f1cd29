"""Parts of a measurement, such as languages: they rest on their own labels, and an audit of the labels agrees."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy.special import expit

import evenhand as eh
from evenhand.finding import Finding
from evenhand.measurement import AnswerFiles, Campaign, ItemColumns, SampleSizeRequest, plan_campaign
from evenhand.sampling import ClusterDesign, RandomDesign, SamplingDesign, ScoreDrivenDesign, StratifiedDesign

LANGUAGES = 24
ITEMS = 30_000
PURPOSE = {"ground_truth": "terms", "codebook": "v1", "population": "all", "period": "2026-01"}
DESIGNS: dict[str, tuple[SamplingDesign, Mapping[str, object]]] = {
    "default": (ScoreDrivenDesign(), {"score": "p", "decision": "removed", "by": ("language",)}),
    "one pool": (ScoreDrivenDesign(), {"score": "p", "by": ("language",)}),
    "random": (RandomDesign(), {"decision": "removed", "by": ("language",)}),
    "stratified": (
        StratifiedDesign("quantile", 2, "proportional"),
        {"score": "p", "decision": "removed", "by": ("language",)},
    ),
    "pilot": (StratifiedDesign("quantile", 4, "pilot", 20), {"score": "p"}),
    "clusters": (ClusterDesign(), {"cluster": "thread"}),
}


@cache
def items() -> pl.DataFrame:
    """Twenty-four languages, from 30 % to 0.6 % of the items and from 2 to 15 % violating."""
    rng = np.random.default_rng(8)
    share = 0.3 * (0.006 / 0.3) ** (np.arange(LANGUAGES) / (LANGUAGES - 1))
    language = rng.choice(LANGUAGES, ITEMS, p=share / share.sum())
    violating = rng.random(ITEMS) < rng.uniform(0.02, 0.15, LANGUAGES)[language]
    height = 2.0 * (2.2 * violating + rng.normal(size=ITEMS) - 1.1) + np.log(0.06 / 0.94)
    removed = rng.random(ITEMS) < expit(2.5 * (height - 1.5))
    return pl.DataFrame(
        {
            "id": np.arange(ITEMS),
            "p": expit(height),
            "language": [f"l{code:02}" for code in language],
            "removed": np.where(removed, "yes", "no"),
            "thread": np.arange(ITEMS) // 6,
            "violating": violating,
        }
    )


def measured(folder: Path, name: str, *, n: int = 500, seed: int = 1, unlabelled: float = 0.0) -> Finding:
    """A campaign from plan to estimate; its labelled items are written beside it."""
    design, roles = DESIGNS[name]
    items().write_parquet(folder / "items.parquet")
    plan_campaign(
        folder / "items.parquet",
        folder / "plan.json",
        roles=ItemColumns(id="id", **roles),
        design=design,
        size=SampleSizeRequest(n=n),
        purpose=PURPOSE,
        seed=seed,
    )
    campaign, sheets = Campaign(folder / "plan.json"), []
    truth = dict(zip(items()["id"].cast(pl.String), items()["violating"], strict=True))
    rng = np.random.default_rng(seed)
    written = campaign.draw(folder / "sheet1.csv")
    while written is not None:
        (sheet,) = written.files
        table = pl.read_csv(sheet, infer_schema=False)
        answers = ["yes" if truth[id_] else "no" for id_ in table["id"]]
        answers = ["cannot tell" if rng.random() < unlabelled else answer for answer in answers]
        table.with_columns(label=pl.Series(answers)).write_csv(sheet)
        sheets.append(sheet)
        outcome = campaign.take(AnswerFiles(tuple(sheets)), evidence=folder / "labelled.parquet")
        written = campaign.go_on(folder / f"sheet{len(sheets) + 1}.csv", outcome)
    return outcome.finding


def audited(folder: Path, name: str) -> Finding:
    """The accuracy audit of the labelled items."""
    roles = {role: role for role in ("label", "inclusion")}
    columns = pl.scan_parquet(folder / "labelled.parquet").collect_schema().names()
    roles |= {role: role for role in ("decision", "stratum") if role in columns}
    slices = ["language"] if "language" in columns else []
    return eh.audit(folder / "labelled.parquet", audits=["accuracy"], slices=slices, **roles).findings[0]


@pytest.mark.parametrize("unlabelled", [0.0, 0.1], ids=["all labelled", "some not"])
@pytest.mark.parametrize("name", DESIGNS)
def test_an_audit_of_the_labels_gives_the_intervals_of_the_plan(name: str, unlabelled: float, tmp_path: Path) -> None:
    if name == "clusters" and unlabelled:
        pytest.skip("clusters with items that nobody could label are estimated by the plan alone")
    planned = measured(tmp_path, name, unlabelled=unlabelled)
    audit = audited(tmp_path, name)
    compared = 0
    for m in planned:
        if {"as_if", "estimator", "stratum"} & set(m.slice) or not audit.has(m.measure, **m.slice):
            continue
        ours, theirs = m.estimate, audit.get(m.measure, **m.slice)
        if m.measure == "population" and "pool" not in m.slice:
            continue  # the items of a pool in which a part has no label are known to the plan alone
        assert ours.defined == theirs.defined, (m.measure, m.slice)
        if ours.defined:
            width = (ours.high or 0.0) - (ours.low or 0.0)
            assert theirs.value == pytest.approx(ours.value, abs=1e-9, rel=1e-12), (m.measure, m.slice)
            assert theirs.low == pytest.approx(ours.low, abs=0.01 * width, rel=1e-9), (m.measure, m.slice)
            assert theirs.high == pytest.approx(ours.high, abs=0.01 * width, rel=1e-9), (m.measure, m.slice)
            compared += 1
    assert compared >= (70 if "by" in DESIGNS[name][1] else 3)


@pytest.mark.parametrize("name", ["default", "random", "stratified"])
def test_a_part_rests_on_its_own_labels(name: str, tmp_path: Path) -> None:
    """The counts of parts are the labels, nothing is said without any, and where all violate the share is 1."""
    finding = measured(tmp_path, name, n=300 if name == "random" else 500)
    labels = pl.read_parquet(tmp_path / "labelled.parquet")
    languages = finding.values("language")
    assert len(languages) == LANGUAGES
    for measure, whole in (("count", len(labels)), ("violations", labels["label"].sum()), ("population", ITEMS)):
        assert sum(finding.get(measure, language=one).value for one in languages) == pytest.approx(whole)
    unknown = 0
    for language in languages:
        for pool, decision in (("removed", "yes"), ("visible", "no")):
            own = labels.filter((pl.col("language") == language) & (pl.col("decision") == decision))["label"]
            slice_ = {"language": language, "pool": pool}
            share = finding.get("prevalence", **slice_) if finding.has("prevalence", **slice_) else None
            if not len(own):
                unknown += 1
                assert share is None or (not share.defined and share.note == "no labels in this part")
                continue
            assert share.n == len(own)
            everything = finding.get("population", **slice_).value == len(own)
            assert (share.high - share.low == 0.0) == everything
            if own.mean() in (0.0, 1.0):
                assert share.value == pytest.approx(own.mean(), abs=1e-12)
            else:
                assert 0.0 < share.value < 1.0
    assert unknown or name != "random"
