"""Sentences about scores are read back, and hold against numbers counted from the rows.

The reader knows nothing of how sentences are made: it takes class, region, direction, share, interval and verdict from
the text, and compares them with counts, means and exact intervals that are made here.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
import pytest
from scipy.stats import beta

from evenhand.audits.calibration import score_regions, statements, verdicts
from evenhand.audits.calibration.sample import ClassedSample
from evenhand.catalogue.shared import ECE
from evenhand.estimate import Estimate, Flag
from evenhand.evidence import ClassedRows
from evenhand.finding import Finding, Measured, Status

NUMBER = r"([\d.e-]+)"
WHERE = rf"(?:[Ii]tems scored {NUMBER} to {NUMBER} %|[Aa]ll items together)(?: for class '(k\d)')?"
SENTENCE = re.compile(
    rf"{WHERE}, {NUMBER} % on average, (violate|belong to it) {NUMBER} % of the time \({NUMBER} to {NUMBER} %\): "
    r"scores are too (low|high)\."
)
ALSO = re.compile(r"Scores are also too (low|high) at ((?:[^()]+\([^()]+\)(?:, )?)+)\.")
LISTED = re.compile(rf"(?:{NUMBER} to {NUMBER} %|all items together)(?: for class '(k\d)')? \({NUMBER} %\)")
UNDETERMINED = re.compile(r"Undetermined (?:for (\d+) of (\d+) regions of scores|over all items): (.+)\.$")
OPEN_REGION = re.compile(rf"{WHERE}, {NUMBER} % on average, (violate|belong to it) {NUMBER} to {NUMBER} % of the time")
RULED_OUT = re.compile(r" is ruled out for (.+)\.$")
EMPTY = re.compile(r"No item is scored (.+): nothing is known there\.$")
PAIR = re.compile(r"(\d+) to (\d+) %")
Key = tuple[str, str]  # class and region


class Rows:
    """Random items with probabilities of classes."""

    def __init__(self, rng: np.random.Generator) -> None:
        n, k = int(rng.choice([40, 150, 600, 2500])), int(rng.choice([2, 2, 3]))
        self.classes = ("benign", "violating") if k == 2 else tuple(f"k{number}" for number in range(k))
        logit = rng.normal(0, rng.uniform(0.3, 2.5), (n, k)) + rng.normal(0, 1.5, k)
        moved = rng.choice([1.0, rng.uniform(0.5, 1.8)]) * logit + rng.choice([0.0, 1.0]) * rng.normal(0, 1, k)
        self.p, truth = (np.exp(a) / np.exp(a).sum(axis=1, keepdims=True) for a in (logit, moved))
        if rng.random() < 0.3:
            self.p = np.round(self.p, 2)
        self.label = (rng.random((n, 1)) > np.cumsum(truth, axis=1)[:, :-1]).sum(axis=1).astype(np.int32)
        self.tolerance = float(rng.choice([0.02, 0.02, 0.05, 1.25, 1.5]))

    def finding(self) -> Finding:
        classed = ClassedRows("p", self.classes, self.p, self.label, None, {})
        shares = list(score_regions.region_shares(ClassedSample(classed), {}))
        estimates = tuple(score_regions.measured_regions(shares, 0.95, clustered=False))
        return Finding("calibration", "?", estimates, (), {"settings": {"tolerance": self.tolerance}})

    @cached_property
    def counted(self) -> dict[Key, tuple[int, float, float]]:
        """Items, mean score and share of each class and region, item by item."""
        found = {}
        for column, name in enumerate(self.classes):
            if name == "benign":
                continue
            p, y = self.p[:, column], self.label == column
            place = np.minimum(np.floor(p * 10 + 1e-6).astype(int), 9)
            for tenth in (*range(10), None):
                inside = np.ones(len(p), bool) if tenth is None else place == tenth
                words = "all" if tenth is None else f"{10 * tenth} to {10 * tenth + 10}"
                n = int(inside.sum())
                found[name, words] = (n, float(p[inside].mean()), float(y[inside].mean())) if n else (0, 0.0, 0.0)
        return found


def judged(rows: Rows) -> dict[Key, tuple[str, float, float]]:
    """What the language guide says of every region with items, and its interval, all from the rows."""
    counted, found = {key: numbers for key, numbers in rows.counted.items() if numbers[0]}, {}
    items, _, shares = (np.array(column) for column in zip(*counted.values(), strict=True))
    hits, tail = np.rint(shares * items), 0.025 / (items >= 10).sum()
    lows = np.where(hits > 0, beta.ppf(tail, np.maximum(hits, 1), items - hits + 1), 0.0)
    highs = np.where(hits < items, beta.ppf(1 - tail, hits + 1, np.maximum(items - hits, 1)), 1.0)
    for (key, (n, mean, _)), low, high in zip(counted.items(), lows.tolist(), highs.tolist(), strict=True):
        ratio = rows.tolerance > 1 and mean > 0
        most = rows.tolerance if ratio else 0.02 if rows.tolerance > 1 else rows.tolerance
        ends = (low / mean, high / mean) if ratio else (low - mean, high - mean)
        least = 1 / most if ratio else -most
        verdict = "low" if ends[0] > most else "high" if ends[1] < least else "undetermined"
        verdict = "ruled out" if ends[0] >= least and ends[1] <= most else verdict
        found[key] = ("undetermined" if n < 10 else verdict, low, high)
    return found


def key_of(low: str, high: str, name: str) -> Key:
    return name or "violating", f"{low} to {high}" if low else "all"


def close(text: str, share: float) -> bool:
    """A share to three digits."""
    return float(text) == pytest.approx(100 * share, rel=6e-3, abs=1e-9)


def contradictions(finding: Finding, rows: Rows) -> list[str]:
    """Where sentences and numbers differ."""
    expected, counted, found = judged(rows), rows.counted, list[str]()
    told: dict[Key, str] = {}
    first: dict[str, Key] = {}
    said = list(statements.region_statements(finding, {}))
    for verdict in said:
        text = verdict.statement
        for low, high, name, mean, verb, share, bottom, top, way in SENTENCE.findall(text):
            key = key_of(low, high, name)
            told[key] = way
            first.setdefault(way, key)
            if key not in expected:
                return [text]
            _, m, s = counted[key]
            numbers = zip((mean, share, bottom, top), (m, s, *expected[key][1:]), strict=True)
            found += [f"{a} for {100 * b}: {text}" for a, b in numbers if not close(a, b)]
            found += [] if (verb == "violate") == (key[0] == "violating") else [text]
            found += [] if verdict.status is Status.STANDS_OUT else [f"{verdict.status}: {text}"]
        for way, listed in ALSO.findall(text):
            for low, high, name, share in LISTED.findall(listed):
                key = key_of(low, high, name)
                told[key] = way
                if key not in expected:
                    return [text]
                found += [] if close(share, counted[key][2]) else [f"{share}: {text}"]
        if match := UNDETERMINED.match(text):
            found += undetermined(match, expected, verdict.status)
        if match := RULED_OUT.search(text):
            found += ruled_out(match[1], expected, text, rows.tolerance)
        if match := EMPTY.match(text):
            none = {key for key, (n, _, _) in counted.items() if not n}
            named = {
                (re.findall(r"class '(k\d)'", part) or ["violating"])[0] + f" {low} to {high}"
                for part in match[1].split("; ")
                for low, high in PAIR.findall(part)
            }
            found += [] if named == {" ".join(key) for key in none} else [f"{none}: {text}"]
    beyond = {key: verdict for key, (verdict, _, _) in expected.items() if verdict in ("low", "high")}
    found += [] if told == beyond else [f"told {told}, but {beyond}"]
    for way, key in first.items():  # the most items times gap first
        own = [k for k, v in beyond.items() if v == way and k[1] != "all"]
        most = max(own, key=lambda k: counted[k][0] * abs(counted[k][1] - counted[k][2]), default=key)
        found += [] if key == most or size(counted, key) >= size(counted, most) - 1e-9 else [f"{key} before {most}"]
    texts = " ".join(verdict.statement for verdict in said)
    kinds = {verdict for verdict, _, _ in expected.values()} | ({"empty"} if len(expected) < len(counted) else set())
    for kind, words in (("undetermined", "Undetermined"), ("ruled out", "is ruled out"), ("empty", "No item is")):
        found += [] if (kind in kinds) == (words in texts) else [f"{kind}: {texts}"]
    return found


def size(counted: dict[Key, tuple[int, float, float]], key: Key) -> float:
    return counted[key][0] * abs(counted[key][1] - counted[key][2])


def undetermined(match: re.Match[str], expected: dict[Key, tuple[str, float, float]], status: Status) -> list[str]:
    regions = [key for key in expected if key[1] != "all"]
    own = [key for key in regions if expected[key][0] == "undetermined"]
    right = (match[1], match[2]) == ((str(len(own)), str(len(regions))) if own else (None, None))
    found = [] if right and status is Status.OPEN else [f"{len(own)} of {len(regions)}: {match[0]}"]
    for low, high, name, *_, bottom, top in OPEN_REGION.findall(match[3]):
        verdict, least, most = expected.get(key_of(low, high, name), ("empty", 0.0, 0.0))
        right = verdict == "undetermined" and close(bottom, least) and close(top, most)
        found += [] if right else [match[0]]
    return found


def ruled_out(text: str, expected: dict[Key, tuple[str, float, float]], whole: str, tolerance: float) -> list[str]:
    told = set()
    for part in text.split("; for "):
        name = (re.findall(r"class '(k\d)'", part) or ["violating"])[0]
        told |= {(name, f"{low} to {high}") for low, high in PAIR.findall(part)}
        told |= {(name, "all")} if "all items together" in part else set()
    own = {key for key, (verdict, _, _) in expected.items() if verdict == "ruled out"}
    named = f"more than {tolerance:g} times" if tolerance > 1 else f"more than {100 * tolerance:g} percentage points"
    return ([] if told == own else [f"{own}: {whole}"]) + ([] if named in whole else [f"{tolerance}: {whole}"])


def check_random(number: int, seed: int) -> list[str]:
    rng = np.random.default_rng(seed)
    for _ in range(number):
        rows = Rows(rng)
        if found := contradictions(rows.finding(), rows):
            return found
    return []


def test_no_sentence_contradicts_a_number() -> None:
    assert check_random(200, 1) == []


@pytest.mark.verify
def test_no_sentence_contradicts_a_number_in_many_findings() -> None:
    assert check_random(5000, 2) == []


def with_errors(finding: Finding, *, off: bool) -> Finding:
    """With calibration errors over all items beside the regions, significant or not."""
    ece = Estimate(0.05, 0.04, 0.06, 0.95, "drawn", 500, flags=(Flag.STANDS_OUT,) if off else ())
    more = (Measured(ECE, {}, ece), Measured(ECE, {"as_if": "calibrated"}, replace(ece, flags=())))
    return replace(finding, estimates=(*finding.estimates, *more))


@pytest.mark.parametrize("off", [True, False])
def test_errors_over_all_items_do_not_lead_or_deny(off: bool) -> None:
    """Where regions are known, the ECE explains: it is neither the headline, nor does it say that nothing is wrong."""
    rng = np.random.default_rng(5)
    for _ in range(20):
        finding = with_errors(Rows(rng).finding(), off=off)
        (*_, last) = verdicts.calibration_verdicts(finding)
        assert (last.status is Status.MEASURED) == off
        assert not any("No miscalibration" in verdict.statement for verdict in verdicts.calibration_verdicts(finding))


def _no_correction(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(score_regions, "simultaneous_level", lambda level, comparisons: level)


def _swap_directions(monkeypatch: pytest.MonkeyPatch) -> None:
    words = statements.DIRECTIONS
    monkeypatch.setattr(statements, "DIRECTIONS", dict(zip(words, reversed(words.values()), strict=True)))


def _one_direction(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(statements, "DIRECTIONS", dict([next(iter(statements.DIRECTIONS.items()))]))


def _other_tolerance(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(score_regions, "tolerance_of", lambda finding: 0.001)


def _other_tolerance_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(statements, "tolerance_of", lambda finding: 0.03)


def _plant_comparison(monkeypatch: pytest.MonkeyPatch, change: Any) -> None:
    plain = score_regions.compare
    monkeypatch.setattr(
        score_regions, "compare", lambda e, tolerance, is_ratio: plain(change(e), tolerance, is_ratio=is_ratio)
    )


def _value_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    _plant_comparison(monkeypatch, lambda e: replace(e, low=e.value, high=e.value))


def _low_end_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    _plant_comparison(monkeypatch, lambda e: replace(e, high=max(e.value, e.low)))


def _significance_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = score_regions.compare
    monkeypatch.setattr(
        score_regions,
        "compare",
        lambda e, tolerance, is_ratio: plain(e, 1 + 1e-9 if is_ratio else 1e-9, is_ratio=is_ratio),
    )


def _other_share(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(statements, "format_share", lambda value: f"{100 * (1 - value):.3g} %")


def _stated_for_observed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(statements, "_amount", lambda one: f"{100 * one.stated:.3g} %")


def _pointwise_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        statements, "_span", lambda one: f"{95 * one.observed.low:.3g} to {105 * one.observed.high:.3g} %"
    )


def _neighbour_region(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(statements, "region_words", lambda r: f"{100 * r.low + 10:g} to {100 * r.high + 10:g} %")


def _by_gap_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(score_regions.RegionVerdict, "affected", property(lambda one: abs(one.gap)))


def _few_items_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(score_regions, "FEWEST_ITEMS", 0)


def _empty_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(statements, "empty_regions", lambda finding, named: {"violating": list(range(0))})


PLANTED = [
    _no_correction,
    _swap_directions,
    _one_direction,
    _other_tolerance,
    _other_tolerance_said,
    _value_alone,
    _low_end_alone,
    _significance_alone,
    _other_share,
    _stated_for_observed,
    _pointwise_words,
    _neighbour_region,
    _by_gap_alone,
    _few_items_judged,
    _empty_left_out,
]


@pytest.mark.parametrize("plant", PLANTED, ids=lambda plant: plant.__name__.strip("_"))
def test_a_wrong_rule_is_caught(plant: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch)
    assert check_random(200, 3)
