"""The sentences about scores: is 35 % really 35 %? Where not, in which direction, how certain that is, what to do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evenhand.audits.calibration.score_regions import (
    RegionVerdict,
    ScoreRegion,
    empty_regions,
    region_verdicts,
    tolerance_of,
)
from evenhand.audits.quantities import FEWEST_ITEMS
from evenhand.audits.tolerance import Comparison, difference_tolerance, round_labels
from evenhand.catalogue.calibration import OBSERVED_SHARE
from evenhand.evidence.scales import VIOLATING
from evenhand.finding import Finding, Slice, Status, Verdict
from evenhand.formatting import format_share, names_in_sentence

CALIBRATE = (
    "Calibrate on labelled items that were not used for training: evenhand calibrate file writes calibrated scores in "
    "one step, evenhand calibrate compare shows which calibrator is best. Until then, use the scores for ranking, not "
    "as probabilities."
)
LABEL_MORE = "Label more items with scores in the regions with the widest intervals."
MOST_SENTENCES = 3  # one for each region; the others are listed
DIRECTIONS = {Comparison.HIGHER: "too low", Comparison.LOWER: "too high"}  # of scores, by what is observed


def region_statements(finding: Finding, named: Slice) -> Iterator[Verdict]:
    """What is beyond the tolerance, by direction, the most items times gap first; undetermined; ruled out."""
    verdicts = region_verdicts(finding, named)
    directions = [one.comparison for one in verdicts if one.comparison in DIRECTIONS]
    for comparison in dict.fromkeys(directions):
        beyond = [one for one in verdicts if one.comparison is comparison]
        yield Verdict(Status.STANDS_OUT, named, _beyond(beyond), _together(finding), CALIBRATE)
    undetermined = [one for one in verdicts if one.comparison is Comparison.UNDETERMINED]
    if undetermined:
        statement = _undetermined(undetermined, verdicts)
        yield Verdict(Status.OPEN, named, statement, _labels_needed(finding, undetermined), LABEL_MORE)
    ruled_out = [one for one in verdicts if one.comparison is Comparison.RULED_OUT]
    if ruled_out:
        yield Verdict(Status.QUIET, named, _ruled_out(finding, ruled_out), _together(finding))
    if empty := empty_regions(finding, named):
        yield Verdict(Status.OPEN, named, _empty(empty))


def region_words(region: ScoreRegion) -> str:
    """30 to 40 %."""
    return f"{100.0 * region.low:g} to {100.0 * region.high:g} %"


def _subject(one: RegionVerdict) -> str:
    of_class = "" if one.class_name == VIOLATING else f" for class '{one.class_name}'"
    if one.region.is_whole:
        return f"all items together{of_class}"
    return f"items scored {region_words(one.region)}{of_class}"


def _verb(one: RegionVerdict) -> str:
    return "violate" if one.class_name == VIOLATING else "belong to it"


def _span(one: RegionVerdict) -> str:
    """The interval in words: one unit for both ends."""
    low, high = one.observed.low or 0.0, one.observed.high or 0.0
    return f"{format_share(low).removesuffix(' %')} to {format_share(high)}"


def _beyond(verdicts: Sequence[RegionVerdict]) -> str:
    """A sentence for each of the first regions, the others in one; what all items come to is said last."""
    regions, whole = ([one for one in verdicts if one.region.is_whole is is_whole] for is_whole in (False, True))
    sentences = [_sentence(one) for one in regions[:MOST_SENTENCES]]
    if others := regions[MOST_SENTENCES:] + whole[1:]:
        named = ", ".join(f"{_subject(one).removeprefix('items scored ')} ({_amount(one)})" for one in others)
        sentences.append(f"Scores are also {DIRECTIONS[others[0].comparison]} at {named}.")
    return " ".join((*sentences, *map(_sentence, whole[:1])))


def _sentence(one: RegionVerdict) -> str:
    subject, way = _subject(one), DIRECTIONS[one.comparison]
    share = f"{_verb(one)} {_amount(one)} of the time ({_span(one)})"
    return f"{subject[0].upper()}{subject[1:]}, {format_share(one.stated)} on average, {share}: scores are {way}."


def _amount(one: RegionVerdict) -> str:
    return format_share(one.observed.value or 0.0)


def _together(finding: Finding) -> str:
    """What the intervals hold for."""
    regions = sum(m.measure == OBSERVED_SHARE and m.estimate.n >= FEWEST_ITEMS for m in finding)
    return f"{100.0 * finding.estimates[0].estimate.level:g} % confidence, allowing for {regions:,} comparisons."


def _undetermined(undetermined: Sequence[RegionVerdict], verdicts: Sequence[RegionVerdict]) -> str:
    """How many regions, and those with the most items."""
    regions = [one for one in undetermined if not one.region.is_whole]
    largest = sorted(regions or undetermined, key=lambda one: -one.items)[:MOST_SENTENCES]
    named = "; ".join(
        f"{_subject(one)}, {format_share(one.stated)} on average, {_verb(one)} {_span(one)} of the time"
        + (f" (fewer than {FEWEST_ITEMS} items)" if one.items < FEWEST_ITEMS else "")
        for one in largest
    )
    if not regions:
        return f"Undetermined over all items: {named}."
    whole = sum(not one.region.is_whole for one in verdicts)
    return f"Undetermined for {len(regions)} of {whole} regions of scores: {named}."


def _labels_needed(finding: Finding, verdicts: Sequence[RegionVerdict]) -> str:
    """What would settle the one that needs the fewest labels."""
    tolerance = tolerance_of(finding)
    known = [one for one in verdicts if one.items >= FEWEST_ITEMS]
    needed = [(labels, one) for one in known if (labels := one.more_labels(tolerance)) is not None]
    if not needed:
        return ""
    labels, one = min(needed, key=lambda pair: pair[0])
    subject, what = _subject(one), "that region"
    if one.region.is_whole:
        subject, what = subject.replace("all items together", "items of all scores"), "the whole"
    return f"About {round_labels(labels):,} more labels of {subject} would settle {what}, if the estimate is correct."


def _ruled_out(finding: Finding, verdicts: Sequence[RegionVerdict]) -> str:
    """By class: for which regions."""
    tolerance, by_class = tolerance_of(finding), dict[str, list[RegionVerdict]]()
    for one in sorted(verdicts, key=lambda one: (one.region.is_whole, one.region)):
        by_class.setdefault(one.class_name, []).append(one)
    parts = []
    for name, regions in by_class.items():
        scored = [region_words(one.region) for one in regions if not one.region.is_whole]
        listed = [f"items scored {names_in_sentence(scored, len(scored))}"] if scored else []
        listed += ["all items together"] if len(scored) < len(regions) else []
        of_class = "" if name == VIOLATING else f" for class '{name}'"
        parts.append(f"{' and for '.join(listed)}{of_class}")
    return f"{_tolerated(tolerance)} is ruled out for {'; for '.join(parts)}."


def _tolerated(tolerance: float) -> str:
    if tolerance > 1.0:
        least = f"{1.0 / tolerance:.2g}"
        return f"A share observed that is more than {tolerance:g} times the mean score, or less than {least} times,"
    points = f"{100.0 * difference_tolerance(tolerance):g} percentage points"
    return f"A distance of more than {points} between the mean score and the share observed"


def _empty(empty: dict[str, list[ScoreRegion]]) -> str:
    """Of several classes: those of each."""
    parts = []
    for name, regions in empty.items():
        of_class = "" if name == VIOLATING else f" for class '{name}'"
        parts.append(f"{names_in_sentence([region_words(one) for one in regions], len(regions))}{of_class}")
    return f"No item is scored {'; '.join(parts)}: nothing is known there."
