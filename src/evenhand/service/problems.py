"""Errors as problem+json (RFC 9457): what is wrong, in one sentence, with a type that programs can act on.

`Problem` is raised by handlers and made by middleware. An interface with errors of another form (Perspective, OpenAI)
registers how its paths render a problem; everything else is rendered as problem+json.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError
from pydantic_core import to_json
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import Scope

from evenhand.errors import EvenhandError
from evenhand.service.engine import ModelError, OverloadedError, StoppingError, UnknownModelError

MEDIA_TYPE = "application/problem+json"
TYPE_PREFIX = "urn:evenhand:problem:"
RETRY_SECONDS = 1
MOST_ERRORS = 1000  # in one body that are reported
TEMPORARY: dict[type[EvenhandError], tuple[int, str]] = {
    OverloadedError: (429, "overloaded"),
    ModelError: (503, "model-unavailable"),
    StoppingError: (503, "stopping"),
}


@dataclass(eq=False)
class Problem(EvenhandError):  # noqa: N818 (the word of RFC 9457)
    """A request that cannot be answered. `code` names the kind of problem and never changes; `errors` are places."""

    status: int
    code: str
    detail: str
    errors: Sequence[Mapping[str, str]] = ()
    headers: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__init__(self.detail)

    def document(self) -> dict[str, Any]:
        """The members of the problem document."""
        title = self.code.replace("-", " ").capitalize().replace("json", "JSON").replace("http", "HTTP")
        content = {"type": TYPE_PREFIX + self.code, "title": title, "status": self.status, "detail": self.detail}
        return {**content, "errors": list(self.errors)} if self.errors else content


ErrorRenderer = Callable[[Problem], Response]


def render(problem: Problem) -> Response:
    """As problem+json."""
    return Response(to_json(problem.document()), problem.status, dict(problem.headers), MEDIA_TYPE)


class ErrorRenderers:
    """How problems are rendered, by the start of the path."""

    def __init__(self) -> None:
        self._by_prefix: dict[str, ErrorRenderer] = {}

    def register(self, prefix: str, renderer: ErrorRenderer) -> None:
        """Use another form for paths that start with this."""
        self._by_prefix[prefix] = renderer

    def render(self, scope: Scope, problem: Problem) -> Response:
        """The response to a request, in the form of its path."""
        path = scope.get("path", "")
        renderers = (renderer for prefix, renderer in self._by_prefix.items() if path.startswith(prefix))
        return next(renderers, render)(problem)


def problem_of(error: Exception) -> Problem:
    """The problem to report for an error; internal messages are not disclosed."""
    if isinstance(error, Problem):
        return error
    if isinstance(error, UnknownModelError):
        return Problem(404, "unknown-model", str(error))
    for kind, (status, code) in TEMPORARY.items():
        if isinstance(error, kind):
            return Problem(status, code, str(error), headers={"Retry-After": str(RETRY_SECONDS)})
    if isinstance(error, RequestValidationError):
        return invalid_body([{**one, "loc": tuple(one["loc"][1:])} for one in error.errors()])
    if isinstance(error, HTTPException):
        code = HTTPStatus(error.status_code).phrase.lower().replace(" ", "-")
        return Problem(error.status_code, code, _http_detail(error), headers=dict(error.headers or {}))
    return Problem(500, "internal", "internal error; please report it")


def invalid_model(error: ValidationError) -> Problem:
    """What is wrong with a body; of one with errors without end only how many there are."""
    if error.error_count() > MOST_ERRORS:
        return Problem(422, "invalid-request", f"the body is not valid: {error.error_count():,} errors")
    return invalid_body(error.errors(include_url=False, include_input=False))


def invalid_body(errors: Sequence[Mapping[str, Any]]) -> Problem:
    """What is wrong with a JSON body, by place; the values themselves are not repeated."""
    if errors and errors[0]["type"] == "json_invalid":
        return Problem(400, "invalid-json", f"the body is not JSON: {errors[0]['ctx']['error']}")
    places = [
        {"pointer": pointer(error["loc"]), "detail": error["msg"].removeprefix("Value error, ")}
        for error in errors[:20]
    ]
    first = places[0]
    return Problem(422, "invalid-request", f"the body is not valid: {_place_text(first)}{first['detail']}", places)


def _place_text(place: Mapping[str, str]) -> str:
    """The field that a fault is in, where it is in one."""
    field = place["pointer"].removeprefix("#").removeprefix("/")
    return f"{field}: " if field else ""


def pointer(place: Sequence[int | str]) -> str:
    """A JSON pointer (RFC 6901), as a fragment."""
    return "#" + "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in place)


def install(app: FastAPI, renderers: ErrorRenderers) -> None:
    """Answer every error of the application in the form of its path."""

    async def handle(request: Request, error: Exception) -> Response:
        return renderers.render(request.scope, problem_of(error))

    for kind in (HTTPException, RequestValidationError, EvenhandError):
        app.add_exception_handler(kind, handle)


def _http_detail(error: HTTPException) -> str:
    details = {404: "no such path", 405: "method not allowed for this path"}
    return details.get(error.status_code, str(error.detail))
