"""The labelled sample that estimates are made from: the labels of a plan's batches, pool by pool, and gold items.

`CollectedLabels` are read from files and checked; a `CampaignSample` gives the share of violating items in each pool
with its variance, and what the next batch is drawn by.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from evenhand.arrays import Bools, Floats
from evenhand.errors import InputError
from evenhand.intervals.survey import GoldCounts, SurveyShare
from evenhand.measurement.answers import GOLD_LABEL, Answer, answers_by_item, read_answers
from evenhand.measurement.labels import (
    ItemLabels,
    check_complete,
    check_known,
    cut_to_labels,
    label_items,
    missing_labels,
    rounds_with_labels,
)
from evenhand.measurement.plan import DrawnPart, PlanPool, SamplingPlan
from evenhand.sampling.design import NO_PLACES, DrawnSoFar, LabelWeights


@dataclass(frozen=True)
class LabelledPart:
    """A part of a batch with the labels that there are: which items have one, and the labels of those."""

    part: DrawnPart
    known: Bools
    label: Floats

    @classmethod
    def from_labels(cls, part: DrawnPart, labels: ItemLabels) -> LabelledPart:
        """From the labels of all items."""
        values = [labels.values.get(id_) for id_ in part.ids]
        known = np.array([value is not None for value in values], dtype=np.bool_)
        return cls(part, known, np.array([value for value in values if value is not None], dtype=np.float64))

    @property
    def labelled(self) -> Any:
        """As the design of the plan takes it."""
        return self.part.drawn.with_labels(self.known, self.label)


@dataclass(frozen=True)
class CampaignSample:
    """All batches of a plan that have labels, pool by pool."""

    plan: SamplingPlan
    parts: Mapping[str, tuple[LabelledPart, ...]]

    @classmethod
    def from_labels(cls, plan: SamplingPlan, labels: ItemLabels, rounds: int) -> CampaignSample:
        """From the first so many batches."""
        parts = [part for drawn in plan.rounds[:rounds] for part in drawn.parts]
        labelled = {
            p.name: tuple(LabelledPart.from_labels(part, labels) for part in parts if part.pool == p.name)
            for p in plan.pools
        }
        return cls(plan, labelled)

    def histories(self) -> dict[str, DrawnSoFar]:
        """What the next batch is drawn by."""
        return {
            pool.name: DrawnSoFar(
                self.past(pool), np.concatenate([NO_PLACES, *(one.part.places for one in self.parts[pool.name])])
            )
            for pool in self.plan.pools
        }

    def past(self, pool: PlanPool) -> tuple[Any, ...]:
        """Labelled batches of a pool, as the design takes them."""
        return tuple(one.labelled for one in self.parts[pool.name])

    def share(self, pool: PlanPool, *, group: int | None = None) -> SurveyShare:
        """The share of violating items in a pool, or in a group of it."""
        return self.plan.design.share(pool, self.past(pool), group=group)

    def weights(self, pool: PlanPool) -> LabelWeights:
        """How many items each label of a pool represents."""
        return self.plan.design.label_weights(pool, self.past(pool))


@dataclass(frozen=True)
class AnswerFiles:
    """Where labels are: files, the columns of answers and of annotators, how several are made one; gold items, a panel.

    >>> from pathlib import Path
    >>> eh.measurement.AnswerFiles((Path("sheet.csv"),)).label
    'label'
    """

    labels: tuple[Path, ...]
    label: str = "label"
    annotator: str | None = None
    several: str | None = None
    gold: Path | None = None
    panel: Path | None = None
    unfinished: bool = False


@dataclass(frozen=True)
class CollectedLabels:
    """Labels of the first so many batches of a plan; how well annotators do on gold items, and the panel's verdicts."""

    plan: SamplingPlan
    labels: ItemLabels
    rounds: int
    gold: GoldCounts | None = None
    files: tuple[str, ...] = ()
    unfinished: int = 0
    panel: Mapping[str, float | None] | None = None

    @classmethod
    def read(cls, plan: SamplingPlan, files: AnswerFiles) -> CollectedLabels:
        """Labels held against the plan; whatever does not fit is refused by name."""
        if not plan.rounds:
            raise InputError("no batch has been drawn yet: `evenhand sample draw` draws the first")
        if files.several and not files.annotator:
            raise InputError("`several` needs `annotator`, the column of annotators")
        truth = {} if files.gold is None else read_truth(files.gold)
        drawn = {id_ for one in plan.rounds for id_ in one.ids}
        answers = read_answers(files.labels, drawn | set(truth), label=files.label, annotator=files.annotator)
        check_known(answers, plan, truth)
        labels = label_items(
            [answer for answer in answers if answer.id in drawn],
            several=files.several,
            annotators=bool(files.annotator),
        )
        _check_sheets_complete(plan, labels, rounds_with_labels(plan, labels), files)
        gold = _gold([answer for answer in answers if answer.id in truth], truth, files) if files.gold else None
        collected = cls.from_labels(plan, labels, gold, tuple(path.name for path in files.labels))
        return replace(collected, panel=_panel(plan, files)) if files.panel else collected

    @classmethod
    def from_labels(
        cls, plan: SamplingPlan, labels: ItemLabels, gold: GoldCounts | None = None, files: tuple[str, ...] = ()
    ) -> CollectedLabels:
        """Labels of drawn items; where some have none, the draws are cut where labels end."""
        rounds = rounds_with_labels(plan, labels)
        lacking = sum(map(len, missing_labels(plan, labels)[:rounds]))
        plan = cut_to_labels(plan, labels, rounds) if lacking else plan
        return cls(plan, labels, rounds, gold, files, lacking)


def _check_sheets_complete(plan: SamplingPlan, labels: ItemLabels, rounds: int, files: AnswerFiles) -> None:
    """Every drawn item has an answer; otherwise the error names the sheets and the column."""
    try:
        check_complete(plan, labels, rounds, unfinished=files.unfinished)
    except InputError as error:
        sheets = ", ".join(str(path) for path in files.labels)
        raise InputError(error.problem, source=sheets, column=files.label) from None


def _panel(plan: SamplingPlan, files: AnswerFiles) -> dict[str, float | None]:
    """The panel's verdicts, one for each item that was drawn."""
    if plan.design.traits.clusters or plan.design.traits.open_ended:
        raise InputError(f"a plan of the {plan.design.name} design has no adjudicated verdict: leave out `panel`")
    assert files.panel is not None
    answers = read_answers([files.panel], {id_ for one in plan.rounds for id_ in one.ids}, label=files.label)
    check_known(answers, plan, ())
    return answers_by_item(answers)


def read_truth(path: Path) -> dict[str, float]:
    """Gold items: a table of ids and what is true of them."""
    answers = read_answers([path], (), label=GOLD_LABEL)
    unclear = next((answer for answer in answers if answer.value is None), None)
    if unclear:
        problem = "the truth of a gold item must be yes or no"
        raise InputError(problem, source=str(path), column=GOLD_LABEL, row=unclear.row)
    return {answer.id: answer.value or 0.0 for answer in answers}


def _gold(answers: Sequence[Answer], truth: dict[str, float], files: AnswerFiles) -> GoldCounts:
    """How often labels are right, made from answers as those of the sample are: a vote errs less than one voter.

    The mean of several answers is right as often as one of them, so there every answer counts.
    """
    labels = label_items(answers, several=files.several, annotators=bool(files.annotator))
    voted = labels.values.items() if files.several != "mean" else [(one.id, one.value) for one in answers]
    labelled = [(truth[id_], value) for id_, value in voted if value is not None]
    bad, fine = ([value for true, value in labelled if true == kind] for kind in (1.0, 0.0))
    if min(len(bad), len(fine)) < 2:
        raise InputError(
            f"too few labelled gold items: {len(bad)} violating and {len(fine)} benign (at least two of each needed)"
        )
    return GoldCounts(len(bad), bad.count(1.0), len(fine), fine.count(0.0))
