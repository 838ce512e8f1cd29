"""What is known about the service from outside: one line in the log for each request, and metrics for Prometheus.

Neither ever holds a text, a token or the query of a URL: a request is named by its route, an error by its type and
place.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Mapping
from functools import lru_cache
from itertools import count
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from evenhand.service.access import Access
from evenhand.service.engine import ScoringEngine
from evenhand.service.headers import with_security_headers
from evenhand.service.log_lines import LOG, RequestFacts, log_request
from evenhand.service.models import LoadedModel
from evenhand.service.problems import ErrorRenderers, problem_of

QUIET_ROUTES = frozenset({"/livez", "/readyz", "/metrics"})
UNMATCHED = "unmatched"  # the route of a path that is not known, and may hold anything
GONE = 499  # the client disconnected before the response
SECONDS = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30)
TEXTS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000)


class Metrics:
    """The metrics of one application."""

    def __init__(self, models: Mapping[str, LoadedModel]) -> None:
        self.registry = CollectorRegistry()
        self.requests = self._made(Counter, "requests", "Requests answered.", "route", "method", "status")
        self.seconds = self._made(Histogram, "request_seconds", "Response time.", "route", buckets=SECONDS)
        self.texts = self._made(Counter, "texts", "Texts scored.", "model")
        self.batch = self._made(Histogram, "batch_texts", "Texts scored together.", "model", buckets=TEXTS)
        self.model_seconds = self._made(Counter, "model_seconds", "Time spent scoring.", "model")
        self.waiting = self._made(Gauge, "waiting_texts", "Texts that are waiting or being scored.", "model")
        info = self._made(Gauge, "model_info", "The models that are served.", "model", "version", "calibrated")
        for name, model in models.items():
            info.labels(name, model.version, str(model.calibrator is not None).lower()).set(1)
        ProcessCollector(registry=self.registry)
        self._of_request = lru_cache(maxsize=256)(self._series)

    def watch(self, engine: ScoringEngine) -> None:
        """Take from the engine how many texts wait."""
        for name in engine.models:
            self.waiting.labels(name).set_function(lambda name=name: engine.waiting(name))

    def _made(self, kind: Any, name: str, what: str, *labels: str, **more: Any) -> Any:
        return kind(f"evenhand_{name}", what, labels, registry=self.registry, **more)

    def observe_batch(self, model: str, texts: int, seconds: float) -> None:
        """A batch was scored."""
        self.texts.labels(model).inc(texts)
        self.batch.labels(model).observe(texts)
        self.model_seconds.labels(model).inc(seconds)

    def observe_request(self, route: str, method: str, status: int, seconds: float) -> None:
        """A request was answered."""
        count, duration = self._of_request(route, method, status)
        count.inc()
        duration.observe(seconds)

    def _series(self, route: str, method: str, status: int) -> tuple[Any, Any]:
        return self.requests.labels(route, method, status), self.seconds.labels(route)

    def exposition(self) -> bytes:
        """What Prometheus reads."""
        return generate_latest(self.registry)


class RequestLog:
    """The outermost middleware: counts and logs each request, and answers what nothing else has answered."""

    def __init__(self, app: ASGIApp, access: Access, metrics: Metrics, renderers: ErrorRenderers) -> None:
        self.app, self.access, self.metrics, self.renderers = app, access, metrics, renderers
        self._process, self._numbers = secrets.token_hex(4), count()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        answer = _Answer(send, f"{self._process}{next(self._numbers):08x}")
        began = time.perf_counter()
        try:
            await self.app(scope, receive, answer)
        except ClientDisconnect:
            answer.status = GONE
        except Exception as error:
            LOG.exception("internal error; please report it", extra={"facts": {"request": answer.id}})
            if not answer.started:
                await self.renderers.render(scope, problem_of(error))(scope, receive, answer)
        finally:
            self._observe(scope, answer, time.perf_counter() - began)

    def _observe(self, scope: Scope, answer: _Answer, seconds: float) -> None:
        route, method = route_of(scope), scope["method"] if scope["method"] in METHODS else "other"
        self.metrics.observe_request(route, method, answer.status, seconds)
        if route in QUIET_ROUTES and answer.status < 400:
            return
        token = scope.get("state", {}).get("caller")
        client = self.access.client(scope)
        log_request(RequestFacts(answer.id, method, route, answer.status, round(seconds, 6), client, token))


METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


def route_of(scope: Scope) -> str:
    """The pattern that the path fits: never the path itself, which may hold anything."""
    return str(getattr(scope.get("route"), "path", UNMATCHED))


class _Answer:
    """Stands in for `send`: notes the status, and gives every answer the id of its request and the security headers."""

    def __init__(self, send: Send, id_: str) -> None:
        self._send, self.id = send, id_
        self.status, self.started = 500, False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status, self.started = message["status"], True
            headers = with_security_headers(message.get("headers", ()))
            message["headers"] = [*headers, (b"x-request-id", self.id.encode())]
        await self._send(message)
