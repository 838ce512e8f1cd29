"""Figures of a perspective finding show groups beside everybody and chance, and nothing about a single annotator."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest

import evenhand as eh
from evenhand.audits.perspective.standing import annotator_groups
from evenhand.figures import draw_figures
from evenhand.figures.perspective_annotators import _joined_bars, draw_clusters
from evenhand.finding import Exhibit, Finding
from figures.drawings import drawn, rows, said

ONE = ["deltas", "annotators", "clusters", "inertia"]


@pytest.fixture(scope="module")
def finding(perspectives) -> eh.Finding:
    return perspectives["one"].findings[0]


@pytest.fixture(scope="module")
def two(perspectives) -> eh.Finding:
    return perspectives["two"].findings[0]


def test_one_model(finding: eh.Finding) -> None:
    found = draw_figures(finding)
    assert [figure.name for figure in found] == ONE
    for figure in found:
        assert figure.png[:8] == b"\x89PNG\r\n\x1a\n"
        assert figure.caption
        assert figure.about == {}


def test_several_models_are_ranked_and_have_clusters_of_their_own(two: eh.Finding) -> None:
    found = [(figure.name, figure.about.get("model")) for figure in draw_figures(two)]
    of_each = [(name, model) for model in ("p", "q") for name in ("clusters", "inertia")]
    assert found == [("deltas", None), ("ranking", None), ("annotators", None), *of_each]


def test_deltas_of_every_group_are_beside_everybody(finding: eh.Finding) -> None:
    found = {row["group"].split(" (")[0]: row for row in rows(dict(drawn(finding, "deltas").spec)) if "group" in row}
    assert list(found) == ["all annotators", *(one.group for one in annotator_groups(finding))]
    for group in finding.values("annotators"):
        e = finding.get("conformity_delta", annotators=group)
        assert found[group]["value"] == e.value
        assert e.low <= found[group]["low"] <= found[group]["high"] <= e.high
        assert found[group]["kind"] == ("stands_out" if "stands_out" in e.flags else "usual")
    assert found["women"]["kind"] == "stands_out"
    assert "women (57)" in said(drawn(finding, "deltas"))


def test_a_very_wide_interval_is_cut_off_and_no_other(finding: eh.Finding) -> None:
    found = {row["group"].split(" (")[0]: row for row in rows(dict(drawn(finding, "deltas").spec)) if "group" in row}
    for group in ("women", "men"):
        e = finding.get("conformity_delta", annotators=group)
        assert (found[group]["low"], found[group]["high"]) == (e.low, e.high)


def test_groups_of_few_people_come_last(finding: eh.Finding) -> None:
    groups = annotator_groups(finding)
    assert [(one.group, one.few) for one in groups] == [("women", False), ("men", False), ("other groups", True)]


def test_models_are_beside_what_shuffling_gives(two: eh.Finding) -> None:
    found = [row for row in rows(dict(drawn(two, "ranking").spec)) if "full" in row]
    for model in ("p", "q"):
        e = two.get("demographic_divergence", model=model)
        chance = two.get("demographic_divergence", model=model, as_if="shuffled")
        (row,) = {json.dumps(row): row for row in found if row["model"] == model and row["value"] == e.value}.values()
        assert (row["shuffled"], row["low"], row["high"]) == (chance.value, chance.low, chance.high)
        assert row["full"] is ("stands_out" in e.flags)


def test_no_cell_of_fewer_than_five_has_a_bar_or_a_mean(finding: eh.Finding) -> None:
    exhibits = [e for e in finding.exhibits if e.kind == "cluster"]
    found = [row for row in rows(dict(drawn(finding, "clusters").spec)) if "said" in row]
    counts = [count for e in exhibits for count in e.columns["annotators"]]
    assert any(0 < count < 5 for count in counts)
    groups = finding.values("annotators")
    for number, exhibit in enumerate(exhibits):
        own = found[number * len(groups) : (number + 1) * len(groups)]
        for row, count in zip(own, exhibit.columns["annotators"], strict=True):
            shown = row["share"] * sum(exhibit.columns["annotators"])
            assert (shown == pytest.approx(count)) if count >= 5 else (shown, row["said"]) == (0.0, "fewer than 5")


def test_a_cluster_of_a_handful_does_not_say_how_many() -> None:
    people = {"annotators": [3.0, 1.0], "delta": [None, None]}
    many = {"annotators": [30.0, 10.0], "delta": [0.1, -0.1]}
    exhibits = (Exhibit("cluster", {"cluster": "1"}, many), Exhibit("cluster", {"cluster": "2"}, people))
    counts = [eh.Measured("annotator_count", {"annotators": g}, eh.Estimate.exact(40, level=0.95, n=9)) for g in "ab"]
    found = draw_clusters(Finding("perspective", "?", tuple(counts), (), {}, exhibits=exhibits), None)
    assert found is not None
    text = said(found)
    assert "Cluster 1: 40 annotators" in text
    assert "Cluster 2: fewer than 5 annotators" in text


def test_bars_of_labels_given_stand_for_five_people_or_more(finding: eh.Finding) -> None:
    found = [row for row in rows(dict(drawn(finding, "annotators").spec)) if "labels" in row]
    assert found
    assert all(row["people"] >= 5 for row in found)
    assert _joined_bars([[1, 2, 0], [2, 5, 3], [5, 10, 9], [10, 20, 2], [20, 50, 0]]) == [[2, 20, 14]]
    assert _joined_bars([[1, 2, 6], [2, 5, 0], [5, 10, 9]]) == [[1, 5, 6], [5, 10, 9]]


@pytest.mark.verify
def test_nobody_and_no_small_group_is_in_any_drawing(finding: eh.Finding, two: eh.Finding) -> None:
    for found in (finding, two):
        for figure in draw_figures(found):
            assert "secret" not in json.dumps(dict(figure.spec))
            assert "tiny" not in figure.svg
            assert ET.fromstring(figure.svg) is not None


def test_a_file_of_an_earlier_version_draws_what_it_can(two: eh.Finding) -> None:
    """Findings had no exhibits then."""
    earlier = replace(two, exhibits=(), verdicts=())
    assert [figure.name for figure in draw_figures(earlier)] == ["deltas", "ranking", "annotators"]
