"""A sheet saved by a German, French or English spreadsheet goes through the commands without editing."""

from __future__ import annotations

import json
from datetime import date, timedelta
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from cli.program import ran

COUNTRIES = {
    "german": (";", ",", "WAHR", "FALSCH"),
    "french": (";", ",", "VRAI", "FAUX"),
    "english": (",", ".", "TRUE", "FALSE"),
}
DATES = {"german": "%d.%m.%Y", "french": "%d/%m/%Y", "english": "%m/%d/%Y"}


def save(country: str, path: str, *, rows: int = 200, blank: int = 0) -> None:
    """A sheet of scored and labelled comments."""
    sign, decimal, yes, no = COUNTRIES[country]
    rng = np.random.default_rng(3)
    labels = rng.random(rows) < 0.4
    scores = np.clip(rng.normal(0.3 + 0.3 * labels, 0.2), 0, 1)
    lines = [sign.join(("Id", "Text", "Score", "Label", "Women", "Date"))]
    for row, (score, label) in enumerate(zip(scores, labels, strict=True)):
        text = "" if row < blank else f'"Größe {row}{sign} à la carte"'
        shown = f"{score:.4f}".replace(".", decimal)
        words = (yes if label else no), (yes if row % 2 else no)
        day = date(2024, 9, 1) + timedelta(days=row)
        lines.append(sign.join((str(row + 1), text, shown, *words, f"{day:{DATES[country]}}")))
    Path(path).write_bytes(("\r\n".join(lines) + "\r\n").encode("cp1252"))


ROLES = ("--score", "score", "--label", "label")


@pytest.mark.parametrize(
    "country", [pytest.param(name, marks=[] if name == "german" else pytest.mark.verify) for name in COUNTRIES]
)
def test_a_sheet_goes_through_every_command(program, country: str) -> None:
    save(country, "items.csv")
    done = program("audit", "items.csv", *ROLES, "--groups", "women", "--id", "id", "--json")
    assert done.code == 0, done.err
    first, second = done.err.splitlines()
    assert first.startswith("Reading items.csv with ")
    assert first.endswith("; change with --separator, --decimal, --encoding")
    assert second.startswith("items.csv: using the columns 'Score' for 'score', ")
    assert json.loads(done.out)["findings"]
    ran(program, "plan", "items.csv", *ROLES, "--target", "oc_accuracy=0.9")
    ran(program, "calibrate", "fit", "items.csv", *ROLES, "-o", "c.json")
    ran(program, "calibrate", "apply", "c.json", "items.csv", "-o", "calibrated.csv")
    ran(program, "score", "default", "items.csv", "-o", "scored.csv")
    ran(program, "audit", "scored.csv", "--score", "p,Score", "--label", "label", "--groups", "women", "--json")
    ran(program, "sample", "plan", "items.csv", "--score", "score", "--n", "60", "-o", "plan.json")
    ran(program, "sample", "draw", "plan.json", "-o", "batch.csv")
    sheet = pl.read_csv("batch.csv").with_columns(pl.lit(COUNTRIES[country][2]).alias("Label")).drop("label")
    Path("batch.csv").write_bytes(sheet.write_csv(separator=COUNTRIES[country][0]).encode("cp1252"))
    ran(program, "sample", "estimate", "plan.json", "batch.csv")
    ran(program, "init", "items.csv")
    assert 'label = "Label"' in Path("audit.toml").read_text()


@pytest.mark.parametrize("country", list(COUNTRIES))
def test_dates_of_a_sheet_are_compared_as_dates(program, country: str) -> None:
    save(country, "items.csv")
    done = program("audit", "items.csv", *ROLES, "--where", "Date >= '2025-01-01'", "--json")
    assert done.code == 0, done.err
    assert json.loads(done.out)["findings"][0]["provenance"]["rows"] == 200 - 122  # September to December
    order = {"german": "", "french": "day first", "english": "month first"}[country]
    notices = [line for line in done.err.splitlines() if "dates of column 'Date'" in line]
    assert notices == (
        [f"items.csv: reading the dates of column 'Date' {order}; change with --date-order"] * bool(order)
    )


def test_a_declaration_stands_for_its_table_in_every_command(program) -> None:
    save("german", "items.csv")
    Path("audit.toml").write_text(
        'data = "items.csv"\nseparator = ";"\ndecimal = ","\nencoding = "cp1252"\n'
        '[columns]\nscore = ["Score"]\nlabel = "Label"\ntext = "Text"\nid = "Id"\ngroups = ["Women"]\n'
    )
    for command in (
        ("audit", "audit.toml", "--json"),
        ("plan", "audit.toml", "--target", "oc_accuracy=0.9"),
        ("calibrate", "fit", "audit.toml", "-o", "c.json"),
        ("calibrate", "apply", "c.json", "audit.toml", "-o", "calibrated.csv"),
        ("score", "default", "audit.toml", "-o", "scored.csv"),
        ("sample", "plan", "audit.toml", "--n", "60", "-o", "plan.json"),
    ):
        done = program(*command)
        assert (done.code, done.err) == (0, ""), command
    assert Path("scored.csv").read_bytes().startswith(b"\xef\xbb\xbfId;Text;Score")
    assert json.loads(Path("plan.json").read_text())["columns"]["score"] == "Score"


def test_a_wrong_layout_in_a_declaration_names_the_file(program) -> None:
    save("german", "items.csv")
    Path("audit.toml").write_text('data = "items.csv"\ndecimal = "x"\n[columns]\nscore = ["Score"]\nlabel = "Label"\n')
    done = program("plan", "audit.toml", "--target", "oc_accuracy=0.9")
    assert done.code == 2
    assert "invalid --decimal: 'x' (choose from: . ,)" in done.err
