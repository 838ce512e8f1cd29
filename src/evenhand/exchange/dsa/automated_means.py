"""Table 8: accuracy, precision and recall of automated means, from a labelled sample; an empty cell says why.

A value is given only where the part has its own labels, enough of them, and where the labelled items are those of the
reporting period. Rates about notices come only from a sample of notices.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from evenhand.audits.accuracy.blind_spots import published_estimate
from evenhand.audits.accuracy.pools import PoolName
from evenhand.catalogue.shared import ACCURACY, PRECISION, RECALL
from evenhand.estimate import Estimate, Flag
from evenhand.exchange.dsa import labels
from evenhand.exchange.dsa.codes import official_languages
from evenhand.exchange.dsa.draft_report import Cell, DraftReport
from evenhand.exchange.dsa.study import AutomationStudy
from evenhand.finding import Slice

FEWEST_LABELS = 30
DIGITS = 4
RATE_MEASURES: dict[str, str] = {
    labels.RATE_ACCURACY: ACCURACY,
    labels.RATE_PRECISION: PRECISION,
    labels.RATE_RECALL: RECALL,
}
NEEDED_POOLS: dict[str, tuple[PoolName, ...]] = {
    ACCURACY: (PoolName.REMOVED, PoolName.VISIBLE),
    PRECISION: (PoolName.REMOVED,),
    RECALL: (PoolName.REMOVED, PoolName.VISIBLE),
}
POOL_WORDS = {PoolName.REMOVED: "removed by automated means", PoolName.VISIBLE: "not removed by automated means"}
NO_STUDY = "No value: no labelled sample of this content was given."
NO_NOTICES = "No value: no sample of notices was labelled."
NO_LANGUAGE = "No value: no item in this language was labelled."
SPELLINGS = "No value: the labelled sample has several spellings of this language; merge them."
MIXED_SOURCES = (
    "No value: some measures after notices were taken solely by automated means, and the labelled sample does not "
    "separate them from those at own initiative."
)
UNKNOWN_SOURCES = "No value: without a table of decisions, measures at own initiative cannot be told apart."
CONSERVATIVE = " Few violating or few benign items were labelled: the interval is conservative."


def report_number(value: float) -> str:
    """A share as the report has it: from 0 to 1."""
    return f"{value:.{DIGITS}f}"


def report_interval(estimate: Estimate) -> str:
    """Its interval; rounding never makes it narrower."""
    scale = 10**DIGITS
    low, high = estimate.low or 0.0, 1.0 if estimate.high is None else estimate.high
    ends = (math.floor(low * scale + 1e-9) / scale, math.ceil(high * scale - 1e-9) / scale)
    return f"{100 * estimate.level:.3g} % confidence interval {report_number(ends[0])} to {report_number(ends[1])}"


@dataclass(frozen=True)
class AutomatedMeans:
    """What is known for table 8: a study of content, one of notices, and how few labels are too few."""

    study: AutomationStudy | None
    notices: AutomationStudy | None = None
    fewest_labels: int = FEWEST_LABELS

    def fill(self, report: DraftReport, *, only_own: bool | None) -> None:
        """The rates of table 8; `only_own` is whether all automated measures were taken at own initiative."""
        for scope, study, slice_, missing in self._scopes(only_own):
            for indicator, measure in RATE_MEASURES.items():
                cell = Cell("", missing) if missing or study is None else self.cell(report, study, measure, slice_)
                report.fill(labels.AUTOMATED, indicator, scope, cell)

    def _scopes(self, only_own: bool | None) -> Iterator[tuple[str, AutomationStudy | None, Slice, str]]:
        no_study = "" if self.study else NO_STUDY
        yield labels.NUMBER, self.study, {}, no_study
        unknown = UNKNOWN_SOURCES if only_own is None else "" if only_own else MIXED_SOURCES
        yield labels.OWN_INITIATIVE, self.study, {}, no_study or unknown
        yield labels.NAM, self.notices, {}, "" if self.notices else NO_NOTICES
        flagged = self.notices.value_slice(("yes", "true", "1")) if self.notices else None
        yield labels.NAM_FLAGGED, self.notices, flagged or {}, NO_NOTICES if flagged is None else ""
        slices = self.study.languages() if self.study else {}
        for code in official_languages():
            known = slices.get(code, [])
            missing = no_study or (NO_LANGUAGE if not known else SPELLINGS if len(known) > 1 else "")
            yield code, self.study, known[0] if known else {}, missing

    def cell(self, report: DraftReport, study: AutomationStudy, measure: str, slice_: Slice) -> Cell:
        """The value of a part with its interval, labels and design; or why there is none."""
        if missing := study.missing(report.period):
            return Cell("", f"No value: {missing}.")
        counts = {pool: study.labels(slice_, pool) for pool in PoolName}
        for pool in NEEDED_POOLS[measure]:
            if counts[pool] < self.fewest_labels:
                shortage = f"{counts[pool]:,} items {POOL_WORDS[pool]} were labelled, fewer than {self.fewest_labels:,}"
                return Cell("", f"No value: only {shortage}.")
        estimate = published_estimate(study.finding, measure, slice_)
        if estimate.value is None:
            return Cell("", f"No value: {estimate.note}.")
        return Cell(report_number(estimate.value), _rate_context(study, measure, estimate, slice_, counts))


def _rate_context(
    study: AutomationStudy, measure: str, estimate: Estimate, slice_: Slice, counts: dict[PoolName, int]
) -> str:
    labelled = ", ".join(f"{number:,} {POOL_WORDS[pool]}" for pool, number in counts.items())
    parts = [f"{report_interval(estimate)}; {sum(counts.values()):,} labels ({labelled}); {study.design}."]
    if measure == RECALL:
        parts.append("Violations that people removed count as missed by automated means.")
        parts += _detection(study, slice_)
    if Flag.BLIND_SPOT in study.finding.get(measure, **slice_).flags:
        parts.append("The interval allows for violations that the score cannot see.")
    return " ".join(parts) + (CONSERVATIVE if estimate.small else "")


def _detection(study: AutomationStudy, slice_: Slice) -> list[str]:
    """Recall with the measures of people counted as found."""
    if study.detection is None or not study.detection.has(RECALL, **slice_):
        return []
    recall = published_estimate(study.detection, RECALL, slice_)
    if recall.value is None:
        return []
    return [
        f"Detection recall, by automated means or people: {report_number(recall.value)} ({report_interval(recall)})."
    ]
