"""What the numbers of a group say, in words, after the shapes A to G of the paper's Table 2.

A sign counts only where it stands out among everything looked at and is large enough to matter.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from evenhand.estimate import Estimate
from evenhand.measures import bias
from evenhand.tally import Sample, Split

AUC_MARGIN = 0.02  # an AUC this far below the overall one
GAP_MARGIN = 0.05  # an average equality gap this far from 0
WIDE = 1.25  # ranks scattered by so much more than those of equals,
SURE = 4.0  # and by so many standard errors

AUCS = tuple(comparison.name for comparison in bias.AUCS)
SHAPES = {
    "A": "a shift that hardly mixes up items, though rates at a threshold may differ",
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

    @property
    def contradicted(self) -> bool:
        """A gap that does not count points far the other way than those that do."""
        gaps = (self.estimates["negative_aeg"].value, self.estimates["positive_aeg"].value)
        return any(gap is not None and gap * self.direction <= -GAP_MARGIN for gap in gaps)

    @property
    def ranks_hold(self) -> bool:
        """No AUC is below the overall one by more than the margin, certain or not."""
        values = [self.estimates[name].value for name in AUCS]
        return all(value is not None and value >= self.overall_auc - AUC_MARGIN for value in values)


def shape(signs: Signs) -> str | None:
    """The letter of the shape that the numbers look like; None when nothing stands out, or no shape fits."""
    negative, positive = signs.moved("negative_aeg"), signs.moved("positive_aeg")
    closer = negative > 0 >= positive or positive < 0 <= negative  # the two classes moved towards one another
    if closer and signs.lowered("subgroup_auc"):
        return "E"
    if negative == positive == 1 and signs.lowered("bpsn_auc"):
        return "C" if signs.skewed else "B"
    if negative == positive == -1 and signs.lowered("bnsp_auc"):
        return "D"
    if signs.direction:
        return "A" if signs.ranks_hold and not signs.contradicted else None
    if negative == positive == 0:
        if signs.lowered("subgroup_auc"):
            return "G"
        return "F" if signs.wide and not any(signs.lowered(name) for name in AUCS) else None
    return None


def widest_by_chance(split: Split, *, violating: bool) -> float:
    """The spread of ranks up to which a group may be like its background (see `rank_spread`).

    For equals 12 (rank - 1/2)² has mean 1 and variance 4/5.
    """
    sizes = [split.sample(Sample(inside=inside, violating=violating)).total.count for inside in (True, False)]
    return max(WIDE, 1.0 + SURE * math.sqrt(0.8 * sum(1.0 / size for size in sizes if size)))


def tendency(signs: Signs, letter: str | None) -> str | None:
    """In one word: scored `higher` or `lower` than others, told `apart` less well or more widely, or `better`."""
    if letter in ("E", "F", "G"):
        return "apart"
    if signs.moved("negative_aeg") < 0 < signs.moved("positive_aeg"):
        return "better"
    if signs.moved("positive_aeg") < 0 < signs.moved("negative_aeg"):
        return "apart"
    return {1: "higher", -1: "lower", 0: None}[signs.direction]


def in_words(signs: Signs, letter: str | None) -> str:
    """Two or three sentences for a report."""
    sentences = [_shift(signs), *_consequences(signs), *_at_threshold(signs)]
    if letter:
        sentences.append(f"It looks like shape {letter}: {SHAPES[letter]}.")
    if "small" in signs.estimates["count"].flags:
        sentences.append("The group is small: read the intervals, not the values.")
    elif any("small" in e.flags for e in signs.estimates.values()):
        sentences.append("Some of its numbers rest on few items: they are marked.")
    return " ".join(sentences)


def _shift(signs: Signs) -> str:
    words = {1: "scored higher than elsewhere", -1: "scored lower than elsewhere", 0: "not clearly scored differently"}
    negative, positive = signs.moved("negative_aeg"), signs.moved("positive_aeg")
    if negative == positive == 0:
        return _unmoved([signs.estimates[name] for name in ("negative_aeg", "positive_aeg")])
    if negative == positive:
        return f"Benign and violating items of the group are both {words[negative]}."
    return f"Benign items of the group are {words[negative]}, its violating items are {words[positive]}."


def _unmoved(gaps: list[Estimate]) -> str:
    if not any(gap.defined for gap in gaps):
        return f"How its items are scored beside others cannot be said: {gaps[0].note}."
    sure = [kind for kind, gap in zip(("benign", "violating"), gaps, strict=True) if "stands_out" in gap.flags]
    if sure:
        which = f"Its {' and '.join(sure)} items"
        return f"{which} are scored differently from elsewhere, surely but little: by a gap below {GAP_MARGIN:g}."
    return "On average neither benign nor violating items of the group are clearly scored differently."


def _consequences(signs: Signs) -> list[str]:
    sentences = []
    if signs.lowered("bpsn_auc"):
        meaning = ": one threshold for all means more false alarms here" if signs.moved("negative_aeg") > 0 else ""
        sentences.append(
            f"In {_misses(signs, 'bpsn_auc')} of 100 pairs a benign item of the group is ranked above a violating item "
            f"from elsewhere{meaning}."
        )
    if signs.lowered("bnsp_auc"):
        meaning = ": one threshold for all means more misses here" if signs.moved("positive_aeg") < 0 else ""
        sentences.append(
            f"In {_misses(signs, 'bnsp_auc')} of 100 pairs a violating item of the group is ranked below a benign item "
            f"from elsewhere{meaning}."
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
            elsewhere = _percent(own.value + difference.value)
            found.append(f"{_percent(own.value)} of its {items} items (elsewhere {elsewhere})")
    return [f"At the threshold the model flags {' and '.join(found)}."] if found else []


def _percent(share: float) -> str:
    """With as many digits as keep something from looking like nothing, and nearly all from looking like all."""
    digits = next((d for d in range(4) if 0.0 < round(share, d + 2) < 1.0), 0)
    return f"{100.0 * share:.{digits}f}%"


def _misses(signs: Signs, name: str) -> str:
    value = signs.estimates[name].value
    assert value is not None
    return _count(1.0 - value)


def _count(share: float) -> str:
    hundred = 100.0 * share
    return f"{hundred:.0f}" if hundred >= 1.0 else f"{hundred:.1g}"
