"""Sentences of plans are read back, and hold against the numbers behind them.

Random plans have random figures, limits, thresholds and numbers of people, undefined figures among them. The reader
knows nothing of how sentences are made.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from evenhand.audits.collaboration.statements import per_thousand
from evenhand.estimate import Estimate
from evenhand.finding import Status
from evenhand.routing import Policy, ReviewPolicy
from evenhand.routing.strategies import parse_strategy
from evenhand.staffing import StaffingSettings, review_sentences
from evenhand.staffing import verdicts as people_sentences
from evenhand.staffing.answers import PlannedCapacity
from evenhand.staffing.calibration_check import MiscalibratedBand
from evenhand.staffing.capacity import CapacityPlan
from evenhand.staffing.review_plan import GuaranteeState, ReviewPlan
from evenhand.staffing.settings import StaffingTarget
from staffing.plan_sentences import SENTENCE, number

FIGURES = ("removed", "reviewed", "left", "wrong_removals", "oc_recall", "oc_precision")
LIMITS = re.compile(
    r"with probability (?P<chance>[\d.]+), (?:at most (?P<wrong>[\d.]+) % of removals without review are wrong)?"
    r"(?: and )?(?:at most (?P<missed>[\d.]+) % of violations are left below the lower threshold)?"
)
CALIBRATION = re.compile(
    r"The scores are not calibrated: items scored (\d+) to (\d+) % violate in ([\d.]+) % of cases \(([\d.]+) % to "
    r"([\d.]+) %\)\. (?:With scores calibrated first \(`evenhand calibrate file`\), ([\d,.]+) instead of ([\d,.]+) of "
    r"1,000 violations would be found|Calibrating them first would change what a score means, but hardly what this "
    r"plan finds)\."
)
PEOPLE = re.compile(
    r"(?:At the lowest cost|For (?P<measure>\w+) of (?P<aim>[\d.]+)), with review by (?P<strategy>[\w-]+): (?:"
    r"(?P<people>[\d,]+) reviewers? \((?P<least>[\d,]+) to (?P<most>[\d,]+)\) for (?P<share>[\d.]+) % "
    r"\((?P<low>[\d.]+) % to (?P<high>[\d.]+) %\) of the items"
    r"|no reviewers; the model alone reaches it \(upper limit: (?P<upper>[\d.]+) % of the items\)"
    r"(?:; it misses (?P<missed>[\d.]+) % of the violations)?)\."
)


def random_share(rng: np.random.Generator) -> Estimate:
    value = float(rng.choice([rng.random(), rng.random() * 0.01, 0.0, 1.0]))
    reach = float(rng.choice([0.0005, 0.02, 0.2]))
    ends = (value, max(0.0, value - reach * rng.random()), min(1.0, value + reach * rng.random()))
    return Estimate(*ends, 0.95, "drawn", 2000)


def random_settings(rng: np.random.Generator) -> StaffingSettings:
    chosen: dict[str, Any] = {
        "items_per_day": float(rng.integers(100, 90_000)),
        "delta": float(rng.choice([0.1, 0.05])),
    }
    kind = rng.integers(3)
    if kind == 0:
        chosen["reviewers"] = float(rng.choice([0.5, 1.0, 3.0, 12.0]))
    if kind == 1:
        chosen |= {"false_removal": 3.0, "missed_violation": 5.0, "review": 1.0}
    if rng.random() < 0.6:
        chosen["wrong_removals"] = float(rng.choice([0.02, 0.05, 0.125]))
    if rng.random() < 0.3:
        chosen["missed_violations"] = float(rng.choice([0.1, 0.015]))
    if rng.random() < 0.2:
        chosen["targets"] = ("oc_recall=90%",)
    return StaffingSettings.of({**chosen, "policy": True})


def random_plan(rng: np.random.Generator) -> ReviewPlan:
    settings = random_settings(rng)
    figures = {name: random_share(rng) for name in FIGURES}
    for name in ("wrong_removals", "oc_recall"):
        if rng.random() < 0.1:
            figures[name] = Estimate.undefined("there are none", level=0.95, n=0)
    upper = None if rng.random() < 0.2 else float(np.round(rng.uniform(0.3, 1.0), 4))
    if upper is None:
        figures["wrong_removals"] = Estimate.undefined("nothing is removed without review", level=0.95, n=0)
    mode = str(rng.choice(["review", "decide"]))
    strategies = ["uncertainty", "benefit:0.5", "toxicity", f"below-threshold:{upper or 0.5}"]
    strategy = str(rng.choice(strategies if mode == "review" else strategies[:2]))
    state = GuaranteeState.NOT_ASKED
    if settings.has_guarantee:
        others = [one for one in GuaranteeState if one is not GuaranteeState.NOT_ASKED]
        state = others[rng.integers(len(others))]
    guarantee = Policy(None, None, None, None, 0.1, 100, 9, "0" * 64, notes=("no threshold passes",))
    policy = ReviewPolicy(
        upper=upper, strategy=strategy, capacity=float(rng.choice([0, 1, 17, 960, 4321])),
        items_per_day=settings.items_per_day, mode=mode,
        measured_share=float(rng.choice([0.0, 0.05, 0.2])), scale=str(rng.choice(["percent", "probability"])),
        guarantee=guarantee if state is GuaranteeState.NOT_SHOWN else None,
    )  # fmt: skip
    low = float(rng.integers(10)) / 10
    band = MiscalibratedBand(low, low + 0.1, low + 0.05, random_share(rng)) if rng.random() < 0.5 else None
    people = settings.reviewers if settings.reviewers is not None else float(rng.choice([0, 1, 2, 7, 1200]))
    return ReviewPlan(
        model={}, settings=settings, policy=policy, figures=figures, people=people, feasible=bool(rng.random() < 0.8),
        state=state, frontier=[], by_people=[], by_strategy=[], miscalibrated=band,
        calibrated_recall=random_share(rng) if band and rng.random() < 0.8 else None, cost=None,
    )  # fmt: skip


def close(text: str, share: float, per: float = 1000.0) -> bool:
    """To the last digit that is written."""
    decimals = len(text.partition(".")[2])
    return abs(number(text) - per * share) <= 0.501 * 10.0**-decimals


def headline_faults(plan: ReviewPlan, text: str) -> list[str]:
    """The order for the day, and what it finds."""
    match = SENTENCE.fullmatch(text)
    if match is None:
        return [f"not understood: {text}"]
    said, upper = match.groupdict(), plan.policy.upper
    people, reviews = (said[a] or said[b] or said[c] for a, b, c in (
        ("people", "cheapest", "least"), ("reviews", "cheap", "needed"),
    ))  # fmt: skip
    kind = "people" if plan.settings.reviewers is not None else "cheapest" if plan.settings.costs else "least"
    faults = [] if said[kind] == people else ["whether the people are there, needed or cheapest"]
    faults += [] if number(people) == plan.people and number(reviews) == plan.policy.capacity else ["people, reviews"]
    faults += (
        []
        if bool(re.search(r"(^| )1 reviewer ", text)) == (plan.people == 1.0)
        else ["one reviewer, several reviewers"]
    )
    drawn = number(said["drawn"] or "0")
    faults += [] if drawn == round(plan.policy.measured_share * plan.policy.capacity) else ["drawn"]
    ordered = number(said["next"] or said["highest"] or said["worth"] or said["other"] or "0")
    faults += [] if ordered + drawn == plan.policy.capacity else ["reviewed by the order"]
    if (upper is None) != (said["upper"] is None):
        faults.append("what is removed")
    elif upper is not None:
        on_scale = 100 * upper if plan.policy.scale == "percent" else upper
        right = number(said["upper"]) == pytest.approx(on_scale) and bool(said["percent"]) == (on_scale != upper)
        right = right and number(said["removed"]) == round(plan.figures["removed"].value * plan.settings.items_per_day)
        faults += [] if right else ["threshold, removals"]
    for measure, names in (("oc_recall", ("found", "low", "high")), ("wrong_removals", ("wrong", "wlow", "whigh"))):
        e = plan.figures[measure]
        if e.value is None:
            faults += [] if said[names[0]] is None else [measure]
        else:
            right = all(said[n] and close(said[n], end) for n, end in zip(names, (e.value, e.low, e.high), strict=True))
            faults += [] if right else [measure]
    return [f"{fault}: {text}" for fault in faults]


def guarantee_faults(plan: ReviewPlan, text: str) -> list[str]:
    """Whether a limit is guaranteed, on a condition, or not; and which."""
    starts = {
        GuaranteeState.NOT_ASKED: "", GuaranteeState.SHOWN: "Guarantee: ",
        GuaranteeState.CONDITIONAL: "If the labelled items are a random sample of all items, ",
        GuaranteeState.NOT_SHOWN: "No guarantee: no threshold passes.",
        GuaranteeState.NOT_RANDOM: "No guarantee: the labels are not a random sample. The figures are estimates.",
    }  # fmt: skip
    start = starts[plan.state]
    if plan.state not in (GuaranteeState.SHOWN, GuaranteeState.CONDITIONAL):
        return [] if text == start else [f"{plan.state}: {text}"]
    match = LIMITS.match(text, len(start))
    if not text.startswith(start) or match is None:
        return [f"{plan.state}: {text}"]
    settings = plan.settings
    limits = (("wrong", settings.wrong_removals), ("missed", settings.missed_violations))
    right = float(match["chance"]) == pytest.approx(1.0 - settings.delta)
    for name, limit in limits:
        right = right and (match[name] is None if limit is None else float(match[name] or -1) == 100.0 * limit)
    condition = "This was not stated" in text
    return [] if right and condition == (plan.state is GuaranteeState.CONDITIONAL) else [f"limits: {text}"]


def calibration_faults(plan: ReviewPlan, texts: list[str]) -> list[str]:
    """Which scores are wrong, and whether calibrating them changes what is found."""
    band = plan.miscalibrated
    if band is None:
        return texts
    match = CALIBRATION.fullmatch(texts[0])
    if match is None:
        return [f"not understood: {texts[0]}"]
    share = band.violating
    right = (int(match[1]), int(match[2])) == (round(100 * band.low), round(100 * band.high))
    ends = zip(match.groups()[2:5], (share.value, share.low, share.high), strict=True)
    right = right and all(float(a) == pytest.approx(100 * b, rel=6e-3, abs=1e-8) for a, b in ends)
    now, then = plan.figures["oc_recall"], plan.calibrated_recall
    differs = now.value is not None and then is not None and abs(then.value - now.value) > 0.01
    differs = differs and abs(then.value - now.value) > max(now.value - now.low, now.high - now.value)
    right = right and (match[6] is not None) == differs
    if differs:
        right = right and close(match[6], then.value) and close(match[7], now.value)
    return [] if right else [texts[0]]


def plan_faults(plan: ReviewPlan) -> list[str]:
    first, *others = review_sentences.review_verdicts(plan)
    faults = headline_faults(plan, first.statement) + guarantee_faults(plan, first.certainty)
    missed = [v for v in others if v.status is Status.OPEN and "is not reached" in v.statement]
    faults += [] if len(missed) == len(others) == (not plan.feasible) else [f"{plan.feasible}: {others}"]
    return faults + calibration_faults(plan, [r.text for r in review_sentences.review_readings(plan)])


def random_answer(rng: np.random.Generator) -> PlannedCapacity:
    capacity = random_share(rng)
    people = replace(capacity, value=400 * capacity.value, low=400 * capacity.low, high=400 * capacity.high)
    target = StaffingTarget() if rng.random() < 0.2 else StaffingTarget.parse(f"oc_accuracy={rng.integers(1, 99)}%")
    if rng.random() < 0.15:
        capacity = people = Estimate.undefined("no capacity is enough", level=0.95, n=100)
    missed = None if rng.random() < 0.3 else float(rng.choice([0.0, rng.random()]))
    plan = CapacityPlan(capacity, people, None, None)
    return PlannedCapacity({}, parse_strategy(str(rng.choice(["toxicity", "uncertainty"]))), target, plan, missed)


def answer_faults(answer: PlannedCapacity) -> list[str]:
    """How many people a target takes; nobody only where none are needed, and then what is still missed."""
    (verdict,) = people_sentences.capacity_verdicts([answer])
    text, e, needed = verdict.statement, answer.plan.capacity, answer.plan.reviewers
    if e.value is None:
        right = verdict.status is Status.OPEN and "no capacity is enough" in text
        return [] if right else [text]
    match = PEOPLE.fullmatch(text)
    if match is None:
        return [f"not understood: {text}"]
    right = match["strategy"] == str(answer.strategy) and verdict.status is Status.MEASURED
    right = right and (match["measure"] or None) == answer.target.measure
    right = right and (match["aim"] is None or float(match["aim"]) == pytest.approx(answer.target.value))
    if e.value == 0.0:
        right = right and match["upper"] is not None and close_share(match["upper"], e.high)
        right = right and bool(match["missed"]) == bool(answer.missed_alone)
        return [] if right and (not match["missed"] or close_share(match["missed"], answer.missed_alone)) else [text]
    right = right and match["people"] is not None
    people = zip(("people", "least", "most"), (needed.value, needed.low, needed.high), strict=True)
    right = right and all(number(match[name]) == round(end) for name, end in people)
    shares = zip(("share", "low", "high"), (e.value, e.low, e.high), strict=True)
    return [] if right and all(close_share(match[name], end) for name, end in shares) else [text]


def close_share(text: str, share: float) -> bool:
    return float(text) == pytest.approx(100.0 * share, rel=6e-3, abs=1e-8)


def check_random(plans: int, seed: int) -> list[str]:
    rng = np.random.default_rng(seed)
    for _ in range(plans):
        if faults := plan_faults(random_plan(rng)) + answer_faults(random_answer(rng)):
            return faults
    return []


def test_no_sentence_contradicts_a_number() -> None:
    assert check_random(200, 1) == []


@pytest.mark.verify
def test_no_sentence_contradicts_a_number_in_many_plans() -> None:
    assert check_random(5000, 2) == []


def _plant(name: str, change: Any, module: Any = review_sentences) -> Any:
    def plant(monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(module, name, change(getattr(module, name)))

    return plant


PLANTED = {
    "missed for found": _plant("_per_thousand", lambda plain: lambda e, *words: plain(
        replace(e, value=1 - e.value, low=1 - e.high, high=1 - e.low), *words
    )),
    "half as many": _plant("per_thousand", lambda plain: lambda share: plain(share / 2)),
    "a share for per cent": _plant("threshold_in_words", lambda plain: lambda upper, _: plain(upper, "probability")),
    "everything is removed": _plant("_removal", lambda plain: lambda plan: "Remove nothing without review"),
    "measurement forgotten": _plant("_review", lambda plain: lambda plan: plain(plan).partition(" and ")[0]),
    "always needed": _plant("_people", lambda plain: lambda plan: plain(
        replace(plan, settings=replace(plan.settings, reviewers=None))
    )),
    "guaranteed anyway": _plant("guarantee_sentence", lambda plain: lambda plan: plain(
        replace(plan, state=GuaranteeState.SHOWN) if plan.state is GuaranteeState.CONDITIONAL else plan
    )),
    "another limit": _plant("format_share", lambda plain: lambda share: plain(1.1 * share)),
    "calibrating always helps": _plant("SAME_RECALL", lambda least: -1.0),
    "interval of calibrating": _plant("half_width", lambda plain: lambda e: 0.0),
    "targets are reached": _plant("review_verdicts", lambda plain: lambda plan: plain(replace(plan, feasible=True))),
    "nobody is needed": _plant("_people_sentence", lambda plain: lambda answer: plain(replace(
        answer, plan=replace(answer.plan, capacity=replace(answer.plan.capacity, value=0.0))
    )), people_sentences),
    "still missed is not said": _plant("_people_sentence", lambda plain: lambda answer: plain(
        replace(answer, missed_alone=None)
    ), people_sentences),
}  # fmt: skip


@pytest.mark.parametrize("plant", PLANTED.values(), ids=PLANTED)
def test_a_wrong_rule_is_caught(plant: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch)
    assert check_random(300, 3)


def test_a_share_that_is_small_is_not_said_to_be_none() -> None:
    assert per_thousand(0.0004) == "0.4"
