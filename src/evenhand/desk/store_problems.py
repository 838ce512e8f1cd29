"""What the store refuses, as answers over HTTP: conflicts, what is missing or not allowed, a database that is away."""

from __future__ import annotations

from fastapi import FastAPI, Request
from sqlalchemy.exc import IntegrityError
from starlette.responses import Response

from evenhand.desk.sessions import SecondFactorError, SignInError, TooManyAttemptsError
from evenhand.errors import ErrorKind, EvenhandError, InputError, name_settings
from evenhand.service.problems import RETRY_SECONDS, ErrorRenderers, Problem, problem_of
from evenhand.store import ConflictError, ForbiddenError
from evenhand.store.connection import DatabaseError
from evenhand.store.ledger import MissingError


def store_problem(error: EvenhandError) -> Problem:
    """The problem to report for an error of the store or of a sign-in."""
    if isinstance(error, DatabaseError):
        detail = "the store does not answer: try again"
        return Problem(503, "store-unavailable", detail, headers={"Retry-After": str(RETRY_SECONDS)})
    if isinstance(error, TooManyAttemptsError):
        return Problem(429, "too-many-attempts", str(error), headers={"Retry-After": str(error.seconds)})
    if isinstance(error, SecondFactorError):
        return Problem(401, "second-factor-needed", str(error))
    if isinstance(error, SignInError):
        return Problem(401, "sign-in-failed", str(error))
    if isinstance(error, MissingError):
        return Problem(404, "not-found", str(error))
    if isinstance(error, ConflictError):
        return Problem(409, "conflict", str(error))
    if isinstance(error, ForbiddenError):
        return Problem(403, "forbidden", str(error))
    if isinstance(error, InputError):
        status, code = (404, "not-found") if error.kind == ErrorKind.NOT_FOUND else (422, "invalid-request")
        return Problem(status, code, name_settings(error.problem, str))
    return problem_of(error)


def install(app: FastAPI) -> None:
    """Answer these errors in the form of their path."""
    renderers: ErrorRenderers = app.state.renderers

    async def handle(request: Request, error: Exception) -> Response:
        known = error if isinstance(error, EvenhandError) else ConflictError("too many changes at once: try again")
        return renderers.render(request.scope, store_problem(known))

    for kind in (ConflictError, ForbiddenError, InputError, SignInError, TooManyAttemptsError, IntegrityError):
        app.add_exception_handler(kind, handle)
