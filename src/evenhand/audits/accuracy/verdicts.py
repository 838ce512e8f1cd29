"""The conclusions of an accuracy finding: two sentences for all items, for each part, and one for planning.

Each reading has a topic, by which reports choose what they show; the verdicts are for the summary.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from enum import StrEnum

from evenhand.audits.accuracy.blind_spots import published_estimate
from evenhand.audits.accuracy.caveats import few_label_sentences
from evenhand.audits.accuracy.pools import PoolName
from evenhand.catalogue.accuracy import DETECTABLE_EFFECT, KENDALL_TAU, LABELS_NEEDED, MISSED, PREVALENCE
from evenhand.catalogue.shared import PRECISION, RANK_AGREEMENT, RECALL
from evenhand.estimate import Estimate, Flag
from evenhand.finding import Finding, Reading, Slice, SliceKey, Status, Verdict
from evenhand.formatting import format_share, significant_digits

# keys of slices that are not the evidence's
OWN_SLICE_KEYS = (*(SliceKey.POOL, SliceKey.STRATUM, SliceKey.OF, SliceKey.AS_IF, SliceKey.ESTIMATOR, SliceKey.TARGET),)
ADJUDICATED: Slice = {SliceKey.TARGET: "adjudicated"}  # by the verdict of a panel, where there is one
VISIBLE: Slice = {SliceKey.POOL: PoolName.VISIBLE}


class AccuracyTopic(StrEnum):
    """What a reading is about."""

    MODERATION = "moderation"  # how much violates, how much of it was removed, and what was removed wrongly
    STILL_VISIBLE = "still_visible"  # violations that are left, where only visible items were labelled
    NEXT_LABELS = "next_labels"
    RANKS = "ranks"
    FEW_LABELS = "few_labels"
    MEASUREMENT = "measurement"  # of a labelling campaign: ground truth, population and metric
    UNFINISHED = "unfinished"  # labels of a campaign that are still to come
    BLIND_SPOT = "blind_spot"  # violations that the score cannot see
    ADJUDICATED = "adjudicated"  # the same by the verdict of a panel
    TARGET = "target"  # of a campaign: its target precision, and how far the labels are from it


def accuracy_readings(finding: Finding) -> Iterator[Reading]:
    """All items first, then each part; then planning and rankings; then where labels are few."""
    parts = dict.fromkeys(tuple(m.slice.items()) for m in finding if not set(m.slice) & set(OWN_SLICE_KEYS))
    for part in parts:
        for _, text in _moderation(finding, dict(part)):
            yield Reading(dict(part), text, topic=AccuracyTopic.MODERATION)
        if not part and (blind := _blind_spot_sentence(finding)):
            yield Reading({}, blind, topic=AccuracyTopic.BLIND_SPOT)
    if whole := _planning_sentence(finding):
        yield Reading({}, whole, topic=AccuracyTopic.NEXT_LABELS)
    for column in finding.values(SliceKey.OF):
        yield Reading({SliceKey.OF: column}, _rank_sentence(finding, column), topic=AccuracyTopic.RANKS)
    for text in few_label_sentences(finding):
        yield Reading({}, text, topic=AccuracyTopic.FEW_LABELS)


def accuracy_verdicts(finding: Finding) -> Iterator[Verdict]:
    """Of all items: what was removed and missed, as far as it was estimated, and how many labels are needed."""
    for known, text in _moderation(finding, {}):
        yield Verdict(Status.MEASURED if known.defined else Status.OPEN, {}, text)
    for reading in finding.readings:
        if reading.topic in (AccuracyTopic.BLIND_SPOT, AccuracyTopic.STILL_VISIBLE, AccuracyTopic.NEXT_LABELS):
            yield Verdict(Status.MEASURED, {}, reading.text)


def adjudicated_sentence(finding: Finding) -> str | None:
    """What the panel's verdict makes of moderation, where there is one."""
    if not any(m.slice == ADJUDICATED for m in finding):
        return None
    return f"By the adjudicated verdict: {' '.join(text for _, text in _moderation(finding, ADJUDICATED))}"


def sliced_columns(finding: Finding) -> list[str]:
    """The columns that were sliced by, in order of appearance."""
    return [key for key in dict.fromkeys(key for m in finding for key in m.slice) if key not in OWN_SLICE_KEYS]


def parts_by_prevalence(finding: Finding, column: str) -> list[str]:
    """The values of a column, highest prevalence first, those without a value last."""
    prevalences = {name: finding.get(PREVALENCE, **{column: name}).value for name in finding.values(column)}
    return sorted(prevalences, key=lambda name: (prevalences[name] is None, -(prevalences[name] or 0.0), name))


def _moderation(finding: Finding, part: Slice) -> Iterator[tuple[Estimate, str]]:
    """Sentences about one part, each with its estimate."""
    if not finding.has(RECALL, **part):
        share = published_estimate(finding, PREVALENCE, part)
        yield share, _prevalence_sentence(share)
        return
    recall, missed, precision = (published_estimate(finding, name, part) for name in (RECALL, MISSED, PRECISION))
    visible = {**part, **VISIBLE}
    yield recall, _recall_sentence(recall, missed)
    left = published_estimate(finding, PREVALENCE, visible) if finding.has(PREVALENCE, **visible) else None
    yield precision, _precision_sentence(precision, left)


def _blind_spot_sentence(finding: Finding) -> str | None:
    """Which interval is given where the two disagree, and what the other one assumes."""
    measure, name = (RECALL, "recall") if finding.has(RECALL) else (PREVALENCE, "the prevalence")
    usual = finding.get(measure)
    if Flag.BLIND_SPOT not in usual.flags:
        return None
    _, low, high = _rounded_ends(usual)
    return (
        "These intervals allow for violations that the score cannot see. If there are none, "
        f"{name} lies between {low} and {high} %."
    )


def _prevalence_sentence(share: Estimate) -> str:
    if share.value is None:
        return f"The prevalence could not be estimated: {share.note}."
    return f"{share_in_words(share)} of all items are violating."


def _recall_sentence(recall: Estimate, missed: Estimate) -> str:
    if recall.value is None:
        return f"Recall could not be estimated: {recall.note}."
    visible = "" if missed.value is None else f"; {count_in_words(missed)} are still visible"
    return f"{share_in_words(recall)} of violating items were removed{visible}."


def _precision_sentence(precision: Estimate, share: Estimate | None) -> str:
    if precision.value is None:
        return f"Precision could not be estimated: {precision.note}."
    removed = f"{share_in_words(precision.complement())} of removed items were not violating"
    if share is None or share.value is None:
        return f"{removed}."
    return f"{removed}; {share_in_words(share, start=False)} of visible items are violating."


def _planning_sentence(finding: Finding) -> str | None:
    slice_ = VISIBLE if finding.has(LABELS_NEEDED, **VISIBLE) else {}
    if not finding.has(LABELS_NEEDED, **slice_):
        return None
    needed, at = finding.get(LABELS_NEEDED, **slice_), finding.get(DETECTABLE_EFFECT, **slice_)
    if needed.value is None or at.value is None:
        return None
    target = finding.provenance["settings"]["target"]
    enough = "the current number is enough" if needed.n >= needed.value else f"currently there are {needed.n:,}"
    of_visible = " of visible items" if slice_ else ""
    return (
        f"To estimate the prevalence{of_visible} to within {format_share(target)} of its value, "
        f"{count_in_words(needed)} labels drawn in the same way are needed; {enough}. Compared with another period of "
        f"this size, a change of {significant_digits(100.0 * at.value, 2)} percentage points could be detected."
    )


def _rank_sentence(finding: Finding, column: str) -> str:
    rank, tau = finding.get(RANK_AGREEMENT, of=column), finding.get(KENDALL_TAU, of=column)
    if rank.value is None or tau.value is None:
        return f"The ranking by {column} cannot be compared with the other source: {rank.note}."
    pairs = 50.0 * (1.0 + tau.value)
    significant = (tau.p_value or 0.0) <= 1.0 - rank.level
    chance = "more than expected by chance" if significant else "which can be explained by chance"
    return (
        f"By {column}, the other source ranks about {pairs:.0f} of 100 pairs in the same order as this sample, "
        f"{chance} (rank correlation {rank.value:.2f}, {rank.low:.2f} to {rank.high:.2f})."
    )


def rounded_count(number: float) -> str:
    """A number of items, to three significant digits."""
    return f"{number:.0f}" if number < 1000 else f"{float(f'{number:.3g}'):,.0f}"


def share_in_words(share: Estimate, *, start: bool = True) -> str:
    """A share with its interval, at the start of a sentence or within it, to as many digits as the interval allows."""
    if share.method == "exact":
        return f"{'Exactly' if start else 'exactly'} {format_share(share.value or 0.0)}"
    value, low, high = _rounded_ends(share)
    return f"{'About' if start else 'about'} {value} % ({low}–{high} %)"


def _rounded_ends(share: Estimate) -> tuple[str, str, str]:
    """The value and the ends of its interval, in per cent."""
    ends = [100.0 * (end or 0.0) for end in (share.value, share.low, share.high)]
    digits = max(0, 1 - math.floor(math.log10(max(ends[2] - ends[1], 1e-9))))
    value, low, high = (f"{end:.{digits}f}" for end in ends)
    return value, low, high


def count_in_words(number: Estimate) -> str:
    """The same for a number of items."""
    if number.method == "exact":
        return f"exactly {number.value or 0.0:,.0f}"
    value, low, high = (rounded_count(end or 0.0) for end in (number.value, number.low, number.high))
    return f"about {value} ({low}–{high})"
