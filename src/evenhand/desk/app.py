"""The desk as an application: the scoring service, and on it people, sessions and the API on a store."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Any

import sqlalchemy as sa
from fastapi import FastAPI
from starlette.concurrency import run_in_threadpool

from evenhand.desk import (
    audit_api,
    coop_api,
    intake_api,
    invitations,
    oversight_api,
    reviewing_api,
    session_api,
    store_problems,
    studies_api,
    webhook_api,
)
from evenhand.desk.authorisation import COOKIE
from evenhand.desk.calls import BODIES
from evenhand.desk.coop_bodies import CoopFields
from evenhand.desk.live_findings import LiveFindings
from evenhand.desk.outgoing import OutgoingRequests
from evenhand.desk.pages import install_pages
from evenhand.desk.passwords import PasswordKeeper
from evenhand.desk.scoring import DeskScorer
from evenhand.desk.sessions import SessionRegister
from evenhand.desk.suggestions import StoreSuggestions
from evenhand.desk.webhooks import Deliverer
from evenhand.errors import EvenhandError
from evenhand.service.app import create_app
from evenhand.service.models import LoadedModel
from evenhand.service.settings import ServiceSettings
from evenhand.store import DeskPolicy, Store, open_store, perform, schema, seal
from evenhand.store.roles import SYSTEM

LOG = logging.getLogger(__name__)
SEAL_SECONDS, DELIVERY_SECONDS = 0.5, 1.0
PARTS = (intake_api, coop_api, reviewing_api, oversight_api, studies_api, webhook_api, audit_api)
FIRST_REASON = "first start: everything is reviewed"


def create_desk(
    store: Store,
    settings: ServiceSettings,
    *,
    models: Mapping[str, LoadedModel] | None = None,
    passwords: PasswordKeeper | None = None,
) -> FastAPI:
    """The application of a desk. Besides what the service's state holds, its own has `store` and `sessions`."""
    app = create_app(settings, models=models)
    app.state.scorer = DeskScorer(app.state.engine, settings)
    app.state.store, app.state.sessions = store, SessionRegister(store, passwords)
    app.state.live, app.state.suggestions = LiveFindings(store), StoreSuggestions(store)
    app.state.coop_fields = CoopFields.from_settings(settings.coop_fields)
    app.state.outgoing = OutgoingRequests.from_networks(settings.webhook_networks)
    store_problems.install(app)
    for router in (session_api.router, *(part.routes.router for part in PARTS)):
        app.router.routes.extend(router.routes)  # as the service does with its own
    app.openapi = _described(app.openapi)  # type: ignore[method-assign]
    install_pages(app)
    app.router.lifespan_context = _lifespan(app.router.lifespan_context, store)
    return app


@contextmanager
def open_desk(settings: ServiceSettings) -> Iterator[tuple[FastAPI, list[str]]]:
    """The desk of the settings, and the lines to show whoever started it; {url} is where it listens."""
    with open_store(str(settings.store), key=settings.store_key) as store:
        desk = create_desk(store, settings)
        yield desk, prepare(store)


def prepare(store: Store) -> list[str]:
    """What a first start needs: a policy that holds, and a way in. The lines to show."""
    lines = ["the desk is open: {url}"]
    with store.database.reading() as connection:
        has_policy = connection.scalar(sa.select(sa.func.max(schema.policies.c.version))) is not None
    if not has_policy:
        policy = DeskPolicy.from_thresholds(upper=None, lower=None)
        perform(store, "activate", actor=SYSTEM, policy=policy, reason=FIRST_REASON)
        lines.append("no policy was active: until you activate one, every item is reviewed")
    if link := invitations.first_link(store):
        lines.append(f"open this link to become its administrator (once, within 72 hours): {{url}}{link}")
    return lines


def _described(make: Callable[[], dict[str, Any]]) -> Callable[[], dict[str, Any]]:
    """The OpenAPI document with the bodies that routes refer to, and with sessions as a way in."""

    def openapi() -> dict[str, Any]:
        document = make()
        components = document["components"]
        for name, body in BODIES.items():
            described = body.model_json_schema(ref_template="#/components/schemas/{model}")
            components["schemas"] |= {**described.pop("$defs", {}), name: described}
        components["securitySchemes"]["session"] = {"type": "apiKey", "in": "cookie", "name": COOKIE}
        return document

    return openapi


def _lifespan(inner: Callable[[Any], Any], store: Store) -> Callable[[FastAPI], Any]:
    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with inner(app):
            deliverer = Deliverer(store, app.state.outgoing)
            tasks = [
                asyncio.create_task(app.state.scorer.keep_scores_current(store)),
                asyncio.create_task(_repeat(lambda: seal(store), SEAL_SECONDS, "events could not be sealed")),
                asyncio.create_task(_repeat(deliverer.deliver_due, DELIVERY_SECONDS, "webhooks could not be called")),
            ]
            yield
            for task in tasks:
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task
            await _attempt(lambda: seal(store), "events could not be sealed; the next start does it")

    return lifespan


async def _repeat(work: Callable[[], object], seconds: float, failure: str) -> None:
    """Again and again, as a database that is away comes back."""
    while True:
        await _attempt(work, f"{failure}; trying again")
        await asyncio.sleep(seconds)


async def _attempt(work: Callable[[], object], failure: str) -> None:
    """In a thread; whatever goes wrong is logged."""
    try:
        await run_in_threadpool(work)
    except Exception as error:
        LOG.error(failure, exc_info=None if isinstance(error, EvenhandError) else error)
