"""What every page handler shares: who asks, what the layout needs, and errors as pages.

A handler reads: who may (`signed_in`), what there is (a view), how it looks (`show`). Without a session a page leads to
the sign-in and back; a part of a page is answered with 401 instead.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any
from urllib.parse import quote

from fastapi import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from evenhand.desk.authorisation import session_of
from evenhand.desk.pages.preferences import COOKIE, Preferences
from evenhand.desk.pages.rendering import PAGE_HEADERS, render
from evenhand.desk.pages.words import PhraseConflictError, PhraseError, words
from evenhand.desk.people import Person, Role
from evenhand.desk.sessions import DeskSession
from evenhand.desk.store_problems import store_problem
from evenhand.errors import EvenhandError
from evenhand.service.problems import ErrorRenderers, Problem, problem_of
from evenhand.version import __version__

Handler = Callable[[Request], Awaitable[Response]]
NAVIGATION = (
    ("today", "/", "see_session"), ("review", "/queue", "see_tasks"),
    ("studies", "/studies", "see_own_studies"), ("audits", "/audits", "see_findings"),
    ("policy", "/policy", "see_policies"),
    ("people", "/people", "see_people"), ("log", "/log", "see_events"),
    ("settings", "/settings", "see_settings"), ("me", "/me", "see_session"),
)  # fmt: skip


async def signed_in(request: Request, permission: str) -> DeskSession:
    """The session of whoever asks, if they have a permission; a form of another page is refused."""
    session = await session_of(request)
    request.state.caller, request.state.session = session.person.id, session
    if not session.person.may(permission):
        raise Problem(403, "forbidden", say(request, "error.forbidden"))
    return session


def show(request: Request, template: str, /, *, status: int = 200, **context: Any) -> Response:
    """A page, with what the layout needs of the session and the preferences."""
    session: DeskSession | None = getattr(request.state, "session", None)
    person = session.person if session else None
    about = {
        "person": person, "csrf": session.csrf if session else "", "nav": _navigation(person),
        "here": request.url.path, "version": __version__, "message": "", "problem": False,
        "preferences": preferences_of(request),
    }  # fmt: skip
    html = render(template, preferences_of(request).language, **{**about, **context})
    return HTMLResponse(html, status, headers=PAGE_HEADERS)


def say(request: Request, key: str, /, **values: Any) -> str:
    """Words of the catalogue, in the language that the person chose."""
    return words(preferences_of(request).language)(key, **values)


def preferences_of(request: Request) -> Preferences:
    """What the person chose in this browser."""
    return Preferences.from_cookie(request.cookies.get(COOKIE))


def _navigation(person: Person | None) -> list[tuple[str, str]]:
    if person is None:
        return []
    return [(name, address) for name, address, permission in NAVIGATION if person.may(permission)]


def is_part(request: Request) -> bool:
    """Whether a page asks for a part of itself."""
    return request.query_params.get("part") == "1" or request.headers.get("x-csrf-token") is not None


def page(handler: Handler) -> Handler:
    """A handler whose errors are pages."""

    async def answer(request: Request) -> Response:
        try:
            return await handler(request)
        except EvenhandError as error:
            problem = error if isinstance(error, Problem) else store_problem(error)
            return _explained(request, problem, error_words(request, error))

    return answer


def error_words(request: Request, error: EvenhandError) -> str | None:
    """What an error of the pages says in the language that the person chose; None for one from elsewhere."""
    return say(request, error.key, **error.values) if isinstance(error, (PhraseError, PhraseConflictError)) else None


def _explained(request: Request, problem: Problem, words: str | None) -> Response:
    if problem.status == 401 and not is_part(request):
        path = request.url.path + (f"?{request.url.query}" if request.url.query else "")
        return RedirectResponse(f"/sign-in?next={quote(path, safe='')}", 303)
    return show(request, "problem.html", status=problem.status, detail=words or problem.detail)


async def missing_page(request: Request, error: Exception) -> Response:
    """A page for a browser that asks for what there is not; programs get the form of their path."""
    problem = problem_of(error)
    if "text/html" in request.headers.get("accept", ""):
        with suppress(Problem):  # without a session the page has no list of pages
            request.state.session = await session_of(request)
        return show(request, "problem.html", status=problem.status, detail=say(request, "error.missing"))
    renderers: ErrorRenderers = request.app.state.renderers
    return renderers.render(request.scope, problem)


def is_lead(person: Person) -> bool:
    """Whether the first page is that of the desk, and not that of a reviewer."""
    return person.role in (Role.ADMINISTRATOR, Role.LEAD, Role.AUDITOR)
