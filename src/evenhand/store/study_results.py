"""What a study shows: its plan with the batches drawn, its labels, and the estimate after each finished batch.

The numbers are those of `evenhand sample estimate` on the exported plan and labels, by the same functions. They hold
for looks after whole batches, so nothing is estimated from a part of one.
"""

from __future__ import annotations

import csv
import io
import json
from dataclasses import dataclass, replace

import sqlalchemy as sa

from evenhand.documents import parse_json
from evenhand.measurement.answers import Answer
from evenhand.measurement.campaign import CampaignOutcome, campaign_outcome
from evenhand.measurement.draw_records import round_from_data
from evenhand.measurement.labels import label_items
from evenhand.measurement.plan import SamplingPlan
from evenhand.measurement.plan_file import plan_as_json, plan_from_json
from evenhand.measurement.sample import CollectedLabels
from evenhand.measurement.sheets import kept_as_text
from evenhand.store import schema
from evenhand.store.cases import DONE
from evenhand.store.keys import StoreKeys
from evenhand.store.study_state import ANSWER_VALUES, StudyCase

LABELS_FILE = "labels.csv"
LABEL_COLUMNS = ("id", "annotator", "label")


@dataclass(frozen=True)
class StudyLabel:
    """One answer of a person, who has the pseudonym of exports."""

    id: str
    annotator: str
    label: str


def plan_of(case: StudyCase, batches: int | None = None) -> SamplingPlan:
    """The plan of a study with what was drawn by it: all batches, or the first so many."""
    plan = plan_from_json(case.study.plan)
    numbers = sorted(case.batches)[:batches]
    rounds = (round_from_data(parse_json(case.batches[number].draws), plan.design) for number in numbers)
    return replace(plan, rounds=tuple(rounds))


def plan_text(case: StudyCase) -> str:
    """The file of the plan with its batches, as `evenhand sample` writes it."""
    return plan_as_json(plan_of(case))


def labels_of(connection: sa.Connection, keys: StoreKeys, study: str, batches: int) -> list[StudyLabel]:
    """The answers to the first so many batches, in an order that tells nothing about who answered first."""
    tasks = schema.study_tasks
    query = sa.select(tasks.c.subject, tasks.c.person, tasks.c.answer).where(
        tasks.c.study == study, tasks.c.state == DONE, tasks.c.batch <= batches
    )
    rows = connection.execute(query.order_by(tasks.c.batch, tasks.c.subject))
    answers = [StudyLabel(row.subject, keys.pseudonym(row.person), row.answer) for row in rows]
    return sorted(answers, key=lambda one: (one.id, one.annotator))


def labels_text(labels: list[StudyLabel]) -> str:
    """The labels as CSV, for `evenhand sample estimate --annotator annotator`."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(LABEL_COLUMNS)
    writer.writerows([kept_as_text(one.id), one.annotator, one.label] for one in labels)
    return text.getvalue()


def outcome_of(
    connection: sa.Connection, keys: StoreKeys, case: StudyCase, batches: int | None = None
) -> CampaignOutcome | None:
    """What the labels of the first so many finished batches show (all of them by default); None before the first."""
    number = case.complete if batches is None else batches
    if not number:
        return None
    plan = plan_of(case, number)
    answers = [
        Answer(one.id, ANSWER_VALUES[one.label], one.annotator, LABELS_FILE, row)
        for row, one in enumerate(labels_of(connection, keys, case.study.id, number), start=1)
    ]
    labels = label_items(answers, several=None, annotators=True)
    return campaign_outcome(plan, CollectedLabels.from_labels(plan, labels, files=(LABELS_FILE,)))


def batch_outcomes(connection: sa.Connection, keys: StoreKeys, case: StudyCase) -> list[CampaignOutcome]:
    """How the estimate narrowed, batch by batch."""
    outcomes = (outcome_of(connection, keys, case, number) for number in range(1, case.complete + 1))
    return [outcome for outcome in outcomes if outcome is not None]


def people_of(case: StudyCase) -> dict[str, list[str]]:
    """Who labels and who adjudicates."""
    return {"annotators": json.loads(case.study.annotators), "adjudicators": json.loads(case.study.adjudicators)}
