"""How far annotators agree, and how often each of them errs, with intervals.

The truth is the verdict of a panel on a random part of the labelled items, or that of gold items. Rates hold for the
labelled items: a panel sees more of some kinds than of others, and is weighted back. Numbers about single people are
for these people and whoever they work with; no report or finding has them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from evenhand.catalogue.perspective import GWET_AC1, KRIPPENDORFF_ALPHA
from evenhand.errors import InputError
from evenhand.estimate import Estimate
from evenhand.intervals.item_agreement import ItemAgreement
from evenhand.intervals.survey import CAUTIOUS, clopper_pearson_interval
from evenhand.measurement.answers import Answer, read_answers
from evenhand.measurement.labels import check_known
from evenhand.measurement.panel import Adjudication
from evenhand.measurement.plan import SamplingPlan
from evenhand.measurement.sample import AnswerFiles, CollectedLabels, read_truth

FIRST, SECOND = "first labels", "second labels"
PRIVATE = (
    "For these annotators and whoever they work with: no report has numbers about single people. Wide intervals are "
    "the rule; do not rank people by them."
)


@dataclass(frozen=True)
class AnnotatorErrors:
    """Of one annotator: the share of violating items called benign, and of benign items called violating."""

    annotator: str
    missed: Estimate
    marked: Estimate

    def record(self) -> dict[str, Any]:
        """As plain data."""
        parts = {"missed": self.missed, "marked": self.marked}
        return {"annotator": self.annotator, **{name: _plain(estimate) for name, estimate in parts.items()}}

    def line(self) -> str:
        """In a line."""
        missed, marked = (_in_words(estimate) for estimate in (self.missed, self.marked))
        return f"  {self.annotator}: missed {missed} of violating items; marked {marked} of benign items as violating"


@dataclass(frozen=True)
class AnnotatorReport:
    """Agreement over the items that two or more labelled; the errors of each annotator, where the truth is known."""

    several: int
    alike: int
    alpha: Estimate | None
    ac1: Estimate | None
    truth: str = ""
    errors: tuple[AnnotatorErrors, ...] = ()

    def record(self) -> dict[str, Any]:
        """As plain data."""
        agreement = {"items": self.several, "alike": self.alike, KRIPPENDORFF_ALPHA: self.alpha, GWET_AC1: self.ac1}
        return {
            "agreement": {str(k): _plain(v) if isinstance(v, Estimate) else v for k, v in agreement.items()},
            "truth": self.truth or None,
            "annotators": [one.record() for one in self.errors],
        }

    def lines(self) -> list[str]:
        """In sentences."""
        lines = [
            f"{self.alike:,} of {self.several:,} items that two or more people labelled have one answer only "
            f"({100.0 * self.alike / self.several:.0f} %)."
            if self.several
            else "No item has the labels of two people: `evenhand sample second` draws a sheet for second labels."
        ]
        if self.alpha is not None and self.ac1 is not None:
            named = (("Krippendorff's α", self.alpha), ("Gwet's AC1", self.ac1))
            beyond = ", ".join(f"{name} {_decimal(estimate)}" for name, estimate in named)
            lines.append(f"Agreement of these annotators beyond chance: {beyond}.")
        if self.errors:
            lines += [f"Errors of each annotator, by {self.truth}:", *(one.line() for one in self.errors), PRIVATE]
        return lines


def annotator_report(plan: SamplingPlan, files: AnswerFiles, second: Path | None = None) -> AnnotatorReport:
    """From the answers to a plan, with those of second sheets; by the panel or gold items also the errors of each."""
    if files.panel and files.gold:
        raise InputError("give either `panel` or `gold`: what is true of an item must come from one of them")
    truth = _truth(plan, files)
    known = {id_ for one in plan.rounds for id_ in one.ids} | set(truth)
    answers = list(_named(read_answers(files.labels, known, label=files.label, annotator=files.annotator), FIRST))
    if second is not None:
        answers += _named(read_answers([second], known, label=files.label, annotator=None), SECOND)
    check_known(answers, plan, truth)
    level = plan.level
    errors = tuple(
        AnnotatorErrors(name, *(_error_rate(own, truth, kind, level) for kind in (1.0, 0.0)))
        for name, own in _by(answers, "annotator").items()
    )
    return replace(_agreement(answers, level), truth=_truth_name(files), errors=errors if truth else ())


def _named(answers: Sequence[Answer], name: str) -> Iterator[Answer]:
    """With a name where no column says who answered."""
    return (answer if answer.annotator else replace(answer, annotator=name) for answer in answers)


def _truth(plan: SamplingPlan, files: AnswerFiles) -> Mapping[str, tuple[float, float]]:
    """What is true of items, and the weight of each."""
    if files.gold is not None:
        return {id_: (value, 1.0) for id_, value in read_truth(files.gold).items()}
    if files.panel is None:
        return {}
    collected = CollectedLabels.read(plan, files)
    assert collected.panel is not None
    panel = Adjudication(collected, collected.panel)
    verdicts = panel.counted
    return {id_: (float(verdicts[id_] or 0.0), 1.0 / chance) for id_, chance in panel.chances().items()}


def _truth_name(files: AnswerFiles) -> str:
    return "the panel's verdicts" if files.panel else "gold items" if files.gold else ""


def _error_rate(
    answers: Sequence[Answer], truth: Mapping[str, tuple[float, float]], kind: float, level: float
) -> Estimate:
    """The share of items of a kind that were answered otherwise, exact on the effective number of items."""
    judged = [(answer.value != kind, truth[answer.id][1]) for answer in answers if _is_judged(answer, truth, kind)]
    if not judged:
        return Estimate.undefined("no such item has a known truth and an answer", level=level, n=0)
    wrong, weights = (np.array(column, dtype=np.float64) for column in zip(*judged, strict=True))
    value, effective = float(wrong @ weights / weights.sum()), float(weights.sum() ** 2 / (weights**2).sum())
    low, high = clopper_pearson_interval(value * effective, effective, level)
    return Estimate(value, min(low, value), max(high, value), level, CAUTIOUS, len(judged))


def _is_judged(answer: Answer, truth: Mapping[str, tuple[float, float]], kind: float) -> bool:
    return answer.value is not None and answer.id in truth and truth[answer.id][0] == kind


def _agreement(answers: Sequence[Answer], level: float) -> AnnotatorReport:
    """Of clear answers, one of each person to each item."""
    clear = {(answer.id, answer.annotator): answer for answer in answers if answer.value is not None}
    several = {id_: own for id_, own in _by(list(clear.values()), "id").items() if len(own) > 1}
    if not several:
        return AnnotatorReport(0, 0, None, None)
    agreement = ItemAgreement.of(
        [len(own) for own in several.values()], [sum(answer.value or 0.0 for answer in own) for own in several.values()]
    )
    return AnnotatorReport(len(several), agreement.alike, agreement.alpha(level), agreement.ac1(level))


def _by(answers: Sequence[Answer], key: str) -> dict[str, list[Answer]]:
    groups: dict[str, list[Answer]] = defaultdict(list)
    for answer in answers:
        groups[getattr(answer, key)].append(answer)
    return dict(sorted(groups.items()))


def _plain(e: Estimate) -> dict[str, Any]:
    return {name: getattr(e, name) for name in ("value", "low", "high", "level", "method", "n", "note")}


def _in_words(e: Estimate) -> str:
    if e.value is None:
        return "an unknown share"
    value, low, high = (f"{100.0 * (end or 0.0):.0f}" for end in (e.value, e.low, e.high))
    return f"{value} % ({low} to {high} %, {e.n:,} items)"


def _decimal(e: Estimate) -> str:
    if e.value is None:
        return f"unknown ({e.note})"
    return f"{e.value:.2f}" + (f" ({e.low:.2f} to {e.high:.2f})" if e.low is not None else "")
