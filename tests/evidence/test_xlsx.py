"""Workbooks that would end the process or take all memory end in one line; others are read as they are."""

from __future__ import annotations

import logging
import sys
import zipfile
from datetime import date, datetime
from pathlib import Path

import polars as pl
import pytest

from cli.program import refused
from evenhand import limits
from evenhand.errors import InputError
from evenhand.evidence import open_source
from evenhand.evidence.xlsx_trial import column_number, declared_cells

NAMESPACE = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
CELLS = '<row r="1"><c r="A1"><v>1</v></c></row>'
ROLES = ["--score", "p", "--label", "y", "--groups", "g", "--audits", "bias"]


def items() -> pl.DataFrame:
    return pl.DataFrame(
        {
            "p": [0.1, 0.2, 0.3, 0.9] * 4,
            "y": [0, 1] * 8,
            "g": [True, True, False, False] * 4,
            "t": ["ä word", None] * 8,
            "day": [date(2026, 1, 1)] * 16,
            "at": [datetime(2026, 1, 1, 12)] * 16,
        }
    )


def sheet(path: Path, rows: str, *, dimension: str = "", strings: str = "") -> Path:
    """A workbook whose sheet, or whose table of strings, holds this."""
    made, other = path.with_name("made.xlsx"), {}
    items().write_excel(made)
    with zipfile.ZipFile(made) as archive:
        other = {name: archive.read(name).decode() for name in archive.namelist()}
    other["xl/worksheets/sheet1.xml"] = (
        f'<?xml version="1.0"?><worksheet {NAMESPACE}>{dimension}<sheetData>{rows}</sheetData></worksheet>'
    )
    if strings:
        other["xl/sharedStrings.xml"] = f'<?xml version="1.0"?><sst {NAMESPACE}>{strings}</sst>'
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in other.items():
            archive.writestr(name, content)
    return path


CORNER = '<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems do not limit memory")
def test_a_cell_in_the_last_corner(program) -> None:
    sheet(Path("items.xlsx"), CORNER)
    assert Path("items.xlsx").stat().st_size < 10_000
    refused(program("audit", "items.xlsx", *ROLES), "items.xlsx", "1,536 MiB of memory", "a cell far from the others")


def test_a_sheet_that_says_it_is_vast(program) -> None:
    sheet(Path("items.xlsx"), CORNER, dimension='<dimension ref="A1:XFD1048576"/>')
    refused(program("audit", "items.xlsx", *ROLES), "items.xlsx", "17,179,869,184 cells, and at most 100,000,000")


def test_a_workbook_that_unpacks_to_everything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = sheet(tmp_path / "items.xlsx", CELLS, strings=f"<si><t>{'a' * (32 << 20)}</t></si>")
    monkeypatch.setattr(limits, "XLSX_UNPACKED", 16 * limits.MIB)
    with pytest.raises(InputError, match=r"items\.xlsx: not a readable XLSX file \(it unpacks to 33,5[\d,]+ bytes"):
        open_source(path)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems do not limit memory")
def test_a_workbook_that_takes_all_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = sheet(tmp_path / "items.xlsx", CELLS, strings=f"<si><t>{'a' * (80 << 20)}</t></si>")
    monkeypatch.setattr(limits, "XLSX_MEMORY", 50 * limits.MIB)
    with pytest.raises(InputError, match="50 MiB of memory"):
        open_source(path)


@pytest.mark.verify
def test_a_workbook_that_takes_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = sheet(tmp_path / "items.xlsx", CELLS * 5_000_000)
    monkeypatch.setattr(limits, "XLSX_SECONDS", 1)
    with pytest.raises(InputError, match="more than 1 seconds"):
        open_source(path)


@pytest.mark.parametrize("content", [b"not a zip file", b"PK\x03\x04" + b"\0" * 100])
def test_what_is_no_workbook(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "items.xlsx"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"items\.xlsx: not a readable XLSX file \(.+\)"):
        open_source(path)


def test_large_and_small_workbooks_are_read_alike(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "-items.xlsx"
    items().write_excel(path)
    small = open_source(path).frame.collect()
    monkeypatch.setattr(limits, "XLSX_SMALL", 0)
    assert open_source(path).frame.collect().equals(small)
    assert small.schema == pl.read_excel(path, engine="calamine", infer_schema_length=None).schema


def test_what_a_sheet_says_about_its_cells() -> None:
    assert [column_number(letters) for letters in (b"A", b"Z", b"AA", b"XFD")] == [1, 26, 27, 16384]
    assert declared_cells(b'<dimension ref="A1:C10"/>') == 30
    assert declared_cells(b'<x:dimension  other="1" ref="$B$2:$C$10"/>') == 18
    assert declared_cells(b'<dimension ref="A1"/>') == 0


def test_what_the_reader_logs_reaches_no_log(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A column without values makes it warn."""
    path = tmp_path / "items.xlsx"
    pl.DataFrame({"id": [1, 2], "label": pl.Series([None, None], dtype=pl.String)}).write_excel(path)
    with caplog.at_level(logging.DEBUG):
        assert open_source(path).columns()
    assert caplog.records == []
