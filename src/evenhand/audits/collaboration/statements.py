"""The sentences about review: what is still missed, what is removed by mistake, which strategy leaves less of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from evenhand.audits.collaboration.settings import reviewed_in_words
from evenhand.audits.tolerance import (
    TOLERATED_DIFFERENCE,
    Comparison,
    compare,
    difference_tolerance,
    more_labels,
    round_labels,
)
from evenhand.catalogue import Measure
from evenhand.catalogue.collaboration import OC_PRECISION, OC_RECALL
from evenhand.catalogue.shared import PRECISION, RECALL
from evenhand.estimate import Estimate
from evenhand.finding import Finding, Slice, SliceKey, Status, Verdict

NEXT_STEP = "Choose a review capacity: evenhand plan shows how many reviewers a target needs and what they cost."
LABEL_MORE = "Label more items to tell the review strategies apart."


class ErrorWords(NamedTuple):
    """An error that is left after review: of the model alone, with review, of which items, and how it is spoken of."""

    alone: Measure
    reviewed: Measure
    items: str  # that it is a share of
    happens: str


MISSED = ErrorWords(RECALL, OC_RECALL, "violations", "are still missed")
WRONG = ErrorWords(PRECISION, OC_PRECISION, "removed items", "are benign")
ERRORS = (MISSED, WRONG)


def tolerance_of(finding: Finding) -> float:
    """The difference of shares that a finding was made to hold strategies against."""
    declared = finding.provenance.get("settings", {}).get("tolerance")
    return difference_tolerance(float(declared)) if isinstance(declared, int | float) else TOLERATED_DIFFERENCE


def review_statements(
    finding: Finding, model: Slice, strategies: Sequence[str], at: str, certainty: str = ""
) -> Iterator[Verdict]:
    """What is left at a capacity, the first strategy first; then how the others compare with it."""
    yield Verdict(Status.MEASURED, model, _what_is_left(finding, model, strategies, at), certainty, NEXT_STEP)
    for other in strategies[1:]:
        for words in ERRORS:
            paired = _fewer(finding, model, strategies[0], other, at, words.reviewed)
            if paired is not None:
                yield _comparison(finding, model, (strategies[0], other), words, paired)


def _what_is_left(finding: Finding, model: Slice, strategies: Sequence[str], at: str) -> str:
    """By each strategy, and without review."""
    first, *others = strategies
    left = [_share_left(finding.get(words.reviewed, **_at(model, first, at))) for words in ERRORS]
    what = " and ".join(_left_in_words(words, estimate) for words, estimate in zip(ERRORS, left, strict=True))
    sentences = [f"With people reviewing {reviewed_in_words(at)}, chosen by {first}, {what}."]
    slices = {f"Chosen by {name}": _at(model, name, at) for name in others}
    for title, slice_ in slices.items():
        amounts = (_amount(_share_left(finding.get(words.reviewed, **slice_))) for words in ERRORS)
        sentences.append(f"{title}: {' and '.join(amounts)}.")
    alone = (_amount(_share_left(finding.get(words.alone, **model))) for words in ERRORS)
    return " ".join((*sentences, f"Without review: {' and '.join(alone)}."))


def _left_in_words(words: ErrorWords, left: Estimate) -> str:
    if left.value is None:
        return f"how many {words.items} {words.happens} is not defined ({left.note})"
    return f"{per_thousand(left.value)} of 1,000 {words.items} {words.happens} {_span(left)}"


def _share_left(estimate: Estimate) -> Estimate:
    """1 − a share, with its interval."""
    if estimate.value is None or estimate.low is None or estimate.high is None:
        return estimate
    return replace(estimate, value=1.0 - estimate.value, low=1.0 - estimate.high, high=1.0 - estimate.low)


def _at(model: Slice, strategy: str, capacity: str) -> dict[str, str]:
    return {**model, SliceKey.STRATEGY: strategy, SliceKey.CAPACITY: capacity}


def _amount(estimate: Estimate) -> str:
    if estimate.value is None:
        return f"not defined ({estimate.note})"
    return f"{per_thousand(estimate.value)} {_span(estimate)}"


def _span(estimate: Estimate) -> str:
    return f"({per_thousand(estimate.low or 0.0)} to {per_thousand(estimate.high or 0.0)})"


def amount_left(estimate: Estimate) -> str:
    """Of 1,000, what a recall or precision leaves, with its interval."""
    return _amount(_share_left(estimate))


def per_thousand(share: float) -> str:
    """Of 1,000 items: whole ones, tenths of a few."""
    number = 1000.0 * share
    return f"{number:.1f}".removesuffix(".0") if abs(number) < 9.95 else f"{number:,.0f}"


def _fewer(finding: Finding, model: Slice, first: str, other: str, at: str, measure: Measure) -> Estimate | None:
    """How much smaller the share of errors left by the first strategy is than that of the other; None if unknown."""
    for one, against, sign in ((first, other, 1.0), (other, first, -1.0)):
        slice_ = {**_at(model, one, at), SliceKey.AGAINST: against}
        if finding.has(measure, **slice_):
            paired = finding.get(measure, **slice_)
            if paired.value is None or paired.low is None or paired.high is None:
                return None
            low, high = sorted((sign * paired.low, sign * paired.high))
            return replace(paired, value=sign * paired.value, low=low, high=high)
    return None


def _comparison(finding: Finding, model: Slice, pair: tuple[str, str], words: ErrorWords, fewer: Estimate) -> Verdict:
    """Fewer with one of the two, a larger difference ruled out, or undetermined."""
    tolerance = tolerance_of(finding)
    comparison = compare(fewer, tolerance, is_ratio=False)
    low, high = fewer.low or 0.0, fewer.high or 0.0
    if comparison is Comparison.RULED_OUT:
        statement = (
            f"Chosen by {pair[0]} or by {pair[1]}: a difference of more than {per_thousand(tolerance)} of 1,000 "
            f"{words.items} that {words.happens} is ruled out."
        )
        return Verdict(Status.QUIET, model, statement)
    if comparison is Comparison.UNDETERMINED:
        statement = (
            f"It is undetermined whether choosing by {pair[0]} or by {pair[1]} makes a difference of more than "
            f"{per_thousand(tolerance)} of 1,000 {words.items} that {words.happens}: by {pair[0]}, between "
            f"{_signed(low)} and {_signed(high)}."
        )
        return Verdict(Status.OPEN, model, statement, _labels_needed(finding, model, words, fewer), LABEL_MORE)
    better, worse = pair if comparison is Comparison.HIGHER else pair[::-1]
    value, ends = abs(fewer.value or 0.0), sorted((abs(low), abs(high)))
    statement = (
        f"Chosen by {better}, {per_thousand(value)} fewer of 1,000 {words.items} {words.happens} than chosen by "
        f"{worse} ({per_thousand(ends[0])} to {per_thousand(ends[1])} fewer)."
    )
    return Verdict(Status.MEASURED, model, statement)


def _signed(fewer: float) -> str:
    """30 fewer, or 5 more."""
    return f"{per_thousand(abs(fewer))} {'fewer' if fewer > 0.0 else 'more'}"


def _labels_needed(finding: Finding, model: Slice, words: ErrorWords, fewer: Estimate) -> str:
    """How many more items would settle it, if the estimate is correct."""
    items = finding.get(words.alone, **model).n
    labels = more_labels(fewer, tolerance_of(finding), items, is_ratio=False)
    if labels is None or not items:
        return ""
    return f"About {round_labels(labels):,} more labelled items would settle it, if the estimate is correct."
