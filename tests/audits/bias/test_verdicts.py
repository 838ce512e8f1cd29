"""The worst group is one that fares worse; labels that are swapped are noticed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import evenhand as eh
from evenhand.audits.bias.shapes import AUC_NAMES
from evenhand.audits.bias.verdicts import lowest_auc, widest_gap, worst_first, worst_group
from evenhand.finding import Finding, Measured


def made(*, clear: bool = True, swapped: bool = False) -> pl.DataFrame:
    """Groups `clear`, whose items are told apart best, and `mixed`, who are everybody else."""
    rng = np.random.default_rng(4)
    label, own = rng.random(6000) < 0.4, rng.random(6000) < 0.3
    apart = np.where(own & clear, 5.0, 1.4)
    score = 1 / (1 + np.exp(-(rng.normal(0, 1, 6000) + apart * (label - 0.5))))
    return pl.DataFrame({"p": score, "toxic": label ^ swapped, "clear": own, "mixed": ~own})


def audited(frame: pl.DataFrame, **more: str) -> Finding:
    options = {"audits": "bias", **more}
    (finding,) = eh.audit(frame, score="p", label="toxic", groups=["clear", "mixed"], **options).findings
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
    (verdict,) = [verdict for verdict in finding.verdicts if "overlap" in verdict.statement]
    more, less = (
        f"the scores of violating and benign items overlap {way} than for other items." for way in ("more", "less")
    )
    assert verdict.statement == f"For items in group mixed, {more} For items in group clear, {less}"
    overall = f"for items in group mixed; the overall AUC is {finding.get('auroc').value:.3f}."
    assert verdict.certainty.startswith("Lowest AUC with a statistically significant difference: Subgroup AUC ")
    assert verdict.certainty.endswith(overall)


def test_the_worst_group_travels_with_the_finding() -> None:
    finding = audited(made())
    bare = replace(finding, exhibits=())
    assert worst_first(finding) == worst_first(bare) == ["mixed", "clear"]
    assert worst_group(finding, {}) == worst_group(bare, {}) == lowest_auc(finding, {}, ["mixed", "clear"])
    quiet = replace(finding, estimates=tuple(replace(m, estimate=replace(m.estimate, flags=())) for m in finding))
    assert worst_group(replace(quiet, exhibits=()), {}) is None


def test_where_no_auc_is_low_the_widest_gap_is_told() -> None:
    frame = made(clear=False).with_columns(p=pl.col("p") * 0.8 + pl.col("clear") * 0.04)
    texts = [verdict.certainty for verdict in audited(frame, scale="rank").verdicts]
    assert texts
    assert all(text.startswith(("Lowest AUC with a ", "Largest statistically significant gap: ")) for text in texts)


def test_few_items_are_the_worst_only_where_nothing_else_is() -> None:
    finding = audited(made())
    flags = {"subgroup_auc": ("stands_out", "small"), "bpsn_auc": ("stands_out",), "bnsp_auc": ()}
    values = {"subgroup_auc": 0.7, "bpsn_auc": 0.8, "bnsp_auc": 0.6}

    def changed(m: Measured) -> Measured:
        if dict(m.slice) != {"group": "mixed"} or m.measure not in AUC_NAMES:
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
    assert found.caveats[0].startswith("The AUROC of the model is 0.0")
    assert "labels or the scores are reversed" in found.caveats[0]
    assert not any("are reversed" in caveat for caveat in audited(made(), audits=audit).caveats)
