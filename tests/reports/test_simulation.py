"""The section of a simulation: every number of its tables is one of the finding, and every figure is drawn."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from scipy.special import expit

from evenhand.catalogue.accuracy import BIAS_IN_ERRORS
from evenhand.figures import draw_figures
from evenhand.finding import Finding
from evenhand.findings_file import from_json, to_json
from evenhand.measurement.simulation.default_design import DEFAULT_DESIGN
from evenhand.measurement.simulation.published_designs import PAPER
from evenhand.measurement.simulation.scenarios import SimulationRequest, open_scenarios
from evenhand.measurement.simulation.settings import SimulationSettings
from evenhand.measurement.simulation.simulate import simulate_designs
from evenhand.measurement.simulation.verdicts import BiasThresholds, SimulationTopic
from evenhand.reports import Report
from evenhand.reports.simulation import SECTION


@pytest.fixture(scope="module")
def finding() -> Finding:
    rng = np.random.default_rng(2)
    height = rng.normal(size=3000)
    table = pl.DataFrame(
        {"<b>p": expit(2.0 * height + rng.normal(size=3000) - 3.0), "q": rng.random(3000), "y": height > 1.28}
    )
    asked = SimulationRequest(label="y", score=("<b>p", "q"))
    settings = SimulationSettings(
        within=(0.5, 0.8), simulations=100, strata=(2, 8), pilots=(10,), pilot_totals=(32,), variants=("first=50",)
    )
    return simulate_designs(open_scenarios(table, asked), settings)


@pytest.mark.verify
def test_the_page_says_everything_and_escapes_names(finding: Finding) -> None:
    page = Report((finding,)).html()
    assert page.count("<h3>") >= 2
    assert "<b>p" not in page.replace("\\u003cb\\u003ep", "")
    assert page.count("<figure>") == 3
    assert "within 80 %" in page
    for reading in finding.readings:
        if reading.topic == SimulationTopic.NEEDS:
            assert reading.text in page


@pytest.mark.verify
def test_tables_hold_what_was_found(finding: Finding) -> None:
    context = SECTION.context(finding)
    known = {id(m.estimate) for m in finding}
    shown = [grid for part in ("table", "worth", "settings", "numbers", "pilots") for _, grid in context[part]]
    assert len(shown) == 2 + 4 + 2 + 2 + 2
    for grid in shown:
        for _, estimates, _ in grid.rows:
            assert len(estimates) == len(grid.measures) == len(grid.titles)
            assert all(e is None or id(e) in known for e in estimates)
    names = [name for name, _, _ in context["table"][0][1].rows]
    assert names[0] == "Random sampling"
    assert "Default design" in names
    assert len(names) == 8
    assert len(context["worth"][0][1].rows) == 6


@pytest.mark.verify
def test_a_terminal_has_room(finding: Finding) -> None:
    grids, lines = SECTION.grids(finding), SECTION.lines(finding)
    assert len(grids) == 2 + 4
    assert all(len(name) < 30 for grid in grids for name, _, _ in grid.rows)
    assert sum("random sampling needs" in line for line in lines) == 4
    assert all(line.startswith(("<b>p: ", "q: ")) for line in lines)


@pytest.mark.verify
def test_figures(finding: Finding) -> None:
    drawn = draw_figures(finding)
    assert [figure.name for figure in drawn] == ["strata"] * 2 + ["pilots"]
    first = drawn[0].spec
    values = next(iter(first["datasets"].values())) if "datasets" in first else first["data"]["values"]
    here = {"within": "0.5", "model": "<b>p"}
    for row in values:
        if row["series"] == "pilot of 10" and row["by"] == "quantile strata" and row["strata"] == "8":
            cell = {"design": "pilot", "strata_by": "quantile", "strata": "8", "pilot": "10"}
            assert row["value"] == finding.get("labels_needed", **here, **cell).value
            break
    else:
        raise AssertionError("the pilot of 10 is not drawn")
    assert {row["by"] for row in values} == {"equal-width strata", "quantile strata", "oracle strata"}
    assert all("<svg" in figure.svg for figure in (drawn[0], drawn[-1]))


@pytest.mark.verify
def test_a_finding_from_a_file_shows_all_that_it_showed(finding: Finding) -> None:
    (loaded,) = from_json(to_json([finding]), source="a file")
    assert to_json([loaded]) == to_json([finding])
    assert [figure.spec for figure in draw_figures(loaded)] == [figure.spec for figure in draw_figures(finding)]
    assert Report((loaded,)).html() == Report((finding,)).html()
    assert SECTION.lines(loaded) == SECTION.lines(finding)


@pytest.mark.verify
def test_cards_are_chosen_by_topic_and_target(finding: Finding) -> None:
    turned = replace(finding, readings=finding.readings[::-1])
    for card in SECTION.context(turned)["cards"]:
        assert [len(card[part]) for part in ("big", "more", "others")] == [2, 2, 1]
        assert "within 80 %" in card["others"][0]


@pytest.mark.verify
def test_the_bias_that_counts_is_told_as_the_finding_carries_it(finding: Finding) -> None:
    bars = BiasThresholds.for_measured(finding)
    page = Report((finding,)).html()
    assert f"from {bars.sure:.1f} there is a bias, after correction for the {bars.looks} values" in page
    assert (
        "Monte-Carlo standard errors are compatible with no bias" not in Report((replace(finding, exhibits=()),)).html()
    )


@pytest.mark.verify
def test_every_conclusion_is_a_verdict(finding: Finding) -> None:
    assert [verdict.statement for verdict in finding.verdicts] == [reading.text for reading in finding.readings]
    bars = BiasThresholds.for_measured(finding)
    designs = {SimulationTopic.PUBLISHED: PAPER, SimulationTopic.COVERAGE: DEFAULT_DESIGN}
    expected = {"no bias detected": "quiet", "possibly biased": "open", "biased": "stands_out"}
    for reading, verdict in zip(finding.readings, finding.verdicts, strict=True):
        if reading.topic in designs:
            errors = finding.get(BIAS_IN_ERRORS, **reading.slice, **designs[reading.topic]).value
            assert verdict.status == expected[bars.judge(errors)]
