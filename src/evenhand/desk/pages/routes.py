"""The addresses of the pages, in one table: which address, which method, which handler."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from typing import Any
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
from evenhand.desk.pages import audit_routes, review_routes, settings_routes, study_routes
from evenhand.desk.pages.handling import Handler, error_words, is_lead, page, preferences_of, say, show, signed_in
from evenhand.desk.pages.judged_items import HistoryKeeper
from evenhand.desk.pages.log import LogFilter, log_page, time_of
from evenhand.desk.pages.people import change_people, people_page
from evenhand.desk.pages.policies import activate_again, policies_page
from evenhand.desk.pages.policy_trials import USUAL_STRATEGIES, PolicyDraft, activate_draft, try_policy
from evenhand.desk.pages.preferences import CHOICES, COOKIE, Preferences
from evenhand.desk.pages.today import TodayKeeper, my_page
from evenhand.desk.pages.veiling import LONGEST_WORDS
from evenhand.desk.pages.week_summary import week_summary
from evenhand.desk.pages.words import PhraseError, words
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


async def policies(request: Request) -> Response:
    """The policy in force, and its history."""
    await signed_in(request, "see_policies")
    version = request.query_params.get("activated", "")
    message = say(request, "done.activated", version=version) if version.isdigit() else ""
    return await _policies(request, request.query_params, message=message)


async def _policies(request: Request, fields: Mapping[str, str], **more: Any) -> Response:
    """The page of the policies, with what a draft would do; one that cannot be read is said so."""
    store, kept = store_of(request), request.app.state.judged

    def looked_at() -> dict[str, Any]:
        view, history = policies_page(store), kept.history()
        about: dict[str, Any] = {"page": view, "trial": None, "draft": None, "strategies": ()}
        if not view.versions:
            return about
        with store.database.reading() as connection:
            policy = store.policy(connection)[1]
        draft, told = PolicyDraft.from_policy(policy, history), {}
        try:
            draft = PolicyDraft.from_values(fields, draft)
        except PhraseError as error:
            told = {"message": error_words(request, error), "problem": True, "status": 422}
        strategies = tuple(dict.fromkeys((policy.strategy, draft.strategy, *USUAL_STRATEGIES)))
        return {**about, "draft": draft, "trial": try_policy(policy, draft, history), "strategies": strategies} | told

    return show(request, "policies.html", **{**more, **await run_in_threadpool(looked_at)})


async def activate_new(request: Request) -> Response:
    """Put a draft in force, with a reason."""
    session = await signed_in(request, "activate")
    fields, kept = await form_fields(request), request.app.state.judged

    def activated() -> int:
        return activate_draft(store_of(request), session.person, fields, kept.history())

    try:
        version = await run_in_threadpool(activated)
    except PhraseError as error:
        return await _policies(request, fields, message=error_words(request, error), problem=True, status=422)
    return RedirectResponse(f"/policy?activated={version}", 303)


async def activate(request: Request) -> Response:
    """Put an earlier policy in force again, with a reason."""
    session = await signed_in(request, "activate")
    version = await run_in_threadpool(activate_again, store_of(request), session.person, await form_fields(request))
    return RedirectResponse(f"/policy?activated={version}", 303)


async def people(request: Request) -> Response:
    """Everybody who works here."""
    await signed_in(request, "see_people")
    return show(request, "people.html", page=await run_in_threadpool(people_page, store_of(request)), link="")


async def change_person(request: Request) -> Response:
    """Invite somebody, make a new link, end access. A link is shown in the answer, once."""
    session = await signed_in(request, "invite")
    fields, store = await form_fields(request), store_of(request)
    try:
        said, path = await run_in_threadpool(change_people, store, session.person, fields)
    except InputError as error:
        view = await run_in_threadpool(people_page, store)
        told = error_words(request, error) or f"{error}"
        return show(request, "people.html", status=422, page=view, link="", message=told, problem=True)
    view = await run_in_threadpool(people_page, store)
    link = f"{request.url.scheme}://{request.url.netloc}{path}" if path else ""
    key = said if link or said != "done.invited" else "done.changed"
    return show(
        request, "people.html", page=view, link=link, message=say(request, key, person=fields.get("name", "").strip())
    )


async def log(request: Request) -> Response:
    """The events."""
    await signed_in(request, "see_events")
    chosen = LogFilter.from_values(request.query_params)
    return show(request, "log.html", page=await run_in_threadpool(log_page, store_of(request), chosen))


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
    ("GET", "/policy", policies),
    ("POST", "/policy", activate),
    ("POST", "/policy/new", activate_new),
    ("GET", "/people", people),
    ("POST", "/people", change_person),
    ("GET", "/log", log),
    ("GET", "/settings", settings_routes.settings),
    ("POST", "/settings", settings_routes.change_settings),
    ("GET", "/me", me),
    ("POST", "/me", change_me),
    ("GET", "/static/{name}", static),
)


def install_pages(app: FastAPI) -> None:
    """Add the pages to a desk; its state keeps the page of a lead and the judged items."""
    app.state.today, app.state.judged = TodayKeeper(app.state.store), HistoryKeeper(app.state.store)
    for method, path, handler in PAGES:
        app.add_api_route(path, page(handler), methods=[method], include_in_schema=False, response_model=None)
