"""Statements of reasons: every generated one keeps the rules, every mutant is refused with its field named."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evenhand.errors import InputError
from evenhand.exchange.dsa.codes import all_codes
from evenhand.exchange.dsa.statement_rules import STATEMENT_FIELDS, check_statement
from evenhand.exchange.dsa.statements import StatementSource, puid_from, read_statements, write_statements
from exchange.dsa import corpus

CODE_FIELDS = {
    "decision_monetary": "monetary",
    "decision_provision": "provision",
    "decision_account": "account",
    "account_type": "account_types",
    "decision_ground": "grounds",
    "category": "categories",
    "content_language": "languages",
    "source_type": "sources",
    "automated_decision": "automated_decisions",
}


def made(tmp_path: Path, number: int, seed: int = 0) -> list[dict[str, Any]]:
    path = corpus.jsonl(tmp_path / "decisions.jsonl", corpus.decisions(number, seed))
    write_statements(StatementSource.read(path), tmp_path / "statements.jsonl")
    return [json.loads(line) for line in (tmp_path / "statements.jsonl").read_text().splitlines()]


def obeys(statement: dict[str, Any]) -> None:
    """The conditional rules, written once more by hand."""
    ground = statement["decision_ground"]
    restrictions = ("decision_visibility", "decision_monetary", "decision_provision", "decision_account")
    assert any(statement.get(name) for name in restrictions)
    illegal = ground == "DECISION_GROUND_ILLEGAL_CONTENT"
    for name in ("illegal_content_legal_ground", "illegal_content_explanation"):
        assert (name in statement) == illegal
    for name in ("incompatible_content_ground", "incompatible_content_explanation"):
        assert (name in statement) == (not illegal)
    assert ("content_type_other" in statement) == ("CONTENT_TYPE_OTHER" in statement["content_type"])
    others = "DECISION_VISIBILITY_OTHER" in statement.get("decision_visibility", [])
    assert ("decision_visibility_other" in statement) == others
    assert ("decision_monetary_other" in statement) == (statement.get("decision_monetary") == "DECISION_MONETARY_OTHER")
    assert not ("source_identity" in statement and statement["source_type"] == "SOURCE_VOLUNTARY")
    assert statement["category"] != "STATEMENT_CATEGORY_NOT_SPECIFIED_ORDER"
    assert statement["automated_detection"] in ("Yes", "No")
    assert 0 < len(statement["decision_facts"]) <= 5000


@pytest.mark.parametrize("number", [500, pytest.param(10_000, marks=pytest.mark.verify)])
def test_every_decision_becomes_a_valid_statement(tmp_path: Path, number: int) -> None:
    statements = made(tmp_path, number)
    assert len(statements) == len({one["puid"] for one in statements}) == number
    for statement in statements:
        obeys(statement)
        assert check_statement(statement) == []


def mutants(statements: list[dict[str, Any]], rng: np.random.Generator) -> Iterator[tuple[dict[str, Any], str]]:
    """A statement with one thing wrong, and the field that is at fault."""

    def one(where: Any = lambda statement: True) -> dict[str, Any]:
        fit = [statement for statement in statements if where(statement)]
        return dict(fit[int(rng.integers(len(fit)))])

    while True:
        for name, field in STATEMENT_FIELDS.items():
            if field.required and field.when is None:
                missing = one()
                del missing[name]
                yield missing, name
        for name in CODE_FIELDS:
            yield {**one(lambda s, name=name: name in s), name: "SOMETHING_ELSE"}, name
        for name in ("content_date", "application_date"):
            for text in ("2026-02-30", "1999-12-31", "2039-01-01", "31.01.2026", "tomorrow"):
                yield {**one(), name: text}, name
        for name in ("content_type", "territorial_scope", "category_specification", "category_addition"):
            yield {**one(), name: ["SOMETHING_ELSE"]}, name
            yield {**one(), name: "no list"}, name
        illegal = one(lambda s: s["decision_ground"].endswith("ILLEGAL_CONTENT"))
        terms = one(lambda s: s["decision_ground"].endswith("INCOMPATIBLE_CONTENT"))
        yield {k: v for k, v in illegal.items() if k != "illegal_content_explanation"}, "illegal_content_explanation"
        yield {**illegal, "incompatible_content_ground": "rule"}, "incompatible_content_ground"
        yield {k: v for k, v in terms.items() if k != "incompatible_content_ground"}, "incompatible_content_ground"
        yield {**terms, "illegal_content_legal_ground": "law"}, "illegal_content_legal_ground"
        yield {**terms, "incompatible_content_illegal": "yes"}, "incompatible_content_illegal"
        bare = {
            k: v for k, v in one().items() if k not in ("decision_monetary", "decision_provision", "decision_account")
        }
        bare = {k: v for k, v in bare.items() if not k.startswith(("decision_visibility", "decision_monetary"))}
        yield bare, "decision_visibility"
        yield {**one(), "content_type": ["CONTENT_TYPE_OTHER"], "content_type_other": ""}, "content_type_other"
        yield {**one(), "decision_facts": "x" * 5001}, "decision_facts"
        yield {**one(), "decision_facts": "written by jane@example.org"}, "decision_facts"
        yield {**one(), "decision_ground_reference_url": "example"}, "decision_ground_reference_url"
        yield {**one(), "puid": "not an id!"}, "puid"
        yield {**one(), "puid": "x" * 501}, "puid"
        yield {**one(), "content_id": {"EAN-13": "123"}}, "content_id"
        yield {**one(), "content_id": {"ISBN": "1234567890123"}}, "content_id"
        yield {**one(), "automated_detection": "yes"}, "automated_detection"
        yield {**one(), "end_date_visibility_restriction": "2038-01-02"}, "end_date_visibility_restriction"
        yield {**one(lambda s: s["source_type"] == "SOURCE_VOLUNTARY"), "source_identity": "me"}, "source_identity"
        yield {**one(), "category": "STATEMENT_CATEGORY_NOT_SPECIFIED_ORDER"}, "category"
        yield {**one(), "reason": "because"}, "reason"


def test_two_hundred_mutants_are_refused_by_field(tmp_path: Path) -> None:
    statements, rng = made(tmp_path, 400), np.random.default_rng(1)
    source = mutants(statements, rng)
    for number in range(200):
        mutant, field = next(source)
        assert field in [name for name, _ in check_statement(mutant)], (number, field)
        corpus.jsonl(tmp_path / "mutant.jsonl", [mutant])
        with pytest.raises(InputError) as raised:
            list(read_statements(tmp_path / "mutant.jsonl"))
        assert raised.value.row == 1
        assert field in str(raised.value)


def test_the_error_names_the_row_of_the_table_and_nothing_is_written(tmp_path: Path) -> None:
    rows = corpus.decisions(5)
    rows[3]["decision_facts"] = "ask jane@example.org"
    path = corpus.jsonl(tmp_path / "d.jsonl", rows)
    with pytest.raises(InputError, match="column 'decision_facts', row 4: an e-mail address"):
        write_statements(StatementSource.read(path), tmp_path / "out.jsonl")
    assert not (tmp_path / "out.jsonl").exists()


def test_the_same_decisions_give_the_same_bytes(tmp_path: Path) -> None:
    made(tmp_path, 50)
    first = (tmp_path / "statements.jsonl").read_bytes()
    made(tmp_path, 50)
    assert (tmp_path / "statements.jsonl").read_bytes() == first


@pytest.mark.parametrize("decision", ["case 7/2026", "é", "a" * 501])
def test_ids_become_puids_the_same_way_every_time(decision: str) -> None:
    assert puid_from(decision) == puid_from(decision)
    assert check_statement({"puid": puid_from(decision)})[0][0] != "puid"
    assert puid_from("case-7") == "case-7"


def test_two_statements_with_one_puid_are_refused(tmp_path: Path) -> None:
    statements = made(tmp_path, 2)
    corpus.jsonl(tmp_path / "twice.jsonl", [statements[0], statements[1], statements[0]])
    with pytest.raises(InputError, match="row 3: 'case-0' appears twice"):
        list(read_statements(tmp_path / "twice.jsonl"))


def test_every_code_of_the_database_is_known() -> None:
    assert {len(all_codes()[name]) for name in ("visibility", "grounds", "sources")} == {7, 2, 4}
