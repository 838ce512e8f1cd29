"""The sentences about groups after review: who is still removed by mistake or missed more often, and how certain it is.

One queue holds the items of all groups, so that a group may get more or fewer reviews than others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from evenhand.audits.collaboration.system_quantities import SYSTEM_DIFFERENCES, SYSTEM_RATES, SYSTEM_RATIOS
from evenhand.audits.group_words import (
    ErrorRate,
    describe_items,
    format_times,
    log_ratio,
    number_of_groups,
    range_in_words,
)
from evenhand.audits.quantities import FEWEST_ITEMS
from evenhand.audits.tolerance import (
    TOLERATED_DIFFERENCE,
    TOLERATED_RATIO,
    Comparison,
    compare,
    difference_tolerance,
)
from evenhand.estimate import Estimate
from evenhand.finding import Finding, Slice, SliceKey, Status, Verdict
from evenhand.formatting import format_share

OPENING = "After review in one queue for all groups"
MOST_SENTENCES = 3  # one for each group; the others are listed
STILL_APART = (
    "Send more items of these groups to review, and read what reviewers decide about them: the model's threshold and "
    "the reviewers' errors (`reviews`) both contribute."
)
LABEL_MORE = "Label more items of these groups."


class SystemWords(NamedTuple):
    """How an error rate after review is spoken of."""

    kind: str  # of the items that it is about
    happens: str  # to them


WORDS = {
    ErrorRate.FALSE_POSITIVE: SystemWords("benign", "removed"),
    ErrorRate.FALSE_NEGATIVE: SystemWords("violating", "missed"),
}
STATUSES = {Comparison.HIGHER: Status.STANDS_OUT, Comparison.LOWER: Status.MEASURED}


class GroupAfterReview(NamedTuple):
    """One error rate of a group beside all others after review, and what it amounts to."""

    group: str
    rate: ErrorRate
    inside: float
    outside: float
    judged: Estimate  # the ratio, or the difference
    is_ratio: bool
    is_small: bool  # the group, or its items of this kind
    comparison: Comparison

    @property
    def harm(self) -> float:
        """How much more often it happens in the group, on the scale of ratios; below 0: less often."""
        return log_ratio(self.inside, self.outside)


def tolerance_of_groups(finding: Finding) -> float:
    """The tolerated ratio or difference: a ratio of 1.25, unless another tolerance was declared."""
    declared = finding.provenance.get("settings", {}).get("tolerance")
    if not isinstance(declared, int | float) or declared == TOLERATED_DIFFERENCE:
        return TOLERATED_RATIO
    return float(declared)


def system_statements(finding: Finding, model: Slice, strategy: str, at: str) -> Iterator[Verdict]:
    """What is larger than the tolerance, by rate; what is undetermined; what is ruled out. Nothing without groups."""
    queue = {**model, SliceKey.STRATEGY: strategy, SliceKey.CAPACITY: at}
    groups = finding.values(SliceKey.GROUP)
    compared = [one for group in groups for rate in ErrorRate if (one := _compared(finding, queue, group, rate))]
    for comparison, status in STATUSES.items():
        for rate in ErrorRate:
            some = [one for one in compared if one.comparison is comparison and one.rate is rate]
            if some:
                action = STILL_APART if status is Status.STANDS_OUT else ""
                yield Verdict(status, model, _larger(finding, some), _certainty(finding, some), action)
    undetermined = [one for one in compared if one.comparison is Comparison.UNDETERMINED]
    if undetermined:
        yield Verdict(Status.OPEN, model, _undetermined(finding, undetermined), "", LABEL_MORE)
    ruled_out = [one for one in compared if one.comparison is Comparison.RULED_OUT]
    if ruled_out:
        yield Verdict(Status.QUIET, model, _ruled_out(finding, ruled_out, compared))


def _compared(finding: Finding, queue: Slice, group: str, rate: ErrorRate) -> GroupAfterReview | None:
    slice_ = {**queue, SliceKey.GROUP: group}
    if not finding.has(SYSTEM_RATES[rate], **slice_):
        return None
    own, ratio, difference = (
        finding.get(table[rate], **slice_) for table in (SYSTEM_RATES, SYSTEM_RATIOS, SYSTEM_DIFFERENCES)
    )
    if own.value is None or difference.value is None:
        return None
    tolerance = tolerance_of_groups(finding)
    is_ratio = tolerance > 1.0 and ratio.defined
    judged = ratio if is_ratio else difference
    few = min(own.n, difference.n - own.n) < FEWEST_ITEMS  # nothing is promised, so nothing is concluded
    return GroupAfterReview(
        group=group,
        rate=rate,
        inside=own.value,
        outside=max(0.0, round(own.value - difference.value, 12)),
        judged=judged,
        is_ratio=is_ratio,
        is_small=own.small,
        comparison=Comparison.UNDETERMINED if few else compare(judged, tolerance, is_ratio=is_ratio),
    )


def _larger(finding: Finding, some: Sequence[GroupAfterReview]) -> str:
    """A sentence for each of the first groups, the largest rate first; the others listed."""
    ordered = sorted(some, key=lambda one: -one.inside)
    words = WORDS[ordered[0].rate]
    parts = [_part(finding, one) for one in ordered[:MOST_SENTENCES]]
    others = [one.group for one in ordered[MOST_SENTENCES:]]
    way = "more" if ordered[0].comparison is Comparison.HIGHER else "less"
    listed = (
        f" {words.kind.capitalize()} items are also {words.happens} {way} often in: {', '.join(others)}."
        if others
        else ""
    )
    return f"{OPENING}, {'; '.join(parts)}.{listed}"


def _part(finding: Finding, one: GroupAfterReview) -> str:
    words = WORDS[one.rate]
    rates = f"{format_share(one.inside)} against {format_share(one.outside)}"
    subject = f"{words.kind} {describe_items(finding, [one.group])} are {words.happens}"
    if one.is_ratio and one.judged.value:
        return f"{subject} {format_times(one.judged.value)} times as often as other {words.kind} items ({rates})"
    way = "more" if one.comparison is Comparison.HIGHER else "less"
    return f"{subject} {way} often than other {words.kind} items ({rates})"


def _certainty(finding: Finding, some: Sequence[GroupAfterReview]) -> str:
    ordered = sorted(some, key=lambda one: -one.inside)[:MOST_SENTENCES]
    listed = "; ".join(f"{one.group} {range_in_words(one, 'to')}" for one in ordered)
    ranges = f"Intervals: {listed}" if len(some) > 1 else f"Between {range_in_words(some[0])}"
    comparisons = sum(m.measure in SYSTEM_DIFFERENCES.values() for m in finding)
    return f"{ranges}, allowing for {comparisons:,} comparisons."


def _undetermined(finding: Finding, some: Sequence[GroupAfterReview]) -> str:
    """Those that would be harmed most if the estimates were correct, small groups last; the others counted."""
    first = sorted(some, key=lambda one: (one.is_small, -one.harm))[:MOST_SENTENCES]
    named = "; ".join(
        f"{WORDS[one.rate].kind} {describe_items(finding, [one.group])} are {WORDS[one.rate].happens} between "
        f"{range_in_words(one)} {'as often as' if one.is_ratio else 'more often than'} others"
        for one in first
    )
    rest = len(some) - len(first)
    more = f"; and {rest:,} more error {'rate' if rest == 1 else 'rates'}" if rest else ""
    return (
        f"{OPENING}, it is undetermined whether error rates differ by more than {_tolerated(finding)}: {named}{more}."
    )


def _ruled_out(finding: Finding, some: Sequence[GroupAfterReview], compared: Sequence[GroupAfterReview]) -> str:
    """By rate: for which groups a difference beyond the tolerance is ruled out."""
    parts = []
    for rate, words in WORDS.items():
        groups = [one.group for one in some if one.rate is rate]
        whole = sum(one.rate is rate for one in compared)
        if groups:
            all_of_them = len(groups) == whole > 1
            listed = number_of_groups(whole, whole) if all_of_them else describe_items(finding, groups)
            parts.append(f"{words.kind} items {words.happens}, for {listed}")
    return (
        f"{OPENING}, a difference from other items of more than {_tolerated(finding)} is ruled out: {'; '.join(parts)}."
    )


def _tolerated(finding: Finding) -> str:
    tolerance = tolerance_of_groups(finding)
    if tolerance > 1.0:
        return f"a ratio of {tolerance:g}"
    return f"{100.0 * difference_tolerance(tolerance):g} percentage points"
