"""Table 8: values with intervals that cover, and a reason wherever there is none."""

from __future__ import annotations

import re

import numpy as np
import polars as pl
import pytest

from evenhand.estimate import Estimate
from evenhand.exchange.dsa import labels
from evenhand.exchange.dsa.automated_means import AutomatedMeans, report_interval
from evenhand.exchange.dsa.draft_report import DraftReport
from evenhand.exchange.dsa.labels import Provider
from evenhand.exchange.dsa.period import ReportingPeriod
from exchange.dsa.simulated_service import LANGUAGES, PERIOD, content, sample, study, truth

INTERVAL = re.compile(r"95 % confidence interval (0\.\d{4}|1\.0000) to (0\.\d{4}|1\.0000); ([\d,]+) labels")
ITEMS = content()
LABELLED = sample(ITEMS, 0)


def rates(means: AutomatedMeans, *, only_own: bool | None = True, period: ReportingPeriod = PERIOD) -> dict:
    report = DraftReport.empty(Provider.VLOP, "Forum", period)
    means.fill(report, only_own=only_own)
    rows = report.tables[labels.AUTOMATED]
    return {
        (row["Scope"], row["Indicator"].rpartition(" ")[2]): (row["Value"], row["Contextual Information"])
        for row in rows
        if row["Indicator"] in labels.RATES
    }


def test_values_are_those_of_the_definition() -> None:
    """Every item labelled: the value is the truth, digit by digit."""
    everything = ITEMS.with_columns(inclusion=pl.lit(1.0))
    filled = rates(AutomatedMeans(study(everything)))
    for scope, part in [("Total number", ITEMS), *((c, ITEMS.filter(pl.col("language") == c)) for c in LANGUAGES)]:
        for name, value in truth(part, "automated").items():
            assert filled[scope, name][0] == f"{value:.4f}", (scope, name)
    detection = truth(ITEMS, "automated", "person")["Recall"]
    assert f"by automated means or people: {detection:.4f}" in filled["Total number", "Recall"][1]


def test_every_value_has_interval_labels_and_design_and_every_blank_a_reason() -> None:
    for value, context in rates(AutomatedMeans(study(LABELLED))).values():
        if value:
            assert INTERVAL.match(context)
            assert "a stratified design" in context
        else:
            assert context.startswith("No value: ")


def test_no_value_without_own_labels() -> None:
    few = LABELLED.filter((pl.col("language") != "fr") & ~pl.col("stratum").is_in(["et taken", "et"]))
    filled = rates(AutomatedMeans(study(few)))
    for code in ("fr", "et", "sv"):
        assert filled[code, "Recall"] == ("", "No value: no item in this language was labelled.")
    assert filled["de", "Recall"][0]


def test_too_few_labels_leave_a_cell_empty() -> None:
    filled = rates(AutomatedMeans(study(LABELLED), fewest_labels=140))
    taken = LABELLED.filter(pl.col("stratum") == "et taken").height
    assert filled["et", "Precision"] == (
        "",
        f"No value: only {taken} items removed by automated means were labelled, fewer than 140.",
    )


@pytest.mark.parametrize("said", ["2025-07-01/2025-12-31", "spring", ""], ids=["other", "words", "none"])
def test_labels_of_another_period_give_no_value(said: str) -> None:
    for value, context in rates(AutomatedMeans(study(LABELLED, said))).values():
        assert value == ""
        assert context.startswith("No value: ")


def test_spellings_of_one_language_are_not_mixed() -> None:
    spelled = LABELLED.with_columns(
        language=pl.when(pl.col("stratum") == "de taken").then(pl.lit("de-AT")).otherwise("language")
    )
    assert "several spellings" in rates(AutomatedMeans(study(spelled)))["de", "Recall"][1]


def test_own_initiative_needs_to_be_told_apart() -> None:
    means = AutomatedMeans(study(LABELLED))
    assert rates(means)["Own-initiative", "Recall"] == rates(means)["Total number", "Recall"]
    for only_own, words in ((False, "does not separate"), (None, "table of decisions")):
        value, context = rates(means, only_own=only_own)["Own-initiative", "Recall"]
        assert (value, words in context) == ("", True)


def test_notices_are_rated_from_notices_alone() -> None:
    means = AutomatedMeans(study(LABELLED))
    assert rates(means)["NAM Total", "Accuracy"] == ("", "No value: no sample of notices was labelled.")
    notices = study(LABELLED.with_columns(language=pl.Series(["yes", "no"] * 2000)[: len(LABELLED)]))
    filled = rates(AutomatedMeans(None, notices))
    assert filled["Total number", "Accuracy"] == ("", "No value: no labelled sample of this content was given.")
    assert filled["NAM Total", "Accuracy"][0]
    assert filled["NAM Trusted Flagger", "Accuracy"][0]


@pytest.mark.parametrize("provider", list(Provider), ids=list(Provider))
def test_only_very_large_platforms_have_rows_by_language(provider: Provider) -> None:
    report = DraftReport.empty(provider, "Forum", PERIOD)
    AutomatedMeans(study(LABELLED)).fill(report, only_own=True)
    scopes = {row["Scope"] for row in report.tables[labels.AUTOMATED]}
    assert len(scopes) == {Provider.VLOP: 28, Provider.PLATFORM: 4, Provider.HOSTING: 3}[provider]


def test_rounding_never_narrows() -> None:
    wide = report_interval(Estimate(0.51239, 0.40009, 0.60001, 0.95, "logit", 10))
    assert wide.endswith("0.4000 to 0.6001")


def coverage(studies: int) -> tuple[float, int]:
    """Of the intervals of table 8 over so many samples, and how many there were."""
    expected = {
        (scope, name): value
        for scope in ("Total number", *LANGUAGES)
        for name, value in truth(
            ITEMS if scope == "Total number" else ITEMS.filter(pl.col("language") == scope), "automated"
        ).items()
    }
    hits = []
    for seed in range(studies):
        filled = rates(AutomatedMeans(study(sample(ITEMS, seed + 1), detection=None)))
        for key, value in expected.items():
            text, context = filled[key]
            if text:
                low, high, _ = INTERVAL.match(context).groups()
                hits.append(float(low) <= value <= float(high))
        assert not any(filled[scope, "Recall"][0] for scope in ("sv", "mt", "ga"))
    return float(np.mean(hits)), len(hits)


def test_intervals_cover_in_a_few_studies() -> None:
    share, number = coverage(4)
    assert number == 4 * 18
    assert share > 0.88


@pytest.mark.verify
def test_intervals_of_200_studies_cover() -> None:
    share, number = coverage(200)
    assert number == 200 * 18
    assert share >= 0.94
