"""Sentences about error rates are read back, and hold against numbers counted from the rows.

The reader knows nothing of how sentences are made: it takes group, direction, size and verdict from the text, and
compares them with shares counted here and with the intervals of the finding.
"""

from __future__ import annotations

import re

import numpy as np
import polars as pl
import pytest

import evenhand as eh
from evenhand.audits.bias import statements
from evenhand.finding import Finding

SENTENCE = re.compile(
    r"(Benign|Violating) items in group (g\d) are (flagged|missed) (?:([\d.,]+) times as|(more|less)) often "
    r"(?:as|than) other (benign|violating) items \(([\d.e-]+) % against ([\d.e-]+) %\)\."
)
ALSO = re.compile(r"(Benign|Violating) items that are (flagged|missed) (more|less) often also in: (.+)\.$")
LISTED = re.compile(r"(g\d) \(([^)]*)\)")
UNDETERMINED = re.compile(
    r"At least one error rate is undetermined for (?:(\d+) of \d+|all (\d+)|(both)|the only) groups?"
    r"(: |\. The widest intervals: )(.+)\.$"
)
RULED_OUT = re.compile(
    r"[Ff]or the false (positive|negative) rate, "
    r"(?:a (?:ratio to|difference from) other items .+? is ruled out )?for ([^;.]+)"
)


def random_table(rng: np.random.Generator) -> pl.DataFrame:
    rows = int(rng.choice([150, 600, 3000, 12000]))
    label = rng.random(rows) < rng.uniform(0.05, 0.6)
    groups = {f"g{n}": rng.random(rows) < rng.uniform(0.05, 0.5) for n in range(rng.integers(1, 6))}
    logit = rng.normal(0, 1, rows) + rng.uniform(0, 5) * (label - 0.5) + rng.uniform(-2, 1)
    for member in groups.values():
        logit = logit + rng.choice([0.0, 0.0, rng.normal(0, 1.5)]) * member * (label == rng.integers(2))
    return pl.DataFrame({"p": 1 / (1 + np.exp(-logit)), "toxic": label, **groups})


def counted(table: pl.DataFrame, group: str, rate: str) -> tuple[float, float, int]:
    """Rates in and outside the group, and the fewest items of the two sides, from the rows."""
    wrong = (pl.col("p") >= 0.5) if rate == "fpr" else (pl.col("p") < 0.5)
    rows = table.filter(pl.col("toxic") == (rate == "fnr")).with_columns(wrong=wrong)
    inside, outside = rows.filter(group)["wrong"], rows.filter(~pl.col(group))["wrong"]
    return inside.mean() or 0.0, outside.mean() or 0.0, min(len(inside), len(outside))  # type: ignore[return-value]


def judged(finding: Finding, table: pl.DataFrame, tolerance: float) -> dict[tuple[str, str], str]:
    """What the language guide says of every group and rate, from the intervals of the finding."""
    verdicts = {}
    for group in table.columns[2:]:
        for rate in ("fpr", "fnr"):
            ratio, difference = (finding.get(f"{rate}_{kind}", group=group) for kind in ("ratio", "difference"))
            if difference.value is None:
                continue
            by_ratio = tolerance > 1 and ratio.value is not None
            e, most = (ratio, tolerance) if by_ratio else (difference, 0.02 if tolerance > 1 else tolerance)
            least = 1 / most if by_ratio else -most
            assert e.low is not None
            assert e.high is not None
            verdict = "more" if e.low > most else "less" if e.high < least else "undetermined"
            verdict = "ruled out" if e.low >= least and e.high <= most else verdict
            verdicts[group, rate] = "undetermined" if counted(table, group, rate)[2] < 10 else verdict
    return verdicts


def read_back(finding: Finding, table: pl.DataFrame) -> dict[tuple[str, str], str]:
    """What the sentences say of groups and rates; shares and ratios in them are compared with the rows."""
    told: dict[tuple[str, str], str] = {}
    for verdict in finding.verdicts:
        text = verdict.statement
        for kind, group, happens, times, way, other, inside, outside in SENTENCE.findall(text):
            rate = "fpr" if happens == "flagged" else "fnr"
            assert (kind == "Benign", other == "benign") == (rate == "fpr", rate == "fpr"), text
            own, others, _ = counted(table, group, rate)
            assert float(inside) == pytest.approx(100 * own, rel=6e-3), text
            assert float(outside) == pytest.approx(100 * others, rel=6e-3), text
            if times:
                assert float(times.replace(",", "")) == pytest.approx(own / others, rel=0.06), text
            told[group, rate] = way or ("more" if float(times.replace(",", "")) > 1 else "less")
        if match := ALSO.search(text):
            rate = "fpr" if match[2] == "flagged" else "fnr"
            told |= {(group, rate): match[3] for group, _ in LISTED.findall(match[4])}
    return told


def contradictions(finding: Finding, table: pl.DataFrame, tolerance: float) -> list[str]:
    """Where sentences and numbers differ."""
    expected, told = judged(finding, table, tolerance), read_back(finding, table)
    larger = {key: verdict for key, verdict in expected.items() if verdict in ("more", "less")}
    found = [] if told == larger else [f"told {told}, but {larger}"]
    open_groups = {group for (group, _), verdict in expected.items() if verdict == "undetermined"}
    counts = [match for v in finding.verdicts if (match := UNDETERMINED.match(v.statement))]
    named = (2 if counts[0][3] else int(counts[0][1] or counts[0][2] or 1)) if counts else 0
    found += [] if named == len(open_groups) else [f"{named} undetermined, not {open_groups}"]
    undetermined = sum(verdict == "undetermined" for verdict in expected.values())
    every = not counts or (counts[0][4] == ": ") == (counts[0][5].count(" is between ") == undetermined)
    found += [] if every else [f"{counts[0][0]} names all, or does not say that it names some"]
    texts = [v.statement for v in finding.verdicts if "is ruled out" in v.statement]
    for rate, word in (("fpr", "positive"), ("fnr", "negative")):
        names = dict(RULED_OUT.findall(" ".join(texts))).get(word, "")
        within = {group for (group, r), verdict in expected.items() if r == rate and verdict == "ruled out"}
        every = names in ("both groups", f"all {len(within)} groups") and len(within) == sum(
            r == rate for _, r in expected
        )
        found += [] if every or set(re.findall(r"g\d", names)) == within else [f"ruled out: {names}, not {within}"]
    return found


def check_random(number: int, seed: int) -> list[str]:
    rng, found = np.random.default_rng(seed), []
    for _ in range(number):
        table, tolerance = random_table(rng), float(rng.choice([1.1, 1.25, 2.0, 0.02, 0.1]))
        if table["toxic"].n_unique() < 2:
            continue
        groups = table.columns[2:]
        (finding,) = eh.audit(
            table, score="p", label="toxic", groups=groups, tolerance=tolerance, audits="bias"
        ).findings
        found += contradictions(finding, table, tolerance)
        if found:
            break
    return found


def test_no_sentence_contradicts_a_number() -> None:
    assert check_random(25, 1) == []


@pytest.mark.verify
def test_no_sentence_contradicts_a_number_in_many_findings() -> None:
    assert check_random(600, 2) == []


def _swap_words(monkeypatch: pytest.MonkeyPatch) -> None:
    words = statements.WORDS
    swapped = dict(zip(words, reversed(words.values()), strict=True))
    monkeypatch.setattr(statements, "WORDS", swapped)


def _swap_shares(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(statements, "format_share", lambda value: f"{100 * (1 - value):.3g} %")


def _double_ratio(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(statements, "format_times", lambda value: f"{2 * value:.2g}")


def _no_statuses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(statements, "STATUSES", {})


def _one_way(monkeypatch: pytest.MonkeyPatch) -> None:
    first, *_ = statements.STATUSES.items()
    monkeypatch.setattr(statements, "STATUSES", dict([first]))


def _other_tolerance(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evenhand.audits.bias.error_rates.tolerance_of", lambda finding: 1.05)


def _significance_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    from evenhand.audits.bias import error_rates

    plain = error_rates.compare
    monkeypatch.setattr(
        error_rates,
        "compare",
        lambda e, tolerance, is_ratio: plain(e, 1 + 1e-9 if is_ratio else 1e-9, is_ratio=is_ratio),
    )


def _value_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    from dataclasses import replace

    from evenhand.audits.bias import error_rates

    plain = error_rates.compare
    monkeypatch.setattr(
        error_rates,
        "compare",
        lambda e, tolerance, is_ratio: plain(replace(e, low=e.value, high=e.value), tolerance, is_ratio=is_ratio),
    )


@pytest.mark.parametrize(
    "plant",
    [
        _swap_words,
        _swap_shares,
        _double_ratio,
        _no_statuses,
        _one_way,
        _other_tolerance,
        _significance_alone,
        _value_alone,
    ],
    ids=lambda plant: plant.__name__.strip("_"),
)
def test_a_wrong_rule_is_caught(plant, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch)
    try:
        caught = bool(check_random(25, 3))
    except AssertionError:
        caught = True
    assert caught
