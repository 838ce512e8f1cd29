"""The API of labelling studies: leads open, draw and stop them, and those who label get one item after the other."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from starlette.responses import Response

from evenhand.desk import study_answers as answers
from evenhand.desk import study_bodies as bodies
from evenhand.desk.calls import DeskCall, DeskRoutes
from evenhand.desk.study_overview import StudyOverview, list_studies, study_overview
from evenhand.finding import Measured
from evenhand.findings_file import to_json
from evenhand.measurement.plan_file import seal_of
from evenhand.service.api import JSON
from evenhand.store import ConflictError
from evenhand.store.census import iso
from evenhand.store.labelling import label_progress, next_label, own_studies, own_study
from evenhand.store.study_ledger import load_study
from evenhand.store.study_results import labels_of, labels_text, outcome_of, plan_text
from evenhand.store.study_state import StudyCase, StudyState

routes = DeskRoutes("studies")
CSV = "text/csv; charset=utf-8"


@routes.add("GET", "/studies", "see_studies", answer=answers.StudyList)
def studies(call: DeskCall) -> dict[str, Any]:
    """All studies."""
    with call.store.database.reading() as connection:
        return {"studies": [_summary(row) for row in list_studies(connection)]}


def _summary(row: Any) -> dict[str, Any]:
    names = {"study": row.id, "title": row.title, "state": row.state, "batches": row.batches}
    return {**names, "opened_at": iso(row.opened_at), "opened_by": row.opened_by}


@routes.add("POST", "/studies", "open_study", body=bodies.StudyBody, answer=answers.StudyPlanned)
def open_study(call: DeskCall) -> dict[str, Any]:
    """Plan a study over the items of the store as they stand now."""
    return call.perform("open_study", setup=call.body.setup(), design=call.body.study_design())


@routes.add("POST", "/studies/import", "import_study", body=bodies.ImportedStudyBody, answer=answers.StudyPlanned)
def import_study(call: DeskCall) -> dict[str, Any]:
    """Open a study by a sealed plan that `evenhand sample plan` made over an export of this store."""
    return call.perform("import_study", setup=call.body.setup(), plan=call.body.plan, items=call.body.items)


@routes.add("GET", "/studies/{study}", "see_studies", answer=answers.StudyView)
def study(call: DeskCall) -> dict[str, Any]:
    """A study: how far it is, the estimate after each finished batch, and the labels still expected."""
    return study_record(study_overview(call.store, call.named("study")))


def study_record(view: StudyOverview) -> dict[str, Any]:
    """A study as plain data."""
    state: StudyState = view.case.study
    progress = None if view.last is None else view.last.progress
    return {
        **_summary(state),
        "codebook": state.codebook,
        "per_item": state.per_item,
        "design": view.plan.design.name,
        "measure": view.measure,
        "plan": seal_of(view.plan),
        "items": sum(pool.items for pool in view.plan.pools),
        "labels_planned": view.planned,
        "labels": view.labels,
        "more_labels": view.more,
        "target_reached": None if view.last is None else view.last.kept,
        "target": None if progress is None else progress.record(),
        "split": view.split,
        "finished": view.case.complete,
        "can_draw": view.may_draw,
        "can_stop": view.may_stop,
        "batches_drawn": [_batch(view, *row) for row in view.rows],
        "people": [asdict(person) for person in view.people],
        "stopped_at": iso(state.stopped_at),
        "stop_reason": state.stop_reason,
    }


def _batch(view: StudyOverview, batch: Any, outcome: Any) -> dict[str, Any]:
    known = {"number": batch.number, "drawn_at": iso(batch.drawn_at), "items": batch.items, "done": batch.done}
    if outcome is None:
        return {**known, "estimate": None}
    return {**known, "estimate": Measured(view.measure, {}, view.estimate(outcome)).record(outcome.finding.audit)}


@routes.add("POST", "/studies/{study}/batches", "draw_batch", body=bodies.BatchBody, answer=answers.BatchAnswer)
def draw_batch(call: DeskCall) -> dict[str, Any]:
    """Draw the next batch by the plan's own seed, and ask people for its labels."""
    return call.perform("draw_batch", study=call.named("study"), number=call.body.number)


@routes.add("POST", "/studies/{study}/people", "staff_study", body=bodies.StaffBody, answer=answers.StaffAnswer)
def staff_study(call: DeskCall) -> dict[str, Any]:
    """Name who labels and who adjudicates; what others have not answered goes to them."""
    people = {"annotators": tuple(call.body.annotators), "adjudicators": tuple(call.body.adjudicators)}
    return call.perform("staff_study", study=call.named("study"), **people)


@routes.add("POST", "/studies/{study}/stop", "stop_study", body=bodies.StopBody, answer=answers.StopAnswer)
def stop_study(call: DeskCall) -> dict[str, Any]:
    """End a study: by the rule, or with a reason."""
    return call.perform("stop_study", study=call.named("study"), **call.body.model_dump())


@routes.add("GET", "/studies/{study}/finding", "see_studies")
def finding(call: DeskCall) -> Response:
    """The estimate from all finished batches, as `evenhand sample estimate --json` prints it."""
    with call.store.database.reading() as connection:
        outcome = outcome_of(connection, call.store.keys, _case(call, connection))
    if outcome is None:
        raise ConflictError("no batch of this study is finished: there is nothing to estimate from")
    return Response(to_json([outcome.finding]), media_type=JSON)


@routes.add("GET", "/studies/{study}/plan", "see_studies")
def plan(call: DeskCall) -> Response:
    """The sealed plan with the batches drawn, for `evenhand sample estimate`."""
    with call.store.database.reading() as connection:
        return Response(plan_text(_case(call, connection)), media_type=JSON)


@routes.add("GET", "/studies/{study}/labels", "see_studies")
def labels(call: DeskCall) -> Response:
    """The labels of finished batches as CSV; people have the pseudonyms of exports."""
    with call.store.database.reading() as connection:
        case = _case(call, connection)
        rows = labels_of(connection, call.store.keys, case.study.id, case.complete)
    return Response(labels_text(rows), media_type=CSV)


def _case(call: DeskCall, connection: Any) -> StudyCase:
    return load_study(connection, call.named("study"), subjects=())


@routes.add("GET", "/labelling", "see_own_studies", answer=answers.OwnStudies)
def labelling(call: DeskCall) -> dict[str, Any]:
    """The studies that you label in, and how far you are."""
    with call.store.database.reading() as connection:
        rows = own_studies(connection, call.person.id)
        return {
            "studies": [
                {"study": row.id, "title": row.title} | {**asdict(label_progress(connection, row.id, call.person.id))}
                for row in rows
            ]
        }


@routes.add("GET", "/studies/{study}/next", "see_own_studies", answer=answers.LabelTask)
def next_item(call: DeskCall) -> dict[str, Any]:
    """The next item in your own random order: no score, no stratum, and no answer of anybody else."""
    study, person = call.named("study"), call.person.id
    with call.store.database.reading() as connection:
        row = own_study(connection, study, person)
        view = next_label(connection, study, person)
        progress = label_progress(connection, study, person)
    shown = dict.fromkeys(("task", "version", "text", "language")) if view is None else asdict(view)
    return {"study": study, "title": row.title, "codebook": row.codebook, **shown, **asdict(progress)}


@routes.add("POST", "/studies/{study}/labels", "label_item", body=bodies.LabelBody, answer=answers.LabelAnswer)
def label_item(call: DeskCall) -> dict[str, Any]:
    """Answer: yes, no or cannot tell."""
    return call.perform("label_item", study=call.named("study"), **call.body.model_dump())


@routes.add("POST", "/studies/{study}/undo", "undo_label", answer=answers.LabelAnswer)
def undo_label(call: DeskCall) -> dict[str, Any]:
    """Take your last answer back, unless it has been used."""
    return call.perform("undo_label", study=call.named("study"))
