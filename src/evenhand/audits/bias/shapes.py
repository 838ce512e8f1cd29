"""What the numbers of a group say: the shapes A to G of the paper's Table 2, a direction, and sentences.

A sign counts only where it is beyond chance among everything measured and large enough to matter.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from evenhand.audits.bias.quantities import GROUP_QUANTITIES
from evenhand.audits.views import View, Views, model_slice
from evenhand.catalogue.bias import BNSP_AUC, BPSN_AUC, FPR_GAP, NEGATIVE_AEG, POSITIVE_AEG, SUBGROUP_AUC, TPR_GAP
from evenhand.catalogue.shared import COUNT, FPR, POSITIVE_SHARE, TPR
from evenhand.errors import Undefined
from evenhand.estimate import Estimate
from evenhand.finding import Finding, Reading, Slice, SliceKey
from evenhand.measures import bias
from evenhand.measures.bias import rank_spread
from evenhand.tally import GroupSample, Split

AUC_MARGIN = 0.02  # an AUC this far below the overall one
GAP_MARGIN = 0.05  # an average equality gap this far from 0
WIDE_SPREAD = 1.25  # ranks scattered by so much more than those of equals,
SPREAD_STANDARD_ERRORS = 4.0  # and by so many standard errors

AUC_NAMES = tuple(comparison.name for comparison in bias.AUCS)


class BiasTendency(StrEnum):
    """Which way the numbers of a group point, beside those of others."""

    HIGHER = "higher"  # scored higher
    LOWER = "lower"  # scored lower
    APART = "apart"  # told apart less well
    BETTER = "better"  # told apart better
    WIDER = "wider"  # scored more widely, and told apart no less well


class ScoreShape(StrEnum):
    """The patterns of the paper's Table 2."""

    A = "A"
    B = "B"
    C = "C"
    D = "D"
    E = "E"
    F = "F"
    G = "G"


SHAPES = {
    ScoreShape.A: "a shift that hardly changes the ranking, although rates at a threshold may differ",
    ScoreShape.B: "a shift to higher scores, large enough to change the ranking",
    ScoreShape.C: "a shift to higher scores, large enough to change the ranking, in a group with many violating items",
    ScoreShape.D: "a shift to lower scores, large enough to change the ranking",
    ScoreShape.E: "low separability within the group",
    ScoreShape.F: "a wide range of scores without overlap",
    ScoreShape.G: "a wide range of scores with overlap",
}


@dataclass(frozen=True)
class GroupSigns:
    """The significant differences of one group."""

    estimates: dict[str, Estimate]
    overall_auc: float  # of everybody annotated for the group
    wide: bool = False  # scores scatter more than those of the background, in both classes
    skewed: bool = False  # far more violating items than elsewhere

    def lowered(self, name: str) -> bool:
        """An AUC clearly below the overall one."""
        e = self.estimates[name]
        return e.value is not None and e.stands_out and e.value < self.overall_auc - AUC_MARGIN

    def moved(self, name: str) -> int:
        """+1 scored clearly higher than the background, -1 lower, 0 neither."""
        e = self.estimates[name]
        if e.value is None or not e.stands_out or abs(e.value) < GAP_MARGIN:
            return 0
        return 1 if e.value > 0 else -1

    @property
    def direction(self) -> int:
        """+1 scored higher, -1 lower, as far as the gaps that count say; 0 when they say nothing or both."""
        together = self.moved(NEGATIVE_AEG) + self.moved(POSITIVE_AEG)
        return (together > 0) - (together < 0)

    @property
    def contradicted(self) -> bool:
        """A gap that does not count points far the other way than those that do."""
        gaps = (self.estimates[NEGATIVE_AEG].value, self.estimates[POSITIVE_AEG].value)
        return any(gap is not None and gap * self.direction <= -GAP_MARGIN for gap in gaps)

    @property
    def ranks_hold(self) -> bool:
        """No AUC is below the overall one by more than the margin, certain or not."""
        values = [self.estimates[name].value for name in AUC_NAMES]
        return all(value is not None and value >= self.overall_auc - AUC_MARGIN for value in values)


def recognise_shape(signs: GroupSigns) -> ScoreShape | None:
    """The letter of the shape that the numbers look like; None when nothing stands out, or no shape fits."""
    negative, positive = signs.moved(NEGATIVE_AEG), signs.moved(POSITIVE_AEG)
    closer = negative > 0 >= positive or positive < 0 <= negative  # the two classes moved towards one another
    if closer and signs.lowered(SUBGROUP_AUC):
        return ScoreShape.E
    if negative == positive == 1 and signs.lowered(BPSN_AUC):
        return ScoreShape.C if signs.skewed else ScoreShape.B
    if negative == positive == -1 and signs.lowered(BNSP_AUC):
        return ScoreShape.D
    if signs.direction:
        return ScoreShape.A if signs.ranks_hold and not signs.contradicted else None
    if negative == positive == 0:
        if signs.lowered(SUBGROUP_AUC):
            return ScoreShape.G
        return ScoreShape.F if signs.wide and not any(signs.lowered(name) for name in AUC_NAMES) else None
    return None


def widest_spread_by_chance(split: Split, *, violating: bool) -> float:
    """The spread of ranks up to which a group may be like its background (see `rank_spread`).

    For equals 12 (rank - 1/2)² has mean 1 and variance 4/5.
    """
    sizes = [split.sample(GroupSample(inside=inside, violating=violating)).total.count for inside in (True, False)]
    return max(WIDE_SPREAD, 1.0 + SPREAD_STANDARD_ERRORS * math.sqrt(0.8 * sum(1.0 / size for size in sizes if size)))


def name_tendency(signs: GroupSigns, letter: ScoreShape | None) -> BiasTendency | None:
    """In one word."""
    if letter == ScoreShape.F:
        return BiasTendency.WIDER
    if letter in (ScoreShape.E, ScoreShape.G):
        return BiasTendency.APART
    if signs.moved(NEGATIVE_AEG) < 0 < signs.moved(POSITIVE_AEG):
        return BiasTendency.BETTER
    if signs.moved(POSITIVE_AEG) < 0 < signs.moved(NEGATIVE_AEG):
        return BiasTendency.APART
    return {1: BiasTendency.HIGHER, -1: BiasTendency.LOWER, 0: None}[signs.direction]


def describe_group(signs: GroupSigns, letter: ScoreShape | None) -> str:
    """Two or three sentences for a report."""
    sentences = [_shift(signs), *_consequences(signs), *_at_threshold(signs)]
    if letter:
        sentences.append(f"The scores resemble shape {letter}: {SHAPES[letter]}.")
    if signs.estimates[COUNT].small:
        sentences.append("The group is small: rely on the intervals, not on the point estimates.")
    elif any(e.small for e in signs.estimates.values()):
        sentences.append("Some of its estimates are based on few items; they are marked.")
    return " ".join(sentences)


def _shift(signs: GroupSigns) -> str:
    words = {1: "are scored higher", -1: "are scored lower"}
    negative, positive = signs.moved(NEGATIVE_AEG), signs.moved(POSITIVE_AEG)
    if negative == positive == 0:
        return _unmoved([signs.estimates[name] for name in (NEGATIVE_AEG, POSITIVE_AEG)])
    if negative == positive:
        return f"Both benign and violating items in the group {words[negative]} than other items with the same label."
    benign, violating = (
        f"{kind} items in the group "
        + (f"{words[moved]} than other {kind} items" if moved else _not_moved(signs.estimates[gap], kind))
        for kind, gap, moved in (("benign", NEGATIVE_AEG, negative), ("violating", POSITIVE_AEG, positive))
    )
    return f"{benign.capitalize()}; {violating}."


def _not_moved(gap: Estimate, kind: str) -> str:
    """Of one class, where only the other has moved."""
    if not gap.defined:
        return f"cannot be compared: {gap.note}"
    if gap.stands_out:
        return f"differ from other {kind} items, statistically significantly but little (a gap below {GAP_MARGIN:g})"
    return f"show no statistically significant difference from other {kind} items"


def _unmoved(gaps: list[Estimate]) -> str:
    if not any(gap.defined for gap in gaps):
        return f"Scores in the group cannot be compared with those of other items: {gaps[0].note}."
    kinds = [kind for kind, gap in zip(("benign", "violating"), gaps, strict=True) if gap.stands_out]
    if kinds:
        return (
            f"The scores of {' and '.join(kinds)} items in the group differ from those of other items: statistically "
            f"significant but small (a gap below {GAP_MARGIN:g})."
        )
    return (
        "No statistically significant difference between the scores of items in the group and other items, benign or "
        "violating."
    )


EXPECTED_ERRORS = "; with one threshold for all items, expect more {} in the group"


def _consequences(signs: GroupSigns) -> list[str]:
    sentences = []
    if signs.lowered(BPSN_AUC):
        meaning = EXPECTED_ERRORS.format("false positives") if signs.moved(NEGATIVE_AEG) > 0 else ""
        sentences.append(
            f"In {_misses(signs, BPSN_AUC)} of 100 pairs, a benign item in the group is ranked above a violating item "
            f"outside it{meaning}."
        )
    if signs.lowered(BNSP_AUC):
        meaning = EXPECTED_ERRORS.format("false negatives") if signs.moved(POSITIVE_AEG) < 0 else ""
        sentences.append(
            f"In {_misses(signs, BNSP_AUC)} of 100 pairs, a violating item in the group is ranked below a benign item "
            f"outside it{meaning}."
        )
    if signs.lowered(SUBGROUP_AUC):
        sentences.append(
            f"Within the group, the model separates violating from benign items less well: "
            f"{_misses(signs, SUBGROUP_AUC)} of 100 pairs are ranked in the wrong order, compared with "
            f"{_count(1.0 - signs.overall_auc)} overall."
        )
    return sentences


def _at_threshold(signs: GroupSigns) -> list[str]:
    rates = []
    for gap, rate, items in ((FPR_GAP, FPR, "benign"), (TPR_GAP, TPR, "violating")):
        difference, own = signs.estimates[gap], signs.estimates[rate]
        if difference.value is None or own.value is None:
            continue
        if difference.stands_out and abs(difference.value) >= AUC_MARGIN:
            others = _percent(own.value + difference.value)
            rates.append(f"{_percent(own.value)} of {items} items in the group ({others} of other {items} items)")
    return [f"At the threshold, the model flags {' and '.join(rates)}."] if rates else []


def _percent(share: float) -> str:
    """With as many digits as keep something from looking like nothing, and nearly all from looking like all."""
    digits = next((d for d in range(4) if 0.0 < round(share, d + 2) < 1.0), 0)
    return f"{100.0 * share:.{digits}f} %"


def _misses(signs: GroupSigns, name: str) -> str:
    value = signs.estimates[name].value
    assert value is not None
    return _count(1.0 - value)


def _count(share: float) -> str:
    hundred = 100.0 * share
    return f"{hundred:.0f}" if hundred >= 1.0 else f"{hundred:.1g}"


def bias_readings(finding: Finding, views: Views) -> Iterator[Reading]:
    """What the numbers of every group say, model by model."""
    for model, view in views.items():
        named = model_slice(views, model)
        for group in view.tally.groups:
            slice_ = {**named, SliceKey.GROUP: group}
            estimates = {q.name: finding.get(q.name, **slice_) for q in GROUP_QUANTITIES}
            try:
                reference = view.reference(group).value
            except Undefined:
                yield Reading(slice_, "No result: all items annotated for the group have the same label.")
                continue
            signs = GroupSigns(
                estimates, reference, wide=_is_wide(view, group), skewed=_is_skewed(finding, named, group)
            )
            letter = recognise_shape(signs)
            yield Reading(slice_, describe_group(signs, letter), letter, name_tendency(signs, letter))


def _is_wide(view: View, group: str) -> bool:
    """Whether ranks scatter clearly more widely than those of the background, in both classes."""
    split = view.split(group)
    try:
        return all(rank_spread(split, violating=v) > widest_spread_by_chance(split, violating=v) for v in (True, False))
    except Undefined:
        return False


def _is_skewed(finding: Finding, named: Slice, group: str) -> bool:
    """Mostly violating items, and by far more so than everyone."""
    own = finding.get(POSITIVE_SHARE, **named, group=group).value
    everyone = finding.get(POSITIVE_SHARE, **named).value
    return own is not None and everyone is not None and own >= max(0.5, everyone + 0.2)
