"""The address of the desk's settings: look, and change one thing."""

from __future__ import annotations

from typing import Any

from fastapi import Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from evenhand.desk.authorisation import form_fields, store_of
from evenhand.desk.pages.handling import error_words, say, show, signed_in
from evenhand.desk.pages.settings import CHANGES, DeskSettings
from evenhand.desk.pages.words import PhraseError
from evenhand.errors import InputError


def _settings(request: Request) -> DeskSettings:
    state = request.app.state
    return DeskSettings(store_of(request), state.access.path, state.outgoing)


async def settings(request: Request) -> Response:
    """Webhooks, tokens and what is kept."""
    await signed_in(request, "see_settings")
    return await _shown(request)


async def change_settings(request: Request) -> Response:
    """Do what a form asks. A secret is shown in the answer, once."""
    session = await signed_in(request, "see_settings")
    fields = await form_fields(request)
    asked = fields.get("do", "")
    if asked in CHANGES:
        await signed_in(request, CHANGES[asked][0])
    try:
        change = await run_in_threadpool(_settings(request).change, session.person, fields)
    except InputError as error:
        told = error_words(request, error) if isinstance(error, PhraseError) else f"{error}"
        return await _shown(request, status=422, message=told, problem=True)
    return await _shown(request, secret=change.secret, message=say(request, change.key, **change.values))


async def _shown(request: Request, **more: Any) -> Response:
    page = await run_in_threadpool(_settings(request).page)
    return show(request, "settings.html", **{"page": page, "secret": None, **more})
