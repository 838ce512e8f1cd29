"""What a simulation comes to, in sentences, and what to beware of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from evenhand.audits.simulation.bench import BIAS, BIAS_IN_ERRORS, COVERAGE, NEEDED, SPENT
from evenhand.audits.simulation.biases import PERHAPS, SEEN, Bars
from evenhand.audits.simulation.default_design import DEFAULT, SHUFFLED
from evenhand.audits.simulation.opening import Opened
from evenhand.audits.simulation.settings import PAPER_PILOT, PAPER_STRATA, SimulationSettings
from evenhand.audits.simulation.strata_designs import PAPER, RANDOM
from evenhand.finding import Measured, Reading, Slice

Found = Mapping[tuple[str, frozenset[tuple[str, str]]], float]
KNOWN_LOW = (
    "Keeping the labels of a pilot that decides how many more are drawn is known to make estimates a little too low"
)
SMALL = 50  # violating items in a file, below which it says little about others


def of(measured: Sequence[Measured], settings: SimulationSettings) -> Iterator[Reading]:
    """For each population and target: labels and hours first, then the worst case, the published method, coverage."""
    found = {(m.measure, frozenset(m.slice.items())): m.estimate.value or 0.0 for m in measured}
    bars = Bars.of(measured)
    for slice_ in [m.slice for m in measured if m.measure == NEEDED and m.slice["design"] == "random"]:
        scene = {key: value for key, value in slice_.items() if key != "design"}
        named = {key: value for key, value in scene.items() if key != "within"}
        prevalence = found["prevalence", frozenset(named.items())]
        yield Reading(scene, _needs(found, scene, prevalence, settings), tendency="needs")
        yield Reading(scene, _blind(found, scene, bars), tendency="worst")
        yield Reading(scene, _paper(found, scene, bars))
        yield Reading(scene, _sure(found, scene, settings, bars))


def caveats(opened: Opened, settings: SimulationSettings, bars: Bars) -> Iterator[str]:
    """What the numbers take for granted."""
    yield (
        "The labels in the file are taken as the truth, and the items to come as like these. A classifier that was "
        "trained on these very items looks better here than it will be."
    )
    yield (
        "Labels needed are n · (standard deviation of the estimates / standard error asked for)², at n near what is "
        "needed, and count everything that is spent. They are for no end of items: the file is taken many times over, "
        "so that no design gains from having labelled much of it; beside them are the labels needed of the items in "
        "the file alone."
    )
    yield (
        f"Ranges are the Monte-Carlo error of {settings.simulations:,} samples (half as many for a shuffled classifier "
        "and for other settings). Numbers without one are exact."
    )
    yield (
        "An oracle knows all labels, as does an optimal allocation: they show what could be reached, and cannot be "
        "carried out."
    )
    yield (
        f"Of a bias: up to {bars.perhaps:.1f} Monte-Carlo errors none is seen; from {bars.sure:.1f} it is one, even "
        f"with the {bars.looks} biases looked at here, of which some are large by chance; between the two, perhaps."
    )
    few = [scene for scene in opened.scenes if scene.here.label.sum() < SMALL]
    if few:
        least = int(min(scene.here.label.sum() for scene in few))
        yield f"There are only {least} violating items in the file: another file of its kind may give other numbers."


def _value(found: Found, measure: str, *slices: Slice) -> float:
    return found[measure, frozenset(item for slice_ in slices for item in slice_.items())]


def _needs(found: Found, scene: Slice, prevalence: float, settings: SimulationSettings) -> str:
    random, ours = (_value(found, NEEDED, scene, design) for design in (RANDOM, DEFAULT))
    hours = [f"{labels / settings.per_hour:,.1f} hours" for labels in (random, ours)]
    less = f", {100.0 * (1.0 - ours / random):.0f} % fewer" if ours < random else ""
    return (
        f"To be within {percent(float(scene['within']))} of the prevalence of {percent(prevalence)}, random sampling "
        f"needs {random:,.0f} labels ({hours[0]} at {settings.per_hour:,.0f} an hour); the default design needs "
        f"{ours:,.0f} ({hours[1]}{less})."
    )


def _blind(found: Found, scene: Slice, bars: Bars) -> str:
    random, worst = _value(found, NEEDED, scene, RANDOM), _value(found, NEEDED, scene, DEFAULT, SHUFFLED)
    return (
        f"At worst, with a classifier that knows nothing, the default design needs {worst:,.0f} labels, "
        f"{worst / random:.2f} times as many as random sampling; {_bias(found, bars, scene, DEFAULT, SHUFFLED)}."
    )


def _paper(found: Found, scene: Slice, bars: Bars) -> str:
    needed, errors = (_value(found, measure, scene, PAPER) for measure in (NEEDED, BIAS_IN_ERRORS))
    spent = PAPER_STRATA * PAPER_PILOT
    wasted = f", all of them its pilot of {spent}" if needed <= spent else ""
    known = f" {KNOWN_LOW}." if errors < 0 or bars.word(errors) == SEEN else ""
    return (
        f"The published practical method ({PAPER_STRATA} quantile strata, {PAPER_PILOT} pilot labels in each) needs "
        f"{needed:,.0f}{wasted}; {_bias(found, bars, scene, PAPER)}.{known}"
    )


def _sure(found: Found, scene: Slice, settings: SimulationSettings, bars: Bars) -> str:
    ours = _value(found, COVERAGE, scene, DEFAULT, {"interval": "ours"})
    spent = _value(found, SPENT, scene, DEFAULT)
    return (
        f"With {spent:,.0f} labels, the interval of the default design held the truth in {percent(ours)} of "
        f"{settings.simulations:,} samples, where {percent(settings.level)} are promised; "
        f"{_bias(found, bars, scene, DEFAULT)}."
    )


def _bias(found: Found, bars: Bars, *slices: Slice) -> str:
    """In a word by its strength, with the number and how far from 0 chance alone would take it."""
    bias, errors = (_value(found, measure, *slices) for measure in (BIAS, BIAS_IN_ERRORS))
    word, side = bars.word(errors), "low" if bias < 0 else "high"
    if word == SEEN:
        return f"{word} ({percent(bias)}, {abs(errors):.1f} Monte-Carlo errors)"
    bar = f", where {bars.sure:.1f} would be sure" if word == PERHAPS else ""
    return f"it is {word} {side} by {percent(abs(bias))} ({abs(errors):.1f} Monte-Carlo errors{bar})"


def percent(share: float) -> str:
    """A share in a sentence."""
    return f"{100.0 * share:.3g} %".replace("-", "−")
