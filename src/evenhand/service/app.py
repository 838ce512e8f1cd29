"""The application: settings in, an ASGI application out."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI, Request
from fastapi.telemetry import TelemetryConfig
from prometheus_client import CONTENT_TYPE_LATEST
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import PlainTextResponse, Response

from evenhand.classifiers.permissions import Permissions
from evenhand.service import api, problems
from evenhand.service.access import Access, HostCheck, authorise
from evenhand.service.direct_paths import DirectPaths
from evenhand.service.engine import ScoringEngine
from evenhand.service.limits import RequestLimits
from evenhand.service.models import LoadedModel, open_models
from evenhand.service.moderations import routes as moderations
from evenhand.service.perspective import routes as perspective
from evenhand.service.schemas import ProblemDocument, score_request_schema
from evenhand.service.settings import ServiceSettings
from evenhand.service.telemetry import Metrics, RequestLog
from evenhand.version import __version__

NO_TELEMETRY: TelemetryConfig = {
    "tracing": False,
    "metrics": False,
    "logs": False,
    "auto_configure": False,
}  # it would hold texts
OPENAPI_PATH = "/api/v1/openapi.json"
TOKEN_SCHEME = {"type": "http", "scheme": "bearer", "description": "Created by `evenhand serve tokens add`."}
ROUTES = (*api.router.routes, *perspective.router.routes, *moderations.router.routes)
DESCRIPTION = "Scores of moderation models: probabilities, their uncertainty, and the model version that returned them."


def create_app(settings: ServiceSettings, *, models: Mapping[str, LoadedModel] | None = None) -> FastAPI:
    """The service as an application; models that are open already can be given.

    Its state holds `settings`, `engine`, `access`, `metrics`, `renderers` (of errors) and `stopping`.
    """
    access, renderers = Access(settings), problems.ErrorRenderers()
    access.check_start()
    permissions = Permissions.from_arguments(trust=settings.trust, send_to=settings.send_to, secrets=settings.secrets)
    served = models or open_models(settings.models, device=settings.device, permissions=permissions)
    metrics = Metrics(served)
    engine = ScoringEngine(
        served, max_waiting=settings.max_waiting, timeout=settings.timeout, observe=metrics.observe_batch
    )
    metrics.watch(engine)
    app = FastAPI(
        title="Evenhand",
        summary=DESCRIPTION,
        version=__version__,
        lifespan=_lifespan(engine, settings),
        docs_url=None,
        redoc_url=None,
        openapi_url=OPENAPI_PATH,
        telemetry=NO_TELEMETRY,
        redirect_slashes=False,
        middleware=[
            Middleware(RequestLog, access=access, metrics=metrics, renderers=renderers),
            Middleware(HostCheck, access=access, renderers=renderers),
            *_cors(settings),
            Middleware(RequestLimits, settings=settings, renderers=renderers),
            Middleware(DirectPaths, routes=ROUTES, renderers=renderers),
        ],
    )
    state: dict[str, Any] = {"settings": settings, "engine": engine, "access": access, "metrics": metrics}
    for name, value in {**state, "renderers": renderers, "stopping": False}.items():
        setattr(app.state, name, value)
    problems.install(app, renderers)
    _add_routes(app)
    return app


def _add_routes(app: FastAPI) -> None:
    app.router.routes.extend(api.router.routes)  # including them would put FastAPI's own handler around each
    perspective.install(app)
    moderations.install(app)
    for path, health in (("/livez", alive), ("/readyz", ready)):
        app.add_api_route(path, health, include_in_schema=False, methods=["GET", "HEAD"])
    app.add_api_route("/metrics", metrics_page, include_in_schema=False)
    app.openapi = _completed(app.openapi, app.state.settings)  # type: ignore[method-assign]


def _lifespan(engine: ScoringEngine, settings: ServiceSettings) -> Callable[[FastAPI], Any]:
    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        await engine.warm_up()
        perspective.start_detector(app)
        yield
        await engine.stop(settings.stop_timeout)

    return lifespan


def _cors(settings: ServiceSettings) -> list[Middleware]:
    """Only where web pages of other origins were allowed."""
    if not settings.cors_origins:
        return []
    return [
        Middleware(
            CORSMiddleware,
            allow_origins=settings.cors_origins,
            allow_methods=("GET", "POST"),
            allow_headers=("Authorization", "Content-Type", "X-API-Key", "X-Goog-Api-Key"),
            expose_headers=("Evenhand-Model", "Evenhand-Model-Version", "Retry-After", "X-Request-Id"),
        )
    ]


def _completed(make: Callable[[], dict[str, Any]], settings: ServiceSettings) -> Callable[[], dict[str, Any]]:
    """The OpenAPI document with what every operation refers to, problems and tokens, and with the limits in force."""

    def openapi() -> dict[str, Any]:
        document = make()
        components = document.setdefault("components", {})
        problem = ProblemDocument.model_json_schema(ref_template="#/components/schemas/{model}")
        request_schema = score_request_schema(max_text=settings.max_text, max_texts=settings.max_texts)
        schemas = {**problem.pop("$defs"), "ProblemDocument": problem, "ScoreRequest": request_schema}
        components.setdefault("schemas", {}).update(schemas)
        components["securitySchemes"] = {"token": TOKEN_SCHEME}
        return document

    return openapi


async def alive() -> Response:
    """The process runs."""
    return PlainTextResponse("ok\n")


async def ready(request: Request) -> Response:
    """It takes requests: not any more once it is being stopped."""
    stopping = request.app.state.stopping
    return PlainTextResponse("stopping\n", 503) if stopping else PlainTextResponse("ok\n")


async def metrics_page(request: Request) -> Response:
    """The metrics, as Prometheus reads them."""
    authorise(request, "metrics")
    return Response(request.app.state.metrics.exposition(), media_type=CONTENT_TYPE_LATEST)
