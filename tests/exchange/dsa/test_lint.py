"""Planted errors of the kinds seen in published filings are found; a report of our own is clean."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from evenhand.errors import InputError
from evenhand.exchange.dsa import labels
from evenhand.exchange.dsa.automated_means import AutomatedMeans
from evenhand.exchange.dsa.filed_report import FiledNumber
from evenhand.exchange.dsa.labels import Provider
from evenhand.exchange.dsa.lint import lint_report
from evenhand.exchange.dsa.report import CensusFiles, make_report
from exchange.dsa import corpus
from exchange.dsa.simulated_service import PERIOD, content, sample, study

MEANS = AutomatedMeans(study(sample(content(), 0)))


def filed(folder: Path, provider: Provider = Provider.VLOP) -> Path:
    census = CensusFiles(
        decisions=corpus.jsonl(folder / "d.jsonl", corpus.decisions(400)),
        notices=corpus.jsonl(folder / "n.jsonl", corpus.notices(200)),
        appeals=corpus.jsonl(folder / "a.jsonl", corpus.appeals(200)),
    )
    make_report(provider, "Forum", PERIOD, means=MEANS, census=census).save(folder / "report")
    return folder / "report"


@pytest.fixture(scope="module")
def clean(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return filed(tmp_path_factory.mktemp("clean"))


@pytest.mark.parametrize("provider", list(Provider), ids=list(Provider))
def test_our_own_reports_are_clean(tmp_path: Path, provider: Provider) -> None:
    assert lint_report(filed(tmp_path, provider)) == []


@pytest.mark.verify
def test_reports_of_simulated_studies_are_clean(tmp_path: Path) -> None:
    items = content()
    for seed in range(20):
        means = AutomatedMeans(study(sample(items, seed)))
        make_report(Provider.VLOP, "Forum", PERIOD, means=means).save(tmp_path / str(seed))
        assert lint_report(tmp_path / str(seed)) == [], seed


PLANTED: dict[str, tuple[str, int, str | None, str, str, str]] = {
    # name: table, line, column (None: the header), what is written there, the rule that finds it, how severe
    "a day that does not exist": (labels.PEOPLE, 3, labels.PERIOD, "2025-07-01/2025-12-32", "periods", "error"),
    "another form of period": (labels.PEOPLE, 3, labels.PERIOD, "H1 2026", "periods", "error"),
    "another period in one table": (labels.NOTICES, 4, labels.PERIOD, "2025-07-01/2025-12-31", "periods", "warning"),
    "a header that was overwritten": (labels.NOTICES, 0, None, "6", "columns", "error"),
    "a rate in per cent": (labels.AUTOMATED, 4, labels.VALUE, "96.96%", "values", "warning"),
    "a rate from 0 to 100": (labels.AUTOMATED, 4, labels.VALUE, "99.25", "values", "warning"),
    "a rate above 100 %": (labels.AUTOMATED, 4, labels.VALUE, "104 %", "values", "error"),
    "a range in place of a value": (labels.AUTOMATED, 4, labels.VALUE, "0.874 - 0.896", "values", "warning"),
    "words in place of a value": (labels.AUTOMATED, 4, labels.VALUE, "too small", "values", "warning"),
    "thousands separators": (labels.AUTOMATED, 1, labels.VALUE, "1,056,752", "values", "warning"),
    "a negative count": (labels.AUTOMATED, 1, labels.VALUE, "-3", "values", "error"),
    "a Member State for a language": (labels.AUTOMATED, 30, labels.SCOPE, "DE", "fixed_rows", "warning"),
    "a row twice": (labels.AUTOMATED, 30, labels.SCOPE, "bg", "fixed_rows", "error"),
    "a scope that was left over": (labels.ORDERS, 100, labels.SCOPE, "AT, […], SE", "leftovers", "warning"),
    "a hint that was left over": (
        *(labels.OWN_TERMS, 5, labels.OTHER_DESCRIPTION),
        *('Text to detail the "Other" keyword.', "leftovers", "warning"),
    ),
    "mangled letters": (labels.NAMES, 4, "Category description", "the consumer¡¯s rights", "leftovers", "warning"),
    "an unknown category": (labels.OWN_TERMS, 2, labels.TERMS_CATEGORY, "Animals", "categories", "error"),
    "a total that is no sum": (labels.OWN_TERMS, 1, labels.OWN_MEASURES, "1056752", "sums", "warning"),
    "more detected than taken": (labels.OWN_ILLEGAL, 3, labels.OWN_DETECTED, "999", "sums", "warning"),
    "more decided than submitted": (labels.APPEALS, 2, labels.VALUE, "9999", "outcomes", "warning"),
    "a date that is none": (labels.IDENTIFICATION, 2, labels.VALUE, "30.02.2026", "dates", "error"),
    "a rate without context": (labels.AUTOMATED, 4, labels.CONTEXT, "", "unexplained_rates", "warning"),
    "tables that do not fit together": (labels.AUTOMATED, 6, labels.VALUE, "7", "own_initiative", "warning"),
}


@pytest.mark.parametrize("name", PLANTED)
def test_planted_errors_are_found(clean: Path, tmp_path: Path, name: str) -> None:
    table, line, column, text, rule, severity = PLANTED[name]
    for path in clean.glob("*.csv"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    rows = list(csv.reader(io.StringIO((tmp_path / f"{table}.csv").read_bytes().decode(), newline="")))
    rows[line][rows[0].index(column) if column else 0] = text
    with (tmp_path / f"{table}.csv").open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    found = lint_report(tmp_path)
    assert (rule, severity) in {(problem.rule, problem.severity.value) for problem in found}, [*map(str, found)]
    where = [problem for problem in found if problem.rule == rule]
    assert all(table in problem.source for problem in where)


TEMPLATE_ROWS = """Applicability,Service,Reporting period,Section,Indicator,Scope,Value,Contextual Information
All,Forum,2026-01-01/2026-06-30,Use of automated means for content moderation,Number of measures not taken by automated means,Total number,3121,Known.
All,Forum,2026-01-01/2026-06-30,Use of automated means for content moderation,Number of measures solely taken by automated means ,Own-initiative 
Only for VLOPs,Forum,2026-01-01/2026-06-30,Use of automated means for content moderation,Accuracy of the automated means - Accuracy,bg
Only for VLOPs,Forum,2026-01-01/2026-06-30,Use of automated means for content moderation,Accuracy of the automated means - Precision,[...]
Only for VLOPs,Forum,2026-01-01/2026-06-30,Use of automated means for content moderation,Accuracy of the automated means - Accuracy,bg
"""  # noqa: E501, W291 (as they are filed: blanks at the end, short rows, rows that were not expanded)


def test_rows_of_the_template_that_were_not_filled_in_are_no_error(tmp_path: Path) -> None:
    (tmp_path / "8_automated_means.csv").write_text(TEMPLATE_ROWS)
    found = [problem for problem in lint_report(tmp_path) if problem.rule != "missing_table"]
    assert [(problem.rule, problem.severity.value, problem.row) for problem in found] == [("leftovers", "warning", 5)]


def test_a_missing_table_is_named(clean: Path, tmp_path: Path) -> None:
    (tmp_path / "8_automated means.csv").write_bytes((clean / f"{labels.AUTOMATED}.csv").read_bytes())
    missing = [problem.text for problem in lint_report(tmp_path) if problem.rule == "missing_table"]
    assert len(missing) == 10


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("0.96", (0.96, 0.96)),
        ("96.96%", (0.9696, 0.9696)),
        ("97,27 %", (0.9727, 0.9727)),
        ("0.874 - 0.896", (0.874, 0.896)),
        ("1,056,752", (1056752, 1056752)),
        ("1.056.752", (1056752, 1056752)),
        ("12 345", (12345, 12345)),
        ("0,5", (0.5, 0.5)),
    ],
)
def test_units_are_made_alike(text: str, share: tuple[float, float]) -> None:
    assert FiledNumber.parse(text).share == pytest.approx(share)


@pytest.mark.parametrize("text", ["", "/", "too small", "> 45", "[…]", "2026-01-01"])
def test_words_are_no_numbers(text: str) -> None:
    assert FiledNumber.parse(text) is None


def test_what_is_no_report_is_refused(tmp_path: Path) -> None:
    for path, said in ((tmp_path / "none", "not a report"), (tmp_path, "no table of a report")):
        with pytest.raises(InputError, match=said):
            lint_report(path)
