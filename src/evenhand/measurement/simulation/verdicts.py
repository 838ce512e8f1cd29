"""What a simulation comes to in sentences, whether a bias is more than chance, and caveats.

With many designs, one will look biased by chance alone. So there are three verdicts. Up to the threshold of a single
test (1.96 standard errors at 95 %) no bias is detected. Above the threshold of all tests (Bonferroni: the level is
shared among all biases of the simulation) a design is biased. In between it is possibly biased.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from evenhand.catalogue.accuracy import (
    BIAS_IN_ERRORS,
    INTERVAL_COVERAGE,
    LABELS_NEEDED,
    LABELS_SPENT,
    PREVALENCE,
    RELATIVE_BIAS,
)
from evenhand.finding import Exhibit, Finding, Measured, Reading, Slice, SliceKey, Status, Verdict
from evenhand.formatting import format_share
from evenhand.measurement.simulation.default_design import DEFAULT_DESIGN, USELESS_SCORE
from evenhand.measurement.simulation.published_designs import PAPER, RANDOM
from evenhand.measurement.simulation.scenarios import Scenarios
from evenhand.measurement.simulation.settings import PAPER_PILOT, PAPER_STRATA, SimulatedInterval, SimulationSettings
from evenhand.sampling.sizes import two_sided

LEVEL = 0.95
BIAS_EXHIBIT = "bias_thresholds"


class SimulationTopic(StrEnum):
    """What a reading is about."""

    NEEDS = "needs"  # labels and hours of random sampling and of the default design
    WORST = "worst"  # the default design with an uninformative classifier
    PUBLISHED = "published"  # the paper's practical method
    COVERAGE = "coverage"  # of the interval of the default design


class BiasVerdict(StrEnum):
    """What a bias comes to, in the words of a sentence."""

    NONE_SEEN = "no bias detected"
    PERHAPS = "possibly biased"
    BIASED = "biased"


STATUS_BY_BIAS = {
    BiasVerdict.NONE_SEEN: Status.QUIET,
    BiasVerdict.PERHAPS: Status.OPEN,
    BiasVerdict.BIASED: Status.STANDS_OUT,
}


@dataclass(frozen=True)
class BiasThresholds:
    """Monte Carlo standard errors above which a design is possibly biased, and biased, given so many comparisons."""

    looks: int

    @classmethod
    def for_measured(cls, measured: Iterable[Measured]) -> BiasThresholds:
        """For all biases of a simulation."""
        return cls(max(1, sum(m.measure == BIAS_IN_ERRORS for m in measured)))

    @property
    def perhaps(self) -> float:
        """The threshold of a single test."""
        return two_sided(LEVEL)

    @property
    def sure(self) -> float:
        """The threshold of all tests: any is exceeded by chance in at most one simulation in twenty."""
        return two_sided(1.0 - (1.0 - LEVEL) / self.looks)

    def judge(self, errors: float) -> BiasVerdict:
        """What so many errors come to."""
        if abs(errors) > self.sure:
            return BiasVerdict.BIASED
        return BiasVerdict.PERHAPS if abs(errors) > self.perhaps else BiasVerdict.NONE_SEEN

    def exhibit(self) -> Exhibit:
        """As a finding carries them."""
        return Exhibit(BIAS_EXHIBIT, {}, {"looks": [self.looks], "perhaps": [self.perhaps], "sure": [self.sure]})


def bias_thresholds(finding: Finding) -> dict[str, float | str | None] | None:
    """The thresholds that a finding carries; None for one of an earlier version."""
    exhibit_of_bias = next((exhibit for exhibit in finding.exhibits if exhibit.kind == BIAS_EXHIBIT), None)
    return {name: values[0] for name, values in exhibit_of_bias.columns.items()} if exhibit_of_bias else None


MeasuredValues = Mapping[tuple[str, frozenset[tuple[str, str]]], float]
KNOWN_LOW = "Pooling the labels of a pilot with those drawn on its basis is known to bias estimates slightly downwards"
SMALL = 50  # violating items in a file, below which it says little about others


def conclusions(
    measured: Sequence[Measured], settings: SimulationSettings, bars: BiasThresholds
) -> Iterator[tuple[Reading, Verdict]]:
    """For each population and target: labels and hours first, then the worst case, the published method, coverage."""
    values = {(m.measure, frozenset(m.slice.items())): m.estimate.value or 0.0 for m in measured}
    for slice_ in [m.slice for m in measured if m.measure == LABELS_NEEDED and m.slice.items() >= RANDOM.items()]:
        scene = {key: value for key, value in slice_.items() if key not in RANDOM}
        needs = _needs(values, scene, settings)
        yield _conclusion(SimulationTopic.NEEDS, scene, needs, Status.MEASURED, tendency=SimulationTopic.NEEDS)
        worst = _judge(values, bars, scene, DEFAULT_DESIGN, USELESS_SCORE)
        text = _useless_score(values, scene, bars)
        yield _conclusion(SimulationTopic.WORST, scene, text, worst, tendency=SimulationTopic.WORST)
        published = _judge(values, bars, scene, PAPER)
        yield _conclusion(SimulationTopic.PUBLISHED, scene, _paper(values, scene, bars), published)
        ours = _judge(values, bars, scene, DEFAULT_DESIGN)
        yield _conclusion(SimulationTopic.COVERAGE, scene, _coverage(values, scene, settings, bars), ours)


def _conclusion(
    topic: SimulationTopic, scene: Slice, text: str, status: Status, *, tendency: str | None = None
) -> tuple[Reading, Verdict]:
    return Reading(scene, text, tendency=tendency, topic=topic), Verdict(status, scene, text)


def _judge(values: MeasuredValues, bars: BiasThresholds, *slices: Slice) -> Status:
    """Whether the bias of a design is beyond chance."""
    return STATUS_BY_BIAS[bars.judge(_value(values, BIAS_IN_ERRORS, *slices))]


def simulation_caveats(opened: Scenarios, settings: SimulationSettings, bars: BiasThresholds) -> Iterator[str]:
    """What the numbers take for granted."""
    yield (
        "The simulation assumes that the labels in the file are correct and that future items resemble these. A "
        "classifier that was trained on these items will perform worse on others."
    )
    yield (
        "Labels needed are n · (standard deviation of the estimates / target standard error)², at an n near it; "
        "they include all labels spent. They are for a very large population like this file, so that no design gains "
        "from having labelled much of it; the labels needed for the items in the file alone are given beside them."
    )
    yield (
        f"Ranges show the Monte Carlo error of {settings.simulations:,} samples (half as many for a shuffled "
        "classifier and for other settings). Numbers without a range are exact."
    )
    yield (
        "Oracle strata and the optimal allocation use all labels: they show the best that is possible, and cannot be "
        "used in practice."
    )
    yield (
        f"Bias is judged in Monte Carlo standard errors: up to {bars.perhaps:.1f}, no bias is detected; above "
        f"{bars.sure:.1f}, which allows for the {bars.looks} comparisons made here, the design is biased; in between, "
        "it is possibly biased."
    )
    few = [scenario for scenario in opened.scenarios if scenario.here.label.sum() < SMALL]
    if few:
        least = int(min(scenario.here.label.sum() for scenario in few))
        wording = "is only 1 violating item" if least == 1 else f"are only {least} violating items"
        yield f"There {wording} in the file: a similar file may give different numbers."


def _value(values: MeasuredValues, measure: str, *slices: Slice) -> float:
    return values[measure, frozenset(item for slice_ in slices for item in slice_.items())]


def _needs(values: MeasuredValues, scene: Slice, settings: SimulationSettings) -> str:
    within = format_share(float(scene[SliceKey.WITHIN]))
    share = _value(values, PREVALENCE, {key: value for key, value in scene.items() if key != SliceKey.WITHIN})
    random, ours = (_value(values, LABELS_NEEDED, scene, design) for design in (RANDOM, DEFAULT_DESIGN))
    hours = [f"{labels / settings.per_hour:,.1f} hours" for labels in (random, ours)]
    less = f", {100.0 * (1.0 - ours / random):.0f} % fewer" if ours < random else ""
    return (
        f"To estimate the prevalence of {format_share(share)} to within {within} of its value, simple random sampling "
        f"needs {random:,.0f} labels ({hours[0]} at {settings.per_hour:,.0f} per hour); the default design needs "
        f"{ours:,.0f} ({hours[1]}{less}). This is the spread of estimates; the published interval can take more "
        "labels, which `evenhand sample plan` counts and `campaigns` simulates."
    )


def _useless_score(values: MeasuredValues, scene: Slice, bars: BiasThresholds) -> str:
    random = _value(values, LABELS_NEEDED, scene, RANDOM)
    worst = _value(values, LABELS_NEEDED, scene, DEFAULT_DESIGN, USELESS_SCORE)
    return (
        f"In the worst case, with an uninformative classifier, the default design needs {worst:,.0f} labels, "
        f"{worst / random:.2f} times as many as simple random sampling; "
        f"{_bias(values, bars, scene, DEFAULT_DESIGN, USELESS_SCORE)}."
    )


def _paper(values: MeasuredValues, scene: Slice, bars: BiasThresholds) -> str:
    needed, errors = (_value(values, measure, scene, PAPER) for measure in (LABELS_NEEDED, BIAS_IN_ERRORS))
    spent = PAPER_STRATA * PAPER_PILOT
    wasted = f", all of them for its pilot of {spent}" if needed <= spent else ""
    known = f" {KNOWN_LOW}." if errors < 0 or bars.judge(errors) is BiasVerdict.NONE_SEEN else ""
    return (
        f"The published practical method ({PAPER_STRATA} quantile strata, {PAPER_PILOT} pilot labels in each) needs "
        f"{needed:,.0f} labels{wasted}; {_bias(values, bars, scene, PAPER)}.{known}"
    )


def _coverage(values: MeasuredValues, scene: Slice, settings: SimulationSettings, bars: BiasThresholds) -> str:
    ours = _value(values, INTERVAL_COVERAGE, scene, DEFAULT_DESIGN, {SliceKey.INTERVAL: SimulatedInterval.OURS})
    spent = _value(values, LABELS_SPENT, scene, DEFAULT_DESIGN)
    return (
        f"With {spent:,.0f} labels, the interval of the default design contained the true prevalence in "
        f"{format_share(ours)} of {settings.simulations:,} samples (confidence level {format_share(settings.level)}); "
        f"{_bias(values, bars, scene, DEFAULT_DESIGN)}."
    )


def _bias(values: MeasuredValues, bars: BiasThresholds, *slices: Slice) -> str:
    """In a word by its strength, with the number and how far from 0 chance alone would take it."""
    bias, errors = (_value(values, measure, *slices) for measure in (RELATIVE_BIAS, BIAS_IN_ERRORS))
    word, side = bars.judge(errors), "low" if bias < 0 else "high"
    if word is BiasVerdict.NONE_SEEN:
        return f"{word} ({format_share(bias)}, {abs(errors):.1f} standard errors)"
    bar = f"; conclusive above {bars.sure:.1f}" if word is BiasVerdict.PERHAPS else ""
    return f"it is {word} {side} by {format_share(abs(bias))} ({abs(errors):.1f} standard errors{bar})"
