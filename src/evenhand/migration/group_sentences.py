"""What changes for comments of a group, in sentences: how often they are flagged before and after, and the verdict."""

from __future__ import annotations

import math
from collections.abc import Iterator

from evenhand.estimate import Estimate
from evenhand.finding import Status, Verdict
from evenhand.formatting import format_share, names_in_sentence
from evenhand.migration.judgements import (
    ChangeVerdict,
    comments_to_settle,
    distance_from_none,
    judge_ratio,
    largest_change,
)
from evenhand.migration.moves import GroupChange, ThresholdMove

REVIEW_GROUPS = (
    "Read newly flagged comments of these groups, and have people review them before removal. With labels, audit how "
    "the new model scores these groups (evenhand audit `groups`)."
)
MORE_COMMENTS = "Repeat with more comments of these groups before you assume that nothing changes for them."
STATUSES = {
    ChangeVerdict.LARGER: Status.STANDS_OUT,
    ChangeVerdict.RULED_OUT: Status.QUIET,
    ChangeVerdict.UNDETERMINED: Status.OPEN,
    ChangeVerdict.UNKNOWN: Status.OPEN,
}
ACTIONS = {ChangeVerdict.LARGER: REVIEW_GROUPS, ChangeVerdict.UNDETERMINED: MORE_COMMENTS}
ALSO = {
    ChangeVerdict.LARGER: "Also larger than the tolerance",
    ChangeVerdict.RULED_OUT: "Also ruled out beyond the tolerance",
    ChangeVerdict.UNDETERMINED: "Also undetermined",
    ChangeVerdict.UNKNOWN: "Also with no flagged comment before",
}


def group_verdicts(move: ThresholdMove, tolerance: float, comparisons: int) -> Iterator[Verdict]:
    """One verdict of each kind, with the largest change in full and the other groups by name."""
    by_verdict: dict[ChangeVerdict, list[GroupChange]] = {}
    for change in sorted(move.groups, key=lambda one: -distance_from_none(one.ratio)):
        by_verdict.setdefault(judge_ratio(change.ratio, tolerance), []).append(change)
    for verdict in ChangeVerdict:
        if changes := by_verdict.get(verdict):
            first, *others = changes
            named = names_in_sentence([", ".join(one.group.slice.values()) for one in others])
            yield Verdict(
                STATUSES[verdict],
                move.slice,
                group_sentence(first, tolerance, comparisons),
                f"{ALSO[verdict]}: {named}." if others else "",
                ACTIONS.get(verdict, ""),
            )


def group_sentence(change: GroupChange, tolerance: float, comparisons: int) -> str:
    """How often comments of a group are flagged before and after, and what that amounts to."""
    ratio, comments = change.ratio, change.group.comments
    if ratio.value is None or ratio.low is None or ratio.high is None:
        return (
            f"Of {ratio.n:,} {comments} none was flagged before and {format_share(change.after.value or 0.0)} are now, "
            "so there is no ratio."
        )
    shares = " against ".join(format_share(part.value or 0.0) for part in (change.after, change.before))
    allowing = f", allowing for {comparisons} comparisons" if comparisons > 1 else ""
    often = f"{comments[0].upper()}{comments[1:]} are flagged {_how_often(ratio.value)} before ({shares})"
    within = f"between {times(ratio.low)} and {times(ratio.high)} times as often{allowing}"
    verdict = judge_ratio(ratio, tolerance)
    if verdict is ChangeVerdict.LARGER:
        return f"{often}, a change larger than the tolerance of {tolerance:g}: {within}."
    if verdict is ChangeVerdict.RULED_OUT:
        most = times(largest_change(ratio), up=True)
        return f"{often}; a change by more than a factor of {most} is ruled out: {within}."
    undetermined = f"whether the change is larger than the tolerance of {tolerance:g} is undetermined"
    return f"{often}; {undetermined}: {within}. {_settling_sentence(ratio, tolerance)}"


def _how_often(ratio: float) -> str:
    return "as often as" if times(ratio) == "1" else f"{times(ratio)} times as often as"


def _settling_sentence(ratio: Estimate, tolerance: float) -> str:
    enough = comments_to_settle(ratio, tolerance)
    if math.isinf(enough):
        return f"With only {ratio.n:,} such comments, the number needed to settle it cannot be estimated."
    return f"About {enough:,} such comments would settle it; there are {ratio.n:,}."


def times(ratio: float, *, up: bool = False) -> str:
    """A ratio to three digits, rounded up where it is a bound."""
    if up:
        unit = 10.0 ** (math.floor(math.log10(ratio)) - 2)
        ratio = math.ceil(round(ratio / unit, 6)) * unit
    return f"{ratio:.3g}" if ratio < 1000.0 else f"{ratio:,.0f}"
