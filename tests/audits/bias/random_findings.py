"""Bias findings with random numbers: thousands of them are made in seconds, ties and undefined numbers among them.

The numbers need not be those of any rows: a sentence must not contradict them, whatever they are.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from evenhand.audits.bias import verdicts
from evenhand.audits.bias.quantities import GROUP_QUANTITIES
from evenhand.audits.bias.shapes import GroupSigns, describe_group, name_tendency, recognise_shape
from evenhand.estimate import Estimate, Flag
from evenhand.finding import Finding, Measured, Reading

AUCS = ("subgroup_auc", "bpsn_auc", "bnsp_auc")
AEGS = ("negative_aeg", "positive_aeg")
RATES = ("fpr", "fnr")


@dataclass(frozen=True)
class RandomGroup:
    """What was drawn for a group."""

    items: dict[str, int]  # benign for fpr, violating for fnr
    rates: dict[str, tuple[float, float]]  # in the group, and of others
    estimates: dict[str, Estimate]
    reference: float
    wide: bool

    @property
    def small(self) -> bool:
        return sum(self.items.values()) <= 100


@dataclass(frozen=True)
class RandomFinding:
    """A finding, and what it was made of."""

    groups: dict[str, RandomGroup]
    tolerance: float
    finding: Finding


@dataclass(frozen=True)
class _View:
    """As much of a view as is asked for."""

    groups: dict[str, RandomGroup]

    def reference(self, group: str) -> Any:
        return _estimate(self.groups[group].reference)


def random_finding(rng: np.random.Generator) -> RandomFinding:
    tolerance = float(rng.choice([1.1, 1.25, 2.0, 0.02, 0.1]))
    overall = float(rng.uniform(0.7, 0.99))
    groups = {f"g{n}": _random_group(rng, overall) for n in range(rng.integers(1, 7))}
    estimates = [Measured("auroc", {}, Estimate(overall, overall - 0.01, overall + 0.01, 0.95, "delong", 5000))]
    estimates += [Measured(m, {"group": g}, e) for g, drawn in groups.items() for m, e in drawn.estimates.items()]
    readings = tuple(_reading(name, group) for name, group in groups.items())
    bare = Finding("bias", "?", tuple(estimates), (), {"settings": {"tolerance": tolerance}}, readings=readings)
    exhibits = tuple(verdicts.judgement_exhibits(bare, {"p": _View(groups)}))  # type: ignore[dict-item]
    made = replace(bare, exhibits=exhibits)
    return RandomFinding(groups, tolerance, replace(made, verdicts=tuple(verdicts.bias_verdicts(made))))


def _reading(name: str, group: RandomGroup) -> Reading:
    known = {q.name: group.estimates[q.name] for q in GROUP_QUANTITIES if q.name in group.estimates}
    signs = GroupSigns(known, group.reference, wide=group.wide)
    letter = recognise_shape(signs)
    return Reading({"group": name}, describe_group(signs, letter), letter, name_tendency(signs, letter))


def _random_group(rng: np.random.Generator, overall: float) -> RandomGroup:
    items = {rate: int(rng.choice([5, 40, 300, 2000])) for rate in RATES}
    rates, estimates = dict[str, tuple[float, float]](), dict[str, Estimate]()
    flags = (Flag.SMALL,) if sum(items.values()) <= 100 else ()
    estimates["count"] = _estimate(sum(items.values()), flags=flags)
    estimates["precision"] = _estimate(0.5)
    estimates["positive_share"] = _estimate(items["fnr"] / sum(items.values()))
    for rate, n in items.items():
        own = int(rng.integers(0, n + 1)) / n if rng.random() < 0.9 else 0.0
        other = float(rng.choice([0.0, rng.uniform(0.001, 0.9), rng.uniform(0.001, 0.05)], p=[0.1, 0.5, 0.4]))
        rates[rate] = own, other
        share = own if rate == "fpr" else 1.0 - own
        estimates["fpr" if rate == "fpr" else "tpr"] = _estimate(share, n=n)
        estimates[f"{rate}_difference"] = _around(rng, own - other, float(rng.choice([0.004, 0.03, 0.2])), n=n + 1000)
        estimates[f"{rate}_ratio"] = (
            _around_ratio(rng, own / other, n) if other else _undefined("the rate outside is 0")
        )
        estimates["fpr_gap" if rate == "fpr" else "tpr_gap"] = _marked(rng, other - own, 0.2)
    for name in AUCS:
        value = min(1.0, overall + float(rng.choice([0.0, rng.normal(0, 0.03), rng.normal(0, 0.1)])))
        estimates[name] = _marked(rng, value, 0.4, small=bool(flags)) if rng.random() < 0.95 else _none()
    for name in AEGS:
        estimates[name] = _marked(rng, float(rng.normal(0, 0.08)), 0.4) if rng.random() < 0.95 else _none()
    reference = overall if rng.random() < 0.7 else float(rng.uniform(0.7, 0.99))
    return RandomGroup(items, rates, estimates, reference, bool(rng.random() < 0.2))


def _none() -> Estimate:
    return _undefined("there are no violating items in the group")


def _estimate(value: float, *, n: int = 100, flags: tuple[Flag, ...] = ()) -> Estimate:
    return Estimate(value, value, value, 0.95, "drawn", n, flags=flags)


def _marked(rng: np.random.Generator, value: float, share: float, *, small: bool = False) -> Estimate:
    flags = [Flag.SMALL] if small else []
    flags += [Flag.STANDS_OUT] * bool(rng.random() < share)
    return Estimate(value, value - 0.01, value + 0.01, 0.95, "drawn", 100, flags=tuple(flags))


def _around(rng: np.random.Generator, value: float, width: float, *, n: int) -> Estimate:
    low, high = value - width * rng.uniform(0.2, 1), value + width * rng.uniform(0.2, 1)
    return Estimate(value, low, high, 0.95, "drawn", n)


def _around_ratio(rng: np.random.Generator, value: float, n: int) -> Estimate:
    width = float(rng.choice([1.02, 1.1, 1.5, 6.0]))
    low = 0.0 if rng.random() < 0.1 else value / width
    return Estimate(value, low, (value or 0.5) * width, 0.95, "drawn", n)


def _undefined(note: str) -> Estimate:
    return Estimate.undefined(note, level=0.95, n=100)
