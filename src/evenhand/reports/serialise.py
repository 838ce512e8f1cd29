"""Findings as JSON and as flat records. The same bytes on the command line, in files and inside the HTML report."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl

from evenhand.errors import InputError
from evenhand.estimate import Estimate
from evenhand.files import read_text
from evenhand.finding import Finding, Measured, Reading
from evenhand.version import __version__

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
    except (ValueError, KeyError, TypeError, AttributeError):
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
    readings = tuple(Reading(**reading) for reading in data.get("readings", ()))
    return Finding(data["audit"], data["question"], estimates, tuple(data["caveats"]), data["provenance"], readings)


def _measured(record: dict[str, Any]) -> Measured:
    fields = {key: record[key] for key in ("value", "low", "high", "level", "method", "n", "note")}
    estimate = Estimate(**fields, flags=tuple(record.get("flags", ())), p_value=record.get("p_value"))
    return Measured(record["measure"], record["slice"], estimate)
