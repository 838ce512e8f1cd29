"""The addresses of the pages, in one table: which address, which method, which handler."""

from __future__ import annotations

from importlib.resources import files
from urllib.parse import urlsplit

from fastapi import FastAPI, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse, Response

from evenhand.catalogue import find_measure
from evenhand.desk import invitations
from evenhand.desk.authorisation import (
    check_origin,
    clear_cookies,
    form_fields,
    is_secure,
    session_of,
    sessions_of,
    set_cookie,
    store_of,
)
from evenhand.desk.pages import (
    audit_routes,
    oversight_routes,
    policy_routes,
    review_routes,
    settings_routes,
    study_routes,
)
from evenhand.desk.pages.handling import (
    Handler,
    is_lead,
    missing_page,
    page,
    preferences_of,
    say,
    show,
    signed_in,
)
from evenhand.desk.pages.judged_items import HistoryKeeper
from evenhand.desk.pages.log import time_of
from evenhand.desk.pages.preferences import CHOICES, COOKIE, Preferences
from evenhand.desk.pages.today import TodayKeeper, my_page
from evenhand.desk.pages.veiling import LONGEST_WORDS
from evenhand.desk.pages.week_summary import week_summary
from evenhand.desk.pages.words import words
from evenhand.desk.session_api import client_address
from evenhand.desk.sessions import DeskSession, SecondFactorError
from evenhand.errors import EvenhandError, InputError
from evenhand.service.problems import Problem
from evenhand.store.weeks import SHOWN

YEAR = 365 * 86_400
STATIC = files("evenhand.desk.pages") / "static"
MEDIA = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml", "txt": "text/plain"}


async def sign_in_page(request: Request) -> Response:
    """The form to sign in."""
    return show(request, "sign_in.html", next=_inside(request.query_params.get("next")), name="")


async def sign_in(request: Request) -> Response:
    """Begin a session, and go where the person wanted to go."""
    check_origin(request)
    fields, register = await form_fields(request), sessions_of(request)
    name, password = fields.get("name", ""), fields.get("password", "")
    try:
        code = fields.get("code", "").strip() or None
        session = await run_in_threadpool(register.sign_in, name, password, client_address(request), code)
    except EvenhandError as error:
        about = {"next": _inside(fields.get("next")), "name": name, "message": f"{error}", "problem": True}
        return show(request, "sign_in.html", status=401, **about)
    return _begun(request, session, _inside(fields.get("next")))


def _begun(request: Request, session: DeskSession, address: str) -> Response:
    response = RedirectResponse(address, 303)
    set_cookie(request, response, session)
    return response


def _inside(address: str | None) -> str:
    """An address of this desk, whatever was asked for."""
    parts = urlsplit(address or "/")
    plain = not parts.scheme and not parts.netloc and parts.path.startswith("/") and not parts.path.startswith("//")
    return address if address and plain and "\\" not in address and address.isprintable() else "/"


async def sign_out(request: Request) -> Response:
    """End the session."""
    session = await session_of(request)
    await run_in_threadpool(sessions_of(request).sign_out, session.token)
    response = RedirectResponse("/sign-in", 303)
    clear_cookies(response)
    return response


async def invitation_page(request: Request) -> Response:
    """The form behind a one-time link."""
    try:
        invited = await run_in_threadpool(invitations.invited_name, store_of(request), request.path_params["token"])
    except InputError:
        return show(request, "invitation.html", status=404, valid=False)
    return show(request, "invitation.html", valid=True, invited=invited)


async def accept_invitation(request: Request) -> Response:
    """Set the password, and sign in."""
    check_origin(request)
    fields, register, store = await form_fields(request), sessions_of(request), store_of(request)
    token, password = request.path_params["token"], fields.get("password", "")

    def use() -> DeskSession:
        person = invitations.accept(store, register.passwords, token, password, fields.get("name"))
        return register.sign_in(person, password, client_address(request))

    try:
        session = await run_in_threadpool(use)
    except SecondFactorError:  # the password is set, and a code is needed with it
        return RedirectResponse("/sign-in", 303)
    except InputError as error:
        try:
            invited = await run_in_threadpool(invitations.invited_name, store, token)
        except InputError:
            return show(request, "invitation.html", status=404, valid=False)
        return show(
            request, "invitation.html", status=422, valid=True, invited=invited, message=f"{error}", problem=True
        )
    return _begun(request, session, "/")


async def today(request: Request) -> Response:
    """The first page: of the desk for a lead, of one's own work for a reviewer."""
    session = await signed_in(request, "see_session")
    if not is_lead(session.person):
        return show(request, "my.html", page=await run_in_threadpool(my_page, store_of(request), session.person))
    view = await run_in_threadpool(request.app.state.today.page)
    summary = week_summary(view.since_last, view.numbers, words(preferences_of(request).language))
    return show(
        request, "today.html", page=view, time=time_of(view.at), summary=summary, shown=SHOWN, measure=find_measure
    )


async def me(request: Request) -> Response:
    """What a person chose for themselves."""
    await signed_in(request, "see_session")
    message = say(request, "done.settings") if request.query_params.get("saved") == "1" else ""
    return show(request, "me.html", choices=CHOICES, longest_words=LONGEST_WORDS, message=message)


async def change_me(request: Request) -> Response:
    """Keep the choices in the browser."""
    await signed_in(request, "see_session")
    response = RedirectResponse("/me?saved=1", 303)
    cookie = Preferences.from_values(await form_fields(request)).to_cookie()
    response.set_cookie(
        COOKIE, cookie, max_age=YEAR, path="/", secure=is_secure(request), httponly=True, samesite="lax"
    )
    return response


async def static(request: Request) -> Response:
    """A file of the pages; its address has the version, so that browsers keep it."""
    name = request.path_params["name"]
    if name not in {entry.name for entry in STATIC.iterdir()}:
        raise Problem(404, "not-found", say(request, "error.missing"))
    headers = {"cache-control": f"public, max-age={YEAR}, immutable"}
    return Response((STATIC / name).read_bytes(), headers=headers, media_type=MEDIA[name.rpartition(".")[2]])


PAGES: tuple[tuple[str, str, Handler], ...] = (
    ("GET", "/", today),
    ("GET", "/sign-in", sign_in_page),
    ("POST", "/sign-in", sign_in),
    ("POST", "/sign-out", sign_out),
    ("GET", f"{invitations.LINK_PATH}{{token}}", invitation_page),
    ("POST", f"{invitations.LINK_PATH}{{token}}", accept_invitation),
    ("GET", "/queue", review_routes.review),
    ("POST", "/queue", review_routes.act),
    ("GET", "/queue/context", review_routes.context),
    ("POST", "/queue/undo", review_routes.undo),
    ("POST", "/queue/renew", review_routes.renew),
    ("GET", "/audits", audit_routes.audits),
    ("GET", "/audits/items", audit_routes.items),
    ("POST", "/audits/items", audit_routes.read_items),
    ("GET", "/audits/files/{name}", audit_routes.download),
    ("GET", "/audits/{question}", audit_routes.audit),
    ("GET", "/audits/{question}/figures/{place}", audit_routes.figure),
    ("GET", "/audits/{question}/files/{name}", audit_routes.download),
    ("GET", "/studies", study_routes.studies),
    ("POST", "/studies", study_routes.open_one),
    ("GET", "/studies/{study}", study_routes.study),
    ("POST", "/studies/{study}", study_routes.change),
    ("GET", "/studies/{study}/label", study_routes.label),
    ("POST", "/studies/{study}/label", study_routes.answer),
    ("GET", "/policy", policy_routes.policies),
    ("POST", "/policy", policy_routes.activate),
    ("POST", "/policy/new", policy_routes.activate_new),
    ("GET", "/people", oversight_routes.people),
    ("POST", "/people", oversight_routes.change_person),
    ("GET", "/log", oversight_routes.log),
    ("GET", "/log/events.jsonl", oversight_routes.export_events),
    ("GET", "/settings", settings_routes.settings),
    ("POST", "/settings", settings_routes.change_settings),
    ("GET", "/me", me),
    ("POST", "/me", change_me),
    ("GET", "/static/{name}", static),
)


def install_pages(app: FastAPI) -> None:
    """Add the pages to a desk; its state keeps the page of a lead and the judged items."""
    app.state.today, app.state.judged = TodayKeeper(app.state.store), HistoryKeeper(app.state.store)
    for status in (404, 405):
        app.add_exception_handler(status, missing_page)
    for method, path, handler in PAGES:
        app.add_api_route(path, page(handler), methods=[method], include_in_schema=False, response_model=None)
