"""evenhand plan: reviewers, costs and promises from labelled history, and what it says when it cannot."""

from __future__ import annotations

import json
import re

import numpy as np
import polars as pl
import pytest

HISTORY = ["history.parquet", "--score", "p", "--label", "y"]


@pytest.fixture
def history(program) -> pl.DataFrame:
    """A calibrated model of 4,000 items, with a column that says how unsure it is."""
    rng = np.random.default_rng(4)
    p = rng.beta(0.5, 2.0, 4000)
    table = pl.DataFrame({"p": p, "y": rng.random(4000) < p, "unsure": rng.random(4000), "word": "x"})
    table.write_parquet("history.parquet")
    return table


def records(out: str) -> dict[tuple[str, str, str], dict]:
    (finding,) = json.loads(out)["findings"]
    assert finding["audit"] == "plan"
    return {
        (r["measure"], r["slice"].get("strategy", ""), r["slice"].get("target", "")): r for r in finding["estimates"]
    }


def first_reaching(table: pl.DataFrame, target: float) -> float:
    """The smallest share of items, most uncertain first, with which so many are right in the end: item by item."""
    p, y = table["p"].to_numpy(), table["y"].to_numpy()
    order = np.argsort(-p * (1 - p), kind="stable")
    wrong = ((p >= 0.5) != y)[order]
    right = 1.0 - (wrong.sum() - np.concatenate([[0], np.cumsum(wrong)])) / len(p)
    return float(np.argmax(right >= target - 1e-12)) / len(p)


def test_a_target(program, history) -> None:
    done = program("plan", *HISTORY, "--target", "oc_accuracy=0.95", "--items-per-day", 50_000, "--json")
    assert done.code == 0, done.err
    found = records(done.out)
    capacity = found["capacity", "uncertainty", "oc_accuracy 0.95"]
    assert capacity["value"] == pytest.approx(first_reaching(history, 0.95), abs=1e-3)
    assert capacity["low"] <= capacity["value"] <= capacity["high"]
    people = found["reviewers", "uncertainty", "oc_accuracy 0.95"]["value"]
    assert people == np.ceil(capacity["value"] * 50_000 / (6 * 3600 / 30))
    assert ("crossing", "uncertainty and toxicity", "") in found


def test_scores_of_single_precision_are_cut_where_the_audit_cuts_them(program) -> None:
    """0.7 in single precision lies below 0.7 in double precision, and is at the threshold all the same."""
    p = pl.Series("p", [0.1, 0.2, 0.7, 0.7, 0.3, 0.9] * 20, dtype=pl.Float32)
    pl.DataFrame({"p": p, "y": [0, 0, 1, 1, 0, 1] * 20}).write_parquet("history.parquet")
    done = program("plan", *HISTORY, "--threshold", 0.7, "--target", "oc_accuracy=1", "--json")
    assert records(done.out)["capacity", "uncertainty", "oc_accuracy 1"]["value"] == 0.0


def test_costs_and_reviewers_who_err(program, history) -> None:
    prices = ["--false-removal", 2, "--missed-violation", 5, "--review", 0.25]
    good = records(program("plan", *HISTORY, *prices, "--json").out)
    bad = records(program("plan", *HISTORY, *prices, "--benign-error", 0.6, "--violating-error", 0.6, "--json").out)
    assert "its interval contained the true cost in 85 to 95 %" in program("plan", *HISTORY, *prices, "--json").out
    where = ("uncertainty", "least cost")
    assert good["cost_per_day", *where]["value"] < good["cost_without_review", *where]["value"]
    assert good["capacity", *where]["value"] > 0.0
    assert bad["capacity", *where]["value"] == 0.0  # people who are wrong more often than the model


def test_promises(program, history) -> None:
    done = program("plan", *HISTORY, "--wrong-removals", 0.4, "--missed-violations", 0.2, "--json")
    found = records(done.out)
    promise = "promise, with probability 0.9"
    upper, lower = (found[name, "", promise]["value"] for name in ("remove_from", "leave_below"))
    assert 0.0 < lower < upper < 1.0
    removed = history.filter(pl.col("p") >= upper)
    assert found["wrong_removals", "", promise]["value"] == pytest.approx(1 - removed["y"].mean())


def test_a_promise_says_how_many_people_it_takes(program, history) -> None:
    found = records(program("plan", *HISTORY, "--missed-violations", 0.2, "--json").out)
    promise = "promise, with probability 0.9"
    share = found["reviewed", "", promise]["value"]
    assert found["reviewers", "", promise]["value"] == np.ceil(share * 10_000 / 720)
    assert found["remove_from", "", promise]["note"] == "no limit was set"


def test_a_plan_is_said_in_sentences(program, history) -> None:
    done = program("plan", *HISTORY, "--target", "oc_accuracy=50%", "--target", "oc_recall=0.9", "--json")
    finding = json.loads(done.out)["findings"][0]
    said = [reading["text"] for reading in finding["readings"]]
    assert "For oc_accuracy of 0.5, with review by uncertainty: no reviewers; the model alone reaches it" in said[0]
    assert re.search(r"; it misses [\d.]+ % of the violations\.$", said[0])  # reached, and yet not enough
    assert any(text.startswith("For oc_recall of 0.9, with") and "reviewers (" in text for text in said)
    assert any("is more accurate up to a capacity of" in text for text in said)
    assert any("Removing nothing would already be correct for" in text for text in said)
    assert finding["caveats"][0].startswith("The plan assumes that reviewers make no errors")
    erring = program("plan", *HISTORY, "--target", "oc_recall=0.5", "--benign-error", 0.1, "--json")
    assert "10 % of benign items and 0 % of violating ones wrongly" in erring.out


def test_a_missing_option_is_one_line(program, history) -> None:
    done = program("plan", "history.parquet", "--label", "y", "--target", "oc_recall=0.9")
    assert (done.code, done.err.count("\n")) == (2, 1)


def test_in_the_terminal(program, history) -> None:
    done = program(
        "plan", *HISTORY, "--target", "oc_recall=0.8", "--uncertainty", "unsure", "--strategies", "column:unsure"
    )
    assert done.code == 0, done.err
    assert "How many reviewers" in done.out


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ([], "give something to plan for"),
        (["--target", "oc_accuracy"], "invalid --target: 'oc_accuracy'"),
        (["--target", "accuracy=0.9"], "oc_accuracy"),
        (["--target", "oc_accuracy=1.5"], "the target"),
        (["--false-removal", "1"], "give all three costs"),
        (["--false-removal", "-1", "--missed-violation", "1", "--review", "1"], "false_removal"),
        (["--target", "oc_accuracy=0.9", "--items-per-day", "0"], "--items-per-day must be a number above 0"),
        (["--target", "oc_accuracy=0.9", "--hours-per-day", "25"], "must be 24 or less"),
        (["--target", "oc_accuracy=0.9", "--benign-error", "2"], "from 0 to 1"),
        (["--target", "oc_accuracy=0.9", "--strategies", "uncertanty"], "did you mean 'uncertainty'"),
        (["--target", "oc_accuracy=0.9", "--strategies", "column:unsure"], "needs --uncertainty unsure"),
        (["--wrong-removals", "0"], "--wrong-removals must be between 0 and 1, not 0"),
        (["--target", "oc_accuracy=0.9", "--uncertainty", "word"], "column 'word'"),
    ],
)
def test_what_cannot_be_planned(program, history, options, says) -> None:
    done = program("plan", *HISTORY, *options)
    assert done.code == 2, done.out
    assert done.err.count("\n") == 1
    assert says in done.err, done.err
