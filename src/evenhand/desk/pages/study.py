"""The page of one study for a lead: how the interval narrowed, what is still to come, and what to do next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evenhand.catalogue import find_measure
from evenhand.desk.pages.studies import named, number
from evenhand.desk.pages.words import PhraseError
from evenhand.desk.people import Person
from evenhand.desk.study_overview import StudyOverview, study_overview
from evenhand.estimate import Estimate
from evenhand.figures.desk_charts import draw_study_chart
from evenhand.finding import Verdict
from evenhand.measurement.campaign import CampaignOutcome
from evenhand.measurement.plan_file import seal_of
from evenhand.store import Store, perform


@dataclass(frozen=True)
class NarrowedEstimate:
    """A batch, finished or not, and the estimate with its labels."""

    number: int
    items: int
    done: int
    labels: int | None
    estimate: Estimate | None


@dataclass(frozen=True)
class StudyPage:
    """See the module. `sentences` are those of the finding, in English like all findings."""

    study: StudyOverview
    measure: str
    seal: str
    batches: tuple[NarrowedEstimate, ...]
    target: str | None
    sentences: tuple[str, ...]
    caveats: tuple[str, ...]
    chart: str | None  # SVG, of the batches with an estimate


def study_page(store: Store, study: str) -> StudyPage:
    """A study as it stands."""
    view = study_overview(store, study)
    batches = tuple(
        NarrowedEstimate(
            batch.number, batch.items, batch.done, None if outcome is None else len(outcome.given.labels.values),
            None if outcome is None else view.estimate(outcome),
        )
        for batch, outcome in view.rows
    )  # fmt: skip
    last = view.last
    return StudyPage(
        view, find_measure(view.measure).title, seal_of(view.plan)[:12], batches,
        None if last is None or last.progress is None else last.progress.line(),
        () if last is None else tuple(" ".join(filter(None, (one.statement, one.certainty))) for one in _said(last)),
        () if last is None else last.finding.caveats, _chart(view.measure, batches),
    )  # fmt: skip


def _chart(measure: str, batches: Sequence[NarrowedEstimate]) -> str | None:
    known = [(one.number, one.estimate) for one in batches if one.estimate and one.estimate.value is not None]
    return draw_study_chart(find_measure(measure), known).svg if known else None


def _said(outcome: CampaignOutcome) -> tuple[Verdict, ...]:
    return outcome.finding.verdicts


def change_study(store: Store, person: Person, study: str, fields: Mapping[str, str]) -> str:
    """Do what a form of the page asks; the key of the words that say so."""
    action = fields.get("do", "")
    if action == "draw":
        perform(store, "draw_batch", actor=person.id, study=study, number=number(fields, "number", 0))
    elif action == "stop":
        reason = fields.get("reason", "").strip()[:2000] or None
        perform(store, "stop_study", actor=person.id, study=study, batches=number(fields, "batches", 0), reason=reason)
    elif action == "people":
        annotators, adjudicators = named(fields, "annotators"), named(fields, "adjudicators")
        perform(
            store, "staff_study", actor=person.id, study=study, annotators=annotators, adjudicators=adjudicators
        )  # fmt: skip
    else:
        raise PhraseError("conflict.unknown")
    return f"done.study_{action}"
