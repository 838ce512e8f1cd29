"""The bias audit where items belong together."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from studies.clusters import STUDY, drawn

import evenhand as eh
from evenhand.finding import Finding

ROLES = {"score": "p", "label": "y", "groups": ["g"], "audits": "bias"}


def audited(table: dict[str, Any], **more: Any) -> Finding:
    return eh.audit(table, **{**ROLES, **more}).findings[0]


@pytest.fixture(scope="module")
def comments() -> dict[str, Any]:
    return drawn(60, 0.4, np.random.default_rng(3))


def test_values_stay_and_intervals_widen(comments: dict[str, Any]) -> None:
    plain, clustered = audited(comments), audited(comments, cluster="by")
    for one, two in zip(plain, clustered, strict=True):
        assert one.estimate.value == two.estimate.value
        if one.measure != "count":
            assert two.estimate.method == f"{one.estimate.method}_by_cluster"
    assert clustered.get("auroc").high - clustered.get("auroc").low > 1.2 * (
        plain.get("auroc").high - plain.get("auroc").low
    )


def test_every_comment_twice_by_clusters_is_as_wide_as_once(comments: dict[str, Any]) -> None:
    twice = {name: np.repeat(values, 2) for name, values in comments.items()}
    twice["pair"] = np.repeat(np.arange(len(comments["p"])), 2)
    plain, paired = audited(comments), audited(twice, cluster="pair")
    for one, two in zip(plain, paired, strict=True):
        if one.measure != "count" and not one.estimate.small:
            widths = [m.estimate.high - m.estimate.low for m in (one, two)]
            assert widths[1] / widths[0] == pytest.approx(1.0, abs=0.06), one.measure


def test_each_comment_its_own_cluster_is_as_wide_as_without(comments: dict[str, Any]) -> None:
    alone = {**comments, "alone": np.arange(len(comments["p"]))}
    for one, two in zip(audited(alone), audited(alone, cluster="alone"), strict=True):
        if one.measure != "count":
            widths = [m.estimate.high - m.estimate.low for m in (one, two)]
            assert widths[1] / widths[0] == pytest.approx(1.0, abs=0.06), one.measure


def test_what_the_report_says(comments: dict[str, Any]) -> None:
    said = " ".join(audited(comments, cluster="by").caveats)
    assert "Items belong together by by (60 clusters)" in said
    assert "independent ones." in said
    assert "at most 5 %, if items are independent of one another beyond 'by'" in said
    few = drawn(12, 0.4, np.random.default_rng(3))
    assert "There are only 12 clusters." in " ".join(audited(few, cluster="by").caveats)


@pytest.mark.parametrize(("authors", "approximate"), [(30, True), (31, False)])
def test_thirty_clusters_are_said_to_be_few(authors: int, approximate: bool) -> None:
    said = " ".join(audited(drawn(authors, 0.4, np.random.default_rng(3)), cluster="by").caveats)
    assert (f"There are only {authors} clusters. With 30 or fewer" in said) is approximate


def test_two_models_by_clusters(comments: dict[str, Any]) -> None:
    rng = np.random.default_rng(1)
    other = {**comments, "q": np.clip(comments["p"] + 0.05 * rng.normal(size=len(comments["p"])), 0, 1)}
    found = audited(other, score=["p", "q"], cluster="by").get("auroc", model="q", against="p")
    assert found.method == "paired_delong_by_cluster"
    assert found.low <= found.value <= found.high


def test_a_group_of_one_author_is_not_tested() -> None:
    table = drawn(60, 0.1, np.random.default_rng(3))
    table["g"] = table["by"] == np.bincount(table["by"]).argmax()
    found = audited(table, cluster="by")
    assert found.get("fpr", group="g").small
    assert not any(m.estimate.stands_out for m in found)


def test_templates_with_every_term() -> None:
    """A model that hardly looks at the term: with the templates declared, small gaps are known well."""
    rng = np.random.default_rng(0)
    term, template = np.divmod(np.arange(12 * 80), 80)
    y = template % 2 == 1
    score = 1.5 * y + rng.normal(size=80)[template] + 0.02 * rng.normal(size=960)
    table = {"p": 1 / (1 + np.exp(-score)), "y": y, "term": [f"t{n}" for n in term], "template": template}
    roles = {"groups": None, "group_by": "term"}
    plain = audited(table, **roles)
    for cluster in ("template", ["term", "template"]):
        found = audited(table, **roles, cluster=cluster)
        for measure, wider in (("auroc", True), ("negative_aeg", False)):
            slice_ = {} if measure == "auroc" else {"group": "t3"}
            widths = [f.get(measure, **slice_).high - f.get(measure, **slice_).low for f in (plain, found)]
            assert (widths[1] > widths[0]) is wider


def test_the_study_holds() -> None:
    rows = [row for row in STUDY.read() if row["authors"] >= 100 and row["measure"] != "false marks"]
    assert min(row["coverage"] for row in rows) >= 0.92
    assert np.mean([row["coverage"] for row in rows]) == pytest.approx(0.955, abs=0.015)
    marks = [row for row in STUDY.read() if row["measure"] == "false marks"]
    assert max(row["coverage"] for row in marks) <= 0.05
    assert max(row["independent"] for row in marks) > 0.3


@pytest.mark.verify
@pytest.mark.parametrize("number", [3, 5])
def test_the_study_again(number: int) -> None:
    kept = {row["measure"]: row for row in STUDY.read() if row.items() >= STUDY.cells[number].items()}
    for row in STUDY.cell(number, 100):
        error = np.sqrt(max(kept[row["measure"]]["coverage"] * (1 - kept[row["measure"]]["coverage"]), 0.02) / 100)
        assert row["coverage"] == pytest.approx(kept[row["measure"]]["coverage"], abs=4 * error)
