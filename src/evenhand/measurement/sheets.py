"""The sheet for annotators: CSV, XLSX, or tasks for Label Studio, with room for an answer beside each item.

What a spreadsheet would run as a formula, and ids that it would turn into other numbers or dates, get an apostrophe in
front; reading the answers takes it off again.
"""

from __future__ import annotations

import csv
import io
import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl

from evenhand.errors import InputError
from evenhand.files import check_writable, write_bytes, write_text
from evenhand.visible_text import without_formula

ANSWERS = ("yes", "no", "cannot tell")
QUESTION = f"Does it violate the rules? {', '.join(ANSWERS[:-1])} or {ANSWERS[-1]}"
SHORT_NUMBERS = re.compile(r"0|[1-9][0-9]{0,14}")  # whole numbers that a spreadsheet keeps as they are
CHANGED_BY_SPREADSHEETS = re.compile(
    r"[0-9.,].*|true|false|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*[-/. ]?[0-9]+", re.IGNORECASE
)
ITEM_FIELD = "item"  # the id in Label Studio, whose own tasks have an `id`
LONGEST_CELL = 32_000  # characters in a cell of a workbook
CUT_NOTE = " … (cut off here: too long for a cell)"
LABEL_STUDIO_CONFIG = """<View>
  <Header value="Does it violate the rules?"/>
{shown}
  <Choices name="label" toName="text" choice="single" required="true">
{choices}
  </Choices>
</View>
"""


def write_sheet(sheet: pl.DataFrame, out: Path) -> list[Path]:
    """Write it in the format of its ending; the files that were written."""
    check_sheet(out)
    check_companion(sheet, out)
    return SHEET_FORMATS[out.suffix.lower()](sheet, out)


def check_sheet(out: Path) -> None:
    """Refuse what cannot be written before the work."""
    if out.suffix.lower() not in SHEET_FORMATS:
        raise InputError(f"the file name of a batch must end in one of {', '.join(SHEET_FORMATS)}", source=str(out))
    if not out.parent.is_dir():
        raise InputError("the folder of this file does not exist", source=str(out))
    check_writable(out)
    if out.suffix.lower() == ".xlsx":
        _writer(out)


def kept_as_text(id_: str) -> str:
    """An id that no spreadsheet changes."""
    changed = CHANGED_BY_SPREADSHEETS.fullmatch(id_) and not SHORT_NUMBERS.fullmatch(id_)
    return f"'{id_}" if changed or id_.startswith("'") else without_formula(id_)


def _csv(sheet: pl.DataFrame, out: Path) -> list[Path]:
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow([*sheet.columns, "label"])
    for id_, *seen in sheet.iter_rows():
        writer.writerow([kept_as_text(id_), *map(without_formula, seen), ""])
    write_text(out, "\ufeff" + text.getvalue())  # the mark by which spreadsheets know UTF-8
    return [out]


def _xlsx(sheet: pl.DataFrame, out: Path) -> list[Path]:
    plain = {"strings_to_formulas": False, "strings_to_urls": False}
    content = io.BytesIO()
    with _writer(out).Workbook(content, {**plain, "in_memory": True}) as book:  # texts lie in no other file meanwhile
        _fill(book, sheet)
    write_bytes(out, content.getvalue())
    return [out]


def _fill(book: Any, sheet: pl.DataFrame) -> None:
    page, text = book.add_worksheet("batch"), book.add_format({"num_format": "@", "text_wrap": True, "valign": "top"})
    bold = book.add_format({"bold": True})
    names = [*sheet.columns, "label"]
    for place, name in enumerate(names):
        page.write_string(0, place, name, bold)
        page.set_column(place, place, {"id": 24, "label": 14}.get(name, 60), text)
    for number, row in enumerate(sheet.iter_rows(), start=1):
        for place, value in enumerate(row):
            page.write_string(number, place, _fitting(without_formula(value)), text)
    last, says = len(names) - 1, {"input_title": "Does it violate the rules?", "input_message": ", ".join(ANSWERS)}
    page.data_validation(1, last, max(len(sheet), 1), last, {"validate": "list", "source": list(ANSWERS), **says})
    page.freeze_panes(1, 0)


def _fitting(text: str) -> str:
    return text if len(text) <= LONGEST_CELL else text[: LONGEST_CELL - len(CUT_NOTE)] + CUT_NOTE


def _label_studio(sheet: pl.DataFrame, out: Path) -> list[Path]:
    tasks = [{"data": {ITEM_FIELD: row.pop("id"), **row}} for row in sheet.iter_rows(named=True)]
    for task in tasks:
        task["data"].setdefault("text", task["data"][ITEM_FIELD])  # there must be something to look at
    write_text(out, json.dumps(tasks, ensure_ascii=False, indent=1) + "\n")
    config = _config_beside(out)
    if not config.exists():
        write_text(config, labelling_config(sheet.columns))
    return [out, config]


def _config_beside(out: Path) -> Path:
    return out.with_suffix(".config.xml")


def check_companion(sheet: pl.DataFrame, out: Path) -> None:
    """Check the labelling interface, whose file the user did not name: it must not replace a different file."""
    config = _config_beside(out)
    if out.suffix.lower() != ".json" or not os.path.lexists(config):
        return
    if config.is_symlink() or not config.is_file() or config.read_bytes() != labelling_config(sheet.columns).encode():
        problem = "the labelling interface would replace this file: move it, or choose another name for the batch"
        raise InputError(problem, source=str(config))


def labelling_config(columns: list[str]) -> str:
    """What Label Studio shows: paste it into the labelling interface of the project."""
    seen = [name for name in ("context", "text", "link") if name in columns or name == "text"]
    shown = [f'  <Text name="{name}" value="${name}"/>' for name in seen]
    choices = [f'    <Choice value="{answer}"/>' for answer in ANSWERS]
    return LABEL_STUDIO_CONFIG.format(shown="\n".join(shown), choices="\n".join(choices))


def _writer(out: Path) -> Any:
    try:
        import xlsxwriter  # type: ignore[import-untyped]
    except ImportError:
        raise InputError("XLSX support is not installed: pip install 'evenhand[xlsx]'", source=str(out)) from None
    return xlsxwriter


SHEET_FORMATS: dict[str, Callable[[pl.DataFrame, Path], list[Path]]] = {
    ".csv": _csv,
    ".xlsx": _xlsx,
    ".json": _label_studio,
}
