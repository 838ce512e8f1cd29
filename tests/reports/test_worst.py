"""The worst group is one that fares worse; labels that are swapped are noticed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import evenhand as eh
from evenhand.finding import Finding, Measured
from evenhand.reports.summary import bias as summary
from evenhand.reports.worst import AUCS, lowest_auc, widest_gap


def made(*, clear: bool = True, swapped: bool = False) -> pl.DataFrame:
    """Groups `clear`, whose items are told apart best, and `mixed`, who are everybody else."""
    rng = np.random.default_rng(4)
    label, own = rng.random(6000) < 0.4, rng.random(6000) < 0.3
    apart = np.where(own & clear, 5.0, 1.4)
    score = 1 / (1 + np.exp(-(rng.normal(0, 1, 6000) + apart * (label - 0.5))))
    return pl.DataFrame({"p": score, "toxic": label ^ swapped, "clear": own, "mixed": ~own})


def audited(frame: pl.DataFrame, **more: str) -> Finding:
    (finding,) = eh.audit(frame, score="p", label="toxic", groups=["clear", "mixed"], **more).findings
    return finding


def test_a_group_that_is_told_apart_better_is_not_the_worst() -> None:
    finding = audited(made())
    assert all("stands_out" in finding.get("subgroup_auc", group=group).flags for group in ("clear", "mixed"))
    assert finding.get("subgroup_auc", group="clear").value > finding.get("auroc").value
    worst = lowest_auc(finding, {}, ["clear", "mixed"])
    assert worst is not None
    assert (worst.group, worst.measure) == ("mixed", "subgroup_auc")
    assert lowest_auc(finding, {}, ["clear"]) is None
    gap = widest_gap(finding, {}, ["clear"])
    assert gap is not None
    assert abs(gap.estimate.value or 0) > 0.3


def test_gaps_that_point_away_from_one_another_are_not_slight() -> None:
    finding = audited(made())
    assert {r.slice["group"]: r.tendency for r in finding.readings} == {"clear": "better", "mixed": "apart"}
    (point,) = [point for point in summary.points(finding) if point.status == "stands_out"]
    assert point.found == "Told apart less well: mixed; told apart better: clear."
    assert point.sure.startswith("Worst: mixed, Subgroup AUC")


def test_where_no_auc_is_low_the_widest_gap_is_told() -> None:
    frame = made(clear=False).with_columns(p=pl.col("p") * 0.8 + pl.col("clear") * 0.04)
    texts = [point.sure for point in summary.points(audited(frame)) if point.status == "stands_out"]
    assert texts
    assert all(text.startswith(("Worst: ", "The widest gap: ")) for text in texts)


def test_few_items_are_the_worst_only_where_nothing_else_is() -> None:
    finding = audited(made())
    flags = {"subgroup_auc": ("stands_out", "small"), "bpsn_auc": ("stands_out",), "bnsp_auc": ()}
    values = {"subgroup_auc": 0.7, "bpsn_auc": 0.8, "bnsp_auc": 0.6}

    def changed(m: Measured) -> Measured:
        if dict(m.slice) != {"group": "mixed"} or m.measure not in AUCS:
            return m
        value = values[m.measure]
        return replace(m, estimate=replace(m.estimate, value=value, low=value, high=value, flags=flags[m.measure]))

    finding = replace(finding, estimates=tuple(map(changed, finding)))
    worst = lowest_auc(finding, {}, ["mixed"])
    assert worst is not None
    assert worst.measure == "bpsn_auc"
    flags["bpsn_auc"] = ()
    worst = lowest_auc(replace(finding, estimates=tuple(map(changed, finding))), {}, ["mixed"])
    assert worst is not None
    assert worst.measure == "subgroup_auc"


@pytest.mark.parametrize("audit", ["bias", "collaboration"])
def test_swapped_labels_are_noticed(audit: str) -> None:
    found = audited(made(swapped=True), audits=audit)
    assert found.caveats[0].startswith("AUROC of the model is 0.0")
    assert "the wrong way round" in found.caveats[0]
    assert not any("wrong way round" in caveat for caveat in audited(made(), audits=audit).caveats)
