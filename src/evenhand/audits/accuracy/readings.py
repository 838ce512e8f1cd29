"""What the numbers say, in plain words: two sentences for the whole, one for each part."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from evenhand.estimate import Estimate
from evenhand.finding import Finding, Reading, Slice

OWN = ("pool", "stratum", "of", "as_if", "estimator")  # keys of slices that are not the evidence's


def of(finding: Finding) -> Iterator[Reading]:
    """First everything, then part by part."""
    parts = dict.fromkeys(tuple(m.slice.items()) for m in finding if not set(m.slice) & set(OWN))
    for part in parts:
        for text in _texts(finding, dict(part)):
            yield Reading(dict(part), text)
    if whole := _planning(finding):
        yield Reading({}, whole)
    for column in finding.values("of"):
        yield Reading({"of": column}, _ranks(finding, column))


def _texts(finding: Finding, part: Slice) -> Iterator[str]:
    if not finding.has("recall", **part):
        yield _prevalence(finding.get("prevalence", **part))
        return
    yield _removed(finding.get("recall", **part), finding.get("missed", **part))
    visible = {**part, "pool": "visible"}
    share = finding.get("prevalence", **visible) if finding.has("prevalence", **visible) else None
    yield _right(finding.get("precision", **part), share)


def _prevalence(share: Estimate) -> str:
    if share.value is None:
        return f"The prevalence has no value: {share.note}."
    return f"Of all items, {about(share)} violate."


def _removed(recall: Estimate, missed: Estimate) -> str:
    if recall.value is None:
        return f"Recall has no value: {recall.note}."
    visible = "" if missed.value is None else f"; {amount(missed)} are still visible"
    return f"Of all violating items, {about(recall)} were removed{visible}."


def _right(precision: Estimate, share: Estimate | None) -> str:
    if precision.value is None:
        return f"Precision has no value: {precision.note}."
    visible = "" if share is None or share.value is None else f"; of what is visible, {about(share)} does"
    return f"Of what was removed, {about(rest(precision))} did not violate{visible}."


def rest(share: Estimate) -> Estimate:
    """What a share leaves."""
    value, low, high = (1.0 - (end or 0.0) for end in (share.value, share.high, share.low))
    return replace(share, value=value, low=low, high=high)


def _planning(finding: Finding) -> str | None:
    slice_ = {"pool": "visible"} if finding.has("labels_needed", pool="visible") else {}
    if not finding.has("labels_needed", **slice_):
        return None
    needed, at = finding.get("labels_needed", **slice_), finding.get("detectable_effect", **slice_)
    if needed.value is None or at.value is None:
        return None
    target = finding.provenance["settings"]["target"]
    have = "there are enough" if needed.n >= needed.value else f"there are {needed.n:,}"
    return (
        f"To know the share of violating items{' among the visible' if slice_ else ''} within {percent(target)} of "
        f"itself takes {amount(needed)} labels drawn like these; {have}. "
        f"Against another period like this one a change of {100.0 * at.value:.2g} points would show."
    )


def _ranks(finding: Finding, column: str) -> str:
    rank, tau = finding.get("rank_agreement", of=column), finding.get("kendall_tau", of=column)
    if rank.value is None or tau.value is None:
        return f"The order by {column} cannot be held against the other source: {rank.note}."
    pairs = 50.0 * (1.0 + tau.value)
    sure = "more than chance" if (tau.p_value or 0.0) <= 1.0 - rank.level else "no more than chance might do"
    return (
        f"Of 100 pairs by {column}, the other source orders about {pairs:.0f} as this sample does, which is {sure} "
        f"(rank correlation {rank.value:.2f}, {rank.low:.2f} to {rank.high:.2f})."
    )


def percent(share: float) -> str:
    """To three digits, whatever the size."""
    return f"{100.0 * share:.3g} %"


def count(number: float) -> str:
    """Of items, to three digits: more would be claimed than is known."""
    return f"{number:.0f}" if number < 1000 else f"{float(f'{number:.3g}'):,.0f}"


def about(share: Estimate) -> str:
    """A share with its interval in a sentence, to as many digits as the interval bears out."""
    ends = [100.0 * (end or 0.0) for end in (share.value, share.low, share.high)]
    if share.method == "exact":
        return f"exactly {ends[0]:.3g} %"
    digits = max(0, 1 - math.floor(math.log10(max(ends[2] - ends[1], 1e-9))))
    value, low, high = (f"{end:.{digits}f}" for end in ends)
    return f"about {value} % ({low}–{high} %)"


def amount(number: Estimate) -> str:
    """The same for a number of items."""
    if number.method == "exact":
        return f"exactly {number.value or 0.0:,.0f}"
    value, low, high = (count(end or 0.0) for end in (number.value, number.low, number.high))
    return f"about {value} ({low}–{high})"
