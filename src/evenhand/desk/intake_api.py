"""The API of platforms: items, notices and appeals come in; items are scored by the model and routed by the policy.

An item is known by the platform's id: sent again it changes nothing, with another text it is an edit. Of a stream
(NDJSON) each line is answered by a line, as it is stored; a line that cannot be taken is answered by a problem.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from typing import Any

from fastapi import Request
from pydantic import ValidationError
from pydantic_core import to_json
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response, StreamingResponse

from evenhand.desk import answers, bodies
from evenhand.desk.calls import BODIES, DeskCall, DeskRoutes, read_body
from evenhand.desk.scoring import DeskScorer
from evenhand.desk.store_problems import store_problem
from evenhand.errors import EvenhandError
from evenhand.service.api import JSON, NDJSON, NDJSON_NAMES, media_type, settings_of
from evenhand.service.limits import check_texts
from evenhand.service.problems import Problem, invalid_model, problem_of
from evenhand.service.streaming import check_lines, pieces
from evenhand.store import NewItem
from evenhand.store.erasure import item_of
from evenhand.store.ledger import EventLedger

LOG = logging.getLogger(__name__)
routes = DeskRoutes("items")
LINES: dict[str, Any] = {NDJSON: {"schema": {"type": "string", "examples": ['{"id": "c1", "text": "good morning"}\n']}}}
ONE_OR_SEVERAL = {"anyOf": [{"$ref": f"#/components/schemas/{name}"} for name in ("ItemBody", "ItemsBody")]}
MEDIA: dict[str, Any] = {JSON: {"schema": ONE_OR_SEVERAL}, **LINES}
BODIES.update(ItemBody=bodies.ItemBody, ItemsBody=bodies.ItemsBody)


@routes.add("POST", "/items", "receive", answer=answers.ReceivedItems, media=MEDIA)
async def items(call: DeskCall) -> Response | dict[str, Any]:
    """Send one item, several, or a stream of them: JSON, or NDJSON with an item in each line."""
    if media_type(call.request) in NDJSON_NAMES:
        body = await call.request.body()
        check_lines(body, settings_of(call.request))
        return StreamingResponse(_received_lines(call, body), media_type=NDJSON)
    sent = await _sent(call.request)
    return {"items": await receive_items(call, sent)}


async def _sent(request: Request) -> list[bodies.ItemBody]:
    """The items of a JSON body: an item, or a list of them."""
    raw = await request.body()
    several = b'"items"' in raw and _has_items(raw)
    parsed = await read_body(request, bodies.ItemsBody if several else bodies.ItemBody)
    return parsed.items if isinstance(parsed, bodies.ItemsBody) else [parsed]  # type: ignore[list-item]


def _has_items(raw: bytes) -> bool:
    try:
        return "items" in json.loads(raw)
    except (ValueError, TypeError, RecursionError):
        return False  # and the model says what is wrong


async def receive_items(call: DeskCall, sent: Sequence[bodies.ItemBody]) -> list[dict[str, Any]]:
    """Score, store and route items; what became of each."""
    check_texts([one.text for one in sent], settings_of(call.request))
    scored = await _scored(call.request, sent)
    stored = (await run_in_threadpool(call.perform, "receive", items=scored))["items"]
    return [
        {"item": one["item"], "id": one["external_id"], "outcome": one["outcome"], "route": one["route"]}
        for one in stored
    ]


async def _scored(request: Request, sent: Sequence[bodies.ItemBody]) -> list[NewItem]:
    scorer: DeskScorer = request.app.state.scorer
    scores = await scorer.scores([one.text for one in sent])
    return [one.new_item(scores=several) for one, several in zip(sent, scores, strict=True)]


async def _received_lines(call: DeskCall, body: bytes) -> AsyncIterator[bytes]:
    for number, lines in enumerate(pieces(body)):
        key = None if call.key is None else f"{hashlib.sha256(call.key.encode()).hexdigest()}#{number}"
        told = await _line_answers(replace(call, key=key), lines)
        yield b"".join(to_json(line) + b"\n" for line in told)


async def _line_answers(call: DeskCall, lines: Sequence[bytes]) -> list[dict[str, Any]]:
    read = [_read_line(call, line) for line in lines]
    good = [one for one in read if isinstance(one, bodies.ItemBody)]
    outcomes = iter(await _receive_apart(call, good))
    return [next(outcomes) if isinstance(one, bodies.ItemBody) else _refused(None, one) for one in read]


def _read_line(call: DeskCall, line: bytes) -> bodies.ItemBody | Problem:
    try:
        parsed = bodies.ItemBody.model_validate_json(line)
        check_texts([parsed.text], settings_of(call.request))
    except ValidationError as error:
        return invalid_model(error)
    except Problem as problem:
        return problem
    return parsed


async def _receive_apart(call: DeskCall, sent: Sequence[bodies.ItemBody]) -> list[dict[str, Any]]:
    """All at once; where one of them is refused, each alone. The answer has begun and ends only with its last line."""
    if not sent:
        return []
    try:
        return await receive_items(call, sent)
    except Exception as error:
        if not isinstance(error, EvenhandError):
            LOG.exception("internal error; please report it")
        if len(sent) == 1:
            known = store_problem(error) if isinstance(error, EvenhandError) else problem_of(error)
            return [_refused(sent[0].id, known)]
    alone = replace(call, key=None)
    return [answer for one in sent for answer in await _receive_apart(alone, [one])]


def _refused(name: str | None, problem: Problem) -> dict[str, Any]:
    return {"id": name, "problem": problem.document()}


def find_item(call: DeskCall, external_id: str) -> str:
    """The id of an item, by the one that the platform has for it."""
    with call.store.database.reading() as connection:
        return item_of(EventLedger(call.store, connection, call.person.id, call.store.clock()), external_id)


@routes.add("POST", "/notices", "notice", body=bodies.NoticeBody, answer=answers.NoticeAnswer)
def notice(call: DeskCall) -> dict[str, Any]:
    """Report an item: by a user, or by a trusted flagger."""
    return call.perform("notice", item=find_item(call, call.body.id), **call.body.model_dump(exclude={"id"}))


@routes.add("POST", "/appeals", "appeal", body=bodies.AppealBody, answer=answers.AppealAnswer)
def appeal(call: DeskCall) -> dict[str, Any]:
    """Complain about the decision on an item; somebody else answers it."""
    answer = call.perform("appeal", item=find_item(call, call.body.id), **call.body.model_dump(exclude={"id"}))
    return {"item": answer["item"]}
