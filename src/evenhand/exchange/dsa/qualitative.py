"""The text of table 11 on accuracy and the possible rate of error, written from the numbers of the study.

It is a draft: what the law requires beyond these numbers is for people to decide, and the text says so first.
"""

from __future__ import annotations

from collections.abc import Iterator

from evenhand.audits.accuracy.blind_spots import published_estimate
from evenhand.catalogue.accuracy import FNR, NPV, POPULATION, SPECIFICITY
from evenhand.catalogue.shared import ACCURACY, FPR, PRECISION, RECALL
from evenhand.estimate import Estimate
from evenhand.exchange.dsa.automated_means import AutomatedMeans, report_interval, report_number
from evenhand.exchange.dsa.codes import official_languages
from evenhand.exchange.dsa.draft_report import DraftReport
from evenhand.exchange.dsa.labels import Provider
from evenhand.exchange.dsa.study import AutomationStudy

DRAFT_MARK = "DRAFT FOR LEGAL REVIEW, written from the numbers of the study."
NOTHING_MEASURED = "No indicator of accuracy is reported, because no labelled sample was given."
WRITTEN_RATES = {
    ACCURACY: "Accuracy (share of items treated correctly)",
    PRECISION: "Precision (share of automated measures that were right)",
    RECALL: "Recall (share of violations that automated means removed)",
    SPECIFICITY: "Specificity (share of benign items left alone)",
    NPV: "Negative predictive value (share of items left alone that are benign)",
}
ERROR_RATES = {FPR: "false positive rate (benign items removed)", FNR: "false negative rate (violations not removed)"}


def rate_of_error_text(report: DraftReport, means: AutomatedMeans) -> str:
    """All sentences, in the order of the questions that a reader asks."""
    study = means.study
    if study is None:
        return f"{DRAFT_MARK} {NOTHING_MEASURED}"
    if missing := study.missing(report.period):
        return f"{DRAFT_MARK} No indicator of accuracy is reported: {missing}."
    return " ".join(
        (DRAFT_MARK, *_measured(study, report), *_rates(study), *_agreement(study), *_not_covered(study, means, report))
    )


def _measured(study: AutomationStudy, report: DraftReport) -> Iterator[str]:
    items, purpose = study.finding.get(POPULATION).value or 0.0, study.purpose
    yield (
        f"Indicators of accuracy were estimated for {report.service} from {study.labels({}):,} labelled items, which "
        f"represent {items:,.0f} items of the period {report.period}"
        f"{f' ({purpose.population} content)' if purpose.population else ''}."
    )
    book = f" (codebook: {purpose.codebook})" if purpose.codebook else ""
    yield f"Ground truth: {purpose.ground_truth or 'not stated; to be completed'}{book}."
    yield "An item counts as positive if it is adjudicated as violating, and as predicted if a measure was taken"
    yield f"solely by automated means. Items were selected at random by {study.design}."


def _rates(study: AutomationStudy) -> Iterator[str]:
    for measure, words in WRITTEN_RATES.items():
        yield f"{words}: {_with_interval(published_estimate(study.finding, measure))}."
    errors = "; ".join(
        f"{words} {_with_interval(published_estimate(study.finding, name))}" for name, words in ERROR_RATES.items()
    )
    yield f"Possible rate of error: {errors}."
    if study.detection is not None:
        recall = _with_interval(published_estimate(study.detection, RECALL))
        yield f"Detection recall, counting violations that people removed: {recall}."
    if study.finding.get(RECALL).small:
        yield "Few violating items were labelled: the intervals are conservative, too wide rather than too narrow."


def _with_interval(estimate: Estimate) -> str:
    if estimate.value is None:
        return f"not estimated ({estimate.note})"
    return f"{report_number(estimate.value)} ({report_interval(estimate)})"


def _agreement(study: AutomationStudy) -> Iterator[str]:
    agreement = study.agreement
    if agreement is None:
        yield "The agreement of annotators was not measured."
    elif agreement.value is None:
        yield f"The agreement of annotators could not be measured: {agreement.note}."
    else:
        interval = f"{agreement.low:.2f} to {agreement.high:.2f}"
        yield f"Agreement of annotators: Krippendorff's alpha {agreement.value:.2f} ({interval})."


def _not_covered(study: AutomationStudy, means: AutomatedMeans, report: DraftReport) -> Iterator[str]:
    gaps = ["errors of the ground truth beyond the agreement of annotators", "content outside the labelled population"]
    if means.notices is None:
        gaps.append("the processing of notices")
    if report.provider is Provider.VLOP:
        slices = study.languages()
        lacking = [
            code
            for code in official_languages()
            if len(slices.get(code, [])) != 1 or not means.cell(report, study, ACCURACY, slices[code][0]).value
        ]
        if lacking:
            gaps.append(f"the languages {', '.join(lacking)}, of which too few items were labelled")
    yield f"Not covered: {'; '.join(gaps)}."
