"""From the findings of two runs to a finding about what changed.

Two runs on different items are independent samples, so the interval of a difference follows from the two intervals
alone (Zou's MOVER). Two runs on the same items are not: there a difference is a plain fact about those items, without
an interval and without a test.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from evenhand.audits.comparison import alike
from evenhand.audits.probe import STANDS_OUT
from evenhand.errors import InputError
from evenhand.estimate import Estimate
from evenhand.finding import Finding, Measured, Reading, Slice
from evenhand.intervals import independent
from evenhand.intervals.bounded import p_from_interval
from evenhand.intervals.multiple import holm

QUESTION = "What has changed since the earlier run?"
EARLIER, VALUE = {"run": "earlier"}, {"run": "now"}
NOW = {"run": "now", "against": "earlier"}  # the difference
RUNS = ("of", "run", "against")  # keys of slices that the comparison adds; `of` is the audit
ASIDE = ("as_if", "bins", "against")  # references, other numbers of bins, and what is a difference already
ALIKE = "the same items: a plain difference, not a test"


class Pair(NamedTuple):
    """One number in both runs, and its difference."""

    measure: str
    slice: Slice
    earlier: Estimate
    now: Estimate
    difference: Estimate
    p_value: float | None


def compare(now: Sequence[Finding], earlier: Sequence[Finding], *, called: str = "the earlier run") -> Finding:
    """Every number that both runs have: what it was, what it is, and by how much it is higher or lower now."""
    both = [(one, two) for one in now for two in earlier if one.audit == two.audit]
    if not both:
        names = ", ".join(finding.audit for finding in earlier) or "none"
        raise InputError(f"has no audit in common with this run, only: {names}", source=called)
    found = [pair for one, two in both for pair in _pairs(one, two)]
    level = next((pair.difference.level for pair in found), 0.95)
    marked = list(_marked(found, level))
    return Finding(
        "comparison",
        QUESTION,
        tuple(_measured(marked)),
        tuple(alike.caveats(both)),
        {
            "source": both[0][0].provenance.get("source", "this run"),
            "earlier": called,
            "runs": {name: dict(runs[0].provenance) for name, runs in _runs(both).items()},
        },
        tuple(_readings(marked, both)),
    )


def _runs(both: Sequence[tuple[Finding, Finding]]) -> dict[str, list[Finding]]:
    return {"now": [one for one, _ in both], "earlier": [two for _, two in both]}


def _pairs(now: Finding, earlier: Finding) -> Iterator[Pair]:
    same = alike.same_items(now, earlier)
    for m in now:
        if any(key in m.slice for key in ASIDE) or not earlier.has(m.measure, **m.slice):
            continue
        before = earlier.get(m.measure, **m.slice)
        difference, p_value = _difference(m.estimate, before, same=same)
        yield Pair(m.measure, {"of": now.audit, **m.slice}, before, m.estimate, difference, p_value)


def _difference(now: Estimate, earlier: Estimate, *, same: bool) -> tuple[Estimate, float | None]:
    """The difference with its interval, and the p-value against no change where that can be asked."""
    n = now.n if same else now.n + earlier.n
    if now.value is None or earlier.value is None:
        when = "now" if now.value is None else "in the earlier run"
        return Estimate.undefined(f"no value {when}: {now.note or earlier.note}", level=now.level, n=n), None
    value = now.value - earlier.value
    if same:
        return Estimate(value, value, value, now.level, "exact", n, note=ALIKE), None
    if now.method == earlier.method == "exact":
        return Estimate.exact(value, level=now.level, n=n), None
    if now.low is None or now.high is None or earlier.low is None or earlier.high is None:
        return Estimate.undefined("a number without an interval cannot be compared", level=now.level, n=n), None
    if now.level != earlier.level:
        why = f"the intervals are at {now.level:g} now and at {earlier.level:g} in the earlier run"
        return Estimate.undefined(why, level=now.level, n=n), None
    low, high = independent.difference((now.value, now.low, now.high), (earlier.value, earlier.low, earlier.high))
    small = ("small",) if "small" in (*now.flags, *earlier.flags) else ()
    estimate = Estimate(value, low, high, now.level, independent.METHOD, n, flags=small)
    return estimate, None if small else p_from_interval(value, low, high, now.level)


def _marked(found: Sequence[Pair], level: float) -> Iterator[Pair]:
    """Those that stand out among all numbers compared."""
    tested = [number for number, pair in enumerate(found) if pair.p_value is not None]
    marks = holm([found[number].p_value or 0.0 for number in tested], 1.0 - level)
    standing = {number for number, mark in zip(tested, marks, strict=True) if mark}
    for number, pair in enumerate(found):
        yield pair._replace(difference=pair.difference.flagged(STANDS_OUT)) if number in standing else pair


def _measured(found: Sequence[Pair]) -> Iterator[Measured]:
    for pair in found:
        yield Measured(pair.measure, {**pair.slice, **EARLIER}, _unmarked(pair.earlier))
        yield Measured(pair.measure, {**pair.slice, **VALUE}, _unmarked(pair.now))
        yield Measured(pair.measure, {**pair.slice, **NOW}, pair.difference)


def _unmarked(estimate: Estimate) -> Estimate:
    """Marks here are for changes alone."""
    return replace(estimate, flags=tuple(flag for flag in estimate.flags if flag != STANDS_OUT))


def _readings(found: Sequence[Pair], both: Sequence[tuple[Finding, Finding]]) -> Iterator[Reading]:
    tested = [pair for pair in found if pair.p_value is not None]
    changed = sum(STANDS_OUT in pair.difference.flags for pair in tested)
    if not tested:
        yield Reading({}, "Nothing could be tested: see what to beware of.", tendency="untested")
    elif changed:
        what = f"{changed:,} of {len(tested):,} numbers that could be tested have changed beyond chance."
        yield Reading({}, what, tendency="changed")
    else:
        yield Reading({}, f"No change stands out among {len(tested):,} numbers that could be tested.", tendency="quiet")
    for one, two in both:
        yield from (Reading({"of": one.audit}, text) for text in alike.missing(one, two))
