"""Errors as OpenAI's API gives them: {"error": {"message", "type", "param", "code"}}."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic_core import to_json
from starlette.responses import Response

from evenhand.service.problems import Problem

REQUEST, SERVER, RATE = "invalid_request_error", "server_error", "requests"
CODES = {"unauthorised": "invalid_api_key", "overloaded": "rate_limit_exceeded"}


@dataclass(eq=False)
class OpenAIError(Problem):
    """A problem with the parameter it is about."""

    param: str | None = None


def invalid_input(detail: str, param: str | None = None, code: str = "invalid_value") -> OpenAIError:
    """A request that OpenAI would refuse."""
    return OpenAIError(400, code, detail, param=param)


def render(problem: Problem) -> Response:
    """A problem in OpenAI's form, which has no 422."""
    status = 400 if problem.status == 422 else problem.status
    kind = RATE if problem.status == 429 else SERVER if problem.status >= 500 else REQUEST
    content = {
        "message": problem.detail,
        "type": kind,
        "param": problem.param if isinstance(problem, OpenAIError) else None,
        "code": CODES.get(problem.code, problem.code.replace("-", "_")),
    }
    return Response(to_json({"error": content}), status, dict(problem.headers), "application/json")
