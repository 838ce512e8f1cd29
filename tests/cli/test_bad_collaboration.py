"""What can be wrong with capacities, strategies and uncertainties: exit code 2, one line, and nothing written."""

from __future__ import annotations

import polars as pl
import pytest

import evenhand as eh
from cli.program import fails

ROLES = ["--audits", "collaboration", "--score", "p", "--label", "y"]


def table(**columns) -> pl.DataFrame:
    base = {"p": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8], "y": [0, 1] * 4, "u": [0.1, 0.2] * 4}
    return pl.DataFrame({**base, **columns}, strict=False)


@pytest.mark.parametrize(
    ("capacities", "says"),
    [
        ("1.5", "invalid capacity: '1.5' (a share is at most 1"),
        ("-0.1", "invalid capacity: '-0.1' (a share is from 0 to 1"),
        ("150%", "invalid capacity: '150%' (a share is from 0 to 1"),
        ("-5 items", "a number of items 0 or more"),
        ("0.5 items", "invalid capacity: '0.5 items'"),
        ("abc", "invalid capacity: 'abc'"),
        ("nan", "invalid capacity: 'nan'"),
        ("inf", "invalid capacity: 'inf'"),
        ("1e400", "invalid capacity: '1e400'"),
        (">=1e400", "a review score is a finite number"),
        (">=", "invalid capacity: '>='"),
        (">=0.2 items", "invalid capacity: '>=0.2 items'"),
        ("", "capacities is empty: name at least one"),
        (",", "capacities is empty: name at least one"),
        ("0.1,0.1", "'0.1' more than once"),
        ("0.1,10%", "'0.1' and '10%'"),
    ],
)
def test_capacities(program, capacities: str, says: str) -> None:
    table().write_csv("items.csv")
    fails(program, "audit", "items.csv", *ROLES, f"--capacities={capacities}", says=[says])


@pytest.mark.parametrize(
    ("strategies", "says"),
    [
        ("uncertanty", "there is no strategy 'uncertanty'; did you mean 'uncertainty'?"),
        ("Toxicity", "there is no strategy 'Toxicity'"),
        ("", "strategies is empty: name at least one"),
        ("toxicity,toxicity", "'toxicity' more than once"),
        ("hybrid:2", "from 0 to 1, not 2"),
        ("hybrid:much", "invalid hybrid: 'much'"),
        ("column", "name the column"),
        ("column:u", "--uncertainty u"),
    ],
)
def test_strategies(program, strategies: str, says: str) -> None:
    table().write_csv("items.csv")
    fails(program, "audit", "items.csv", *ROLES, f"--strategies={strategies}", says=[says])


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ([0.1, None] * 4, ["row 2", "is empty"]),
        ([0.1, float("nan")] * 4, ["row 2", "finite"]),
        ([0.1, float("inf")] * 4, ["row 2", "finite"]),
        (["0.1", "high"] * 4, ["row 2", "'high'"]),
    ],
)
def test_uncertainties(program, values: list, says: list[str]) -> None:
    table(u=pl.Series(values, strict=False)).write_parquet("items.parquet")
    fails(program, "audit", "items.parquet", *ROLES, "--uncertainty", "u", says=["items.parquet", "'u'", *says])
    table().write_csv("items.csv")
    fails(program, "audit", "items.csv", *ROLES, "--uncertainty", "uu", says=["items.csv", "'uu'", "'u'"])
    fails(program, "audit", "items.csv", *ROLES, "--uncertainty", "u,p", says=["one column for all models"])


@pytest.mark.parametrize(("value", "word"), [(0, "benign"), (1, "violating")])
def test_one_class(program, value: int, word: str) -> None:
    table(y=[value] * 8).write_csv("items.csv")
    fails(program, "audit", "items.csv", *ROLES, says=["items.csv", "'y'", f"every item is {word}"])


def test_a_hybrid_has_no_level(program) -> None:
    """The other strategies still answer, and the hybrid says why it does not."""
    table().write_csv("items.csv")
    done = program(
        "audit", "items.csv", *ROLES, "--capacities", ">=0.2", "--strategies", "hybrid:0.3,toxicity", "--csv"
    )
    assert done.code == 0, done.err
    assert "a hybrid has no single review score: use a share or a number of items" in done.out
    found = eh.audit(
        table(), score="p", label="y", audits="collaboration", capacities=">=0.2", strategies=["hybrid:0.3", "toxicity"]
    ).findings[0]
    assert not found.get("oc_accuracy", strategy="hybrid:0.3", capacity=">=0.2").defined
    assert found.get("oc_accuracy", strategy="toxicity", capacity=">=0.2").defined
