"""What the numbers of a group say, in words, after the shapes A to G of the paper's Table 2.

A sign counts only where it stands out among everything looked at and is large enough to matter.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from evenhand.estimate import Estimate
from evenhand.tally import Sample, Split

AUC_MARGIN = 0.02  # an AUC this far below the overall one
GAP_MARGIN = 0.05  # an average equality gap this far from 0
WIDE = 1.25  # ranks scattered by so much more than those of equals,
SURE = 4.0  # and by so many standard errors

SHAPES = {
    "A": "a shift of scores, too small to mix up items",
    "B": "a shift to higher scores, large enough to mix up items",
    "C": "a shift to higher scores, large enough to mix up items, with many violating items in the group",
    "D": "a shift to lower scores, large enough to mix up items",
    "E": "low separability within the group",
    "F": "a wide range of scores without overlap",
    "G": "a wide range of scores with overlap",
}


@dataclass(frozen=True)
class Signs:
    """What stands out about one group."""

    estimates: dict[str, Estimate]
    overall_auc: float  # of everybody annotated for the group
    wide: bool = False  # scores scatter more than those of the background, in both classes
    skewed: bool = False  # far more violating items than elsewhere

    def lowered(self, name: str) -> bool:
        """An AUC clearly below the overall one."""
        e = self.estimates[name]
        return e.value is not None and "stands_out" in e.flags and e.value < self.overall_auc - AUC_MARGIN

    def moved(self, name: str) -> int:
        """+1 scored clearly higher than the background, -1 lower, 0 neither."""
        e = self.estimates[name]
        if e.value is None or "stands_out" not in e.flags or abs(e.value) < GAP_MARGIN:
            return 0
        return 1 if e.value > 0 else -1

    @property
    def direction(self) -> int:
        """+1 scored higher, -1 lower, as far as the gaps that count say; 0 when they say nothing or both."""
        together = self.moved("negative_aeg") + self.moved("positive_aeg")
        return (together > 0) - (together < 0)

    def along(self, least: float) -> bool:
        """Whether both gaps reach so far in the direction of those that count, certain or not."""
        gaps = (self.estimates["negative_aeg"].value, self.estimates["positive_aeg"].value)
        return all(gap is not None and gap * self.direction >= least for gap in gaps)


def shape(signs: Signs) -> str | None:
    """The letter of the shape that the numbers look like; None when nothing stands out, or no shape fits."""
    negative, positive = signs.moved("negative_aeg"), signs.moved("positive_aeg")
    if negative > 0 > positive:
        return "E"
    if signs.direction and not signs.along(GAP_MARGIN):  # one class moved, the other did not
        if signs.lowered("subgroup_auc") and (negative > 0 or positive < 0):
            return "E"
        mixed_up = signs.lowered("bpsn_auc" if signs.direction > 0 else "bnsp_auc")
        return "A" if signs.along(-GAP_MARGIN) and not mixed_up else None
    if signs.direction > 0:
        large = "C" if signs.skewed else "B"
        return large if signs.lowered("bpsn_auc") else "A"
    if signs.direction < 0:
        return "D" if signs.lowered("bnsp_auc") else "A"
    if signs.lowered("subgroup_auc"):
        return "G"
    return "F" if signs.wide and negative == positive == 0 else None


def widest_by_chance(split: Split, *, violating: bool) -> float:
    """The spread of ranks up to which a group may be like its background (see `rank_spread`).

    For equals 12 (rank - 1/2)² has mean 1 and variance 4/5.
    """
    sizes = [split.sample(Sample(inside=inside, violating=violating)).total.count for inside in (True, False)]
    return max(WIDE, 1.0 + SURE * math.sqrt(0.8 * sum(1.0 / size for size in sizes if size)))


def tendency(signs: Signs, letter: str | None) -> str | None:
    """In one word: scored `higher` or `lower` than the background, or told `apart` less well or more widely."""
    if letter in ("E", "F", "G"):
        return "apart"
    return {1: "higher", -1: "lower", 0: None}[signs.direction]


def in_words(signs: Signs, letter: str | None) -> str:
    """Two or three sentences for a report."""
    if all(not e.defined for e in signs.estimates.values()):
        return "Nothing can be said: " + str(next(iter(signs.estimates.values())).note) + "."
    sentences = [_shift(signs), *_consequences(signs), *_at_threshold(signs)]
    if letter:
        sentences.append(f"It looks like shape {letter}: {SHAPES[letter]}.")
    if any("small" in e.flags for e in signs.estimates.values()):
        sentences.append("The group is small: read the intervals, not the values.")
    return " ".join(sentences)


def _shift(signs: Signs) -> str:
    words = {1: "scored higher than elsewhere", -1: "scored lower than elsewhere", 0: "not clearly scored differently"}
    negative, positive = signs.moved("negative_aeg"), signs.moved("positive_aeg")
    if negative == positive == 0:
        return "Benign and violating items of the group are scored much as elsewhere, as far as these items can tell."
    if negative == positive:
        return f"Benign and violating items of the group are both {words[negative]}."
    return f"Benign items of the group are {words[negative]}, its violating items are {words[positive]}."


def _consequences(signs: Signs) -> list[str]:
    sentences = []
    if signs.lowered("bpsn_auc"):
        sentences.append(
            f"In {_misses(signs, 'bpsn_auc')} of 100 pairs a benign item of the group is ranked above a violating item "
            "from elsewhere: one threshold for all means more false alarms here."
        )
    if signs.lowered("bnsp_auc"):
        sentences.append(
            f"In {_misses(signs, 'bnsp_auc')} of 100 pairs a violating item of the group is ranked below a benign item "
            "from elsewhere: one threshold for all means more misses here."
        )
    if signs.lowered("subgroup_auc"):
        sentences.append(
            f"Within the group the model tells violating from benign less well: {_misses(signs, 'subgroup_auc')} of "
            f"100 pairs are in the wrong order, overall {_count(1.0 - signs.overall_auc)}."
        )
    return sentences


def _at_threshold(signs: Signs) -> list[str]:
    found = []
    for gap, rate, items in (("fpr_gap", "fpr", "benign"), ("tpr_gap", "tpr", "violating")):
        difference, own = signs.estimates[gap], signs.estimates[rate]
        if difference.value is None or own.value is None:
            continue
        if "stands_out" in difference.flags and abs(difference.value) >= AUC_MARGIN:
            found.append(f"{own.value:.0%} of its {items} items (elsewhere {own.value + difference.value:.0%})")
    return [f"At the threshold the model flags {' and '.join(found)}."] if found else []


def _misses(signs: Signs, name: str) -> str:
    value = signs.estimates[name].value
    assert value is not None
    return _count(1.0 - value)


def _count(share: float) -> str:
    hundred = 100.0 * share
    return f"{hundred:.0f}" if hundred >= 1.0 else f"{hundred:.1g}"
