"""How many labels a promise takes, and what change can be seen: plain answers for `evenhand sample size` and `mde`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from evenhand.errors import InputError
from evenhand.evidence import columns, open_source
from evenhand.evidence.reading import read_columns
from evenhand.sampling import (
    Below,
    NoOverlap,
    Parts,
    Power,
    Size,
    Target,
    Variation,
    Width,
    Within,
    chance_of_alarm,
    detectable,
    efficiency,
    random_size,
    size_for_effect,
    stratified_size,
)

RULES = {"intervals do not overlap": NoOverlap, "80 % power": Power}


@dataclass(frozen=True)
class Strata:
    """The strata of a population, by name."""

    names: tuple[str, ...]
    parts: Parts

    @classmethod
    def read(cls, data: Any, *, items: str = "items", prevalence: str = "prevalence", name: str = "stratum") -> Strata:
        """From a table with a row a stratum: how many items (or which share), and how many of them violate."""
        source = open_source(data)
        named = [name] if name in source.columns() else []
        table = read_columns(source, [items, prevalence, *named])
        sizes, rates = (columns.amounts(table, column) for column in (items, prevalence))
        names = table.words(name, "names").to_list() if named else [str(row + 1) for row in range(len(sizes))]
        try:
            return cls(tuple(map(str, names)), Parts.of(sizes, rates))
        except InputError as error:
            raise InputError(error.problem, source=source.name, row=error.row) from None


def target(given: Mapping[str, Any], level: float) -> Target:
    """What is promised, in one of four ways."""
    said = {name: value for name, value in given.items() if value is not None}
    if len(said) != 1:
        raise InputError(f"say what to promise in one way: {', '.join('--' + name for name in given)}")
    ((name, value),) = said.items()
    ways: dict[str, Target] = {
        "within": Within(value, level),
        "cv": Variation(value),
        "width": Width(value, level),
        "below": Below(value, level),
    }
    return ways[name]


def sizes(
    asked: Target, *, prevalence: float | None = None, strata: Strata | None = None, items: int | None = None
) -> dict[str, Any]:
    """Labels at random; and in strata, with how they are spread and what that saves."""
    if (prevalence is None) == (strata is None):
        raise InputError("give the prevalence to plan for, or a file of strata with theirs: one of them")
    whole = strata.parts.prevalence if strata else float(prevalence or 0.0)
    plain = random_size(whole, asked, items=items)
    if strata is None:
        return _answer(plain, whole)
    best = stratified_size(strata.parts, asked, items=items)
    spread = strata.parts.shares * strata.parts.deviations
    shares = (spread / spread.sum()).tolist()
    allocation = {name: round(best.n * share) for name, share in zip(strata.names, shares, strict=True)}
    random = {"random": plain.n, "saved": efficiency(best, plain)}
    return _answer(best, whole) | random | {"strata": allocation}


def _answer(size: Size, prevalence: float) -> dict[str, Any]:
    return {"n": size.n, "prevalence": prevalence, "standard_error": size.error, "census": size.census}


def effects(variance: float, *, n: int | None, effect: float | None, items: int | None = None) -> dict[str, Any]:
    """What change so many labels a period can show, or how many a change takes, by both rules."""
    if (n is None) == (effect is None):
        raise InputError("give --n for the change that can be seen, or --effect for the labels it takes")
    found: dict[str, Any] = {}
    for name, rule in RULES.items():
        if effect is not None:
            size = size_for_effect(variance, effect, rule=rule(), items=items)
            labels, error, seen = size.n, size.error, effect
        else:
            assert n is not None
            labels, error = n, _error(variance, n, items)
            seen = detectable(error, rule=rule())
        hit, false = (chance_of_alarm(change, error, rule=rule()) for change in (seen, 0.0))
        found[name] = {"n": labels, "effect": seen, "found": hit, "false_alarms": false}
    first = found["intervals do not overlap"]
    return {"n": first["n"], "effect": first["effect"], "rules": found}


def _error(variance: float, n: int, items: int | None) -> float:
    """Of n labels; where items can run out, what was labelled is known."""
    if n < 1:
        raise InputError("--n must be 1 or more")
    if items is not None and n >= items:
        raise InputError(f"--n {n} is all of the {items} items or more: label all of them, and every change is seen")
    return float((variance / n * (1.0 - (n / items if items else 0.0))) ** 0.5)


def variance_of(*, prevalence: float | None, strata: Strata | None) -> float:
    """Of one label: at random, or with the best allocation over strata."""
    if (prevalence is None) == (strata is None):
        raise InputError("give the prevalence to plan for, or a file of strata with theirs: one of them")
    if strata is not None:
        return strata.parts.least_variance
    assert prevalence is not None
    random_size(prevalence, Within(0.5))  # refuses what is no prevalence
    return prevalence * (1.0 - prevalence)
