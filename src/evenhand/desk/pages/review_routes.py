"""The addresses of the review: the page, its parts for a browser that runs scripts, and forms for one that does not."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any
from urllib.parse import urlencode

from fastapi import Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse, Response

from evenhand.desk.authorisation import form_fields, store_of
from evenhand.desk.pages import review_actions
from evenhand.desk.pages.handling import say, show, signed_in
from evenhand.desk.pages.review import ReviewPage, choose_queue, context_page, review_page
from evenhand.desk.pages.words import PhraseConflictError
from evenhand.desk.people import Person
from evenhand.exchange.dsa.codes import report_categories
from evenhand.store import ConflictError, Store

SAID = frozenset({*(f"done.{action}" for action in review_actions.REVIEW_ACTIONS), "done.undo"})
BLANK = {"clause": "", "ground": "", "note": ""}


@cache
def clauses() -> tuple[str, ...]:
    """What the policy clause may be called: the categories of statements of reasons; any other text will do too."""
    return tuple(category.title for category in report_categories())


async def review(request: Request) -> Response:
    """The item to decide, or that there is none."""
    session = await signed_in(request, "see_tasks")
    store, asked = store_of(request), request.query_params
    queue = await run_in_threadpool(choose_queue, store, session.person, asked.get("queue"))
    view = await run_in_threadpool(review_page, store, session.person, queue, first=asked.get("ticket"))
    if asked.get("part") == "1":
        return _parts(request, view, "", has_current=True)
    said = asked.get("said", "")
    return _whole(request, view, say(request, said) if said in SAID else "")


async def act(request: Request) -> Response:
    """A verdict, a skip, an escalation, a request for a second opinion."""
    session = await signed_in(request, "see_tasks")
    fields, store, person = await form_fields(request), store_of(request), session.person
    queue = await run_in_threadpool(choose_queue, store, person, fields.get("queue"))
    action = review_actions.REVIEW_ACTIONS.get(fields.get("do", ""))
    try:
        if action is None:
            raise PhraseConflictError("conflict.unknown")
        said = await run_in_threadpool(action, store, person, queue, fields)
    except ConflictError as conflict:
        return await _refused(request, person, queue, fields, conflict)
    keep = fields.get("ticket") if fields.get("do") == "second" else fields.get("showing")
    if fields.get("part") == "1":
        view = await run_in_threadpool(review_page, store, person, queue, first=keep)
        return _parts(request, _after(view, keep), say(request, said))
    ticket = {"ticket": keep} if keep else {}
    return RedirectResponse(f"/queue?{urlencode({'queue': queue, 'said': said, **ticket})}", 303)


async def undo(request: Request) -> Response:
    """Take the last verdict back."""
    session = await signed_in(request, "undo")
    fields, store, person = await form_fields(request), store_of(request), session.person
    queue = await run_in_threadpool(choose_queue, store, person, fields.get("queue"))
    try:
        queue, ticket = await run_in_threadpool(review_actions.undo, store, person)
    except ConflictError as conflict:
        return await _refused(request, person, queue, fields, conflict)
    if fields.get("part") == "1":
        view = await run_in_threadpool(review_page, store, person, queue, first=ticket)
        return _parts(request, view, say(request, "done.undo"), has_current=True)
    return RedirectResponse(f"/queue?{urlencode({'queue': queue, 'ticket': ticket, 'said': 'done.undo'})}", 303)


async def renew(request: Request) -> Response:
    """Keep what is on the screen."""
    session = await signed_in(request, "renew")
    fields, store = await form_fields(request), store_of(request)
    queue = await run_in_threadpool(choose_queue, store, session.person, fields.get("queue"))
    await run_in_threadpool(review_actions.renew, store, session.person, queue)
    return Response(status_code=204)


async def context(request: Request) -> Response:
    """The thread and the author's other texts."""
    session = await signed_in(request, "context")
    asked, store = request.query_params, store_of(request)
    queue = await run_in_threadpool(choose_queue, store, session.person, asked.get("queue"))
    try:
        view = await run_in_threadpool(context_page, store, session.person, queue, asked.get("ticket", ""))
    except PhraseConflictError as conflict:
        return show(request, "problem.html", status=409, detail=say(request, conflict.key))
    return show(request, "context_parts.html" if asked.get("part") == "1" else "context.html", page=view)


async def _refused(
    request: Request, person: Person, queue: str, fields: Mapping[str, str], conflict: ConflictError
) -> Response:
    """Say what happened, with what was typed still there."""
    store: Store = store_of(request)
    message = say(request, conflict.key if isinstance(conflict, PhraseConflictError) else "conflict.changed")
    view = await run_in_threadpool(review_page, store, person, queue, first=fields.get("showing"))
    if fields.get("part") == "1":
        return _parts(request, _after(view, fields.get("showing")), message, problem=True, status=409)
    if fields.get("note"):
        message = f"{message} {say(request, 'live.kept_note', note=fields['note'])}"
    return _whole(request, view, message, problem=True, status=409)


def _after(view: ReviewPage, showing: str | None) -> ReviewPage:
    """What a page that shows an item already needs next; one that shows nothing gets the first item as its next."""
    if showing and view.current and view.current.ticket == showing:
        return view
    return ReviewPage(view.queue, view.queues, None, view.current, view.lease_seconds)


def _whole(request: Request, view: ReviewPage, message: str, **more: Any) -> Response:
    return show(
        request, "review.html", page=view, typed=BLANK, blank=BLANK, clauses=clauses(), message=message, **more
    )  # fmt: skip


def _parts(request: Request, view: ReviewPage, message: str, *, has_current: bool = False, **more: Any) -> Response:
    about: dict[str, Any] = {
        "page": view,
        "typed": BLANK,
        "blank": BLANK,
        "has_current": has_current,
        "message": message,
    }
    return show(request, "review_parts.html", **about, **more)
