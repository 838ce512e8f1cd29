"""The figures of a migration are drawn from the finding alone and show what it says."""

from __future__ import annotations

import pytest

from evenhand.figures import Figure, draw_figures
from evenhand.finding import Finding
from evenhand.findings_file import from_json, to_json
from migration.logs import frame, moved


@pytest.fixture(scope="module")
def finding() -> Finding:
    return moved(frame(1500), groups=["women", "men"], thresholds=[0.7, 0.9])


@pytest.fixture(scope="module")
def drawn(finding: Finding) -> dict[str, Figure]:
    return {figure.file: figure for figure in draw_figures(finding)}


def layers(figure: Figure) -> list[list[dict]]:
    """The rows of each layer, in their order."""
    spec = figure.spec
    return [
        spec["datasets"][layer["data"]["name"]] if "name" in layer["data"] else layer["data"]["values"]
        for layer in spec["layer"]
    ]


def test_the_map_two_groups_and_the_scores(drawn: dict[str, Figure]) -> None:
    assert list(drawn) == ["migration_map", "migration_groups_0-7", "migration_groups_0-9", "migration_scores"]


def test_the_map_has_every_threshold_and_marks_those_asked_for(drawn: dict[str, Figure], finding: Finding) -> None:
    _, band, line, dots, _ = layers(drawn["migration_map"])
    assert band == line
    assert [row["old"] for row in dots] == [0.7, 0.9]
    for row in dots:
        found = finding.get("new_threshold", threshold=f"{row['old']:g}", matched="flag_rate")
        assert (row["new"], row["low"], row["high"]) == (found.value, found.low, found.high)


def test_groups_have_their_ratio(drawn: dict[str, Figure], finding: Finding) -> None:
    _, rules, dots = layers(drawn["migration_groups_0-7"])
    assert [row["group"] for row in dots] == ["women", "men"]
    for row in rules:
        found = finding.get("flag_rate_ratio", threshold="0.7", matched="flag_rate", group=row["group"])
        assert row["value"] == found.value


def test_all_comments_are_among_the_scores(drawn: dict[str, Figure]) -> None:
    spec = drawn["migration_scores"].spec
    rows = spec["data"]["values"] if "values" in spec["data"] else spec["datasets"][spec["data"]["name"]]
    assert sum(row["comments"] for row in rows) == 1500


@pytest.mark.verify
def test_a_finding_from_a_file_is_drawn_alike(finding: Finding) -> None:
    (again,) = from_json(to_json([finding]), source="x")
    assert [figure.spec for figure in draw_figures(again)] == [figure.spec for figure in draw_figures(finding)]
    assert all(figure.svg.startswith("<svg") for figure in draw_figures(again))


def test_without_a_threshold_to_draw_there_is_no_map() -> None:
    """All old scores are low: no threshold of the grid below them is reached, and none above."""
    import polars as pl

    table = frame(200).with_columns(perspective=pl.col("perspective") / 1000.0)
    finding = moved(table, thresholds=[0.8], groups=["women"])
    assert [figure.file for figure in draw_figures(finding)] == ["migration_scores"]
