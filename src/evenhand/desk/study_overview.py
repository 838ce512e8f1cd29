"""A study as a lead sees it: how far the labels are, how the interval narrowed, what is left, and what can be done."""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sa

from evenhand.audits.accuracy.blind_spots import published_estimate
from evenhand.catalogue.accuracy import PREVALENCE
from evenhand.catalogue.shared import RECALL
from evenhand.estimate import Estimate
from evenhand.measurement.campaign import CampaignOutcome
from evenhand.measurement.plan import SamplingPlan
from evenhand.store import Store, schema
from evenhand.store.cases import DONE, OPEN, WAITING
from evenhand.store.study_ledger import load_study
from evenhand.store.study_results import batch_outcomes, plan_of
from evenhand.store.study_state import ADJUDICATE, LABEL, SPLIT, BatchState, StudyCase


@dataclass(frozen=True)
class LabellerProgress:
    """What a person has labelled or adjudicated, and what waits for them."""

    person: str
    purpose: str
    done: int
    waiting: int


@dataclass(frozen=True)
class StudyOverview:
    """See the module. `outcomes` are those of the finished batches, in order."""

    case: StudyCase
    plan: SamplingPlan
    outcomes: tuple[CampaignOutcome, ...]
    people: tuple[LabellerProgress, ...]
    split: int

    @property
    def measure(self) -> str:
        """What the target is about: recall where removed and visible items were sampled, otherwise prevalence."""
        return RECALL if len(self.plan.pools) > 1 else PREVALENCE

    @property
    def last(self) -> CampaignOutcome | None:
        """What all finished batches show."""
        return self.outcomes[-1] if self.outcomes else None

    @property
    def planned(self) -> int:
        """Labels of the whole plan."""
        return sum(pool.labels for pool in self.plan.pools)

    @property
    def labels(self) -> int:
        """Labels that the last estimate rests on."""
        return 0 if self.last is None else len(self.last.given.labels.values)

    @property
    def more(self) -> int | None:
        """Labels still expected: by the target where there is one, otherwise by the plan; None where nobody can say."""
        if self.last is None:
            return self.planned
        if self.last.progress is not None:
            return 0 if self.last.progress.reached else self.last.progress.more
        return self.last.to_come

    @property
    def is_finished(self) -> bool:
        """Whether every batch that was drawn has all of its labels."""
        return self.case.complete == self.case.study.batches

    @property
    def may_draw(self) -> bool:
        """Whether there is a next batch to draw now."""
        is_open = self.case.study.state == OPEN and self.is_finished
        return is_open and (self.last is None or self.last.to_come != 0)

    @property
    def may_stop(self) -> bool:
        """Whether the rule lets the study end: the target is reached, or all planned labels are in."""
        ended = self.last is not None and (self.last.kept is True or self.last.to_come == 0)
        return self.case.study.state == OPEN and self.is_finished and ended

    def estimate(self, outcome: CampaignOutcome) -> Estimate:
        """The estimate that is published, of the measure of the target."""
        return published_estimate(outcome.finding, self.measure)

    @property
    def rows(self) -> tuple[tuple[BatchState, CampaignOutcome | None], ...]:
        """Every batch, with what it shows together with those before it."""
        batches = [self.case.batches[number] for number in sorted(self.case.batches)]
        shown = [*self.outcomes, *([None] * len(batches))]
        return tuple(zip(batches, shown, strict=False))


def study_overview(store: Store, study: str) -> StudyOverview:
    """A study as it stands; `MissingError` where there is none."""
    with store.database.reading() as connection:
        case = load_study(connection, study, subjects=())
        outcomes = tuple(batch_outcomes(connection, store.keys, case))
        items = schema.study_items
        split = sa.select(sa.func.count()).where(items.c.study == study, items.c.state == SPLIT)
        people = tuple(_labellers(connection, case))
        return StudyOverview(case, plan_of(case), outcomes, people, int(connection.scalar(split) or 0))


def _labellers(connection: sa.Connection, case: StudyCase) -> list[LabellerProgress]:
    tasks = schema.study_tasks
    query = (
        sa.select(tasks.c.person, tasks.c.purpose, tasks.c.state, sa.func.count())
        .where(tasks.c.study == case.study.id)
        .group_by(tasks.c.person, tasks.c.purpose, tasks.c.state)
    )
    counts = {(row[0], row[1], row[2]): int(row[3]) for row in connection.execute(query)}
    named = [(person, purpose) for purpose in (LABEL, ADJUDICATE) for person in case.people(purpose)]
    earlier = sorted({(person, purpose) for person, purpose, state in counts if state == DONE} - set(named))
    return [
        LabellerProgress(
            person, purpose, counts.get((person, purpose, DONE), 0), counts.get((person, purpose, WAITING), 0)
        )
        for person, purpose in (*named, *earlier)
    ]


def list_studies(connection: sa.Connection) -> list[sa.Row[tuple[object, ...]]]:
    """All studies, the newest first."""
    studies = schema.studies
    return list(connection.execute(sa.select(studies).order_by(studies.c.opened_at.desc(), studies.c.id)))
