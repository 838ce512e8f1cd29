"""The folder of a report: CSV and workbook with the same cells, no formulas, and a text that says the numbers."""

from __future__ import annotations

import csv
import io
import re
import shutil
import subprocess
from pathlib import Path

import fastexcel
import pytest

from evenhand.errors import InputError
from evenhand.exchange.dsa import labels
from evenhand.exchange.dsa.automated_means import AutomatedMeans
from evenhand.exchange.dsa.labels import Provider
from evenhand.exchange.dsa.period import ReportingPeriod
from evenhand.exchange.dsa.report import CensusFiles, Identification, make_report
from evenhand.exchange.dsa.template import report_template
from evenhand.metrics import krippendorff_alpha
from exchange.dsa import corpus
from exchange.dsa.simulated_service import PERIOD, content, sample, study

STUDY = study(sample(content(), 0))
SAFEGUARDS = "Safeguards applied to the use of automated means"
EVIL = '=HYPERLINK("https://example.org")'


def cells(path: Path) -> list[list[str]]:
    return list(csv.reader(io.StringIO(path.read_bytes().decode(), newline="")))


def text_of(folder: Path) -> str:
    return next(row[-1] for row in cells(folder / f"{labels.QUALITATIVE}.csv") if row[3] == labels.RATE_TEXT)


def test_the_workbook_has_the_same_cells(tmp_path: Path) -> None:
    make_report(Provider.VLOP, "Forum", PERIOD, means=AutomatedMeans(STUDY)).save(tmp_path)
    book = fastexcel.read_excel(str(tmp_path / "report.xlsx"))
    assert book.sheet_names == list(report_template())
    for name in report_template():
        frame = book.load_sheet(name, header_row=None, dtypes="string").to_polars()
        sheet = [["" if cell is None else cell for cell in row] for row in frame.iter_rows()]
        assert sheet == cells(tmp_path / f"{name}.csv")


@pytest.mark.verify
@pytest.mark.skipif(not shutil.which("soffice"), reason="LibreOffice is not installed")
def test_libreoffice_opens_the_workbook(tmp_path: Path) -> None:
    make_report(Provider.VLOP, "Forum", PERIOD, means=AutomatedMeans(STUDY)).save(tmp_path)
    option = "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false,false,false,-1"
    command = ["soffice", "--headless", "--convert-to", option, "--outdir", str(tmp_path / "out")]
    subprocess.run([*command, str(tmp_path / "report.xlsx")], check=True, capture_output=True, timeout=120)
    for name in report_template():
        assert cells(tmp_path / "out" / f"report-{name}.csv") == cells(tmp_path / f"{name}.csv")


def test_a_spreadsheet_runs_nothing(tmp_path: Path) -> None:
    values = tmp_path / "values.csv"
    with values.open("w", newline="") as file:
        csv.writer(file).writerows(
            [
                ["table", "indicator", "value"],
                ["11_qualitative", "Safeguards applied to the use of automated means", EVIL],
            ]
        )
    census, identity = CensusFiles(values=values), Identification(name=EVIL)
    made = make_report(
        Provider.PLATFORM, EVIL, PERIOD, means=AutomatedMeans(STUDY), census=census, identification=identity
    )
    made.save(tmp_path / "out")
    for path in (tmp_path / "out").glob("*.csv"):
        assert not any(cell.startswith("=") for row in cells(path) for cell in row)
    assert b"<f>" not in (tmp_path / "out" / "report.xlsx").read_bytes()


def test_tables_without_data_have_their_fixed_rows(tmp_path: Path) -> None:
    make_report(Provider.VLOP, "Forum", PERIOD, means=AutomatedMeans(None)).save(tmp_path)
    for name, table in report_template().items():
        rows = cells(tmp_path / f"{name}.csv")
        assert rows[0] == list(table.columns)
        assert len(rows) == 1 + len(table.rows)
    assert "no labelled sample was given" in text_of(tmp_path)


def test_the_text_says_what_the_numbers_say(tmp_path: Path) -> None:
    agreement = krippendorff_alpha([1, 1, 2, 2, 3, 3, 4, 4], ["a", "b"] * 4, [1, 1, 0, 0, 1, 0, 0, 0])
    made = study(sample(content(), 0), agreement=agreement)
    make_report(Provider.VLOP, "Forum", PERIOD, means=AutomatedMeans(made)).save(tmp_path)
    text = text_of(tmp_path)
    assert text.startswith("DRAFT FOR LEGAL REVIEW")
    for name, words in (
        *(("accuracy", "Accuracy"), ("precision", "Precision"), ("recall", "Recall"), ("fpr", "false positive rate")),
        *(("specificity", "Specificity"), ("npv", "Negative predictive value"), ("fnr", "false negative rate")),
    ):
        found = re.search(rf"{words} \([^)]*\):? (\d\.\d{{4}}) \(95 % confidence interval", text)
        assert found, words
        assert float(found[1]) == pytest.approx(made.finding.get(name).value, abs=5e-5)
    for words in ("terms of use", "codebook: v3", "a stratified design", f"alpha {agreement.value:.2f}", "Not covered"):
        assert words in text
    assert f"{made.labels({}):,} labelled items" in text
    lacking = re.search("the languages (.*), of which", text)[1].split(", ")
    assert set(lacking) == set(labels_without_value(tmp_path))


def labels_without_value(folder: Path) -> list[str]:
    rows = cells(folder / f"{labels.AUTOMATED}.csv")
    return [row[5] for row in rows if row[4] == labels.RATE_ACCURACY and len(row[5]) == 2 and not row[6]]


def test_values_from_elsewhere_are_filled_and_unknown_ones_refused(tmp_path: Path) -> None:
    path = tmp_path / "values.csv"
    path.write_text(
        "table,indicator,scope,value,context\n"
        "9_human_resources,Number of internal moderators employed by the provider,Total number,120,\n"
        "10_AMAR,Number of average monthly active recipients during the reporting period,DE,1000,\n"
    )
    census = CensusFiles(values=path)
    made = make_report(Provider.VLOP, "Forum", PERIOD, means=AutomatedMeans(None), census=census)
    assert made.rows("9_human_resources")[1][6] == "120"
    path.write_text("table,indicator,scope,value\n9_human_resources,Number of moderators,Total number,120\n")
    with pytest.raises(InputError, match="row 1: the table 9_human_resources has no indicator 'Number of moderators'"):
        make_report(Provider.VLOP, "Forum", PERIOD, means=AutomatedMeans(None), census=census)


def test_a_sample_of_other_content_than_was_counted_is_noted(tmp_path: Path) -> None:
    decisions = corpus.jsonl(tmp_path / "d.jsonl", corpus.decisions(300))
    made = make_report(
        Provider.VLOP, "Forum", PERIOD, means=AutomatedMeans(STUDY), census=CensusFiles(decisions=decisions)
    )
    assert any("check that both are of the same content" in note for note in made.notes)


def test_an_unusual_period_is_noted() -> None:
    quarter = ReportingPeriod.parse("2026-01-01/2026-03-31")
    assert make_report(Provider.VLOP, "Forum", quarter, means=AutomatedMeans(None)).notes
    year = ReportingPeriod.parse("2026-01-01/2026-12-31")
    assert not make_report(Provider.HOSTING, "Forum", year, means=AutomatedMeans(None)).notes


@pytest.mark.parametrize("text", ["2026", "2026-06-30/2026-01-01", "2026-01-01/2026-06-31", "2026-01-01"])
def test_a_period_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="invalid `period`"):
        ReportingPeriod.parse(text)
