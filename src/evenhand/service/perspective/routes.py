"""The paths of Perspective's API on the application."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from threading import Thread
from typing import Any

from fastapi import APIRouter, FastAPI, Request
from pydantic_core import to_json
from starlette.responses import Response

from evenhand.service.access import Access
from evenhand.service.direct_paths import DirectRoute, whole_body
from evenhand.service.engine import ScoredTexts, ScoringEngine
from evenhand.service.perspective.analysis import analysis_of, check_languages, check_suggestion, response_of
from evenhand.service.perspective.attributes import AttributeTable
from evenhand.service.perspective.discovery import API, VERSION, discovery_document
from evenhand.service.perspective.google_errors import invalid_request, key_error, render
from evenhand.service.perspective.languages import detect_languages, load_detector
from evenhand.service.perspective.messages import (
    AnalyzeCommentRequest,
    SuggestCommentScoreRequest,
    SuggestCommentScoreResponse,
    parse,
    to_document,
)
from evenhand.service.perspective.suggestions import NoSuggestions, ScoreSuggestion, SuggestionSink
from evenhand.service.problems import Problem
from evenhand.version import __version__

router = APIRouter(include_in_schema=False, route_class=DirectRoute)
PREFIXES = (f"/{VERSION}/", "/$discovery/", "/discovery/")


def install(app: FastAPI, suggestions: SuggestionSink | None = None) -> None:
    """Answer Perspective's paths on an application whose settings, engine, access and renderers are in its state."""
    app.state.attributes = AttributeTable.of_service(app.state.settings, app.state.engine.models)
    app.state.suggestions = suggestions or NoSuggestions()
    for prefix in PREFIXES:
        app.state.renderers.register(prefix, render)
    app.router.routes.extend(router.routes)


def start_detector(app: FastAPI) -> None:
    """Load the language detector in the background, so that no request has to wait for it and start-up does not."""
    if app.state.attributes.attributes:
        Thread(target=load_detector, name="language detector", daemon=True).start()


def key_holder(request: Request) -> str | None:
    """The name of the caller, by the key in the URL or in a header; otherwise an error in Google's form."""
    access: Access = request.app.state.access
    key = given_key(request)
    try:
        caller = access.caller(request.scope, key, "score")
    except Problem as problem:
        raise key_error(problem, key_given=bool(key)) from None
    request.state.caller = caller.name
    return caller.name


def given_key(request: Request) -> str | None:
    """The token: X-Goog-Api-Key, a bearer token, or `key` in the URL."""
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    bearer = token.strip() if kind.lower() == "bearer" else None
    return request.headers.get("x-goog-api-key") or bearer or request.query_params.get("key")


@router.post(f"/{VERSION}/comments:analyze")
async def analyze(request: Request) -> Response:
    """Score a comment."""
    key_holder(request)
    table: AttributeTable = request.app.state.attributes
    body = parse(AnalyzeCommentRequest, await whole_body(request))
    analysis = analysis_of(body, table, longest=request.app.state.settings.max_text)
    detected = await _detected(analysis.comment.read, table)
    languages = check_languages(analysis, detected)
    scored = await _scores(request.app.state.engine, analysis.texts, analysis.models)
    answer = response_of(analysis, scored, languages, detected)
    return _json_response(to_document(answer), _model_headers(scored))


@router.post(f"/{VERSION}/comments:suggestscore")
async def suggest_score(request: Request) -> Response:
    """Take a suggestion; whether anything is done with it is up to the sink."""
    caller = key_holder(request)
    table: AttributeTable = request.app.state.attributes
    body = parse(SuggestCommentScoreRequest, await whole_body(request))
    comment = check_suggestion(body, table, longest=request.app.state.settings.max_text)
    detected = await _detected(comment.read, table)
    models = {name: table.find(name).model for name in body.attribute_scores}
    suggestion = ScoreSuggestion(
        text=comment.sent,
        attribute_scores=body.attribute_scores,
        versions={name: f"{model.name}@{model.version}" for name, model in models.items()},
        languages=tuple(body.languages or detected),
        community_id=body.community_id,
        session_id=body.session_id,
        caller=caller,
    )
    sink: SuggestionSink = request.app.state.suggestions
    await sink.accept(suggestion)
    answer = SuggestCommentScoreResponse(
        client_token=body.client_token, detected_languages=detected, requested_languages=body.languages
    )
    return _json_response(to_document(answer), {})


@router.get("/$discovery/rest")
async def described(request: Request) -> Response:
    """The discovery document; it needs no key, as Google's needs none."""
    if request.query_params.get("version", VERSION) != VERSION:
        raise invalid_request(f"The only supported version is {VERSION}")
    return _json_response(discovery_document(address_of(request), __version__), {})


@router.get(f"/discovery/v1/apis/{API}/{VERSION}/rest")
async def described_in_directory(request: Request) -> Response:
    """The same at the path of Google's older directory."""
    return _json_response(discovery_document(address_of(request), __version__), {})


def address_of(request: Request) -> str:
    """The address that clients use: as configured, or as this client has used it."""
    configured: str | None = request.app.state.settings.perspective.address
    if configured:
        return configured
    forwarded = request.headers.get("x-forwarded-proto", "").strip().lower()
    scheme = forwarded if forwarded in ("http", "https") else request.url.scheme
    return f"{scheme}://{request.headers['host']}"


async def _detected(text: str, table: AttributeTable) -> list[str]:
    """In a thread: the detector may still be loading."""
    return await asyncio.to_thread(detect_languages, text, table.languages)


async def _scores(engine: ScoringEngine, texts: Sequence[str], models: Sequence[str]) -> dict[str, ScoredTexts]:
    scored = await asyncio.gather(*(engine.score(texts, model) for model in models))
    return dict(zip(models, scored, strict=True))


def _model_headers(scored: Mapping[str, ScoredTexts]) -> dict[str, str]:
    """Which models answered."""
    names, versions = (", ".join(parts) for parts in zip(*((s.model, s.version) for s in scored.values()), strict=True))
    return {"Evenhand-Model": names, "Evenhand-Model-Version": versions}


def _json_response(content: dict[str, Any], headers: Mapping[str, str]) -> Response:
    return Response(to_json(content), headers=dict(headers), media_type="application/json")
