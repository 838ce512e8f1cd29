"""Errors as Google's APIs give them: {"error": {"code", "message", "status", "details"}}.

Messages and error types are those that Perspective documents, since clients compare them. Whatever else goes wrong on
these paths (limits, tokens, an unknown path) is put into the same form.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic_core import to_json
from starlette.responses import Response

from evenhand.service.problems import Problem

SERVICE = "commentanalyzer.googleapis.com"
ERROR_KIND = "type.googleapis.com/google.commentanalyzer.v1alpha1.Error"
INFO_KIND = "type.googleapis.com/google.rpc.ErrorInfo"
BAD_REQUEST_KIND = "type.googleapis.com/google.rpc.BadRequest"
STATUSES = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    405: "UNIMPLEMENTED",
    408: "DEADLINE_EXCEEDED",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
}
REASONS = {"overloaded": "RATE_LIMIT_EXCEEDED", "unauthorised": "API_KEY_INVALID"}
KEY_INVALID = "API key not valid. Please pass a valid API key."
KEY_MISSING = (
    "Method doesn't allow unregistered callers (callers without established identity). "
    "Please use API Key or other form of API consumer identity to call this API."
)


@dataclass(eq=False)
class GoogleError(Problem):
    """A problem with details that clients of Google's APIs act on."""

    details: Sequence[Mapping[str, Any]] = ()


def render(problem: Problem) -> Response:
    """A problem in Google's form; there is always one detail at least, since clients look at the first."""
    details = problem.details if isinstance(problem, GoogleError) else [_info(problem)]
    content = {
        "code": problem.status,
        "message": problem.detail,
        "status": STATUSES.get(problem.status, STATUSES[400] if problem.status < 500 else STATUSES[500]),
        "details": list(details),
    }
    return Response(to_json({"error": content}), problem.status, dict(problem.headers), "application/json")


def invalid_request(message: str, error_type: str = "INVALID_REQUEST", **more: Any) -> GoogleError:
    """A request that Perspective would refuse; `error_type` is one of its own."""
    return _google_error(400, message, {"@type": ERROR_KIND, "errorType": error_type, **more})


def invalid_payload(field: str, what: str) -> GoogleError:
    """A body that is not JSON, or not of the right form; `field` is the place."""
    message = f"Invalid JSON payload received. {what}" if not field or what.startswith("Unknown name") else what
    violation = {"field": field, "description": message} if field else {"description": message}
    return _google_error(400, message, {"@type": BAD_REQUEST_KIND, "fieldViolations": [violation]})


def key_error(problem: Problem, *, key_given: bool) -> GoogleError:
    """A token that is missing (403), not known (400, as Google has it) or not for this (403)."""
    if problem.status == 401 and key_given:
        return _google_error(400, KEY_INVALID, _error_info("API_KEY_INVALID"))
    if problem.status == 401:
        return _google_error(403, KEY_MISSING, _error_info("CREDENTIALS_MISSING"))
    return _google_error(problem.status, problem.detail, _error_info("API_KEY_SERVICE_BLOCKED"))


def unsupported_language(
    attribute: str, requested: Sequence[str], detected: Sequence[str], effective: Sequence[str]
) -> GoogleError:
    """An attribute that is not there in any of the languages of a comment."""
    message = f"Attribute {attribute} does not support request languages: {','.join(_repeated(effective))}"
    about = {"detectedLanguages": list(detected), "attribute": attribute}
    if requested:
        about["requestedLanguages"] = _repeated(requested)
    kind = "LANGUAGE_NOT_SUPPORTED_BY_ATTRIBUTE"
    return invalid_request(message, kind, languageNotSupportedByAttributeError=about)


def _repeated(tags: Sequence[str]) -> list[str]:
    """What an error repeats of the languages of a request, which may be of any number and length."""
    return [tag[:35] for tag in tags[:10]]


def _google_error(status: int, message: str, detail: Mapping[str, Any]) -> GoogleError:
    return GoogleError(status, "perspective", message, details=[detail])


def _info(problem: Problem) -> dict[str, Any]:
    return _error_info(REASONS.get(problem.code, problem.code.upper().replace("-", "_")))


def _error_info(reason: str) -> dict[str, Any]:
    return {"@type": INFO_KIND, "reason": reason, "domain": "googleapis.com", "metadata": {"service": SERVICE}}
