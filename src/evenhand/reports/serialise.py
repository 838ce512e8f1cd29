"""Findings as JSON and as flat records. The same bytes on the command line, in files and inside the HTML report."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl

from evenhand.errors import InputError
from evenhand.estimate import Estimate
from evenhand.files import read_text
from evenhand.finding import Finding, Measured, Reading
from evenhand.version import __version__

NUMBERS = ("value", "low", "high", "p_value")
COLUMNS = {
    "audit": pl.String,
    "measure": pl.String,
    "slice": pl.String,
    "value": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "level": pl.Float64,
    "method": pl.String,
    "n": pl.Int64,
    "note": pl.String,
    "flags": pl.String,
    "p_value": pl.Float64,
}


def to_json(findings: Sequence[Finding]) -> str:
    """One object. <, > and & are written as escapes, so that the text may stand inside HTML unchanged."""
    text = json.dumps(
        {"evenhand": __version__, "findings": [finding.as_dict() for finding in findings]},
        ensure_ascii=False,
        allow_nan=False,
        indent=1,
    )
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e") + "\n"


def from_json(text: str, *, source: str) -> list[Finding]:
    """Findings as they were written; figures cannot be drawn from them."""
    try:
        data = json.loads(text)
        return [_finding(found) for found in data["findings"]]
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
        problem = "this holds no findings: give the findings.json that `evenhand audit` or `evenhand sample` wrote"
        raise InputError(problem, source=source) from None


def read(path: str | Path) -> list[Finding]:
    """The findings of a findings.json."""
    try:
        text = read_text(Path(path), "findings")
    except InputError as error:
        raise error.within(str(path)) from None
    return from_json(text, source=str(path))


def to_frame(findings: Sequence[Finding]) -> pl.DataFrame:
    """Flat records, one a row: the columns of the contract, then one column for each key of a slice."""
    records = [record for finding in findings for record in (m.record(finding.audit) for m in finding)]
    keys = [key for key in dict.fromkeys(key for record in records for key in record["slice"]) if key not in COLUMNS]
    rows = [
        {
            **record,
            "slice": json.dumps(record["slice"], ensure_ascii=False),
            "p_value": record.get("p_value"),
            "flags": " ".join(record.get("flags", ())),
            **{key: record["slice"].get(key) for key in keys},
        }
        for record in records
    ]
    return pl.DataFrame(rows, schema={**COLUMNS, **dict.fromkeys(keys, pl.String)}, strict=False)


def to_csv(findings: Sequence[Finding]) -> str:
    """The flat records as CSV. Names that a spreadsheet would run as a formula get a leading apostrophe."""
    frame = to_frame(findings).with_columns(pl.col(pl.String).map_batches(_harmless, return_dtype=pl.String))
    return frame.rename(dict(zip(frame.columns, _harmless(pl.Series(frame.columns)), strict=True))).write_csv()


def _harmless(values: pl.Series) -> pl.Series:
    risky = values.str.contains(r"^[=+\-@\t\r]").fill_null(False)
    return pl.select(pl.when(risky).then("'" + values).otherwise(values)).to_series().rename(values.name)


def _finding(data: dict[str, Any]) -> Finding:
    estimates = tuple(_measured(record) for record in data["estimates"])
    readings = tuple(_reading(reading) for reading in data.get("readings", ()))
    caveats = tuple(_word(caveat) for caveat in data["caveats"])
    provenance: dict[str, Any] = dict(data["provenance"].items())
    return Finding(_word(data["audit"]), _word(data["question"]), estimates, caveats, provenance, readings)


def _reading(data: dict[str, Any]) -> Reading:
    shape, tendency = (None if data.get(key) is None else _word(data[key]) for key in ("shape", "tendency"))
    return Reading(_slice(data["slice"]), _word(data["text"]), shape, tendency)


def _measured(record: dict[str, Any]) -> Measured:
    numbers = {key: None if record.get(key) is None else _number(record[key]) for key in NUMBERS}
    estimate = Estimate(
        **numbers,
        level=_number(record["level"]),
        method=_word(record["method"]),
        n=int(_number(record["n"])),
        note=None if record["note"] is None else _word(record["note"]),
        flags=tuple(_word(flag) for flag in record.get("flags", ())),
    )
    return Measured(_word(record["measure"]), _slice(record["slice"]), estimate)


def _slice(value: dict[str, Any]) -> dict[str, str]:
    return {key: _word(part) for key, part in value.items()}


def _word(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    value.encode()  # half a character, which no file can hold, is a ValueError
    return value


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise TypeError
    return float(value)
