"""What an estimate is made from: a plan, the labels of its batches, and gold items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from evenhand.audits.measurement.figures import check_complete, finished, rounds_with_labels
from evenhand.audits.measurement.labels import Answer, read_answers
from evenhand.audits.measurement.matching import Labels, check_known, label_items, missing
from evenhand.errors import InputError
from evenhand.intervals.annotators import Gold
from evenhand.sampling.plan import Plan


@dataclass(frozen=True)
class Files:
    """Where labels are: files, the columns of answers and of annotators, how several are made one, and gold items."""

    labels: tuple[Path, ...]
    label: str = "label"
    annotator: str | None = None
    several: str | None = None
    gold: Path | None = None
    unfinished: bool = False


@dataclass(frozen=True)
class Given:
    """Labels of the first so many batches of a plan, and how well annotators do on gold items."""

    plan: Plan
    labels: Labels
    rounds: int
    gold: Gold | None = None
    files: tuple[str, ...] = ()
    unfinished: int = 0

    @classmethod
    def read(cls, plan: Plan, files: Files) -> Given:
        """Labels held against the plan; whatever does not fit is refused by name."""
        if not plan.rounds:
            raise InputError("nothing was drawn yet: `evenhand sample draw` draws the first batch")
        if files.several and not files.annotator:
            raise InputError("--several goes with --annotator, the column of who answered")
        truth = {} if files.gold is None else _truth(files.gold)
        drawn = {id_ for one in plan.rounds for id_ in one.ids}
        answers = read_answers(files.labels, drawn | set(truth), label=files.label, annotator=files.annotator)
        check_known(answers, plan, truth)
        labels = label_items(
            [answer for answer in answers if answer.id in drawn],
            several=files.several,
            annotators=bool(files.annotator),
        )
        rounds = rounds_with_labels(plan, labels)
        _check_complete(plan, labels, rounds, files)
        lacking = sum(map(len, missing(plan, labels)[:rounds]))
        names = tuple(path.name for path in files.labels)
        plan = finished(plan, labels, rounds) if lacking else plan
        gold = _gold([answer for answer in answers if answer.id in truth], truth, files) if files.gold else None
        return cls(plan, labels, rounds, gold, names, lacking)


def _check_complete(plan: Plan, labels: Labels, rounds: int, files: Files) -> None:
    """Every drawn item has an answer; where one has not, the sheets and the column that were looked at are named."""
    try:
        check_complete(plan, labels, rounds, unfinished=files.unfinished)
    except InputError as error:
        sheets = ", ".join(str(path) for path in files.labels)
        raise InputError(error.problem, source=sheets, column=files.label) from None


def _truth(path: Path) -> dict[str, float]:
    """Gold items: a table of ids and what is true of them."""
    answers = read_answers([path], (), label="truth")
    unclear = next((answer for answer in answers if answer.value is None), None)
    if unclear:
        problem = "the truth of a gold item is yes or no"
        raise InputError(problem, source=str(path), column="truth", row=unclear.row)
    return {answer.id: answer.value or 0.0 for answer in answers}


def _gold(answers: Sequence[Answer], truth: dict[str, float], files: Files) -> Gold:
    """How often labels are right, made from answers as those of the sample are: a vote errs less than one voter.

    The mean of several answers is right as often as one of them, so there every answer counts.
    """
    labels = label_items(answers, several=files.several, annotators=bool(files.annotator))
    voted = labels.values.items() if files.several != "mean" else [(one.id, one.value) for one in answers]
    told = [(truth[id_], value) for id_, value in voted if value is not None]
    bad, fine = ([value for true, value in told if true == kind] for kind in (1.0, 0.0))
    if min(len(bad), len(fine)) < 2:
        raise InputError(
            f"among the labels are {len(bad)} of violating gold items and {len(fine)} of others: two of each are needed"
        )
    return Gold(len(bad), bad.count(1.0), len(fine), fine.count(0.0))
