"""Statements of reasons made from a table of decisions, written as JSON lines and read back.

A decision becomes the same statement with the same `puid` every time. An id that the database does not take as `puid`
is replaced by a hash of it. Fields that do not apply to a decision are left out, as the database would drop them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evenhand import limits
from evenhand.documents import parse_json
from evenhand.errors import InputError
from evenhand.exchange.dsa.statement_rules import PUID, STATEMENT_FIELDS, FieldKind, check_statement
from evenhand.exchange.records import SEVERAL, RecordTable
from evenhand.files import check_replaceable, failure_reason, fresh_file, regular_file

NEEDED = tuple(field.name for field in STATEMENT_FIELDS.values() if field.required and field.when is None)
PRODUCT_COLUMN = "content_id_ean"  # how tables name the one key of `content_id`
LONGEST_LINE = limits.MIB
LONGEST_PUID = 500


@dataclass(frozen=True)
class StatementSource:
    """The decisions of a table, from which statements are made one after another."""

    table: RecordTable

    @classmethod
    def read(cls, path: Path) -> StatementSource:
        """All columns that are fields of a statement."""
        optional = [name for name in STATEMENT_FIELDS if name not in NEEDED]
        table = RecordTable.read(path, NEEDED, [*optional, PRODUCT_COLUMN])
        table.check_complete("puid")
        table.check_unique("puid")
        return cls(table)

    def __len__(self) -> int:
        return len(self.table.frame)

    def statements(self) -> Iterator[dict[str, Any]]:
        """Each checked; the error names the row and the field of one that breaks a rule."""
        for row, cells in enumerate(self.table.frame.iter_rows(named=True), start=1):
            statement = statement_from(cells)
            for name, fault in check_statement(statement):
                raise InputError(fault, source=self.table.source, column=name, row=row)
            yield statement


def statement_from(cells: dict[str, str | None]) -> dict[str, Any]:
    """The statement of one decision."""
    statement: dict[str, Any] = {}
    for name, field in STATEMENT_FIELDS.items():
        text = cells.get(PRODUCT_COLUMN if name == "content_id" else name)
        if text is None:
            continue
        if field.kind is FieldKind.CODES:
            statement[name] = sorted(set(text.split(SEVERAL)))
        elif field.kind is FieldKind.DAY:
            statement[name] = text[:10]
        elif field.kind is FieldKind.PRODUCT:
            statement[name] = {"EAN-13": text}
        else:
            statement[name] = text
    applies = {name for name, field in STATEMENT_FIELDS.items() if field.when is None or field.when(statement)}
    statement = {name: value for name, value in statement.items() if name in applies}
    return {**statement, "puid": puid_from(str(cells["puid"]))}


def puid_from(decision: str) -> str:
    """The id of a decision as the database takes it: itself, or a hash of it."""
    if PUID.fullmatch(decision) and len(decision) <= LONGEST_PUID:
        return decision
    return "h-" + hashlib.sha256(decision.encode()).hexdigest()


def write_statements(decisions: StatementSource, out: Path) -> int:
    """All statements, a line each; nothing is written if one breaks a rule. How many there are."""
    check_replaceable(out)
    number = 0
    try:
        with fresh_file(out) as fresh, fresh.open("w", encoding="utf-8", newline="\n") as file:
            for statement in decisions.statements():
                file.write(json.dumps(statement, ensure_ascii=True, sort_keys=True) + "\n")
                number += 1
    except OSError as error:
        raise InputError(f"the file cannot be written: {failure_reason(error)}", source=str(out)) from None
    return number


def read_statements(path: Path) -> Iterator[dict[str, Any]]:
    """Statements of a file, each checked; the error names the line and the field."""
    seen: set[str] = set()
    with regular_file(path).open("rb") as file:
        row = 0
        while line := file.readline(LONGEST_LINE + 1):
            row += 1
            if not line.strip():
                continue
            statement = _parsed(line, path, row)
            for name, fault in check_statement(statement):
                raise InputError(fault, source=str(path), column=name, row=row)
            if statement["puid"] in seen:
                raise InputError(f"'{statement['puid']}' appears twice", source=str(path), column="puid", row=row)
            seen.add(statement["puid"])
            yield statement


def _parsed(line: bytes, path: Path, row: int) -> dict[str, Any]:
    if len(line) > LONGEST_LINE:
        raise InputError(f"the line is longer than {LONGEST_LINE:,} bytes", source=str(path), row=row)
    try:
        statement = parse_json(line.decode())
    except InputError as error:
        raise error.within(str(path)) from None
    except ValueError:
        raise InputError("not JSON: every line is one statement", source=str(path), row=row) from None
    if not isinstance(statement, dict):
        raise InputError("not a statement, which is a JSON object", source=str(path), row=row)
    return statement
