"""The path of OpenAI's moderations on the application."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, FastAPI, Request
from pydantic_core import to_json
from starlette.responses import Response

from evenhand.service.access import authorise
from evenhand.service.direct_paths import DirectRoute, whole_body
from evenhand.service.engine import ScoringEngine
from evenhand.service.limits import check_texts
from evenhand.service.moderations.messages import CategoryTable, parse, response_of
from evenhand.service.moderations.openai_errors import OpenAIError, render

router = APIRouter(include_in_schema=False, route_class=DirectRoute)
PREFIX = "/v1/"
OFF = "Moderations are disabled: no category is mapped to a class of a model (moderations.categories)."


def install(app: FastAPI) -> None:
    """Answer OpenAI's path on an application whose settings, engine and renderers are in its state."""
    mapped = app.state.settings.moderations.categories
    app.state.categories = CategoryTable(mapped, app.state.engine.models) if mapped else None
    app.state.renderers.register(PREFIX, render)
    app.router.routes.extend(router.routes)


@router.post(f"{PREFIX}moderations")
async def moderate(request: Request) -> Response:
    """Say which of the mapped categories the texts fall into."""
    authorise(request, "score")
    table: CategoryTable | None = request.app.state.categories
    if table is None:
        raise OpenAIError(404, "not_configured", OFF)
    body = parse(await whole_body(request))
    table.check_model(body.model)
    check_texts(body.texts, request.app.state.settings)
    engine: ScoringEngine = request.app.state.engine
    scored = await asyncio.gather(*(engine.score(body.texts, model) for model in table.models))
    content = response_of(table, dict(zip(table.models, scored, strict=True)), len(body.texts))
    versions = ", ".join(scores.version for scores in scored)
    headers = {"Evenhand-Model": ", ".join(table.models), "Evenhand-Model-Version": versions}
    return Response(to_json(content), headers=headers, media_type="application/json")
