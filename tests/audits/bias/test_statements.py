"""Sentences about error rates are read back, and hold against numbers counted from the rows.

The reader knows nothing of how sentences are made: it takes group, direction, size, verdict and the labels that are
needed from the text. It compares them with the numbers of random findings, and of random rows, which are counted here.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

import numpy as np
import polars as pl
import pytest

import evenhand as eh
from audits.bias.random_findings import RandomFinding, random_finding
from evenhand.audits.bias import statements
from evenhand.finding import Finding

SENTENCE = re.compile(
    r"(Benign|Violating) items in group (g\d) are (flagged|missed) (?:([\d.,e+-]+) times as|(more|less)) often "
    r"(?:as|than) other (benign|violating) items \(([\d.e-]+) % against ([\d.e-]+) %\)\."
)
ALSO = re.compile(r"(Benign|Violating) items are also (flagged|missed) (more|less) often in: (.+)\.$")
LISTED = re.compile(r"(g\d) \(([^)]*)\)")
UNDETERMINED = re.compile(
    r"At least one error rate is undetermined for (?:(\d+) of \d+|all (\d+)|(both)|the only) groups?"
    r"(?: \((\d+) of them with 100 items or fewer\))?(: |\. The largest estimates: )(.+)\.$"
)
OPEN = re.compile(
    r"the false (positive|negative) rate of items in group (g\d) is between (\S+) and (\S+) "
    r"(times|percentage points) (?:away from )?that of other items"
)
LABELS = re.compile(
    r"for the false (positive|negative) rate of items in group (g\d) "
    r"(?:about ([\d,]+) more (benign|violating) ones|an impractically large number)"
)
RULED_OUT = re.compile(
    r"[Ff]or the false (positive|negative) rate, "
    r"(?:a (?:ratio to|difference from) other items .+? is ruled out )?for ([^;.]+)"
)
Key = tuple[str, str]  # group and rate


@dataclass(frozen=True)
class Known:
    """What sentences are held against: rates in and outside the group, items of both sides, and small groups."""

    rates: dict[Key, tuple[float, float]]
    items: dict[Key, tuple[int, int]]
    small: frozenset[str]
    tolerance: float

    def harm(self, key: Key) -> float:
        inside, outside = self.rates[key]
        with np.errstate(divide="ignore", invalid="ignore"):
            return 0.0 if inside == outside else float(np.log(np.float64(inside) / outside))


def random_table(rng: np.random.Generator) -> pl.DataFrame:
    rows = int(rng.choice([150, 600, 3000, 12000]))
    label = rng.random(rows) < rng.uniform(0.05, 0.6)
    groups = {f"g{n}": rng.random(rows) < rng.uniform(0.05, 0.5) for n in range(rng.integers(1, 6))}
    logit = rng.normal(0, 1, rows) + rng.uniform(0, 5) * (label - 0.5) + rng.uniform(-2, 1)
    for member in groups.values():
        logit = logit + rng.choice([0.0, 0.0, rng.normal(0, 1.5)]) * member * (label == rng.integers(2))
    return pl.DataFrame({"p": 1 / (1 + np.exp(-logit)), "toxic": label, **groups})


def counted(table: pl.DataFrame, tolerance: float) -> Known:
    """From the rows."""
    rates, items = dict[Key, tuple[float, float]](), dict[Key, tuple[int, int]]()
    for group in table.columns[2:]:
        for rate in ("fpr", "fnr"):
            wrong = (pl.col("p") >= 0.5) if rate == "fpr" else (pl.col("p") < 0.5)
            rows = table.filter(pl.col("toxic") == (rate == "fnr")).with_columns(wrong=wrong)
            inside, outside = rows.filter(group)["wrong"], rows.filter(~pl.col(group))["wrong"]
            rates[group, rate] = inside.mean() or 0.0, outside.mean() or 0.0  # type: ignore[assignment]
            items[group, rate] = len(inside), len(outside)
    small = frozenset(group for group in table.columns[2:] if table[group].sum() <= 100)
    return Known(rates, items, small, tolerance)


def drawn(made: RandomFinding) -> Known:
    """From the numbers that were drawn; others are 1,000 items more, or as many as the finding says."""
    keys = [(group, rate) for group in made.groups for rate in ("fpr", "fnr")]
    return Known(
        {(group, rate): made.groups[group].rates[rate] for group, rate in keys},
        {(group, rate): (made.groups[group].items[rate], 1000) for group, rate in keys},
        frozenset(name for name, group in made.groups.items() if group.small),
        made.tolerance,
    )


def judged(finding: Finding, known: Known) -> dict[Key, tuple[str, float, float, float, bool]]:
    """What the language guide says of every group and rate, from the intervals of the finding, and those."""
    verdicts, tolerance = {}, known.tolerance
    for group, rate in known.rates:
        ratio, difference = (finding.get(f"{rate}_{kind}", group=group) for kind in ("ratio", "difference"))
        if difference.value is None:
            continue
        by_ratio = tolerance > 1 and ratio.value is not None
        e, most = (ratio, tolerance) if by_ratio else (difference, 0.02 if tolerance > 1 else tolerance)
        least = 1 / most if by_ratio else -most
        assert e.low is not None
        assert e.high is not None
        assert e.value is not None
        verdict = "more" if e.low > most else "less" if e.high < least else "undetermined"
        verdict = "ruled out" if e.low >= least and e.high <= most else verdict
        verdict = "undetermined" if min(known.items[group, rate]) < 10 else verdict
        verdicts[group, rate] = verdict, e.low, e.value, e.high, by_ratio
    return verdicts


def number(text: str) -> float:
    return float(text.replace(",", "").replace("−", "-"))


def read_back(finding: Finding, known: Known) -> dict[Key, str]:
    """What the sentences say of groups and rates; shares and ratios in them are compared with what is known."""
    told: dict[Key, str] = {}
    for verdict in finding.verdicts:
        text = verdict.statement
        for kind, group, happens, times, way, other, inside, outside in SENTENCE.findall(text):
            rate = "fpr" if happens == "flagged" else "fnr"
            assert (kind == "Benign", other == "benign") == (rate == "fpr", rate == "fpr"), text
            own, others = known.rates[group, rate]
            assert number(inside) == pytest.approx(100 * own, rel=6e-3), text
            assert number(outside) == pytest.approx(100 * others, rel=6e-3), text
            if times:
                assert number(times) == pytest.approx(own / others, rel=0.06), text
            told[group, rate] = way or ("more" if number(times) > 1 else "less")
        if match := ALSO.search(text):
            rate = "fpr" if match[2] == "flagged" else "fnr"
            told |= {(group, rate): match[3] for group, _ in LISTED.findall(match[4])}
    return told


def contradictions(finding: Finding, known: Known) -> list[str]:
    """Where sentences and numbers differ."""
    expected, told = judged(finding, known), read_back(finding, known)
    larger = {key: verdict for key, (verdict, *_) in expected.items() if verdict in ("more", "less")}
    found = [] if told == larger else [f"told {told}, but {larger}"]
    found += undetermined(finding, known, expected)
    texts = [v.statement for v in finding.verdicts if "is ruled out" in v.statement]
    for rate, word in (("fpr", "positive"), ("fnr", "negative")):
        names = dict(RULED_OUT.findall(" ".join(texts))).get(word, "")
        within = {group for (group, r), (verdict, *_) in expected.items() if r == rate and verdict == "ruled out"}
        every = names in ("both groups", f"all {len(within)} groups") and len(within) == sum(
            r == rate for _, r in expected
        )
        found += [] if every or set(re.findall(r"g\d", names)) == within else [f"ruled out: {names}, not {within}"]
    return found


def undetermined(
    finding: Finding, known: Known, expected: dict[Key, tuple[str, float, float, float, bool]]
) -> list[str]:
    """The groups counted, the largest harm named first with its interval, and the labels that would settle it."""
    keys = [key for key, (verdict, *_) in expected.items() if verdict == "undetermined"]
    groups, said = {group for group, _ in keys}, [v for v in finding.verdicts if UNDETERMINED.match(v.statement)]
    if not said or not keys:
        return [] if bool(said) == bool(keys) else [f"undetermined: {keys}, but {said}"]
    match = UNDETERMINED.match(said[0].statement)
    assert match
    counts = (2 if match[3] else int(match[1] or match[2] or 1), int(match[4] or 0))
    small = len(groups & known.small) if len(known.rates) > 2 else 0
    found = [] if counts == (len(groups), small) else [f"{len(groups)}, {small} small: {match[0]}"]
    named = [(group, "fpr" if rate == "positive" else "fnr") for rate, group, *_ in OPEN.findall(match[6])]
    found += [] if (match[5] == ": ") == (len(named) == len(keys)) else [f"names all, or not: {match[0]}"]
    first = sorted(keys, key=lambda key: (key[0] in known.small, -known.harm(key)))[: len(named)]
    order = [[(key[0] in known.small, known.harm(key)) for key in some] for some in (named, first)]
    found += [] if order[0] == pytest.approx(np.array(order[1]), nan_ok=True) else [f"{first} first: {match[0]}"]
    for key, (*_, low, high, unit) in zip(named, OPEN.findall(match[6]), strict=True):
        verdict, least, _, most, by_ratio = expected[key]
        scale = 1.0 if unit == "times" else 100.0
        close = number(low) == pytest.approx(scale * least, rel=0.06, abs=1e-9)
        close = close and number(high) == pytest.approx(scale * most, rel=0.06, abs=1e-9)
        right = verdict == "undetermined" and by_ratio == (unit == "times")
        found += [] if close and right else [f"{key}: {expected[key]}: {match[0]}"]
    needed = {
        (group, "fpr" if rate == "positive" else "fnr"): (labels, kind)
        for rate, group, labels, kind in LABELS.findall(said[0].certainty)
    }
    if not needed:
        right = "too few errors" in said[0].certainty and not any(labels_needed(expected[k], known, k) for k in named)
        return found if right else [*found, f"no labels: {said[0].certainty}"]
    for key in named:
        labels, (text, kind) = labels_needed(expected[key], known, key), needed[key]
        right = (labels is None) == (text == "")
        right = right and (labels is None or number(text) == pytest.approx(max(10, labels), rel=0.06, abs=1.0))
        found += [] if right and kind in ("", "benign" if key[1] == "fpr" else "violating") else [f"{labels}: {text}"]
    return found


def labels_needed(one: tuple[str, float, float, float, bool], known: Known, key: Key) -> float | None:
    """As many times the items as narrow the interval until it ends at the tolerance, less those there are."""
    _, low, value, high, by_ratio = one
    edge = math.log(known.tolerance) if by_ratio else 0.02 if known.tolerance > 1 else known.tolerance
    if by_ratio and low <= 0.0:
        return None
    low, value, high = (math.log(x) if by_ratio else x for x in (low, value, high))
    distance = abs(abs(value) - edge)
    times = (max(value - low, high - value) / distance) ** 2 if distance else math.inf
    return max(1.0, known.items[key][0] * (times - 1.0)) if times <= 100.0 else None


def check_random(number_of: int, seed: int) -> list[str]:
    rng = np.random.default_rng(seed)
    for _ in range(number_of):
        made = random_finding(rng)
        if found := contradictions(made.finding, drawn(made)):
            return found
    return []


def check_rows(number_of: int, seed: int) -> list[str]:
    rng, found = np.random.default_rng(seed), list[str]()
    for _ in range(number_of):
        table, tolerance = random_table(rng), float(rng.choice([1.1, 1.25, 2.0, 0.02, 0.1]))
        if table["toxic"].n_unique() < 2:
            continue
        groups = table.columns[2:]
        (finding,) = eh.audit(
            table, score="p", label="toxic", groups=groups, tolerance=tolerance, audits="bias", smallest_group=1
        ).findings
        found += contradictions(finding, counted(table, tolerance))
        if found:
            break
    return found


def test_no_sentence_contradicts_a_number() -> None:
    assert check_random(200, 1) == []


@pytest.mark.verify
def test_no_sentence_contradicts_a_number_in_many_findings() -> None:
    assert check_random(5000, 2) == []


@pytest.mark.parametrize("tables", [15, pytest.param(200, marks=pytest.mark.verify)])
def test_no_sentence_contradicts_the_rows(tables: int) -> None:
    assert check_rows(tables, 1) == []


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
        caught = bool(check_random(200, 3))
    except AssertionError:
        caught = True
    assert caught
