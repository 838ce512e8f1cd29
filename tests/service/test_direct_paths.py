"""Requests past the router: nobody outside can tell, whatever is sent."""

from __future__ import annotations

import gzip
from typing import Any

import pytest
from fastapi import FastAPI
from httpx import Response

from evenhand.service.app import create_app
from evenhand.service.direct_paths import DirectPaths
from evenhand.service.settings import ServiceSettings
from service.fakes import fake_model, local_client

SCORE, ANALYZE = "/api/v1/score", "/v1alpha1/comments:analyze"
JSON = {"Content-Type": "application/json"}
REQUESTS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "one text": ("POST", SCORE, {"json": {"text": "abc"}}),
    "several": ("POST", SCORE, {"json": {"texts": ["a", "bc"], "model": "fake"}}),
    "a stream": (
        "POST",
        SCORE,
        {"content": b'{"text": "a"}\n{"text": "b"}\n', "headers": {"Content-Type": "application/x-ndjson"}},
    ),
    "gzip": (
        "POST",
        SCORE,
        {"content": gzip.compress(b'{"text": "a"}'), "headers": {**JSON, "Content-Encoding": "gzip"}},
    ),
    "not gzip": ("POST", SCORE, {"content": b"{}", "headers": {**JSON, "Content-Encoding": "gzip"}}),
    "not JSON": ("POST", SCORE, {"content": b"{", "headers": JSON}),
    "no body": ("POST", SCORE, {"headers": JSON}),
    "another type": ("POST", SCORE, {"content": b"a", "headers": {"Content-Type": "text/plain"}}),
    "unknown model": ("POST", SCORE, {"json": {"text": "a", "model": "other"}}),
    "model down": ("POST", SCORE, {"json": {"text": "down"}}),
    "internal error": ("POST", SCORE, {"json": {"text": "break"}}),
    "too deep": ("POST", SCORE, {"content": b"[" * 10_000, "headers": JSON}),
    "wrong method": ("GET", SCORE, {}),
    "HEAD": ("HEAD", "/api/v1/models", {}),
    "options": ("OPTIONS", SCORE, {}),
    "slash at the end": ("POST", f"{SCORE}/", {"json": {"text": "a"}}),
    "doubled slash": ("POST", "//api/v1/score", {"json": {"text": "a"}}),
    "encoded path": ("POST", "/api/v1/%73core", {"json": {"text": "a"}}),
    "with a query": ("POST", f"{SCORE}?model=other", {"json": {"text": "a"}}),
    "models": ("GET", "/api/v1/models", {}),
    "one model": ("GET", "/api/v1/models/fake", {}),
    "wrong host": ("POST", SCORE, {"json": {"text": "a"}, "headers": {"Host": "evil.example"}}),
    "Perspective": (
        "POST",
        ANALYZE,
        {"json": {"comment": {"text": "good morning to you"}, "requestedAttributes": {"TOXICITY": {}}}},
    ),
    "Perspective, invalid": ("POST", ANALYZE, {"json": {"comment": 3}}),
    "discovery": ("GET", "/$discovery/rest?version=v2", {}),
    "moderations": ("POST", "/v1/moderations", {"json": {"input": "a"}}),
}


def service(*, direct: bool) -> FastAPI:
    app = create_app(ServiceSettings(), models={"fake": fake_model()})
    if not direct:
        app.user_middleware = [layer for layer in app.user_middleware if layer.cls is not DirectPaths]
    return app


def answered(response: Response) -> tuple[Any, ...]:
    headers = {name: value for name, value in response.headers.items() if name != "x-request-id"}
    return response.status_code, headers, response.content


def test_every_request_is_answered_as_by_the_router(monkeypatch: pytest.MonkeyPatch) -> None:
    logged: dict[bool, list[Any]] = {True: [], False: []}
    answers: dict[bool, list[Any]] = {}
    for direct, lines in logged.items():
        monkeypatch.setattr("evenhand.service.telemetry.log_request", lines.append)
        with local_client(service(direct=direct)) as client:
            answers[direct] = [answered(client.request(*parts[:2], **parts[2])) for parts in REQUESTS.values()]
            page = client.get("/metrics").text.splitlines()
        answers[direct].append([line for line in page if line.startswith("evenhand_requests_total")])
    for name, fast, ordinary in zip((*REQUESTS, "metrics"), *answers.values(), strict=True):
        assert fast == ordinary, name
    fields = ("method", "route", "status", "client", "token")
    fast, ordinary = ([tuple(getattr(line, field) for field in fields) for line in lines] for lines in logged.values())
    assert fast == ordinary
    assert {status for _, _, status, _, _ in fast} >= {200, 400, 404, 405, 415, 421, 500, 503}


def test_the_paths_with_load_are_direct() -> None:
    layer = next(layer for layer in service(direct=True).user_middleware if layer.cls is DirectPaths)
    routes = DirectPaths(lambda *_: None, **layer.kwargs).routes  # type: ignore[arg-type, return-value]
    assert {("POST", SCORE), ("POST", ANALYZE), ("POST", "/v1/moderations")} <= set(routes)
    assert not any("{" in path for _, path in routes)
