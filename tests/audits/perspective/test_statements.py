"""Sentences of perspective findings are read back, and hold against their numbers and marks.

Random findings have one or two models, some groups of annotators, and random numbers, marks and undefined ones. The
reader knows nothing of how sentences are made.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from evenhand.audits.perspective import standing, verdicts
from evenhand.audits.perspective.exhibits import PerspectiveExhibit
from evenhand.audits.perspective.verdicts import PerspectiveTopic, with_verdicts
from evenhand.estimate import Estimate, Flag
from evenhand.finding import Exhibit, Finding, Measured, Slice, Status

GROUP = r"(g\d) \(([\d,]+) people\)"
DELTAS = re.compile(r"The model agrees (less|more) with annotators in groups? ([^.]+?) than with all annotators\.")
SHARES = re.compile(
    r"For annotators in groups? ([^.]+?), the shares of labels that the model fits better or worse differ from "
    r"those of all annotators\."
)
APART = "Annotators for whom the model fits equally well differ in demographic composition."
QUIET = re.compile(
    r"No statistically significant difference for any group of annotators\.(?: However, the model predicts all "
    r"annotators' labels poorly \(F1 ([\d.]+)\)\.)?"
)
LARGEST = re.compile(r"(Mean delta|Uncertainty divergence) of (g\d): ([−+\d.e]+) \(([^)]+)\)\.")
RESTS = re.compile(r"The difference of (g\d) rests on (one person|two people): without them it is not statistically")
READING = re.compile(
    r"The model agrees (less|more) with annotators in group '(g\d)' than with all annotators: their mean delta is "
    r"(\S+) \((\S+) to (\S+)\), compared with (\S+) overall\. Mean deltas that are statistically significant after "
    r"correction for multiple comparisons: ([^.]+)\."
)
CLUSTERS = re.compile(
    r"Clusters of annotators, formed by how well the model fits their labels, have a demographic divergence of "
    r"([\d.]+) \(([\d.]+) on average with shuffled groups, p = (\S+)\): (more than expected by chance|"
    r"no more than expected by chance|not statistically significant after correction for \d+ tests)\."
)


def random_finding(rng: np.random.Generator) -> Finding:
    groups = [f"g{number}" for number in range(rng.integers(1, 6))]
    models: list[Slice] = [{"model": "p"}, {"model": "q"}] if rng.random() < 0.4 else [{}]
    numbers = [Measured("krippendorff_alpha", {}, drawn(rng, 0.1, 0.9))]
    numbers += [
        Measured("annotator_count", {"annotators": group}, Estimate.exact(float(n), level=0.95, n=int(n)))
        for group, n in zip(groups, rng.choice([8, 25, 300, 1200], len(groups)), strict=True)
    ]
    exhibits = list[Exhibit]()
    for model in models:
        numbers += random_model(rng, model, groups)
        if rng.random() < 0.4:
            columns = {"annotators": groups[:1], "people": [float(rng.integers(1, 3))]}
            exhibits.append(Exhibit(PerspectiveExhibit.DECIDERS, model, columns))  # type: ignore[arg-type]
    return with_verdicts(Finding("perspective", "?", tuple(numbers), (), {"settings": {}}, exhibits=tuple(exhibits)))


def drawn(rng: np.random.Generator, low: float, high: float, *, may_miss: bool = True) -> Estimate:
    if may_miss and rng.random() < 0.08:
        return Estimate.undefined("nothing is known", level=0.95, n=0)
    ends = np.sort(rng.uniform(low, high, 3)).tolist()
    flags = (Flag.STANDS_OUT,) if rng.random() < 0.3 else ()
    p = float(rng.choice([0.0004, 0.03, 0.3]))
    return Estimate(ends[1], ends[0], ends[2], 0.95, "drawn", 900, flags=flags, p_value=p)


def random_model(rng: np.random.Generator, model: Slice, groups: list[str]) -> list[Measured]:
    overall = replace(drawn(rng, -0.1, 0.1), flags=())
    numbers = [
        Measured("conformity_delta", model, overall),
        Measured("differing_share", model, drawn(rng, 0.0, 0.3)),
        Measured("f1", model, drawn(rng, 0.2, 0.9)),
    ]
    clusters = drawn(rng, 0.0, 0.2)
    shuffled = clusters if clusters.value is None else drawn(rng, 0.0, 0.1, may_miss=False)
    numbers.append(Measured("demographic_divergence", model, clusters))
    numbers.append(Measured("demographic_divergence", {**model, "as_if": "shuffled"}, replace(shuffled, flags=())))
    quiet = rng.random() < 0.3  # without any mark
    for group in groups:
        for measure, high in (("conformity_delta", 0.15), ("uncertainty_divergence", 0.3)):
            low = -high if measure == "conformity_delta" else 0.0
            e = drawn(rng, low, high) if overall.defined else overall
            e = replace(e, flags=()) if quiet else e
            if measure == "uncertainty_divergence" and e.defined:
                e = replace(e, low=None, high=None)
            numbers.append(Measured(measure, {**model, "annotators": group}, e))
    return [replace(m, estimate=replace(m.estimate, flags=())) if quiet else m for m in numbers]


def value(text: str) -> float:
    return float(text.replace("−", "-").replace(",", "").replace("+", ""))


def listed(text: str, finding: Finding) -> tuple[set[str], list[str]]:
    """The groups that are named, each with its number of people."""
    named = re.findall(GROUP, text)
    people = {group: finding.get("annotator_count", annotators=group).value for group, _ in named}
    faults = [f"{group} has {people[group]}: {text}" for group, number in named if value(number) != people[group]]
    return {group for group, _ in named}, faults


def marked(finding: Finding, model: Slice, measure: str) -> dict[str, float]:
    """The groups with a statistically significant value, and it."""
    found = {}
    for group in finding.values("annotators"):
        e = finding.get(measure, **model, annotators=group)
        if e.value is not None and "stands_out" in e.flags:
            found[group] = e.value
    return found


def verdict_faults(finding: Finding, model: Slice) -> list[str]:
    """Which groups a model agrees with less or more, and those that differ in another way."""
    (verdict,) = [v for v in finding.verdicts if dict(v.slice) == dict(model)]
    overall, text = finding.get("conformity_delta", **model), verdict.statement
    if overall.value is None:
        right = text == "Deltas could not be calculated: nothing is known." and verdict.status is Status.OPEN
        return [] if right else [text]
    deltas = marked(finding, model, "conformity_delta")
    signs = marked(finding, model, "uncertainty_divergence")
    clusters = "stands_out" in finding.get("demographic_divergence", **model).flags
    if not deltas and not signs and not clusters:
        return quiet_faults(finding, model, text, verdict.status)
    faults = [] if verdict.status is Status.STANDS_OUT else [f"{verdict.status}: {text}"]
    expected = {
        "less": {group for group, mean in deltas.items() if mean > overall.value},
        "more": {group for group, mean in deltas.items() if mean <= overall.value},
        "shares": set(signs) - set(deltas),
    }
    told: dict[str, set[str]] = {"less": set(), "more": set(), "shares": set()}
    for way, groups in (*DELTAS.findall(text), *(("shares", groups) for groups in SHARES.findall(text))):
        told[way], wrong = listed(groups, finding)
        faults += wrong
    faults += [] if told == expected else [f"told {told}, not {expected}"]
    faults += [] if (text == APART) == (not any(expected.values())) else [f"clusters {clusters}: {text}"]
    return faults + certainty_faults(finding, model, verdict.certainty, bool(deltas), {**signs, **deltas})


def quiet_faults(finding: Finding, model: Slice, text: str, status: Status) -> list[str]:
    match, fit = QUIET.fullmatch(text), finding.get("f1", **model).value
    poor = fit is not None and fit < 0.5
    right = match is not None and status is Status.QUIET and (match[1] is not None) == poor
    return [] if right and (not poor or abs(value(match[1]) - fit) < 0.006) else [f"{fit}: {text}"]  # type: ignore[index]


def certainty_faults(finding: Finding, model: Slice, text: str, by_delta: bool, groups: dict[str, float]) -> list[str]:
    """A number of one of the groups that are named; whether it rests on one or two people."""
    exhibits = [e for e in finding.exhibits if e.kind == PerspectiveExhibit.DECIDERS and dict(e.slice) == dict(model)]
    rests = [(e.columns["annotators"][0], e.columns["people"][0]) for e in exhibits]
    told = [(group, 1.0 if people == "one person" else 2.0) for group, people in RESTS.findall(text)]
    faults = [] if told == rests else [f"{rests}: {text}"]
    match = LARGEST.match(text)
    if match is None:
        return faults if not groups else [f"not understood: {text}"]
    measure = "conformity_delta" if match[1] == "Mean delta" else "uncertainty_divergence"
    e = finding.get(measure, **model, annotators=match[2])
    right = match[2] in groups and by_delta == (measure == "conformity_delta")
    right = right and e.value is not None and abs(value(match[3]) - e.value) <= max(0.00051, 0.006 * abs(e.value))
    if right and e.low is not None:
        ends = [value(end) for end in match[4].split(" to ")]
        right = ends == pytest.approx([e.low, e.high], abs=0.00051)
    return faults if right else [*faults, f"{e}: {text}"]


def reading_faults(finding: Finding, model: Slice) -> list[str]:
    """Of the groups: that with the highest significant mean delta, and all of them."""
    named = [r for r in finding.readings if r.topic == PerspectiveTopic.GROUPS and r.slice.items() >= model.items()]
    text, deltas = named[0].text, marked(finding, model, "conformity_delta")
    overall, match = finding.get("conformity_delta", **model), READING.match(text)
    if overall.value is None or not deltas:
        return [] if match is None else [text]
    if match is None:
        return [f"not understood: {text}"]
    group = max(deltas, key=lambda name: deltas[name])
    e = finding.get("conformity_delta", **model, annotators=group)
    right = match[2] == group and (match[1] == "less") == (deltas[group] > overall.value)
    numbers = [value(match[number]) for number in (3, 4, 5, 6)]
    right = right and numbers == pytest.approx([e.value, e.low, e.high, overall.value], abs=0.000051)
    return [] if right and set(re.findall(r"g\d", match[7])) == set(deltas) else [f"{deltas}: {text}"]


def cluster_faults(finding: Finding, model: Slice) -> list[str]:
    readings = [r for r in finding.readings if r.topic == PerspectiveTopic.CLUSTERS and dict(r.slice) == dict(model)]
    text, e = readings[0].text, finding.get("demographic_divergence", **model)
    match = CLUSTERS.fullmatch(text)
    if e.value is None:
        return [] if text.startswith("Annotators could not be clustered") and "nothing is known" in text else [text]
    if match is None:
        return [f"not understood: {text}"]
    shuffled = finding.get("demographic_divergence", **model, as_if="shuffled")
    numbers = [float(match[number]) for number in (1, 2)]
    right = numbers == pytest.approx([e.value, shuffled.value], abs=0.000051)
    right = right and float(match[3]) == pytest.approx(e.p_value, rel=0.006)
    right = right and match[4].startswith("more than") == ("stands_out" in e.flags)
    alone = e.p_value < 0.05 and "stands_out" not in e.flags
    return [] if right and match[4].startswith("not statistically") == alone else [text]


def contradictions(finding: Finding) -> list[str]:
    return [
        fault
        for _, model in finding.models
        for faults in (verdict_faults, reading_faults, cluster_faults)
        for fault in faults(finding, model)
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


def _plant(name: str, change: Any, module: Any = verdicts) -> Any:
    def plant(monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(module, name, change(getattr(module, name)))

    return plant


def _swapped(plain: Any) -> Any:
    ways = {standing.Standing.LESS: standing.Standing.MORE, standing.Standing.MORE: standing.Standing.LESS}

    def judge(finding: Finding, model: Slice, group: str) -> standing.GroupStanding:
        one = plain(finding, model, group)
        return replace(one, delta=ways.get(one.delta, one.delta))

    return judge


def _unmarked(field: str) -> Any:
    def change(plain: Any) -> Any:
        return lambda finding, model, group: replace(plain(finding, model, group), **{field: None})

    return change


PLANTED = {
    "directions swapped": _plant("_judge_group", _swapped, standing),
    "means forgotten": _plant("_judge_group", _unmarked("delta"), standing),
    "shares forgotten": _plant("_judge_group", _unmarked("signs"), standing),
    "any fit is good": _plant("POOR_F1", lambda least: 0.0, standing),
    "people not counted": _plant("_people", lambda plain: lambda finding: dict.fromkeys(plain(finding), 1)),
    "nobody decides": _plant("deciders_sentence", lambda plain: lambda finding, model: ""),
    "another interval": _plant("format_interval", lambda plain: lambda measure, e: plain(
        measure, e if e.low is None else replace(e, low=e.value, high=e.value)
    )),
    "the first group": _plant("sorted", lambda plain: lambda groups, key: list(groups), verdicts),
    "one test alone": _plant("SINGLE_TEST_LEVEL", lambda level: 0.5),
    "less is said always": _plant("_group_text", lambda plain: lambda group, e, everybody, marks: plain(
        group, e, -1.0, marks
    )),
}  # fmt: skip


@pytest.mark.parametrize("plant", PLANTED.values(), ids=PLANTED)
def test_a_wrong_rule_is_caught(plant: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verdicts, "sorted", sorted, raising=False)
    plant(monkeypatch)
    assert check_random(300, 3)
