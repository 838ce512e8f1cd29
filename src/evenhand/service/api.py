"""The API of Evenhand itself, version 1: score texts, list the models."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from pydantic import ValidationError
from pydantic_core import to_json
from starlette.responses import Response, StreamingResponse

from evenhand.service import schemas
from evenhand.service.access import authorise
from evenhand.service.direct_paths import DirectRoute, whole_body
from evenhand.service.engine import ScoringEngine
from evenhand.service.headers import request_header
from evenhand.service.limits import check_texts
from evenhand.service.models import LoadedModel
from evenhand.service.problems import Problem, invalid_model
from evenhand.service.results import model_headers, score_document
from evenhand.service.settings import ServiceSettings
from evenhand.service.streaming import check_lines, scored_lines

router = APIRouter(prefix="/api/v1", route_class=DirectRoute)
JSON, NDJSON = "application/json", "application/x-ndjson"
NDJSON_NAMES = frozenset({NDJSON, "application/ndjson", "application/jsonl", "application/jsonlines"})
ACCEPT_POST = {"Accept-Post": f"{JSON}, {NDJSON}"}
REFUSALS = (401, 403, 421, 429, 500, 503)
MODEL_HEADERS = {
    "Evenhand-Model": {"description": "The model that answered.", "schema": {"type": "string"}},
    "Evenhand-Model-Version": {"description": "Its version.", "schema": {"type": "string"}},
}
SCORED: dict[str, Any] = {
    "model": schemas.ScoreResponse,
    "description": "The scores, in the order of the texts; for a stream, one line per line, sent as computed.",
    "headers": MODEL_HEADERS,
    "content": {NDJSON: {"schema": {"type": "string"}}},
}
MODEL_NAME = {"name": "name", "in": "path", "required": True, "schema": {"type": "string"}}
STREAM_MODEL = {
    "name": "model",
    "in": "query",
    "description": "The name of the model, for a stream; a JSON request has it in the body.",
    "schema": {"type": "string"},
}
SCORE_INPUT = {
    "parameters": [STREAM_MODEL],
    "requestBody": {
        "required": True,
        "content": {
            JSON: {"schema": {"$ref": "#/components/schemas/ScoreRequest"}},
            NDJSON: {"schema": {"type": "string", "examples": ['{"id": "c1", "text": "good morning"}\n']}},
        },
    },
}


def needs(scope: str) -> dict[str, Any]:
    """For the OpenAPI document: a token with this scope, or none on a loopback address."""
    return {"security": [{"token": [scope]}, {}]}


def engine_of(request: Request) -> ScoringEngine:
    """The engine of the application that a request came to."""
    engine: ScoringEngine = request.app.state.engine
    return engine


def settings_of(request: Request) -> ServiceSettings:
    """The settings of the application that a request came to."""
    settings: ServiceSettings = request.app.state.settings
    return settings


@router.post(
    "/score",
    responses={200: SCORED, **schemas.problem_responses(400, 404, 408, 413, 415, 422, *REFUSALS)},
    openapi_extra={**needs("score"), **SCORE_INPUT},
)
async def score(request: Request) -> Response:
    """Score one text, several, or a stream of them: JSON, or NDJSON with a text in each line."""
    authorise(request, "score")
    kind = media_type(request)
    if kind in NDJSON_NAMES:
        return await _score_lines(request)
    if kind != JSON:
        raise Problem(415, "unsupported-media-type", f"Content-Type must be {JSON} or {NDJSON}", headers=ACCEPT_POST)
    try:
        body = schemas.ScoreRequest.model_validate_json(await whole_body(request))
    except ValidationError as error:
        raise invalid_model(error) from None
    texts = [body.text] if "text" in body.model_fields_set else body.texts
    check_texts(texts, settings_of(request))
    scored = await engine_of(request).score(texts, body.model)
    return Response(to_json(score_document(scored)), media_type=JSON, headers=model_headers(scored))


async def _score_lines(request: Request) -> Response:
    engine = engine_of(request)
    served = engine.model(request.query_params.get("model"))
    headers = {"Evenhand-Model": served.name, "Evenhand-Model-Version": served.version}
    body, settings = await whole_body(request), settings_of(request)
    check_lines(body, settings)
    lines = scored_lines(body, engine, settings, served.name)
    return StreamingResponse(lines, media_type=NDJSON, headers=headers)


@router.get(
    "/models",
    response_model=schemas.ModelList,
    responses=schemas.problem_responses(*REFUSALS),
    openapi_extra=needs("models"),
)
async def models(request: Request) -> Response:
    """The models that are served, with their cards."""
    authorise(request, "models")
    engine = engine_of(request)
    listed = [model_document(model) for model in engine.models.values()]
    return Response(to_json({"default": engine.default, "models": listed}), media_type=JSON)


@router.get(
    "/models/{name}",
    response_model=schemas.ServedModelDescription,
    responses=schemas.problem_responses(404, *REFUSALS),
    openapi_extra={**needs("models"), "parameters": [MODEL_NAME]},
)
async def one_model(request: Request) -> Response:
    """One model that is served, with its card."""
    authorise(request, "models")
    return Response(to_json(model_document(engine_of(request).model(request.path_params["name"]))), media_type=JSON)


def model_document(model: LoadedModel) -> dict[str, Any]:
    """What there is to know of a model."""
    return {
        "name": model.name,
        "version": model.version,
        "task": model.targets.kind,
        "classes": model.targets.classes,
        "calibrated": model.calibrator is not None,
        "card": model.card,
    }


def media_type(request: Request) -> str:
    """The type of the body, without its parameters."""
    return request_header(request.scope, b"content-type").partition(";")[0].strip().lower()
