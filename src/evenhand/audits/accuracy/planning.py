"""What the labels at hand say about the next ones: how many a promise takes, and what change they can show."""

from __future__ import annotations

from collections.abc import Iterator

from evenhand.audits.accuracy.measuring import Entry
from evenhand.audits.accuracy.settings import AccuracySettings
from evenhand.estimate import Estimate
from evenhand.intervals.survey import Figure
from evenhand.sampling import NO_OVERLAP, USUAL, Size, Within, detectable, efficiency, range_within, size_for_effect

RANGE = "range_over_interval"
PLANNED = (
    "labels_needed",
    "labels_needed_random",
    "efficiency",
    "detectable_effect",
    "detectable_effect_power",
    "labels_for_effect",
)
NONE_FOUND = "no violation was found: show that it is below a safe level instead (evenhand sample size --below)"
ALL_VIOLATE = "every labelled item violates: there is nothing to plan with"
CERTAIN = "nothing is left to estimate"


def planned(figure: Figure, settings: AccuracySettings, extra: dict[str, str]) -> Iterator[Entry]:
    """For labels drawn as these were, and at random; over the interval of the share, as it is known by now."""
    share = figure.estimate(settings.level)
    why = _why(figure, share)
    if why:
        for name in PLANNED:
            yield name, extra, Estimate.undefined(why, level=settings.level, n=figure.n)
        return
    target, variance = Within(settings.target, settings.level), figure.n * figure.variance
    drawn, random = (_over(share, target, one) for one in (variance, None))
    for name, sizes in (("labels_needed", drawn), ("labels_needed_random", random)):
        yield name, extra, _range([size.n for size in sizes], share)
    saved = [efficiency(one, other) for one, other in zip(drawn, random, strict=True)]
    yield "efficiency", extra, _range(saved, share)
    for name, rule in (("detectable_effect", NO_OVERLAP), ("detectable_effect_power", USUAL)):
        found = detectable(figure.error, rule=rule)
        yield name, extra, Estimate.exact(found, level=share.level, n=share.n)
    size = size_for_effect(variance, settings.effect, rule=NO_OVERLAP)
    yield "labels_for_effect", extra, Estimate.exact(float(size.n), level=share.level, n=share.n)


def _why(figure: Figure, share: Estimate) -> str | None:
    """What stands against planning with this share."""
    if figure.hits == 0.0:
        return NONE_FOUND
    if figure.hits == figure.n:
        return ALL_VIOLATE
    return CERTAIN if share.method == "exact" or figure.variance == 0.0 else None


def _over(share: Estimate, target: Within, variance: float | None) -> tuple[Size, Size, Size]:
    """At the share itself, at the high end and at the low end of its interval."""
    low, value, high = (min(max(end or 0.0, 1e-12), 1.0 - 1e-12) for end in (share.low, share.value, share.high))
    return (
        range_within((value, value), target, variance=variance)[0],
        *range_within((low, high), target, variance=variance),
    )


def _range(numbers: list[float] | list[int], share: Estimate) -> Estimate:
    value, *_ = (float(number) for number in numbers)
    low, high = float(min(numbers)), float(max(numbers))
    return Estimate(value, low, high, share.level, RANGE, share.n, flags=share.flags)
