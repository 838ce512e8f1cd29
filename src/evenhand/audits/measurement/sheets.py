"""The sheet for annotators: CSV, XLSX, or tasks for Label Studio. Ids, what there is to see, and room for an answer.

What a spreadsheet would run as a formula, and ids that it would turn into other numbers or dates, get an apostrophe in
front; reading labels back takes it off again.
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
from evenhand.files import write_text

ANSWERS = ("yes", "no", "cannot tell")
QUESTION = f"Does it violate the rules? {', '.join(ANSWERS[:-1])} or {ANSWERS[-1]}"
RISKY = re.compile(r"^\s*[=+\-@＝＋－＠\t\r\n]")
SHORT = re.compile(r"0|[1-9][0-9]{0,14}")  # whole numbers that a spreadsheet keeps as they are
CHANGED = re.compile(
    r"[0-9.,].*|true|false|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*[-/. ]?[0-9]+", re.IGNORECASE
)
ITEM = "item"  # the id in Label Studio, whose own tasks have an `id`
LONGEST = 32_000  # characters in a cell of a workbook
CUT = " … (cut off here: too long for a cell)"
CONFIG = """<View>
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
    return FORMATS[out.suffix.lower()](sheet, out)


def check_sheet(out: Path) -> None:
    """Refuse what cannot be written before the work."""
    if out.suffix.lower() not in FORMATS:
        raise InputError(f"a batch is written as {', '.join(FORMATS)}", source=str(out))
    if not out.parent.is_dir():
        raise InputError("the folder of this file is not there", source=str(out))
    if out.suffix.lower() == ".xlsx":
        _writer(out)


def harmless(text: str) -> str:
    """Nothing that a spreadsheet would run."""
    return f"'{text}" if RISKY.match(text) else text


def kept_as_text(id_: str) -> str:
    """An id that no spreadsheet changes."""
    changed = CHANGED.fullmatch(id_) and not SHORT.fullmatch(id_)
    return f"'{id_}" if changed or id_.startswith("'") else harmless(id_)


def _csv(sheet: pl.DataFrame, out: Path) -> list[Path]:
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow([*sheet.columns, "label"])
    for id_, *seen in sheet.iter_rows():
        writer.writerow([kept_as_text(id_), *map(harmless, seen), ""])
    write_text(out, "\ufeff" + text.getvalue())  # the mark by which spreadsheets know UTF-8
    return [out]


def _xlsx(sheet: pl.DataFrame, out: Path) -> list[Path]:
    fresh = out.with_name(f".{out.name}.new")
    try:
        with _writer(out).Workbook(fresh, {"strings_to_formulas": False, "strings_to_urls": False}) as book:
            _fill(book, sheet)
        os.replace(fresh, out)
    except OSError as error:
        raise InputError(f"the file cannot be written: {error.strerror}", source=str(out)) from None
    finally:
        fresh.unlink(missing_ok=True)
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
            page.write_string(number, place, _fitting(harmless(value)), text)
    last, says = len(names) - 1, {"input_title": "Does it violate the rules?", "input_message": ", ".join(ANSWERS)}
    page.data_validation(1, last, max(len(sheet), 1), last, {"validate": "list", "source": list(ANSWERS), **says})
    page.freeze_panes(1, 0)


def _fitting(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - len(CUT)] + CUT


def _label_studio(sheet: pl.DataFrame, out: Path) -> list[Path]:
    tasks = [{"data": {ITEM: row.pop("id"), **row}} for row in sheet.iter_rows(named=True)]
    for task in tasks:
        task["data"].setdefault("text", task["data"][ITEM])  # there must be something to look at
    write_text(out, json.dumps(tasks, ensure_ascii=False, indent=1) + "\n")
    config = out.with_suffix(".config.xml")
    write_text(config, labelling_config(sheet.columns))
    return [out, config]


def labelling_config(columns: list[str]) -> str:
    """What Label Studio shows: paste it into the labelling interface of the project."""
    seen = [name for name in ("context", "text", "link") if name in columns or name == "text"]
    shown = [f'  <Text name="{name}" value="${name}"/>' for name in seen]
    choices = [f'    <Choice value="{answer}"/>' for answer in ANSWERS]
    return CONFIG.format(shown="\n".join(shown), choices="\n".join(choices))


def _writer(out: Path) -> Any:
    try:
        import xlsxwriter  # type: ignore[import-untyped]
    except ImportError:
        raise InputError("writing XLSX needs an extra: pip install 'evenhand[xlsx]'", source=str(out)) from None
    return xlsxwriter


FORMATS: dict[str, Callable[[pl.DataFrame, Path], list[Path]]] = {".csv": _csv, ".xlsx": _xlsx, ".json": _label_studio}
