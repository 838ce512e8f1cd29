"""Sentences of accuracy findings are read back, and hold against their numbers.

Random findings have random shares, counts and intervals, for all items and for parts, undefined and exact ones among
them. The reader knows nothing of how sentences are made.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from evenhand.audits.accuracy import verdicts
from evenhand.audits.accuracy.verdicts import AccuracyTopic
from evenhand.estimate import Estimate, Flag
from evenhand.finding import Finding, Measured, Slice, Status

NUMBER = r"(\d[\d,.]*)"
SHARE = rf"(?:[Aa]bout {NUMBER} % \({NUMBER}–{NUMBER} %\)|[Ee]xactly {NUMBER} %)"
COUNT = rf"(?:about {NUMBER} \({NUMBER}–{NUMBER}\)|exactly {NUMBER})"
RECALL = re.compile(rf"{SHARE} of violating items were removed(?:; {COUNT} are still visible)?\.")
PRECISION = re.compile(rf"{SHARE} of removed items were not violating(?:; {SHARE} of visible items are violating)?\.")
PREVALENCE = re.compile(rf"{SHARE} of all items are violating\.")
NOTHING = re.compile(r"(Recall|Precision|The prevalence) could not be estimated: nothing was labelled\.")
PLANNING = re.compile(
    rf"To estimate the prevalence( of visible items)? to within {NUMBER} % of its value, {COUNT} labels drawn in the "
    rf"same way are needed; (?:the current number is enough|currently there are {NUMBER})\. Compared with another "
    rf"period of this size, a change of {NUMBER} percentage points could be detected\."
)
BLIND = re.compile(
    r"These intervals allow for violations that the score cannot see\. If there are none, (recall|the prevalence) "
    rf"lies between {NUMBER} and {NUMBER} %\."
)
RANKS = re.compile(
    r"By language, the other source ranks about (\d+) of 100 pairs in the same order as this sample, (more than "
    r"expected by chance|which can be explained by chance) \(rank correlation (-?[\d.]+), (-?[\d.]+) to (-?[\d.]+)\)\."
)
NO_RANKS = "The ranking by language cannot be compared with the other source: too few parts."


def random_share(rng: np.random.Generator) -> Estimate:
    kind = rng.random()
    if kind < 0.1:
        return Estimate.undefined("nothing was labelled", level=0.95, n=0)
    value = float(rng.choice([rng.random(), 0.01 * rng.random(), 1.0, 0.0]))
    if kind < 0.2:
        return Estimate.exact(value, level=0.95, n=500)
    reach = float(rng.choice([0.0002, 0.01, 0.2]))
    ends = (max(0.0, value - reach * rng.random()), min(1.0, value + reach * rng.random()))
    return Estimate(value, *ends, 0.95, "drawn", int(rng.integers(1, 9000)))


def scaled(share: Estimate, times: float) -> Estimate:
    if share.value is None:
        return share
    return replace(share, value=times * share.value, low=times * (share.low or 0.0), high=times * (share.high or 0.0))


def random_part(rng: np.random.Generator, part: Slice, *, decided: bool) -> list[Measured]:
    """With decisions recall, precision and what is left; without them the prevalence."""
    if not decided:
        return [Measured("prevalence", part, random_share(rng))]
    numbers = [Measured(name, part, random_share(rng)) for name in ("recall", "precision")]
    numbers.append(Measured("missed", part, scaled(random_share(rng), float(rng.choice([50, 4000, 3e6])))))
    if rng.random() < 0.8:
        numbers.append(Measured("prevalence", {**part, "pool": "visible"}, random_share(rng)))
    return numbers


def random_finding(rng: np.random.Generator) -> Finding:
    decided = bool(rng.random() < 0.7)
    parts: list[Slice] = [{}, *({"language": name} for name in ("de", "fr", "it")[: rng.integers(0, 4)])]
    numbers = [m for part in parts for m in random_part(rng, part, decided=decided)]
    first = "recall" if decided else "prevalence"
    whole = next(m for m in numbers if m.measure == first and not m.slice)
    if whole.estimate.low is not None and whole.estimate.method == "drawn" and rng.random() < 0.3:
        index = numbers.index(whole)
        numbers[index] = replace(whole, estimate=whole.estimate.flagged(Flag.BLIND_SPOT))
        wide = replace(whole.estimate, low=0.5 * whole.estimate.low, high=0.5 + 0.5 * (whole.estimate.high or 0.0))
        numbers.append(Measured(first, {"estimator": "robust"}, wide))
    numbers += random_planning(rng, visible=decided and bool(rng.random() < 0.5))
    if rng.random() < 0.5:
        numbers += random_ranks(rng)
    found = Finding("accuracy", "?", tuple(numbers), (), {"settings": {"target": float(rng.choice([0.1, 0.05, 0.2]))}})
    read = replace(found, readings=tuple(verdicts.accuracy_readings(found)))
    return replace(read, verdicts=tuple(verdicts.accuracy_verdicts(read)))


def random_planning(rng: np.random.Generator, *, visible: bool) -> list[Measured]:
    slice_ = {"pool": "visible"} if visible else {}
    needed = Estimate(*np.sort(rng.uniform(1, 40_000, 3))[[1, 0, 2]].tolist(), 0.95, "drawn", int(rng.integers(20_000)))
    change = Estimate.exact(float(rng.choice([0.02, 0.0004])) * rng.random(), level=0.95, n=needed.n)
    if rng.random() < 0.1:
        needed = Estimate.undefined("nothing was labelled", level=0.95, n=0)
    return [Measured("labels_needed", slice_, needed), Measured("detectable_effect", slice_, change)]


def random_ranks(rng: np.random.Generator) -> list[Measured]:
    if rng.random() < 0.2:
        nothing = Estimate.undefined("too few parts", level=0.95, n=2)
        return [Measured(name, {"of": "language"}, nothing) for name in ("rank_agreement", "kendall_tau")]
    low, value, high = np.sort(rng.uniform(-1, 1, 3)).tolist()
    tau = Estimate(value, low, high, 0.95, "drawn", 9, p_value=float(rng.choice([0.001, 0.04, 0.06, 0.7])))
    return [
        Measured("rank_agreement", {"of": "language"}, Estimate(value, low, high, 0.95, "drawn", 9)),
        Measured("kendall_tau", {"of": "language"}, tau),
    ]


def close(text: str, value: float, *, digits: int = 0) -> bool:
    """To the last digit that is written; of large counts, to three digits."""
    number, decimals = float(text.replace(",", "")), len(text.partition(".")[2])
    return abs(number - value) <= max(0.501 * 10.0**-decimals, (0.0051 * abs(value)) if digits else 0.0)


def same(words: tuple[str | None, ...], e: Estimate, scale: float) -> bool:
    """A value with its interval, or one that is exact."""
    value, low, high, exact = words
    if e.method == "exact":
        return exact is not None and float(exact.replace(",", "")) == pytest.approx(scale * e.value, rel=6e-3, abs=0.5)
    if value is None or low is None or high is None:
        return False
    ends = zip((value, low, high), (e.value, e.low, e.high), strict=True)
    return all(close(text, scale * (end or 0.0), digits=scale == 1.0) for text, end in ends)


def published(finding: Finding, measure: str, part: Slice) -> Estimate | None:
    """The robust one where the usual one is marked."""
    if not finding.has(measure, **part):
        return None
    e, robust = finding.get(measure, **part), {**part, "estimator": "robust"}
    return finding.get(measure, **robust) if "blind_spot" in e.flags and finding.has(measure, **robust) else e


def complement(e: Estimate) -> Estimate:
    return replace(e, value=1.0 - e.value, low=1.0 - e.high, high=1.0 - e.low)


def part_faults(finding: Finding, part: Slice, texts: list[str]) -> list[str]:
    """What is said of moderation, or of the prevalence, in all items or one part."""
    recall, precision, prevalence = (published(finding, name, part) for name in ("recall", "precision", "prevalence"))
    expected: list[tuple[Estimate, re.Pattern[str], str]] = []
    if recall is None or precision is None:
        assert prevalence
        expected.append((prevalence, PREVALENCE, "The prevalence"))
    else:
        expected += [(recall, RECALL, "Recall"), (complement_or_same(precision), PRECISION, "Precision")]
    if len(texts) != len(expected):
        return [f"{len(expected)} sentences: {texts}"]
    faults = []
    for text, (e, pattern, name) in zip(texts, expected, strict=True):
        if e.value is None:
            match = NOTHING.fullmatch(text)
            faults += [] if match and match[1] == name else [text]
            continue
        match = pattern.fullmatch(text)
        if match is None or not same(match.groups()[:4], e, 100.0):
            faults.append(f"{e}: {text}")
        elif pattern is not PREVALENCE:
            faults += rest_faults(finding, part, match.groups()[4:], text, missed=pattern is RECALL)
    return faults


def complement_or_same(e: Estimate) -> Estimate:
    return e if e.value is None else complement(e)


def rest_faults(finding: Finding, part: Slice, words: Any, text: str, *, missed: bool) -> list[str]:
    """The violations that are still visible, or their share of what is visible; nothing where that is not known."""
    e = published(finding, "missed", part) if missed else published(finding, "prevalence", {**part, "pool": "visible"})
    if e is None or e.value is None:
        return [] if not any(words) else [text]
    return [] if same(tuple(words), e, 1.0 if missed else 100.0) else [f"{e}: {text}"]


def planning_faults(finding: Finding, texts: list[str]) -> list[str]:
    visible = {"pool": "visible"} if finding.has("labels_needed", pool="visible") else {}
    needed, change = (finding.get(name, **visible) for name in ("labels_needed", "detectable_effect"))
    if needed.value is None:
        return texts
    match = PLANNING.fullmatch(texts[0]) if texts else None
    if match is None:
        return [f"not understood: {texts}"]
    right = bool(match[1]) == bool(visible)
    right = right and float(match[2]) == pytest.approx(100 * finding.provenance["settings"]["target"])
    right = right and same(match.groups()[2:6], needed, 1.0)
    right = right and (match[7] is None) == (needed.n >= needed.value)
    right = right and (match[7] is None or int(match[7].replace(",", "")) == needed.n)
    return [] if right and float(match[8]) == pytest.approx(100 * change.value, rel=0.06, abs=1e-8) else texts


def rank_faults(finding: Finding, texts: list[str]) -> list[str]:
    if not finding.has("rank_agreement", of="language"):
        return texts
    rank, tau = finding.get("rank_agreement", of="language"), finding.get("kendall_tau", of="language")
    if rank.value is None:
        return [] if texts == [NO_RANKS] else [f"{NO_RANKS}: {texts}"]
    match = RANKS.fullmatch(texts[0]) if texts else None
    if match is None:
        return [f"not understood: {texts}"]
    right = abs(float(match[1]) - 50 * (1 + tau.value)) <= 0.51
    right = right and match[2].startswith("more") == (tau.p_value <= 0.05)
    ends = zip(match.groups()[2:], (rank.value, rank.low, rank.high), strict=True)
    return [] if right and all(abs(float(text) - end) <= 0.0051 for text, end in ends) else texts


def blind_faults(finding: Finding, texts: list[str]) -> list[str]:
    first = "recall" if finding.has("recall") else "prevalence"
    usual = finding.get(first)
    if "blind_spot" not in usual.flags:
        return texts
    match = BLIND.fullmatch(texts[0]) if texts else None
    right = (
        match and match[1].endswith(first) and close(match[2], 100 * usual.low) and close(match[3], 100 * usual.high)
    )
    return [] if right else [f"{usual}: {texts}"]


def contradictions(finding: Finding) -> list[str]:
    texts = {topic: [r for r in finding.readings if r.topic == topic] for topic in AccuracyTopic}
    faults = []
    for part in ({}, *({"language": name} for name in finding.values("language"))):
        faults += part_faults(finding, part, [r.text for r in texts[AccuracyTopic.MODERATION] if r.slice == part])
    faults += planning_faults(finding, [r.text for r in texts[AccuracyTopic.NEXT_LABELS]])
    faults += rank_faults(finding, [r.text for r in texts[AccuracyTopic.RANKS]])
    faults += blind_faults(finding, [r.text for r in texts[AccuracyTopic.BLIND_SPOT]])
    return faults + verdict_faults(finding)


def verdict_faults(finding: Finding) -> list[str]:
    """Verdicts repeat what is said of all items; what has no value is open."""
    said = [v.statement for v in finding.verdicts]
    topics = (AccuracyTopic.MODERATION, AccuracyTopic.NEXT_LABELS, AccuracyTopic.BLIND_SPOT)
    whole = [r.text for r in finding.readings if not r.slice and r.topic in topics]
    faults = [] if sorted(said) == sorted(whole) else [f"{said}, not {whole}"]
    return faults + [
        v.statement for v in finding.verdicts if (v.status is Status.OPEN) != bool(NOTHING.fullmatch(v.statement))
    ]


def check_random(number: int, seed: int) -> list[str]:
    rng = np.random.default_rng(seed)
    for _ in range(number):
        if faults := contradictions(random_finding(rng)):
            return faults
    return []


def test_no_sentence_contradicts_a_number() -> None:
    assert check_random(200, 1) == []


@pytest.mark.verify
def test_no_sentence_contradicts_a_number_in_many_findings() -> None:
    assert check_random(5000, 2) == []


def _plant(name: str, change: Any) -> Any:
    def plant(monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(verdicts, name, change(getattr(verdicts, name)))

    return plant


PLANTED = {
    "right for wrong": _plant("_precision_sentence", lambda plain: lambda p, left: plain(
        p if p.value is None else complement(p), left
    )),
    "missed are not said": _plant("_recall_sentence", lambda plain: lambda recall, missed: plain(
        recall, Estimate.undefined("nothing was labelled", level=0.95, n=0)
    )),
    "the usual interval": _plant("published_estimate", lambda plain: lambda finding, name, part: finding.get(
        name, **part
    )),
    "rounded too far": _plant("_rounded_ends", lambda plain: lambda e: tuple(f"{float(end):.0f}" for end in plain(e))),
    "value for interval": _plant("_rounded_ends", lambda plain: lambda e: (plain(e)[0],) * 3),
    "everything is enough": _plant("_planning_sentence", lambda plain: lambda finding: (plain(finding) or "").replace(
        "currently there are", "the current number is enough, there are"
    )),
    "half the labels": _plant("rounded_count", lambda plain: lambda number: plain(0.5 * number)),
    "ranks reversed": _plant("_rank_sentence", lambda plain: lambda finding, of: plain(finding, of).replace(
        "more than expected by chance", "which can be explained by chance"
    )),
    "nothing is open": _plant("Status", lambda s: type("S", (), dict.fromkeys(("MEASURED", "OPEN"), s.MEASURED))),
    "parts of all items": _plant("_moderation", lambda plain: lambda finding, part: plain(finding, {})),
}  # fmt: skip


@pytest.mark.parametrize("plant", PLANTED.values(), ids=PLANTED)
def test_a_wrong_rule_is_caught(plant: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch)
    assert check_random(300, 3)
