"""What a migration comes to in sentences: the threshold to set, why that one, what changes, and what to beware of."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from enum import StrEnum

from evenhand.catalogue import Measure
from evenhand.catalogue.migration import FLAG_RATE, NEW_THRESHOLD, NEWLY_FLAGGED, NO_LONGER_FLAGGED
from evenhand.catalogue.shared import FPR, PRECISION, RECALL
from evenhand.estimate import Estimate
from evenhand.finding import Reading, Slice, SliceKey, Status, Verdict
from evenhand.formatting import format_interval, format_number, format_share, signed_points, significant_digits
from evenhand.measures.decisions import DecisionTable
from evenhand.migration.group_sentences import group_sentence, group_verdicts
from evenhand.migration.judgements import judge_ratio, labels_to_settle
from evenhand.migration.moves import ThresholdMove
from evenhand.migration.score_log import ScoreLog
from evenhand.migration.settings import MigrationSettings

NEAR = 0.05  # share of the flagged comments by which a new threshold may miss their number and still keep it
KEPT_WORDS: dict[Measure, str] = {
    FLAG_RATE: "share of comments flagged",
    PRECISION: "precision",
    FPR: "false positive rate",
    RECALL: "recall",
}
SET_TOGETHER = "Configure it together with the model version: a threshold is valid only for that version."
LARGER_FILE = "Use a file with more comments, drawn at random from all scored comments, not only from flagged ones."
RETRAIN = "Have people review what it flags before removal, or train a model on your own comments."


class MigrationTopic(StrEnum):
    """What a reading is about."""

    GROUP = "group"  # how often its comments are flagged, before and after
    HELD_OUT = "held_out"  # the threshold of one half, checked on the other
    RECOMMENDED = "recommended"  # which threshold to take, and why


def migration_verdicts(log: ScoreLog, moves: Sequence[ThresholdMove], settings: MigrationSettings) -> Iterator[Verdict]:
    """For each threshold: what to set, what changes, and for whom."""
    comparisons = sum(len(move.groups) for move in moves)
    for move in moves:
        if move.recommended is None:
            yield _nothing_to_set(move)
        else:
            yield _threshold_to_set(log, move)
        if move.table is not None:
            yield Verdict(Status.MEASURED, move.slice, _change_sentence(move.table), held_out_sentence(move.held_out))
        yield from group_verdicts(move, settings.tolerance, comparisons)


def migration_readings(moves: Sequence[ThresholdMove], settings: MigrationSettings) -> Iterator[Reading]:
    """Why this threshold, whether it holds on other comments, and what changes in each group."""
    comparisons = sum(len(move.groups) for move in moves)
    for move in moves:
        if move.precision_change is not None:
            text = recommendation_sentence(move.precision_change, settings.precision_loss, kept=move.recommended)
            basis: Slice = {SliceKey.MATCHED: str(move.basis)}
            yield Reading({**move.slice, **basis}, text, topic=MigrationTopic.RECOMMENDED)
        yield Reading(move.slice, held_out_sentence(move.held_out), topic=MigrationTopic.HELD_OUT)
        for change in move.groups:
            slice_, text = change.group.slice, group_sentence(change, settings.tolerance, comparisons)
            verdict = judge_ratio(change.ratio, settings.tolerance)
            yield Reading({**move.slice, **slice_}, text, tendency=verdict, topic=MigrationTopic.GROUP)


def _nothing_to_set(move: ThresholdMove) -> Verdict:
    same = move.matched[FLAG_RATE]
    if same.value is None:
        statement = f"For an old threshold of {move.name} there is no new threshold: {same.note}."
        return Verdict(Status.OPEN, move.slice, statement, action=LARGER_FILE)
    statement = f"For an old threshold of {move.name} no new threshold is recommended: {move.matched[PRECISION].note}."
    keeping = f"{_threshold_text(same)} keeps the {KEPT_WORDS[FLAG_RATE]}, with less precision."
    return Verdict(Status.OPEN, move.slice, statement, keeping, RETRAIN)


def _threshold_to_set(log: ScoreLog, move: ThresholdMove) -> Verdict:
    assert move.table is not None
    assert move.new.value is not None
    before, now = (format_share(part / move.table.items) for part in (move.table.old, move.table.new))
    missed = move.basis == FLAG_RATE and not _is_kept(move.table)
    effect = f"{'comes nearest to' if missed else 'keeps'} the {KEPT_WORDS[move.basis]}"
    value = format_number(NEW_THRESHOLD, move.new.value)
    statement = f"Replace the threshold {move.name} by {value}: it {effect} ({now} flagged, {before} before)."
    low, high = (format_number(NEW_THRESHOLD, end or 0.0) for end in (move.new.low, move.new.high))
    left = format_share(float((log.new >= move.old).mean()))
    certainty = (
        f"The {100.0 * move.new.level:g} % interval of the new threshold is {low} to {high}. "
        f"At {move.name}, the new model would flag {left}."
    )
    return Verdict(Status.MEASURED, move.slice, statement, certainty, SET_TOGETHER)


def _is_kept(table: DecisionTable) -> bool:
    """Whether as many comments are flagged as before, nearly."""
    return abs(table.new - table.old) <= max(1.0, NEAR * table.old)


def _threshold_text(estimate: Estimate) -> str:
    value = format_number(NEW_THRESHOLD, estimate.value or 0.0)
    return f"{value} ({format_interval(NEW_THRESHOLD, estimate)})"


def _change_sentence(table: DecisionTable) -> str:
    shares = {NEWLY_FLAGGED: table.new_only / table.items, NO_LONGER_FLAGGED: table.old_only / table.items}
    newly, no_longer = (format_number(measure, share).split()[0] for measure, share in shares.items())
    return (
        f"Of 1,000 comments, {newly} are newly flagged and {no_longer} are no longer flagged; "
        f"{format_share(table.both / table.old)} of the comments flagged before are still flagged."
    )


def held_out_sentence(change: Estimate | None) -> str:
    """Whether a threshold that was fitted on one half flags the same share of the other."""
    if change is None or change.value is None or change.low is None or change.high is None:
        why = f": {change.note}" if change and change.note else ""
        return f"The threshold could not be checked on other comments{why}."
    by, low, high = (signed_points(part) for part in (change.value, change.low, change.high))
    same = change.low <= 0.0 <= change.high
    share = "the same share of the other half, within the interval" if same else "a different share of the other half"
    return f"Fitted on half of the comments, the threshold flags {share}: {by} percentage points ({low} to {high})."


def recommendation_sentence(change: Estimate, tolerated: float, *, kept: Measure | None) -> str:
    """Why the flag rate is kept, or the precision, from how precision changes when the flag rate is kept."""
    if change.value is None or change.low is None or change.high is None:
        return f"The labels do not show which threshold is better: {change.note}."
    by, low, high = (signed_points(part) for part in (change.value, change.low, change.high))
    most = f"{significant_digits(100.0 * tolerated, 2)} percentage points"
    with_same = f"With the same {KEPT_WORDS[FLAG_RATE]}, precision changes by {by} percentage points ({low} to {high})"
    if change.high < -tolerated:
        advice = "no threshold keeps the precision" if kept is None else "use the threshold that keeps the precision"
        return f"{with_same}, a loss larger than the tolerance of {most}: {advice}."
    if change.low >= -tolerated:
        return f"{with_same}: a loss of more than {most} is ruled out, so keep the share of comments flagged."
    enough = labels_to_settle(change, tolerated)
    settling = "" if math.isinf(enough) else f" (about {enough:,} labelled comments would settle it)"
    return (
        f"{with_same}: whether the loss exceeds {most} is undetermined, so keep the share of comments flagged and "
        f"label more{settling}."
    )


def migration_caveats(log: ScoreLog, moves: Sequence[ThresholdMove]) -> Iterator[str]:
    """What every number rests on, and what is odd about this file."""
    yield (
        "The results apply to comments like those in this file, which should be a random sample of all scored comments "
        "and not only of those that were flagged, reported or appealed."
    )
    yield (
        "A threshold that keeps the share of flagged comments still flags different comments: check which are newly "
        "flagged, and for whom."
    )
    if log.label is None:
        yield "Without labels, nothing shows which model is right: `label` adds precision, recall and false positives."
    for move in moves:
        table = move.tables.get(FLAG_RATE)
        if table is not None and not _is_kept(table):
            shares = " instead of ".join(format_share(part / table.items) for part in (table.new, table.old))
            yield (
                f"For an old threshold of {move.name} no new one flags exactly the same share, because many comments "
                f"have the same new score: {shares}."
            )
    yield from log.notes
