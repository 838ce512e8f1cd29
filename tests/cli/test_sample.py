"""evenhand sample: the published sizes, and what is refused."""

from __future__ import annotations

import json

import polars as pl
import pytest

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
    assert "label all items" in done.out
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
    assert "show a change of 1.00 percentage points" in printed
    assert "false alarms" in printed


@pytest.mark.parametrize(
    ("command", "says"),
    [
        (["size", "--prevalence", "0", "--within", "0.2"], "prevalence"),
        (["size", "--prevalence", "1", "--within", "0.2"], "prevalence"),
        (["size", "--prevalence", "0.1"], "--within"),
        (["size", "--prevalence", "0.1", "--within", "0.2", "--cv", "0.1"], "one way"),
        (["size", "--within", "0.2"], "prevalence"),
        (["size", "--prevalence", "0.1", "--within", "-1"], "share"),
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
