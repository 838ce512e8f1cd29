"""Sentences about review are read back, and hold against the numbers of the finding and those counted from the rows.

The reader knows nothing of how sentences are made: it takes strategies, capacities, direction, size and verdict from
the text. Random findings have random numbers, ties and undefined ones among them; a few are of random rows.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import evenhand as eh
from evenhand.audits.collaboration import statements, verdicts
from evenhand.estimate import Estimate
from evenhand.finding import Finding, Measured, Status, Verdict

STRATEGIES = ("uncertainty", "toxicity", "hybrid:0.3")
NAME = r"(uncertainty|toxicity|hybrid:0\.3)"
NUMBER = r"(-?[\d.,]+)"
SPAN = rf"{NUMBER} \({NUMBER} to {NUMBER}\)"
ONE = rf"(?:{NUMBER} of 1,000 %s \({NUMBER} to {NUMBER}\)|how many %s is not defined \([^()]+\))"
KINDS = {"recall": "violations are still missed", "precision": "removed items are benign"}
LEFT = re.compile(
    rf"^With people reviewing ([\d.]+) % of the items, chosen by {NAME}, "
    + " and ".join(ONE % (kind, kind) for kind in KINDS.values())
    + r"\.((?: Chosen by [^:]+(?::0\.3)?: .+? and .+?\.(?= Chosen| Without))*) Without review: (.+) and (.+)\.$"
)
OTHER = re.compile(rf"Chosen by {NAME}: (.+?\)) and (.+?\))\.")
FEWER = re.compile(
    rf"^Chosen by {NAME}, {NUMBER} fewer of 1,000 (violations|removed items) are (?:still missed|benign) than chosen "
    rf"by {NAME} \({NUMBER} to {NUMBER} fewer\)\.$"
)
RULED_OUT = re.compile(
    rf"^Chosen by {NAME} or by {NAME}: a difference of more than {NUMBER} of 1,000 (violations|removed items) that are "
    r"(?:still missed|benign) is ruled out\.$"
)
UNDETERMINED = re.compile(
    rf"^It is undetermined whether choosing by {NAME} or by {NAME} makes a difference of more than {NUMBER} of 1,000 "
    rf"(violations|removed items) that are (?:still missed|benign): by {NAME}, between {NUMBER} (fewer|more) and "
    rf"{NUMBER} (fewer|more)\.$"
)
BETTER = re.compile(
    r"reviewing the (most uncertain items|highest scores) (is better than|and) reviewing the (?:most uncertain items|"
    r"highest scores)(?: are equal)? at (every capacity|[\d.]+ %(?:(?:, | and )[\d.]+ %)*)"
)
MEASURES = {"violations": "oc_recall", "removed items": "oc_precision"}


def random_estimate(rng: np.random.Generator, centre: float, scale: float, least: float) -> Estimate:
    value = min(max(float(centre), least), 1.0)
    low, high = value - rng.exponential(scale), value + rng.exponential(scale)
    return Estimate(value, max(low, least), min(high, 1.0), 0.95, "drawn", int(rng.integers(20, 9000)))


def random_finding(rng: np.random.Generator) -> Finding:
    """Numbers of one model, two or three strategies and some capacities, as an audit files them."""
    names, scale = STRATEGIES[: rng.integers(2, 4)], float(rng.choice([0.001, 0.01, 0.08]))
    capacities = [str(share) for share in (0.01, 0.05, 0.1)[: rng.integers(1, 4)]]
    numbers: list[Measured] = []

    def add(measure: str, slice_: dict[str, str], centre: float, least: float = 0.0) -> None:
        e = random_estimate(rng, centre, scale, least)
        if measure in undefined:
            e = Estimate.undefined("nothing is like that", level=0.95, n=100)
        numbers.append(Measured(measure, slice_, e))

    odd = [(), (), (), (), ("precision",), ("precision", "oc_precision"), ("recall", "oc_recall")]
    undefined = odd[rng.integers(len(odd))]
    alone = {name: float(rng.random()) for name in ("recall", "precision", "accuracy", "f1", "auroc")}
    for name, value in alone.items():
        add(name, {}, value)
    add("positive_share", {}, rng.random() * 0.4)
    for strategy in names:
        for at in capacities:
            slice_ = {"strategy": strategy, "capacity": at}
            for name, value in alone.items():
                add(f"oc_{name}", slice_, value + rng.choice([0.0, 0.002, 0.1]) * rng.random())
            for name in ("review_efficiency", "review_effectiveness"):
                add(name, slice_, rng.choice([0.2, rng.random()]))
    numbers += list(differences(rng, numbers, names, capacities, scale))
    settings = {"tolerance": float(rng.choice([0.02, 0.005, 1.25]))}
    return Finding("collaboration", "?", tuple(numbers), (), {"settings": settings})


def differences(rng, numbers: list[Measured], names, capacities, scale: float):  # type: ignore[no-untyped-def]
    """Of the numbers, with intervals around them."""
    values = {(m.measure, *m.slice.values()): m.estimate.value for m in numbers}
    for strategy in names[1:]:
        for at in capacities:
            for measure in ("oc_recall", "oc_precision", "oc_auroc", "review_efficiency"):
                slice_ = {"strategy": strategy, "against": names[0], "capacity": at}
                one, other = values[measure, strategy, at], values[measure, names[0], at]
                if one is None or other is None:
                    nothing = Estimate.undefined("nothing is like that", level=0.95, n=100)
                    yield Measured(measure, slice_, nothing)
                else:
                    yield Measured(measure, slice_, random_estimate(rng, one - other, scale, -1.0))


def close(text: str, share: float) -> bool:
    """Of 1,000: whole, or tenths of a few."""
    return abs(float(text.replace(",", "")) - 1000.0 * share) <= (0.0501 if abs(share) < 0.00995 else 0.501)


def left_over(finding: Finding, measure: str, **slice_: str) -> tuple[float, float, float] | None:
    e = finding.get(measure, **slice_)
    return None if e.value is None else (1 - e.value, 1 - (e.high or 0.0), 1 - (e.low or 0.0))


def same(text: str, expected: tuple[float, float, float] | None) -> bool:
    """An amount with its interval, or that there is none."""
    match = re.fullmatch(SPAN, text.strip())
    if expected is None or match is None:
        return expected is None and text.strip().startswith("not defined (")
    return all(close(a, b) for a, b in zip(match.groups(), expected, strict=True))


def check_left(finding: Finding, text: str, at: str) -> tuple[str, list[str]]:
    """The strategy that is named first, and where what is left differs from the numbers."""
    match = LEFT.match(text)
    if match is None:
        return "", [f"not understood: {text}"]
    share, first, *numbers, others, missed, wrong = match.groups()
    found = [] if float(share) == pytest.approx(100 * float(at)) else [f"{at}: {text}"]
    told = {first: [amount(numbers[:3]), amount(numbers[3:])]}
    told |= {name: [one, other] for name, one, other in OTHER.findall(others)}
    found += [] if set(told) == set(finding.values("strategy")) else [f"{list(told)}: {text}"]
    for name, amounts in told.items():
        for measure, words in zip(KINDS, amounts, strict=True):
            expected = left_over(finding, f"oc_{measure}", strategy=name, capacity=at)
            found += [] if same(words, expected) else [f"{name}, {measure} {expected}: {text}"]
    for measure, words in zip(KINDS, (missed, wrong), strict=True):
        found += [] if same(words, left_over(finding, measure)) else [f"alone, {measure}: {text}"]
    return first, found


def amount(numbers: list[str | None]) -> str:
    return "not defined (" if numbers[0] is None else "{} ({} to {})".format(*numbers)


def judged(finding: Finding, first: str, other: str, at: str, measure: str) -> tuple[str, float, float, float] | None:
    """By the language guide: better, worse, ruled out or undetermined for the first strategy, with its interval."""
    for one, two, sign in ((first, other, 1), (other, first, -1)):
        slice_ = {"strategy": one, "against": two, "capacity": at}
        if finding.has(measure, **slice_):
            e = finding.get(measure, **slice_)
            if e.value is None:
                return None
            low, high = sorted((sign * e.low, sign * e.high))
            declared = finding.provenance["settings"]["tolerance"]
            most = 0.02 if declared > 1 else declared
            verdict = "better" if low > most else "worse" if high < -most else "undetermined"
            return ("ruled out" if -most <= low and high <= most else verdict), sign * e.value, low, high
    return None


def check_comparisons(finding: Finding, at: str, first: str, said: list[Verdict]) -> list[str]:
    """Every pair with the first strategy is spoken of once, as its interval says."""
    told: dict[tuple[str, str], str] = {}
    found = []
    for verdict in said:
        text = verdict.statement
        if match := FEWER.match(text):
            better, value, items, worse, low, high = match.groups()
            other, way = (worse, "better") if better == first else (better, "worse")
            expected = judged(finding, first, other, at, MEASURES[items])
            ends = sorted(abs(part) for part in expected[2:]) if expected else [9.0, 9.0]
            right = expected and close(value, abs(expected[1])) and close(low, ends[0]) and close(high, ends[1])
            found += [] if right and verdict.status is Status.MEASURED else [text]
            told[other, items] = way
        elif match := RULED_OUT.match(text):
            found += [] if match[1] == first and close(match[3], tolerance(finding)) else [text]
            found += [] if verdict.status is Status.QUIET else [text]
            told[match[2], match[4]] = "ruled out"
        elif match := UNDETERMINED.match(text):
            one, other, most, items, by, low, way, high, other_way = match.groups()
            expected = judged(finding, first, other, at, MEASURES[items])
            signs = {"fewer": 1, "more": -1}
            numbers = [signs[w] * float(n.replace(",", "")) / 1000 for n, w in ((low, way), (high, other_way))]
            right = expected and all(close(f"{1000 * a:.10f}", b) for a, b in zip(numbers, expected[2:], strict=True))
            found += [] if right and by == one == first and close(most, tolerance(finding)) else [text]
            found += [] if verdict.status is Status.OPEN else [text]
            told[other, items] = "undetermined"
        else:
            found.append(f"not understood: {text}")
    expected_pairs = {
        (other, items): verdict[0]
        for other in finding.values("strategy")
        for items, measure in MEASURES.items()
        if other != first and (verdict := judged(finding, first, other, at, measure))
    }
    return found + ([] if told == expected_pairs else [f"told {told}, but {expected_pairs}"])


def tolerance(finding: Finding) -> float:
    declared = float(finding.provenance["settings"]["tolerance"])
    return 0.02 if declared > 1 else declared


def check_ranking(finding: Finding) -> list[str]:
    """Which of the two usual strategies is better at which capacities, by OC-AUROC."""
    capacities = finding.values("capacity")
    (reading,) = [r for r in verdicts.collaboration_readings(finding) if r.topic == "ranking"]
    told: dict[str, str] = {}
    for which, kind, where in BETTER.findall(reading.text):
        way = "equal" if kind == "and" else "uncertainty" if which.startswith("most") else "toxicity"
        listed = [f"{100 * float(at):.3g}" for at in capacities]
        for at in listed if where == "every capacity" else re.findall(r"([\d.]+) %", where):
            told[at] = way if at not in told else "twice"
    expected = {}
    for at in capacities:
        one, other = (finding.get("oc_auroc", strategy=name, capacity=at).value for name in STRATEGIES[:2])
        expected[f"{100 * float(at):.3g}"] = "equal" if one == other else "uncertainty" if one > other else "toxicity"
    found = [] if told == expected else [f"{expected}: {reading.text}"]
    most = max(sum(v == way for v in expected.values()) for way in expected.values())
    first = BETTER.search(reading.text)
    lead = "?" if first is None else told.get(f"{100 * float(capacities[0]):.3g}") if first[3][:5] == "every" else None
    if first is not None and lead is None:  # the way that is named first holds at the most capacities
        found += [] if len(re.findall(r"[\d.]+ %", first[3])) == most else [reading.text]
    return found


def contradictions(finding: Finding) -> list[str]:
    opening, *said = verdicts.collaboration_verdicts(finding)
    first, found = check_left(finding, opening.statement, "0.01")
    found += [] if opening.status is Status.MEASURED else [str(opening.status)]
    return found or check_comparisons(finding, "0.01", first, said) + check_ranking(finding)


def check_random(number: int, seed: int) -> list[str]:
    rng = np.random.default_rng(seed)
    for _ in range(number):
        if found := contradictions(random_finding(rng)):
            return found
    return []


def test_no_sentence_contradicts_a_number() -> None:
    assert check_random(200, 1) == []


@pytest.mark.verify
def test_no_sentence_contradicts_a_number_in_many_findings() -> None:
    assert check_random(5000, 2) == []


def test_sentences_hold_against_the_rows() -> None:
    """Missed and removed by mistake, item by item, of scores without ties."""
    rng = np.random.default_rng(7)
    for _ in range(3):
        n = int(rng.integers(400, 1500))
        logit = rng.normal(-1, 2, n)
        p, y = 1 / (1 + np.exp(-logit)), rng.random(n) < 1 / (1 + np.exp(-1.4 * logit))
        (finding,) = eh.audit({"p": p, "y": y}, score="p", label="y", audits="collaboration", capacities=["0.05"])
        text = finding.verdicts[0].statement
        first, found = check_left(finding, text, "0.05")
        assert found == []
        match = LEFT.match(text)
        assert match
        for name, missed in ((first, match[3]), *((name, one.split()[0]) for name, one, _ in OTHER.findall(match[9]))):
            order = np.argsort(-(p * (1 - p) if name == "uncertainty" else p), kind="stable")[: int(0.05 * n + 1e-9)]
            removed = p >= 0.5
            removed[order] = y[order]
            assert close(missed, (y & ~removed).sum() / y.sum())


UNCERTAIN, HIGHEST = "reviewing the most uncertain items", "reviewing the highest scores"


@pytest.mark.parametrize(
    ("leads", "sentence"),
    [
        (
            [0.1, -0.1, -0.2],
            f"{HIGHEST} is better than {UNCERTAIN} at 5 % and 10 %; {UNCERTAIN} is better than {HIGHEST} at 1 %",
        ),
        (
            [0.1, 0.2, -0.1],
            f"{UNCERTAIN} is better than {HIGHEST} at 1 % and 5 %; {HIGHEST} is better than {UNCERTAIN} at 10 %",
        ),
    ],
    ids=["loses at two", "loses at one"],
)
def test_what_loses_at_two_of_three_capacities_is_not_called_better(leads: list[float], sentence: str) -> None:
    assert verdicts._better_where(dict(zip(("0.01", "0.05", "0.1"), leads, strict=True))) == sentence


def _plant(name: str, change: Any, module: Any = statements) -> Any:
    def plant(monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(module, name, change(getattr(module, name)))

    return plant


def _compared(change: Any) -> Any:
    return _plant("compare", lambda plain: lambda e, t, is_ratio: plain(change(e), t, is_ratio=is_ratio))


PLANTED = {
    "found for missed": _plant("_share_left", lambda plain: lambda e: e),
    "other tolerance": _plant("tolerance_of", lambda plain: lambda finding: 0.011),
    "half as many": _plant("per_thousand", lambda plain: lambda share: plain(share / 2)),
    "errors swapped": _plant("ERRORS", lambda errors: tuple(
        words._replace(alone=other.alone, reviewed=other.reviewed)
        for words, other in zip(errors, errors[::-1], strict=True)
    )),
    "misses alone": _plant("ERRORS", lambda errors: errors[:1]),
    "interval left out": _plant("_span", lambda plain: lambda e: plain(replace(e, low=e.value, high=e.value))),
    "value alone": _compared(lambda e: replace(e, low=e.value, high=e.value)),
    "low end alone": _compared(lambda e: replace(e, high=max(e.value, e.low))),
    "wrong way": _compared(lambda e: replace(e, value=-e.value, low=-e.high, high=-e.low)),
    "significance alone": _plant(
        "compare", lambda plain: lambda e, t, is_ratio: plain(e, 1e-9, is_ratio=is_ratio)
    ),
    "more for fewer": _plant("_signed", lambda plain: lambda fewer: plain(-fewer)),
    "against nobody": _plant("_fewer", lambda plain: lambda *given: None),
    "sign forgotten": _plant("_fewer", lambda plain: lambda f, m, a, b, at, measure: plain(f, m, b, a, at, measure)),
    "uncertainty always leads": _plant("_better_where", lambda plain: lambda leads: plain(
        {text: abs(lead) for text, lead in leads.items()}
    ), verdicts),
    "ties are wins": _plant("_better_where", lambda plain: lambda leads: plain(
        {text: lead or 1.0 for text, lead in leads.items()}
    ), verdicts),
}  # fmt: skip


@pytest.mark.parametrize("plant", PLANTED.values(), ids=PLANTED)
def test_a_wrong_rule_is_caught(plant: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch)
    assert check_random(200, 3)
