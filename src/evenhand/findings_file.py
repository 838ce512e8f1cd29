"""Findings as JSON and as flat records, and read back from a findings.json.

The command line, the files of a report and the JSON inside the HTML report have the same bytes: those of `to_json`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from evenhand.catalogue import find_measure
from evenhand.documents import parse_json
from evenhand.errors import InputError
from evenhand.estimate import Estimate
from evenhand.files import read_text
from evenhand.finding import Example, Exhibit, Finding, Measured, Reading, Status, Verdict
from evenhand.version import __version__
from evenhand.visible_text import spreadsheet_text, visible_json

NUMBER_KEYS = ("value", "low", "high", "p_value")
RECORD_COLUMNS = {
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
    """One object, one line for each record. <, > and & are escapes, so that it may stand inside HTML unchanged."""
    records = ",\n".join(_finding_lines(finding.as_dict()) for finding in findings)
    text = f'{{\n "evenhand": {visible_json(__version__)},\n "findings": [\n{records}\n ]\n}}'
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e") + "\n"


def _finding_lines(record: Mapping[str, Any]) -> str:
    """A line for each entry, and for each record of a list: short enough for a report, and to be compared."""
    entries = []
    for key, value in record.items():
        if isinstance(value, list) and value:
            text = "[\n" + ",\n".join(f"    {visible_json(row)}" for row in value) + "\n   ]"
        else:
            text = visible_json(value)
        entries.append(f"   {visible_json(key)}: {text}")
    return "  {\n" + ",\n".join(entries) + "\n  }"


def from_json(text: str, *, source: str) -> list[Finding]:
    """Findings as they were written. Files of earlier versions have no verdicts and no exhibits: fewer figures."""
    try:
        data = parse_json(text)
        return [_finding(record) for record in data["findings"]]
    except InputError as error:
        raise error.within(source) from None
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
        problem = "not a findings file: give the findings.json that `evenhand audit` or `evenhand sample` wrote"
        raise InputError(problem, source=source) from None


def read_findings(path: str | Path) -> list[Finding]:
    """The findings of a findings.json."""
    try:
        text = read_text(Path(path), "findings")
    except InputError as error:
        raise error.within(str(path)) from None
    return from_json(text, source=str(path))


def to_frame(findings: Sequence[Finding]) -> pl.DataFrame:
    """Flat records, one a row: the columns of the contract, then one column for each key of a slice."""
    records = [record for finding in findings for record in (m.record(finding.audit) for m in finding)]
    keys = [
        key for key in dict.fromkeys(key for record in records for key in record["slice"]) if key not in RECORD_COLUMNS
    ]
    rows = [
        {
            **record,
            "slice": visible_json(record["slice"]),
            "p_value": record.get("p_value"),
            "flags": " ".join(record.get("flags", ())),
            **{key: record["slice"].get(key) for key in keys},
        }
        for record in records
    ]
    return pl.DataFrame(rows, schema={**RECORD_COLUMNS, **dict.fromkeys(keys, pl.String)}, strict=False)


def titled_frame(findings: Sequence[Finding]) -> pl.DataFrame:
    """The flat records with the title of each measure behind its name."""
    frame = to_frame(findings)
    titles = [find_measure(name).title for name in frame["measure"]]
    name = "measure_title" if "title" in frame.columns else "title"  # a column of the user may be called so
    return frame.insert_column(frame.columns.index("measure") + 1, pl.Series(name, titles, dtype=pl.String))


def to_csv(findings: Sequence[Finding]) -> str:
    """The flat records as CSV, for people and their spreadsheets: visible, and nothing that would run as a formula.

    The original values are in the column `slice`, which is JSON.
    """
    frame = to_frame(findings).with_columns(
        pl.col(pl.String).map_elements(spreadsheet_text, return_dtype=pl.String, skip_nulls=True)
    )
    heads = pl.DataFrame([[spreadsheet_text(name)] for name in frame.columns])
    return heads.write_csv(include_header=False) + frame.write_csv(include_header=False)


def _finding(data: dict[str, Any]) -> Finding:
    estimates = tuple(_measured(record) for record in data["estimates"])
    readings = tuple(_reading(reading) for reading in data.get("readings", ()))
    caveats = tuple(_text(caveat) for caveat in data["caveats"])
    provenance: dict[str, Any] = dict(data["provenance"].items())
    return Finding(
        _text(data["audit"]),
        _text(data["question"]),
        estimates,
        caveats,
        provenance,
        readings,
        verdicts=tuple(_verdict(verdict) for verdict in data.get("verdicts", ())),
        exhibits=tuple(_exhibit(exhibit) for exhibit in data.get("exhibits", ())),
        examples=tuple(_example(example) for example in data.get("examples", ())),
    )


def _reading(data: dict[str, Any]) -> Reading:
    optional = {key: None if data.get(key) is None else _text(data[key]) for key in ("shape", "tendency", "topic")}
    return Reading(_slice(data["slice"]), _text(data["text"]), **optional)


def _verdict(data: dict[str, Any]) -> Verdict:
    words = {key: _text(data[key]) for key in ("statement", "certainty", "action")}
    return Verdict(Status(data["status"]), _slice(data["slice"]), **words)


def _exhibit(data: dict[str, Any]) -> Exhibit:
    columns = {_text(name): [_cell(value) for value in values] for name, values in data["columns"].items()}
    return Exhibit(_text(data["kind"]), _slice(data["slice"]), columns)


def _cell(value: object) -> float | str | None:
    if value is None or isinstance(value, str):
        return None if value is None else _text(value)
    return _number(value)


def _example(data: dict[str, Any]) -> Example:
    return Example(_slice(data["slice"]), _text(data["kind"]), _number(data["score"]), _text(data["text"]))


def _measured(record: dict[str, Any]) -> Measured:
    numbers = {key: None if record.get(key) is None else _number(record[key]) for key in NUMBER_KEYS}
    estimate = Estimate(
        **numbers,
        level=_number(record["level"]),
        method=_text(record["method"]),
        n=int(_number(record["n"])),
        note=None if record["note"] is None else _text(record["note"]),
        flags=tuple(_text(flag) for flag in record.get("flags", ())),
    )
    return Measured(_text(record["measure"]), _slice(record["slice"]), estimate)


def _slice(value: dict[str, Any]) -> dict[str, str]:
    return {key: _text(part) for key, part in value.items()}


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    value.encode()  # half a character, which no file can hold, is a ValueError
    return value


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise TypeError
    return value  # as it was written: a whole number stays one


def load(path: str | Path, *, audit: str | None = None) -> Finding:
    """A finding from the findings.json of an earlier run; `audit` says which if there are several.

    >>> from pathlib import Path
    >>> table = {"p": np.linspace(0, 1, 40), "toxic": [False, True] * 20, "women": [True, True, False, False] * 10}
    >>> report = eh.audit(table, score="p", label="toxic", groups="women", audits="bias")
    >>> size = Path("findings.json").write_text(report.json())
    >>> eh.load("findings.json").audit
    'bias'
    """
    findings = read_findings(path)
    matching = [finding for finding in findings if audit in (None, finding.audit)]
    if len(matching) != 1:
        names = ", ".join(finding.audit for finding in findings) or "none"
        wanted = f"no finding of the audit '{audit}'" if audit else f"{len(findings)} findings: say which with audit"
        raise InputError(f"holds {wanted} ({names})", source=str(path))
    return matching[0]
