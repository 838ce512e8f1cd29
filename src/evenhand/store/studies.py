"""Studies: sealed sampling plans that people label at the desk.

A lead makes a plan over the items of the store, or brings one that `evenhand sample plan` made over an export. Batches
are drawn by the plan's own seed; every item is asked of as many annotators as the study says, and a split vote of an
adjudicator, who has not labelled it. The next batch, and the end, follow from the labels of whole batches.
"""

from __future__ import annotations

import base64
import binascii
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl
import sqlalchemy as sa

from evenhand.errors import InputError
from evenhand.measurement.campaign import basis_of_next_batch
from evenhand.measurement.draw import draw_round
from evenhand.measurement.draw_records import round_as_data
from evenhand.measurement.items import ItemColumns
from evenhand.measurement.plan import Measurement, PlanRound, SamplingPlan
from evenhand.measurement.plan_file import plan_as_json, plan_from_json
from evenhand.measurement.planning import SampleSizeRequest, make_plan
from evenhand.sampling.design import DrawnSoFar
from evenhand.sampling.designs import design_from_options
from evenhand.store import schema
from evenhand.store import study_events as ev
from evenhand.store.cases import DONE, OPEN
from evenhand.store.ledger import ConflictError, EventLedger
from evenhand.store.study_asking import ask_adjudication, ask_labels, check_people, withdraw_absent
from evenhand.store.study_ledger import StudyLedger
from evenhand.store.study_population import (
    GROUPINGS,
    PopulationFilter,
    desk_items,
    plan_on_population,
    population_frame,
    population_texts,
    read_population,
    write_items,
)
from evenhand.store.study_results import outcome_of, plan_of
from evenhand.store.study_state import SPLIT

LONGEST_TITLE, LONGEST_CODEBOOK = 200, 50_000
ITEM_FORMATS = (".parquet", ".csv", ".jsonl")  # of an export


@dataclass(frozen=True)
class StudySetup:
    """What a study is called, what annotators read beside every item, and who labels how often."""

    title: str
    annotators: tuple[str, ...]
    adjudicators: tuple[str, ...] = ()
    codebook: str = ""
    per_item: int = 1


@dataclass(frozen=True)
class StudyDesign:
    """How a study is to be drawn from the items of the store, as `evenhand sample plan` has it."""

    population: PopulationFilter = field(default_factory=PopulationFilter)
    design: str = "score-driven"
    settings: Mapping[str, Any] = field(default_factory=dict)
    by: tuple[str, ...] = ()
    decided: bool = False  # removed and visible items are two pools: recall and precision
    n: str | None = None
    target: Mapping[str, float | None] = field(default_factory=dict)
    prevalence: float | None = None
    level: float = 0.95
    seed: int = 0
    purpose: Mapping[str, str] = field(default_factory=dict)


def open_study(ledger: EventLedger, setup: StudySetup, design: StudyDesign) -> dict[str, Any]:
    """Plan a study over the items of the store as they stand now."""
    with tempfile.TemporaryDirectory(prefix="evenhand-study-") as folder:
        path = Path(folder) / "items.parquet"
        write_items(ledger.connection, design.population, path)
        plan = _planned(design, path)
        return _begin(ledger, setup, plan, read_population(plan, path))


def _planned(design: StudyDesign, path: Path) -> SamplingPlan:
    wrong = next((name for name in design.by if name not in GROUPINGS), None)
    if wrong is not None:
        raise InputError(f"invalid `by`: '{wrong:.100}' (choose from: {', '.join(GROUPINGS)})")
    chosen = design_from_options(design.design, design.settings)
    if chosen.traits.clusters:
        raise InputError("a study over the store draws items: choose another `design`, or import a plan by clusters")
    scored = chosen.traits.score
    roles = ItemColumns(
        id="id", score="score" if scored else None, skip_unscored=scored, by=design.by,
        decision="decision" if design.decided else None,
    )  # fmt: skip
    purpose = {"ground_truth": "", "codebook": "", "population": "all", "period": "", **design.purpose}
    size = SampleSizeRequest.of(design.n, design.target, design.prevalence, design.level)
    made = make_plan(
        path, path.with_name("plan.json"), roles=roles, design=chosen, size=size, seed=design.seed,
        measurement=Measurement.from_purpose(purpose, decided=design.decided),
    )  # fmt: skip
    return made.plan


def import_study(ledger: EventLedger, setup: StudySetup, plan: str, items: str) -> dict[str, Any]:
    """Bring a sealed plan and, in base64, the very file of items that it was made on: an export of this store."""
    sealed = plan_from_json(plan)
    if sealed.rounds:
        raise InputError("batches have been drawn with this plan already: import a plan as `sample plan` wrote it")
    ending = Path(sealed.items.file).suffix.lower()
    if ending not in ITEM_FORMATS:
        raise InputError(f"the items of the plan must be an export of this store ({', '.join(ITEM_FORMATS)})")
    with tempfile.TemporaryDirectory(prefix="evenhand-study-") as folder:
        path = Path(folder) / f"items{ending}"
        try:
            path.write_bytes(base64.b64decode(items, validate=True))
        except (binascii.Error, ValueError):
            raise InputError("invalid `items`: not base64") from None
        try:
            frame = read_population(sealed, path)
        except InputError as error:
            raise error.rephrased(f"the items do not fit the plan: {error.fault}") from None
    desk_items(ledger.connection, frame["id"].to_list())
    return _begin(ledger, setup, sealed, frame)


def _begin(ledger: EventLedger, setup: StudySetup, plan: SamplingPlan, frame: pl.DataFrame) -> dict[str, Any]:
    _check_setup(setup)
    check_people(ledger.connection, setup.annotators, setup.adjudicators, setup.per_item)
    studies = schema.studies
    number = str(int(ledger.connection.scalar(sa.select(sa.func.count()).select_from(studies)) or 0) + 1)
    opened = ev.StudyOpened(
        study=number, title=setup.title.strip(), plan=plan_as_json(plan), codebook=setup.codebook,
        per_item=setup.per_item, annotators=setup.annotators, adjudicators=setup.adjudicators,
    )  # fmt: skip
    study = StudyLedger.begin(ledger, opened)
    for part, text in enumerate(population_texts(frame)):
        kept = ledger.keep("population", text, f"{ev.STREAM}{number}")
        assert kept is not None
        study.record(ev.PopulationKept(part=part, population=kept))
    study.save()
    return {"study": number, "labels": sum(pool.labels for pool in plan.pools), "items": len(frame)}


def _check_setup(setup: StudySetup) -> None:
    if not 0 < len(setup.title.strip()) <= LONGEST_TITLE:
        raise InputError(f"the title of a study must have 1 to {LONGEST_TITLE} characters")
    if len(setup.codebook) > LONGEST_CODEBOOK:
        raise InputError(f"the codebook must have at most {LONGEST_CODEBOOK:,} characters")


def draw_batch(ledger: EventLedger, study: str, number: int) -> dict[str, Any]:
    """Draw a batch, which must be the next one, and ask people for its labels."""
    opened = StudyLedger.load(ledger, study)
    case = opened.case
    check_open(opened)
    if number != case.study.batches + 1:
        raise ConflictError(f"batch {number} is not the next one: {case.study.batches} have been drawn")
    plan, after = plan_of(case), None
    histories: Mapping[str, DrawnSoFar] = {}
    if plan.rounds:
        if case.complete < case.study.batches:
            raise ConflictError(f"the next batch depends on the labels of batch {number - 1}: it is not finished")
        outcome = outcome_of(ledger.connection, ledger.store.keys, case)
        assert outcome is not None
        if outcome.to_come == 0:
            raise ConflictError("all planned labels have been drawn, or the target is reached: stop the study")
        histories, after = basis_of_next_batch(plan, outcome)
    with tempfile.TemporaryDirectory(prefix="evenhand-study-") as folder:
        on_file, path = plan_on_population(plan, _population(ledger, study), Path(folder))
        parts, sheet = draw_round(on_file, Path(folder), histories, items=path)
    ids = sheet["id"].to_list()
    known = desk_items(ledger.connection, ids)
    drawn = round_as_data(PlanRound(parts, after))
    opened.record(ev.BatchDrawn(number=number, draws=drawn, items=tuple((id_, *known[id_]) for id_ in ids)))
    ask_labels(opened, number, ids)
    opened.save()
    return {"study": study, "batch": number, "items": len(ids)}


def _population(ledger: EventLedger, study: str) -> pl.DataFrame:
    contents = schema.contents
    query = sa.select(contents.c.value).where(contents.c.item == f"{ev.STREAM}{study}", contents.c.kind == "population")
    return population_frame(ledger.connection.scalars(query.order_by(contents.c.id)).all())


def staff_study(
    ledger: EventLedger, study: str, annotators: Sequence[str], adjudicators: Sequence[str] = ()
) -> dict[str, Any]:
    """Name who labels and who adjudicates from now on. What people were asked and had not answered goes to others."""
    opened = StudyLedger.load(ledger, study)
    check_open(opened)
    check_people(ledger.connection, annotators, adjudicators, opened.case.study.per_item)
    opened.record(ev.StudyStaffed(annotators=tuple(annotators), adjudicators=tuple(adjudicators)))
    withdraw_absent(opened)
    for number in sorted(opened.case.batches):
        subjects = [item.id for item in opened.case.items.values() if item.batch == number and item.state != DONE]
        ask_labels(opened, number, subjects)
        for subject in subjects:
            if opened.case.items[subject].state == SPLIT:
                ask_adjudication(opened, subject)
    opened.save()
    return {"study": study, "annotators": list(annotators), "adjudicators": list(adjudicators)}


def stop_study(ledger: EventLedger, study: str, batches: int, reason: str | None = None) -> dict[str, Any]:
    """End a study: by the rule where its target is reached or all planned labels are in, otherwise with a reason."""
    opened = StudyLedger.load(ledger, study)
    case = opened.case
    check_open(opened)
    if batches != case.study.batches:
        raise ConflictError(f"another batch was drawn meanwhile ({case.study.batches}, not {batches}): look again")
    outcome = outcome_of(ledger.connection, ledger.store.keys, case)
    finished = outcome is not None and case.complete == case.study.batches
    by_rule = finished and outcome is not None and (outcome.kept is True or outcome.to_come == 0)
    if not by_rule and not (reason or "").strip():
        raise InputError("the target is not reached and planned labels are missing: give a reason to stop all the same")
    reached = None if outcome is None else outcome.kept
    labels = 0 if outcome is None else len(outcome.given.labels.values)
    opened.record(ev.StudyStopped(labels=labels, reached=reached, reason=(reason or "").strip() or None))
    opened.save()
    return {"study": study, "labels": labels, "target_reached": reached}


def check_open(opened: StudyLedger) -> None:
    """`ConflictError` where a study was stopped."""
    if opened.case.study.state != OPEN:
        raise ConflictError("this study was stopped: nothing is drawn or labelled any more")
