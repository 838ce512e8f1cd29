"""evenhand sample: the published sizes, and what is refused."""

from __future__ import annotations

import json

import polars as pl
import pytest

from cli.program import ran, refused

STRATA = {"stratum": ["a", "b"], "items": [900, 100], "prevalence": [0.01, 0.3]}

PUBLISHED = {  # the paper `accuracy`: labels for "within r", by prevalence
    0.1: {0.2: 865, 0.1: 3458, 0.05: 13830},
    0.059: {0.2: 1532, 0.1: 6127, 0.05: 24508},
    0.01: {0.2: 9508, 0.1: 38031, 0.05: 152122},
    0.001: {0.2: 95941, 0.1: 383762, 0.05: 1535047},
}


def asked(program, *command: str) -> dict:
    done = program("sample", *command, "--json")
    assert done.code == 0, done.err
    return json.loads(done.out)


@pytest.mark.parametrize("prevalence", PUBLISHED)
def test_the_published_sizes(program, prevalence: float) -> None:
    for within, n in PUBLISHED[prevalence].items():
        assert asked(program, "size", "--prevalence", str(prevalence), "--within", str(within))["n"] == n


def test_strata_and_how_labels_are_spread(program) -> None:
    pl.DataFrame(
        {"stratum": list("abcde"), "items": [80, 10, 5, 1, 4], "prevalence": [0.0005, 0.005, 0.01, 0.05, 0.0025]}
    ).write_csv("strata.csv")
    found = asked(program, "size", "--strata", "strata.csv", "--within", "0.5")
    assert found["prevalence"] == pytest.approx(0.002)
    assert found["random"] > found["n"]
    spread = {name: n / found["n"] for name, n in found["strata"].items()}
    published = {"a": 2098, "b": 828, "c": 584, "d": 256, "e": 234}
    for name, n in published.items():
        assert spread[name] == pytest.approx(n / 4000, abs=0.001)
    done = program("sample", "size", "--strata", "strata.csv", "--within", "0.5")
    assert "strata save" in done.out


def test_everything_there_is(program) -> None:
    done = program("sample", "size", "--prevalence", "0.01", "--within", "0.01", "--items", "500")
    assert "This is a census" in done.out
    one_sided = asked(program, "size", "--prevalence", "0", "--below", "0.001")
    assert one_sided["n"] == 2995
    assert one_sided["hours"] == pytest.approx(2995 / 600)


def test_the_change_that_can_be_seen(program) -> None:
    n = asked(program, "mde", "--prevalence", "0.06", "--effect", "0.01")
    back = asked(program, "mde", "--prevalence", "0.06", "--n", str(n["n"]))
    assert back["effect"] == pytest.approx(0.01, rel=1e-3)
    published = back["rules"]["intervals do not overlap"]
    assert published["found"] == pytest.approx(0.5, abs=0.01)
    assert published["false_alarms"] == pytest.approx(0.006, abs=0.001)
    printed = program("sample", "mde", "--prevalence", "0.06", "--n", str(n["n"])).out
    assert "a change of 1.00 percentage points is" in printed
    assert "false alarm rate" in printed


@pytest.mark.parametrize(
    ("command", "says"),
    [
        (["size", "--prevalence", "0", "--within", "0.2"], "prevalence"),
        (["size", "--prevalence", "1", "--within", "0.2"], "prevalence"),
        (["size", "--prevalence", "0.1"], "--within"),
        (["size", "--prevalence", "0.1", "--within", "0.2", "--cv", "0.1"], "exactly one target precision"),
        (["size", "--within", "0.2"], "prevalence"),
        (["size", "--prevalence", "0.1", "--within", "-1"], "invalid --within: -1"),
        (["size", "--prevalence", "0.2", "--below", "0.1"], "cannot be shown"),
        (["size", "--strata", "none.csv", "--within", "0.2"], "no such file"),
        (["size", "--strata", "empty.csv", "--within", "0.2"], "empty"),
        (["mde", "--prevalence", "0.1"], "--effect"),
        (["mde", "--prevalence", "0.1", "--n", "0"], "1 or more"),
        (["mde", "--prevalence", "2", "--n", "10"], "prevalence"),
    ],
)
def test_what_is_refused(program, command: list[str], says: str) -> None:
    pl.DataFrame({"items": [10, 0], "prevalence": [0.1, 0.2]}).write_csv("empty.csv")
    done = program("sample", *command)
    assert done.code == 2, done
    assert len(done.err.strip().splitlines()) == 1
    assert says in done.err


def test_changes_in_strata_that_can_be_seen(program) -> None:
    pl.DataFrame(STRATA).write_csv("strata.csv")
    whole = json.loads(ran(program, "sample", "mde", "--prevalence", "0.039", "--n", "500", "--json"))
    parts = json.loads(ran(program, "sample", "mde", "--strata", "strata.csv", "--n", "500", "--json"))
    spread = 0.9 * (0.01 * 0.99) ** 0.5 + 0.1 * (0.3 * 0.7) ** 0.5
    assert parts["effect"] / whole["effect"] == pytest.approx(spread / (0.039 * 0.961) ** 0.5)
    pl.DataFrame(STRATA).clear().write_parquet("none.parquet")
    ask = ("sample", "mde", "--n", "500")
    refused(program(*ask, "--strata", "none.parquet"), "none.parquet: there are no rows")
    refused(program(*ask), "give either the prevalence")
    refused(program(*ask, "--prevalence", "0.1", "--strata", "strata.csv"), "give either the prevalence")
    refused(program(*ask, "--prevalence", "0.1", "--items", "500"), "--n 500 is at least the number of items (500)")


def test_a_prevalence_that_no_labels_show_to_be_safe(program) -> None:
    refused(program("sample", "size", "--prevalence", "0.0999999999", "--below", "0.1"), "no number of labels")
