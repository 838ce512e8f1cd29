"""How a route of the desk's API is answered: who asks, whether they may, what they sent, then the work, once per key.

A stranger is refused before a byte of the body is read. The work runs in a thread, because the store waits for the
disk.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, Request
from pydantic import BaseModel, ValidationError
from pydantic_core import to_json
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from evenhand.desk.authorisation import authorise_person, store_of
from evenhand.desk.people import PERMISSIONS, Person
from evenhand.service.api import JSON, media_type
from evenhand.service.direct_paths import DirectRoute
from evenhand.service.problems import Problem, invalid_model
from evenhand.service.schemas import problem_responses
from evenhand.store import Store, perform
from evenhand.store.ledger import EventLedger

KEY_HEADER = "Idempotency-Key"
LONGEST_KEY, LONGEST_NAME = 200, 512
READ_PROBLEMS, WRITE_PROBLEMS = (401, 403, 404, 409, 421, 422, 429, 503), (400, 408, 413, 415)
KEY_PARAMETER = {
    "name": KEY_HEADER,
    "in": "header",
    "description": "The same key with the same request is done once, and answered alike.",
    "schema": {"type": "string", "minLength": 1, "maxLength": LONGEST_KEY, "pattern": "^[!-~]+$"},
}
BODIES: dict[str, type[BaseModel]] = {}  # what the OpenAPI document refers to, by name


@dataclass(frozen=True)
class DeskCall:
    """A call of somebody who may: `body` was validated, `key` makes it harmless to repeat."""

    request: Request
    person: Person
    store: Store
    body: Any = None
    key: str | None = None

    def named(self, name: str) -> str:
        """A part of the path."""
        return _storable(str(self.request.path_params[name]))

    def asked(self, name: str) -> str:
        """A text of the query; empty where it is missing."""
        return _storable(self.request.query_params.get(name, ""))

    def number(self, name: str, default: int, most: int) -> int:
        """A whole number of the query, from 0."""
        text = self.request.query_params.get(name)
        if text is None:
            return default
        if not text.isascii() or not text.isdecimal() or len(text) > 18 or int(text) > most:
            raise Problem(422, "invalid-request", f"{name} must be a whole number from 0 to {most:,}")
        return int(text)

    def perform(self, action: str, /, **arguments: Any) -> dict[str, Any]:
        """One of the store's actions, as this person."""
        return perform(self.store, action, actor=self.person.id, key=self.key, **arguments)

    def once(self, what: str, act: Callable[[EventLedger], dict[str, Any]]) -> dict[str, Any]:
        """Something that the store has no action for, once per key; who may was asked by the route."""
        body = None if self.body is None else self.body.model_dump()
        request = {"do": what, "path": self.request.path_params, "with": body}
        return self.store.once(self.person.id, self.key, request, act)


def _storable(text: str) -> str:
    """No name of anything has characters that a database refuses."""
    if "\0" in text or len(text) > LONGEST_NAME:
        raise Problem(404, "not-found", "nothing has this name")
    return text


class DeskRoutes:
    """The routes of one part of the API."""

    def __init__(self, tag: str) -> None:
        self.router = APIRouter(prefix="/api/v1", route_class=DirectRoute, tags=[tag])

    def add(
        self,
        method: str,
        path: str,
        permission: str,
        *,
        body: type[BaseModel] | None = None,
        answer: Any = None,
        status: int = 200,
        query: Sequence[Mapping[str, Any]] = (),
        media: Mapping[str, Any] | None = None,
    ) -> Callable[[Callable[[DeskCall], Any]], Callable[[DeskCall], Any]]:
        """Answer this method and path by a function of the call, for those with the permission."""

        def register(work: Callable[[DeskCall], Any]) -> Callable[[DeskCall], Any]:
            endpoint = _endpoint(work, permission, body, status)
            problems = problem_responses(*READ_PROBLEMS, *(() if method == "GET" else WRITE_PROBLEMS))
            described: dict[int | str, dict[str, Any]] = {
                status: {"model": answer} if answer else {"description": "Done."}
            }
            self.router.add_api_route(
                path, endpoint, methods=[method], status_code=status, responses={**described, **problems},
                openapi_extra=_description(method, path, permission, body, query, media),
                name=work.__name__, description=inspect.getdoc(work), summary=None,
            )  # fmt: skip
            return work

        return register


def _endpoint(
    work: Callable[[DeskCall], Any], permission: str, body: type[BaseModel] | None, status: int
) -> Callable[[Request], Any]:
    assert permission in PERMISSIONS

    async def endpoint(request: Request) -> Response:
        person = await authorise_person(request, permission)
        key = idempotency_key(request)
        parsed = None if body is None else await read_body(request, body)
        call = DeskCall(request, person, store_of(request), parsed, key)
        answer = await work(call) if inspect.iscoroutinefunction(work) else await run_in_threadpool(work, call)
        return answer if isinstance(answer, Response) else Response(to_json(answer), status, media_type=JSON)

    endpoint.__name__ = work.__name__
    endpoint.__dict__["permission"] = permission
    return endpoint


async def read_body(request: Request, model: type[BaseModel]) -> BaseModel:
    """The JSON body, validated."""
    if media_type(request) != JSON:
        raise Problem(415, "unsupported-media-type", f"Content-Type must be {JSON}", headers={"Accept-Post": JSON})
    try:
        return model.model_validate_json(await request.body())
    except ValidationError as error:
        raise invalid_model(error) from None


def idempotency_key(request: Request) -> str | None:
    """The key of a call, where it has one."""
    key = request.headers.get(KEY_HEADER)
    if key is not None and not re.fullmatch(f"[!-~]{{1,{LONGEST_KEY}}}", key):
        detail = f"{KEY_HEADER} must have 1 to {LONGEST_KEY} printable ASCII characters, none of them a space"
        raise Problem(422, "invalid-request", detail)
    return key


def _description(
    method: str,
    path: str,
    permission: str,
    body: type[BaseModel] | None,
    query: Sequence[Mapping[str, Any]],
    media: Mapping[str, Any] | None,
) -> dict[str, Any]:
    """What FastAPI cannot see of a route that takes the request as it is."""
    names = [part[1:-1] for part in path.split("/") if part.startswith("{")]
    parameters: list[Mapping[str, Any]] = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}} for name in names
    ]
    parameters += [*query, *([] if method == "GET" else [KEY_PARAMETER])]
    scope, roles = PERMISSIONS[permission].scope, ", ".join(sorted(PERMISSIONS[permission].roles))
    extra: dict[str, Any] = {"parameters": parameters, "security": [{"token": [scope]}, {"session": []}]}
    if body is not None:
        BODIES[body.__name__] = body
        media = {JSON: {"schema": {"$ref": f"#/components/schemas/{body.__name__}"}}}
    if media is not None:
        extra["requestBody"] = {"required": True, "content": media}
    return {**extra, "x-evenhand-roles": roles}


def query_number(name: str, what: str, most: int) -> dict[str, Any]:
    """For the OpenAPI document: a whole number of the query."""
    return {
        "name": name,
        "in": "query",
        "description": what,
        "schema": {"type": "integer", "minimum": 0, "maximum": most},
    }
