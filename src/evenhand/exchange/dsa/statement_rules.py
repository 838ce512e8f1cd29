"""The rules of a statement of reasons, as the Transparency Database checks them: one row for each field.

A field has a kind, a longest text and, where it depends on another field, the condition under which it is needed and
may be there. `check_statement` names every field that breaks its rule.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from evenhand.exchange.dsa.codes import ILLEGAL, INCOMPATIBLE, VOLUNTARY, codes, statement_categories

Statement = Mapping[str, Any]
SHORT, LONG, LONGEST = 500, 2000, 5000  # characters
FIRST_CONTENT, FIRST_APPLICATION, LAST_DAY = "2000-01-01", "2020-01-01", "2038-01-01"
PUID = re.compile(r"[a-zA-Z0-9_-]+")
DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
WEB_ADDRESS = re.compile(r"https?://[^\s/]+\.[^\s]+")
EAN = re.compile(r"\d{13}")
EMAIL = re.compile(r"[\w.+-]+@[\w-]+\.[\w.]+")
RESTRICTIONS = ("decision_visibility", "decision_monetary", "decision_provision", "decision_account")


class FieldKind(StrEnum):
    """What a field holds."""

    CODE = "one code"
    CODES = "a list of codes"
    TEXT = "a text"
    DAY = "a date"
    PUID = "an id"
    ADDRESS = "a web address"
    PRODUCT = "an object with the key EAN-13"


Condition = Callable[[Statement], bool]


@dataclass(frozen=True)
class StatementField:
    """A row of the table; `when` is the condition under which the field may be there, and is needed if `required`."""

    name: str
    kind: FieldKind
    required: bool = False
    words: Callable[[], frozenset[str]] | None = None
    longest: int = SHORT
    when: Condition | None = None
    because: str = ""  # the condition in words
    earliest: str = FIRST_CONTENT


def _has(name: str, code: str) -> Condition:
    return lambda statement: code in _listed(statement.get(name))


def _listed(value: object) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _code(name: str, kind: str, *, required: bool = False, several: bool = False) -> StatementField:
    return StatementField(name, FieldKind.CODES if several else FieldKind.CODE, required, lambda: codes(kind))


def _other(name: str, of: str, code: str) -> StatementField:
    return StatementField(name, FieldKind.TEXT, True, when=_has(of, code), because=f"'{of}' is {code}")


def _ground(name: str, ground: str, longest: int) -> StatementField:
    because = f"'decision_ground' is {ground}"
    return StatementField(name, FieldKind.TEXT, True, None, longest, _has("decision_ground", ground), because)


def _end(name: str) -> StatementField:
    return StatementField(f"end_date_{name}_restriction", FieldKind.DAY)


YES_OR_NO = frozenset({"Yes", "No"})
STATEMENT_FIELDS: dict[str, StatementField] = {
    field.name: field
    for field in (
        _code("decision_visibility", "visibility", several=True),
        _other("decision_visibility_other", "decision_visibility", "DECISION_VISIBILITY_OTHER"),
        _code("decision_monetary", "monetary"),
        _other("decision_monetary_other", "decision_monetary", "DECISION_MONETARY_OTHER"),
        _code("decision_provision", "provision"),
        _code("decision_account", "account"),
        _code("account_type", "account_types"),
        *(_end(name) for name in ("visibility", "monetary", "service", "account")),
        _code("decision_ground", "grounds", required=True),
        StatementField("decision_ground_reference_url", FieldKind.ADDRESS),
        _ground("illegal_content_legal_ground", ILLEGAL, SHORT),
        _ground("illegal_content_explanation", ILLEGAL, LONG),
        _ground("incompatible_content_ground", INCOMPATIBLE, SHORT),
        _ground("incompatible_content_explanation", INCOMPATIBLE, LONG),
        StatementField(
            *("incompatible_content_illegal", FieldKind.CODE, False, lambda: YES_OR_NO),
            when=_has("decision_ground", INCOMPATIBLE),
            because=f"'decision_ground' is {INCOMPATIBLE}",
        ),
        StatementField("category", FieldKind.CODE, True, statement_categories),
        StatementField("category_addition", FieldKind.CODES, False, statement_categories),
        _code("category_specification", "keywords", several=True),
        StatementField(
            *("category_specification_other", FieldKind.TEXT),
            when=_has("category_specification", "KEYWORD_OTHER"),
            because="'category_specification' has KEYWORD_OTHER",
        ),
        _code("content_type", "content_types", required=True, several=True),
        _other("content_type_other", "content_type", "CONTENT_TYPE_OTHER"),
        _code("content_language", "languages"),
        StatementField("content_date", FieldKind.DAY, True),
        StatementField("content_id", FieldKind.PRODUCT),
        _code("territorial_scope", "countries", several=True),
        StatementField("application_date", FieldKind.DAY, True, earliest=FIRST_APPLICATION),
        StatementField("decision_facts", FieldKind.TEXT, True, longest=LONGEST),
        _code("source_type", "sources", required=True),
        StatementField(
            *("source_identity", FieldKind.TEXT),
            when=lambda statement: statement.get("source_type") != VOLUNTARY,
            because="'source_type' is a notice",
        ),
        StatementField("automated_detection", FieldKind.CODE, True, lambda: YES_OR_NO),
        _code("automated_decision", "automated_decisions", required=True),
        StatementField("puid", FieldKind.PUID, True),
    )
}


def check_statement(statement: Statement) -> list[tuple[str, str]]:
    """Every field that breaks its rule, and how; nothing where all is well."""
    return list(_faults(statement))


def _faults(statement: Statement) -> Iterator[tuple[str, str]]:
    if not any(_listed(statement.get(name)) for name in RESTRICTIONS):
        yield RESTRICTIONS[0], f"empty: one of {', '.join(RESTRICTIONS)} is needed"
    for name in statement:
        if name not in STATEMENT_FIELDS:
            yield str(name), "there is no such field"
    for field in STATEMENT_FIELDS.values():
        value = statement.get(field.name)
        applies = field.when is None or field.when(statement)
        if value is None or value in ("", []):
            if field.required and applies:
                yield field.name, f"empty: needed{f' where {field.because}' if field.because else ''}"
        elif not applies:
            yield field.name, f"only where {field.because}"
        elif fault := CHECKS[field.kind](field, value):
            yield field.name, fault


def _check_code(field: StatementField, value: object) -> str:
    known = field.words() if field.words else frozenset()
    return "" if isinstance(value, str) and value in known else f"unknown code: {_shown(value)}"


def _check_codes(field: StatementField, value: object) -> str:
    if not isinstance(value, list):
        return f"must be a list of codes, not {_shown(value)}"
    if len({str(code) for code in value}) != len(value):
        return "a code appears twice"
    return next((fault for code in value if (fault := _check_code(field, code))), "")


def _check_text(field: StatementField, value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        return f"must be a text, not {_shown(value)}"
    if len(value) > field.longest:
        return f"{len(value):,} characters, and at most {field.longest:,} are allowed"
    return "an e-mail address: no personal data is allowed" if EMAIL.search(value) else ""


def _check_day(field: StatementField, value: object) -> str:
    if not isinstance(value, str) or not DAY.fullmatch(value):
        return f"must be a date such as 2026-01-31, not {_shown(value)}"
    try:
        datetime.date.fromisoformat(value)
    except ValueError:
        return f"there is no such day: {value}"
    inside = field.earliest <= value <= LAST_DAY
    return "" if inside else f"{value} is not between {field.earliest} and {LAST_DAY}"


def _check_puid(field: StatementField, value: object) -> str:
    fits = isinstance(value, str) and len(value) <= field.longest and PUID.fullmatch(value)
    return "" if fits else f"must be up to {field.longest} letters, digits, - and _, not {_shown(value)}"


def _check_address(field: StatementField, value: object) -> str:
    fits = isinstance(value, str) and len(value) <= field.longest and WEB_ADDRESS.fullmatch(value)
    return "" if fits else f"must be a web address of up to {field.longest} characters"


def _check_product(_: StatementField, value: object) -> str:
    fits = isinstance(value, dict) and set(value) == {"EAN-13"} and EAN.fullmatch(str(value["EAN-13"]))
    return "" if fits else "must be an object with one key, EAN-13, of 13 digits"


def _shown(value: object) -> str:
    return f"'{str(value)[:60]}'"


CHECKS: dict[FieldKind, Callable[[StatementField, Any], str]] = {
    FieldKind.CODE: _check_code,
    FieldKind.CODES: _check_codes,
    FieldKind.TEXT: _check_text,
    FieldKind.DAY: _check_day,
    FieldKind.PUID: _check_puid,
    FieldKind.ADDRESS: _check_address,
    FieldKind.PRODUCT: _check_product,
}
