"""The sentences about error rates: who is flagged by mistake or missed more often, how certain that is, what to do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from evenhand.audits.bias.error_rates import ErrorRateVerdict, tolerance_of
from evenhand.audits.group_words import ErrorRate, describe_items, format_times, number_of_groups, range_in_words
from evenhand.audits.quantities import SMALL_GROUP
from evenhand.audits.tolerance import Comparison, difference_tolerance, round_labels
from evenhand.catalogue.bias import FPR_DIFFERENCE
from evenhand.catalogue.shared import COUNT
from evenhand.finding import Finding, Slice, Status, Verdict
from evenhand.formatting import format_share

READ_EXAMPLES = (
    "Read items in these groups that the model gets wrong (`examples` 5), and send them to review instead of deciding "
    "automatically. Retraining with balanced sentences may reduce the difference (evenhand train `balance`)."
)
LABEL_MORE = "Label more items in the groups with the widest intervals."
MOST_SENTENCES = 3  # one for each group; the others are listed
NO_TELLING = "an impractically large number"
NO_NUMBER = "There are too few errors, or estimates too near the tolerance, to say how many labels would settle this."


class RateWords(NamedTuple):
    """How an error rate is spoken of."""

    name: str
    kind: str  # of the items that it is about
    happens: str  # to them
    action: str


WORDS = {
    ErrorRate.FALSE_POSITIVE: RateWords(
        "false positive rate",
        "benign",
        "are flagged",
        f"Expect wrong removals in these groups. {READ_EXAMPLES}",
    ),
    ErrorRate.FALSE_NEGATIVE: RateWords(
        "false negative rate",
        "violating",
        "are missed",
        f"Expect missed violations in these groups. {READ_EXAMPLES}",
    ),
}
STATUSES = {Comparison.HIGHER: Status.STANDS_OUT, Comparison.LOWER: Status.MEASURED}


def error_rate_statements(finding: Finding, model: Slice, rates: Sequence[ErrorRateVerdict]) -> Iterator[Verdict]:
    """What is larger than the tolerance, by rate; what is undetermined; what is ruled out."""
    for comparison, status in STATUSES.items():
        for rate in ErrorRate:
            larger = [one for one in rates if one.comparison is comparison and one.rate is rate]
            if larger:
                action = WORDS[rate].action if status is Status.STANDS_OUT else ""
                yield Verdict(status, model, _larger(finding, larger), _certainty(finding, larger), action)
    undetermined = [one for one in rates if one.comparison is Comparison.UNDETERMINED]
    if undetermined:
        small = {one.group for one in undetermined if finding.get(COUNT, **model, group=one.group).small}
        first = sorted(undetermined, key=lambda one: (one.group in small, -one.harm))[:MOST_SENTENCES]
        statement = _undetermined(finding, undetermined, first, len({one.group for one in rates}), len(small))
        yield Verdict(Status.OPEN, model, statement, _labels_needed(finding, first), LABEL_MORE)
    ruled_out = [one for one in rates if one.comparison is Comparison.RULED_OUT]
    if ruled_out:
        yield Verdict(Status.QUIET, model, _ruled_out(finding, ruled_out, rates), _together(finding))


def _larger(finding: Finding, verdicts: Sequence[ErrorRateVerdict]) -> str:
    """A sentence for each of the first groups, the others in one."""
    sentences = [_sentence(finding, one) for one in verdicts[:MOST_SENTENCES]]
    others = verdicts[MOST_SENTENCES:]
    if others:
        named = ", ".join(f"{one.group} ({_amount(one)})" for one in others)
        way = "more" if others[0].comparison is Comparison.HIGHER else "less"
        words = WORDS[others[0].rate]
        happens = words.happens.replace("are ", "are also ", 1)
        sentences.append(f"{words.kind.capitalize()} items {happens} {way} often in: {named}.")
    return " ".join(sentences)


def _sentence(finding: Finding, one: ErrorRateVerdict) -> str:
    words = WORDS[one.rate]
    subject = f"{words.kind.capitalize()} {describe_items(finding, [one.group])} {words.happens}"
    rates = f"{format_share(one.inside)} against {format_share(one.outside)}"
    if one.is_ratio and one.judged.value:
        return f"{subject} {_amount(one)} as often as other {words.kind} items ({rates})."
    way = "more" if one.comparison is Comparison.HIGHER else "less"
    return f"{subject} {way} often than other {words.kind} items ({rates})."


def _amount(one: ErrorRateVerdict) -> str:
    """The ratio, or the two shares where there is none."""
    if one.is_ratio and one.judged.value:
        return f"{format_times(one.judged.value)} times"
    return f"{format_share(one.inside)} against {format_share(one.outside)}"


def _certainty(finding: Finding, verdicts: Sequence[ErrorRateVerdict]) -> str:
    ranges = [f"{one.group} {range_in_words(one, 'to')}" for one in verdicts[:MOST_SENTENCES]]
    text = f"Between {range_in_words(verdicts[0])}" if len(verdicts) == 1 else f"Intervals: {'; '.join(ranges)}"
    return f"{text}, {_allowing(finding)}."


def _allowing(finding: Finding) -> str:
    comparisons = 2 * sum(m.measure == FPR_DIFFERENCE for m in finding)
    return f"allowing for {comparisons:,} comparisons"


def _together(finding: Finding) -> str:
    """How certain it is that nothing was overlooked."""
    return f"{100.0 * finding.estimates[0].estimate.level:g} % confidence, {_allowing(finding)}."


def _undetermined(
    finding: Finding, verdicts: Sequence[ErrorRateVerdict], first: Sequence[ErrorRateVerdict], groups: int, small: int
) -> str:
    """How many groups, and the intervals of those that would be harmed most if the estimates were correct."""
    named = "; ".join(
        f"the {WORDS[one.rate].name} of {describe_items(finding, [one.group])} is between {range_in_words(one)} "
        + ("that of other items" if one.is_ratio else "away from that of other items")
        for one in first
    )
    some = number_of_groups(len({one.group for one in verdicts}), groups)
    few = f" ({small:,} of them with {SMALL_GROUP} items or fewer)" if small and groups > 1 else ""
    listed = ". The largest estimates: " if len(first) < len(verdicts) else ": "
    return f"At least one error rate is undetermined for {some}{few}{listed}{named}."


def _labels_needed(finding: Finding, verdicts: Sequence[ErrorRateVerdict]) -> str:
    """What would settle those that are named."""
    needed = [(one, one.more_labels(tolerance_of(finding))) for one in verdicts]
    if not any(labels is not None for _, labels in needed):
        return NO_NUMBER
    listed = "; ".join(
        f"for the {WORDS[one.rate].name} of {describe_items(finding, [one.group])} "
        + (NO_TELLING if labels is None else f"about {round_labels(labels):,} more {WORDS[one.rate].kind} ones")
        for one, labels in needed
    )
    return f"Labels that would settle this, if the estimates are correct: {listed}."


def _ruled_out(finding: Finding, verdicts: Sequence[ErrorRateVerdict], rates: Sequence[ErrorRateVerdict]) -> str:
    """By rate: for which groups a difference beyond the tolerance is ruled out."""
    parts, beyond = list[str](), f"{_tolerated(tolerance_of(finding))} is ruled out "
    for rate in ErrorRate:
        groups = [one.group for one in verdicts if one.rate is rate]
        if groups:
            whole = sum(one.rate is rate for one in rates)
            all_of_them = len(groups) == whole > 1
            some = number_of_groups(whole, whole) if all_of_them else describe_items(finding, groups)
            parts.append(f"for the {WORDS[rate].name}, {'' if parts else beyond}for {some}")
    sentence = "; ".join(parts)
    return f"{sentence[0].upper()}{sentence[1:]}."


def _tolerated(tolerance: float) -> str:
    if tolerance > 1.0:
        return f"a ratio to other items above {tolerance:g} or below {1.0 / tolerance:.2g}"
    return f"a difference from other items of more than {100.0 * difference_tolerance(tolerance):g} percentage points"
