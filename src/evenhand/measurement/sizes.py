"""How many labels a target precision takes, and which change they detect: `sample size` and `sample mde`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

from evenhand.errors import InputError
from evenhand.evidence import TableSource, checks, open_source
from evenhand.evidence.reading import read_columns
from evenhand.sampling import (
    NoOverlap,
    Power,
    SampleSize,
    StrataShares,
    Target,
    chance_of_alarm,
    detectable_effect,
    efficiency,
    random_size,
    size_for_effect,
    stratified_size,
)
from evenhand.sampling.sizes import PER_HOUR, checked_prevalence, target_named


class EffectRule(StrEnum):
    """When a change between two periods counts as seen."""

    NO_OVERLAP = "intervals do not overlap"
    POWER = "80 % power"


EFFECT_RULES = {EffectRule.NO_OVERLAP: NoOverlap, EffectRule.POWER: Power}
ONE_OF_THEM = "give either the prevalence to plan for or a file of strata"


@dataclass(frozen=True)
class StrataTable:
    """The strata of a population, by name."""

    names: tuple[str, ...]
    parts: StrataShares

    @classmethod
    def read(
        cls, data: TableSource, *, items: str = "items", prevalence: str = "prevalence", name: str = "stratum"
    ) -> StrataTable:
        """From a table with a row a stratum: how many items (or which share), and how many of them violate."""
        source = open_source(data)
        named = [name] if name in source.columns() else []
        table = read_columns(source, [items, prevalence, *named])
        sizes, rates = (checks.read_amounts(table, column) for column in (items, prevalence))
        names = table.words(name, "names").to_list() if named else [str(row + 1) for row in range(len(sizes))]
        try:
            return cls(tuple(map(str, names)), StrataShares.of(sizes, rates))
        except InputError as error:
            raise InputError(error.problem, source=source.name, row=error.row) from None


@dataclass(frozen=True)
class PlannedPopulation:
    """What is planned for: one prevalence, or strata with one each."""

    prevalence: float
    strata: StrataTable | None = None

    @classmethod
    def from_options(
        cls,
        *,
        prevalence: float | None = None,
        strata: TableSource | None = None,
        size_column: str = "items",
        rate_column: str = "prevalence",
    ) -> PlannedPopulation:
        """A prevalence, or a table of strata and the names of its columns."""
        table = StrataTable.read(strata, items=size_column, prevalence=rate_column) if strata else None
        if table is not None and prevalence is None:
            return cls(table.parts.prevalence, table)
        if table is not None or prevalence is None:
            raise InputError(ONE_OF_THEM)
        return cls(prevalence)

    @property
    def label_variance(self) -> float:
        """Of one label: at random, or with the best allocation over strata."""
        if self.strata is not None:
            return self.strata.parts.least_variance
        return checked_prevalence(self.prevalence) * (1.0 - self.prevalence)


def target_precision(targets: Mapping[str, Any], level: float) -> Target:
    """The target precision, in one of four forms."""
    chosen = {name: value for name, value in targets.items() if value is not None}
    if len(chosen) != 1:
        raise InputError(f"give exactly one target precision: {', '.join('--' + name for name in targets)}")
    ((name, value),) = chosen.items()
    if not 0.0 < value < 1.0:
        raise InputError(f"invalid `{name}`: {value:g} (must be above 0 and below 1; {TARGET_EXAMPLES[name]})")
    return target_named(name, value, level)


TARGET_EXAMPLES = {
    "within": "0.2 is within 20 % of the prevalence",
    "cv": "0.1 is a tenth of the prevalence",
    "width": "0.01 is one percentage point",
    "below": "0.01 is 1 %",
}


@dataclass(frozen=True)
class SizeAnswer:
    """Labels that a target takes, and hours; in strata also how they are spread, and what it takes at random."""

    size: SampleSize
    prevalence: float
    hours: float
    random: SampleSize | None = None
    strata: Mapping[str, int] = field(default_factory=dict)

    def record(self) -> dict[str, Any]:
        """As plain data."""
        size = self.size
        record: dict[str, Any] = {
            "n": size.n,
            "prevalence": self.prevalence,
            "standard_error": size.error,
            "census": size.census,
        }
        if self.random is not None:
            saved = {"random": self.random.n, "saved": efficiency(size, self.random)}
            record |= saved | {"strata": dict(self.strata)}
        return record | {"hours": self.hours}

    def lines(self) -> list[str]:
        """In sentences."""
        lines = [f"{self.size.n:,} labels, {self.hours:,.1f} hours, at a prevalence of {100 * self.prevalence:.4g} %."]
        if self.size.census:
            lines.append("This is a census: with all items labelled, nothing is left to estimate.")
        if self.random is not None:
            saved = efficiency(self.size, self.random)
            lines.append(f"Simple random sampling would need {self.random.n:,}: the strata save {100 * saved:.0f} %.")
            lines += [f"  {name}: {n:,}" for name, n in self.strata.items()]
        return lines


def size_for_target(
    population: PlannedPopulation,
    target: Target,
    *,
    items: int | None = None,
    per_hour: float = PER_HOUR,
    annotators: int = 1,
) -> SizeAnswer:
    """Labels at random; and in strata, with how they are spread and what that saves."""
    plain, strata = random_size(population.prevalence, target, items=items), population.strata
    if strata is None:
        return SizeAnswer(plain, population.prevalence, plain.hours(per_hour=per_hour, annotators=annotators))
    best = stratified_size(strata.parts, target, items=items)
    spread = strata.parts.shares * strata.parts.deviations
    shares = (spread / spread.sum()).tolist()
    allocation = {name: round(best.n * share) for name, share in zip(strata.names, shares, strict=True)}
    hours = best.hours(per_hour=per_hour, annotators=annotators)
    return SizeAnswer(best, population.prevalence, hours, plain, allocation)


@dataclass(frozen=True, slots=True)
class RuleAnswer:
    """By one rule: labels a period, the change they show, how often it is found, and how often one is seen in vain."""

    n: int
    effect: float
    found: float
    false_alarms: float


@dataclass(frozen=True)
class ChangeAnswer:
    """What change labels of two periods show, by each rule."""

    rules: Mapping[EffectRule, RuleAnswer]

    def record(self) -> dict[str, Any]:
        """As plain data."""
        first = self.rules[EffectRule.NO_OVERLAP]
        rules = {rule.value: asdict(one) for rule, one in self.rules.items()}
        return {"n": first.n, "effect": first.effect, "rules": rules}

    def lines(self) -> list[str]:
        """In sentences."""
        return [
            f"{rule}: with {one.n:,} labels per period, a change of {100 * one.effect:#.3g} percentage points is "
            f"detected {100 * one.found:.0f} % of the time; false alarm rate {100 * one.false_alarms:.1f} %."
            for rule, one in self.rules.items()
        ]


def detectable_changes(
    population: PlannedPopulation, *, n: int | None, effect: float | None, items: int | None = None
) -> ChangeAnswer:
    """What change so many labels a period can show, or how many a change takes, by both rules."""
    variance = population.label_variance
    if (n is None) == (effect is None):
        raise InputError("give either `n`, for the smallest detectable change, or `effect`, for the labels needed")
    answers = {}
    for name, rule in EFFECT_RULES.items():
        if effect is not None:
            size = size_for_effect(variance, effect, rule=rule(), items=items)
            labels, error, seen = size.n, size.error, effect
        else:
            assert n is not None
            labels, error = n, _standard_error(variance, n, items)
            seen = detectable_effect(error, rule=rule())
        hit, false = (chance_of_alarm(change, error, rule=rule()) for change in (seen, 0.0))
        answers[name] = RuleAnswer(labels, seen, hit, false)
    return ChangeAnswer(answers)


def _standard_error(variance: float, n: int, items: int | None) -> float:
    """Of n labels; where items can run out, what was labelled is known."""
    if n < 1:
        raise InputError("`n` must be 1 or more")
    if items is not None and n >= items:
        raise InputError(
            f"`n` {n:,} is at least the number of items ({items:,}): label all of them, and every change is detected"
        )
    return float((variance / n * (1.0 - (n / items if items else 0.0))) ** 0.5)
