"""The addresses of studies: the list, the page of a lead, and the page of somebody who labels."""

from __future__ import annotations

from urllib.parse import quote

from fastapi import Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse, Response

from evenhand.desk.authorisation import form_fields, store_of
from evenhand.desk.pages import labelling
from evenhand.desk.pages.handling import say, show, signed_in
from evenhand.desk.pages.studies import open_study, studies_page
from evenhand.desk.pages.study import change_study, study_page
from evenhand.desk.pages.words import PhraseConflictError
from evenhand.desk.store_problems import store_problem
from evenhand.errors import InputError
from evenhand.service.problems import Problem
from evenhand.store import ConflictError
from evenhand.store.ledger import MissingError

STUDY_SAID = frozenset({"done.study_draw", "done.study_stop", "done.study_people", "done.study_opened"})
LABEL_SAID = frozenset({*(f"done.label_{name}" for name in labelling.LABEL_BUTTONS), "done.label_undo"})
NAMES = ("title", "codebook", "annotators", "adjudicators", "by", "n", "prevalence")
BLANK_STUDY = dict.fromkeys(NAMES, "") | {
    "per_item": "1",
    "design": "score-driven",
    "within": "20",
    "measure": "prevalence",
}


def _number(request: Request) -> str:
    """The study of an address."""
    study = str(request.path_params["study"])
    if not (study.isascii() and study.isdecimal() and len(study) < 10):
        raise Problem(404, "not-found", say(request, "error.missing"))
    return study


def _message(request: Request, known: frozenset[str]) -> str:
    said = request.query_params.get("said", "")
    return say(request, said) if said in known else ""


async def studies(request: Request) -> Response:
    """What there is to label; for a lead all studies, and a form for a new one."""
    session = await signed_in(request, "see_own_studies")
    view = await run_in_threadpool(studies_page, store_of(request), session.person)
    return show(request, "studies.html", page=view, typed=BLANK_STUDY)


async def open_one(request: Request) -> Response:
    """Open a study."""
    session = await signed_in(request, "open_study")
    fields, store = await form_fields(request), store_of(request)
    try:
        study = await run_in_threadpool(open_study, store, session.person, fields)
    except InputError as error:
        view = await run_in_threadpool(studies_page, store, session.person)
        detail = store_problem(error).detail
        return show(
            request,
            "studies.html",
            status=422,
            page=view,
            typed={**BLANK_STUDY, **fields},
            message=detail,
            problem=True,
        )
    return RedirectResponse(f"/studies/{study}?said=done.study_opened", 303)


async def study(request: Request) -> Response:
    """A study as a lead sees it."""
    await signed_in(request, "see_studies")
    view = await run_in_threadpool(study_page, store_of(request), _number(request))
    return show(request, "study.html", page=view, message=_message(request, STUDY_SAID))


async def change(request: Request) -> Response:
    """Draw a batch, name other people, stop."""
    session = await signed_in(request, "draw_batch")
    fields, store, number = await form_fields(request), store_of(request), _number(request)
    try:
        said = await run_in_threadpool(change_study, store, session.person, number, fields)
    except MissingError:
        raise
    except (InputError, ConflictError) as error:
        problem: Problem = store_problem(error)
        view = await run_in_threadpool(study_page, store, number)
        return show(request, "study.html", status=problem.status, page=view, message=problem.detail, problem=True)
    return RedirectResponse(f"/studies/{number}?said={said}", 303)


async def label(request: Request) -> Response:
    """The next item to label."""
    session = await signed_in(request, "label_item")
    view = await run_in_threadpool(labelling.label_page, store_of(request), session.person, _number(request))
    return show(request, "label.html", page=view, typed="", message=_message(request, LABEL_SAID))


async def answer(request: Request) -> Response:
    """An answer, or the last one taken back."""
    session = await signed_in(request, "label_item")
    fields, store, number = await form_fields(request), store_of(request), _number(request)
    try:
        if fields.get("do") == "undo":
            said = await run_in_threadpool(labelling.undo, store, session.person, number)
        else:
            said = await run_in_threadpool(labelling.answer, store, session.person, number, fields)
    except PhraseConflictError as conflict:
        view = await run_in_threadpool(labelling.label_page, store, session.person, number)
        note = fields.get("note", "")[: labelling.LONGEST_NOTE]
        message = say(request, conflict.key)
        if note:
            message = f"{message} {say(request, 'live.kept_note', note=note)}"
        return show(request, "label.html", status=409, page=view, typed="", message=message, problem=True)
    return RedirectResponse(f"/studies/{number}/label?said={quote(said)}", 303)
