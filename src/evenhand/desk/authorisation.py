"""Who asks, and whether they may: one function and one dependency for every route of the desk.

Two ways in. A token (header Authorization or X-API-Key) acts as the person of its name, within its scopes. A cookie is
the session of somebody who signed in; what it writes must carry the token against forged requests, in the header
X-CSRF-Token or the field `csrf` of a form. Being on this machine is not enough.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from fastapi import Depends, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from evenhand.desk.people import PERMISSIONS, Person, find_person
from evenhand.desk.sessions import LIFETIME, SECOND, DeskSession, SessionRegister
from evenhand.service.access import Access
from evenhand.service.problems import Problem
from evenhand.store import Store
from evenhand.store.roles import LEADS

COOKIE = "evenhand-session"
SECURE_COOKIE = f"__Host-{COOKIE}"
CSRF_HEADER, CSRF_FIELD = "x-csrf-token", "csrf"
FORM = "application/x-www-form-urlencoded"
ENROLMENT_PATHS = ("/api/v1/session", "/sign-out")
READING = frozenset({"GET", "HEAD"})
MOST_FIELDS = 200


def store_of(request: Request) -> Store:
    """The store of the desk that a request came to."""
    store: Store = request.app.state.store
    return store


def sessions_of(request: Request) -> SessionRegister:
    """The sessions of the desk that a request came to."""
    register: SessionRegister = request.app.state.sessions
    return register


async def authorise_person(request: Request, permission: str) -> Person:
    """Whoever asks, if they have a permission of the table; `Problem` 401 or 403 otherwise."""
    token = _token(request)
    person = await _token_person(request, token, permission) if token else (await session_of(request)).person
    request.state.caller = person.id
    if not person.may(permission):
        raise Problem(403, "forbidden", f"the role '{person.role}' may not do this")
    return person


def permitted(permission: str) -> Any:
    """What a handler asks for: a parameter `person`, annotated with the class and this dependency."""
    assert permission in PERMISSIONS

    async def check(request: Request) -> Person:
        return await authorise_person(request, permission)

    check.__dict__["permission"] = permission
    return Depends(check)


async def session_of(request: Request) -> DeskSession:
    """The session of the cookie; what changes something must come from a page of it."""
    cookie = request.cookies.get(SECURE_COOKIE) or request.cookies.get(COOKIE)
    session = await run_in_threadpool(sessions_of(request).find, cookie) if cookie else None
    if session is None:
        detail = "sign in first, or send a token: Authorization: Bearer TOKEN"
        raise Problem(401, "unauthorised", detail, headers={"WWW-Authenticate": "Bearer"})
    if request.method not in READING:
        check_origin(request)
        presented = request.headers.get(CSRF_HEADER) or (await form_fields(request)).get(CSRF_FIELD)
        if not session.accepts(presented):
            raise Problem(403, "forged-request", "the request does not come from a page of this session: reload it")
    _check_second_factor(request, session)
    return session


def _check_second_factor(request: Request, session: DeskSession) -> None:
    """Where it is required, leads and administrators without one can only enrol and sign out."""
    access: Access = request.app.state.access
    lacking = session.person.role in LEADS and not session.second_factor and access.settings.require_second_factor
    if lacking and not request.url.path.startswith(ENROLMENT_PATHS):
        detail = "leads and administrators need a second factor here: enrol one with POST /api/v1/session/second-factor"
        raise Problem(403, "second-factor-missing", detail)


def check_origin(request: Request) -> None:
    """Refuse what a page of another origin sent."""
    origin = request.headers.get("origin")
    if origin is not None and urlsplit(origin).netloc != request.headers.get("host"):
        raise Problem(403, "forged-request", "the request comes from a page of another origin")


async def form_fields(request: Request) -> Mapping[str, str]:
    """The fields of a form; none where the body is something else. Of a repeated field the last."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != FORM:
        return {}
    try:
        text = (await request.body()).decode()
        return dict(parse_qsl(text, keep_blank_values=True, max_num_fields=MOST_FIELDS, errors="strict"))
    except ValueError:
        raise Problem(400, "invalid-form", "the form cannot be read") from None


def set_cookie(request: Request, response: Response, session: DeskSession) -> None:
    """Give the browser its session; over HTTPS, under a name that no other host and no HTTP page can set."""
    secure = is_secure(request)
    response.set_cookie(
        SECURE_COOKIE if secure else COOKIE, session.token, max_age=LIFETIME // SECOND, path="/", secure=secure,
        httponly=True, samesite="lax",
    )  # fmt: skip


def clear_cookies(response: Response) -> None:
    """Take the session from the browser."""
    for name, secure in ((SECURE_COOKIE, True), (COOKIE, False)):
        response.delete_cookie(name, path="/", secure=secure, httponly=True, samesite="lax")


def is_secure(request: Request) -> bool:
    """Whether the browser came by HTTPS, or by a proxy, which is trusted to be asked by HTTPS."""
    access: Access = request.app.state.access
    return request.url.scheme == "https" or bool(access.settings.trusted_proxies) or not access.settings.on_loopback


def _token(request: Request) -> str | None:
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    return (token.strip() if kind.lower() == "bearer" else None) or request.headers.get("x-api-key")


async def _token_person(request: Request, token: str, permission: str) -> Person:
    access: Access = request.app.state.access
    record, scope = access.tokens().find(token), PERMISSIONS[permission].scope
    if record is None:
        raise Problem(401, "unauthorised", "unknown token", headers={"WWW-Authenticate": "Bearer"})
    if scope not in record.scopes:
        challenge = {"WWW-Authenticate": f'Bearer error="insufficient_scope", scope="{scope}"'}
        raise Problem(403, "forbidden", f"the token does not have the scope '{scope}'", headers=challenge)
    person = await run_in_threadpool(_named, store_of(request), record.name)
    if person is None:
        raise Problem(403, "forbidden", f"nobody named '{record.name}' works at this desk: invite them first")
    return person


def _named(store: Store, name: str) -> Person | None:
    with store.database.reading() as connection:
        return find_person(connection, name)
