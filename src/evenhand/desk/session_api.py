"""Sign in, out, and use a one-time link, over HTTP."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field
from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse, Response

from evenhand.desk import invitations
from evenhand.desk.authorisation import (
    authorise_person,
    check_origin,
    clear_cookies,
    session_of,
    sessions_of,
    set_cookie,
    store_of,
)
from evenhand.desk.calls import BODIES, read_body
from evenhand.desk.people import DESK_SCOPE
from evenhand.desk.second_factors import SecondFactors
from evenhand.desk.sessions import DeskSession
from evenhand.service.access import Access
from evenhand.service.api import JSON
from evenhand.service.direct_paths import DirectRoute
from evenhand.service.schemas import problem_responses

router = APIRouter(prefix="/api/v1", route_class=DirectRoute, tags=["session"])
PersonName = Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[^\u0000-\u001f\u007f]*$")]
Password = Annotated[str, Field(min_length=1, max_length=1000)]
Code = Annotated[str, Field(min_length=1, max_length=40)]
REFUSED = (400, 403, 408, 413, 415, 422, 503)
STRICT = ConfigDict(extra="forbid", strict=True)


class SignInBody(BaseModel):
    """Who signs in."""

    model_config = STRICT
    name: PersonName
    password: Password
    code: Annotated[Code | None, Field(description="Of the second factor, or a recovery code.")] = None


class CodeBody(BaseModel):
    """The code that an authenticator app shows."""

    model_config = STRICT
    code: Code


class AcceptBody(BaseModel):
    """A one-time link, as the part of it behind /invitation/, and the password to set."""

    model_config = STRICT
    invitation: Annotated[str, Field(min_length=1, max_length=100)]
    password: Password
    name: Annotated[PersonName | None, Field(description="For the first administrator, who chooses a name.")] = None


BODIES.update(SignInBody=SignInBody, AcceptBody=AcceptBody, CodeBody=CodeBody)


def _takes(body: type[BaseModel]) -> dict[str, Any]:
    """For the OpenAPI document: anybody may send this."""
    content = {JSON: {"schema": {"$ref": f"#/components/schemas/{body.__name__}"}}}
    return {"requestBody": {"required": True, "content": content}, "security": [{}]}


class SessionDocument(BaseModel):
    """Who is signed in; `csrf` goes into the header X-CSRF-Token of every call that changes something."""

    person: str
    role: str
    queues: list[str]
    csrf: str | None
    second_factor: Annotated[bool, Field(description="Whether a code of an authenticator app is asked for.")] = False


class SecondFactorDocument(BaseModel):
    """A secret for an authenticator app: as text, and as the address that a QR code holds."""

    secret: str
    address: str


class RecoveryDocument(BaseModel):
    """Codes for the day on which the device is lost, each for one sign-in; shown only now."""

    recovery_codes: list[str]


def session_document(session: DeskSession) -> dict[str, Any]:
    """What the owner of a session is told of it."""
    person = session.person
    record = {"person": person.id, "role": person.role.value, "queues": list(person.queues)}
    return {**record, "csrf": session.csrf, "second_factor": session.second_factor}


def client_address(request: Request) -> str:
    """Where a request comes from, also behind trusted proxies."""
    access: Access = request.app.state.access
    return access.client(request.scope)


@router.post(
    "/session",
    responses={200: {"model": SessionDocument}, **problem_responses(401, 429, *REFUSED)},
    openapi_extra=_takes(SignInBody),
)
async def sign_in(request: Request) -> Response:
    """Begin a session, as a cookie."""
    check_origin(request)
    body: Any = await read_body(request, SignInBody)
    register = sessions_of(request)
    session = await run_in_threadpool(register.sign_in, body.name, body.password, client_address(request), body.code)
    response = JSONResponse(session_document(session))
    set_cookie(request, response, session)
    return response


@router.get(
    "/session",
    responses={200: {"model": SessionDocument}, **problem_responses(401, 403)},
    openapi_extra={"security": [{"token": [DESK_SCOPE]}, {"session": []}]},
)
async def who_is_signed_in(request: Request) -> Response:
    """Who asks: by cookie, or by token."""
    person = await authorise_person(request, "see_session")
    if request.headers.get("authorization") or request.headers.get("x-api-key"):
        record = {"person": person.id, "role": person.role.value, "queues": list(person.queues), "csrf": None}
        return JSONResponse(record)
    return JSONResponse(session_document(await session_of(request)))


@router.delete(
    "/session",
    status_code=204,
    responses=problem_responses(401, 403),
    openapi_extra={"security": [{"session": []}]},
)
async def sign_out(request: Request) -> Response:
    """End the session."""
    session = await session_of(request)
    await run_in_threadpool(sessions_of(request).sign_out, session.token)
    response = Response(status_code=204)
    clear_cookies(response)
    return response


SIGNED_IN: dict[str, Any] = {"security": [{"session": []}]}


@router.post(
    "/session/second-factor",
    responses={200: {"model": SecondFactorDocument}, **problem_responses(401, 403, 409)},
    openapi_extra=SIGNED_IN,
)
async def begin_second_factor(request: Request) -> Response:
    """Begin to enrol an authenticator app: a secret for it. Nothing is asked for until its first code was entered."""
    session = await session_of(request)
    return JSONResponse(await run_in_threadpool(SecondFactors(store_of(request)).begin, session.person.id))


@router.post(
    "/session/second-factor/confirm",
    responses={200: {"model": RecoveryDocument}, **problem_responses(401, 409, *REFUSED)},
    openapi_extra={**_takes(CodeBody), **SIGNED_IN},
)
async def confirm_second_factor(request: Request) -> Response:
    """Enter the first code of the app; from now on one is asked for at every sign-in."""
    session = await session_of(request)
    body: Any = await read_body(request, CodeBody)
    codes = await run_in_threadpool(SecondFactors(store_of(request)).confirm, session.person.id, body.code)
    return JSONResponse({"recovery_codes": codes})


@router.post(
    "/invitations/accept",
    responses={200: {"model": SessionDocument}, **problem_responses(404, *REFUSED)},
    openapi_extra=_takes(AcceptBody),
)
async def accept(request: Request) -> Response:
    """Use a one-time link: set a password and sign in."""
    check_origin(request)
    body: Any = await read_body(request, AcceptBody)
    register = sessions_of(request)

    def use() -> DeskSession:
        store = store_of(request)
        person = invitations.accept(store, register.passwords, body.invitation, body.password, body.name)
        return register.begin(person)

    session = await run_in_threadpool(use)
    response = JSONResponse(session_document(session))
    set_cookie(request, response, session)
    return response
