"""Calls in the shape of Coop's API, for a platform that sends there today: items, reports of users, appeals.

The id of an item at the desk is `typeId:id`, because Coop's ids are unique within a type. What the desk has no place
for (the time of a report, further items, the thread beside it) is not kept.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import Any

from pydantic import BaseModel, Field
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from evenhand.desk import answers
from evenhand.desk.calls import DeskCall, DeskRoutes
from evenhand.desk.coop_bodies import CoopAppealBody, CoopFields, CoopItem, CoopItemsBody, CoopReportBody
from evenhand.desk.intake_api import find_item, receive_items
from evenhand.errors import InputError

routes = DeskRoutes("coop")
CSAM = "child sexual abuse material"
NO_REASON = "no reason given"


class CoopReportAnswer(BaseModel):
    """A report was taken in."""

    reportId: str = Field(description="The item at the desk, and which of its notices it is.")  # noqa: N815 (Coop's word)


def _fields(call: DeskCall) -> CoopFields:
    fields: CoopFields = call.request.app.state.coop_fields
    return fields


@routes.add("POST", "/items/async/", "receive", body=CoopItemsBody, answer=answers.ReceivedItems, status=202)
async def coop_items(call: DeskCall) -> dict[str, Any]:
    """Send items in the shape of Coop's API; they are stored and routed when the answer comes."""
    sent = [_fields(call).item_body(item, "items", number) for number, item in enumerate(call.body.items)]
    return {"items": await receive_items(call, sent)}


@routes.add("POST", "/report", "receive", body=CoopReportBody, answer=CoopReportAnswer, status=201)
async def coop_report(call: DeskCall) -> dict[str, Any]:
    """Report an item in the shape of Coop's API; the item is taken in where the desk does not know it yet."""
    body: CoopReportBody = call.body
    item = await _reported(call, body.reported_item)
    given = body.reported_for_reason
    reason = given.reason or (CSAM if given.csam else given.policy_id or NO_REASON)
    told = {"reason": reason, "reporter": body.reporter.name, "clause": given.policy_id}
    answer = await run_in_threadpool(call.perform, "notice", item=item, **told)
    return {"reportId": f"{item}-{answer['notices']}"}


async def _reported(call: DeskCall, item: CoopItem) -> str:
    """The id of an item at the desk; what a report holds of a known one may be older than what the desk has."""
    try:
        return await run_in_threadpool(find_item, call, item.name)
    except InputError:
        sent = _fields(call).item_body(item, "reportedItem")
        (received,) = await receive_items(replace(call, key=None), [sent])
        return str(received["item"])


@routes.add("POST", "/report/appeal", "appeal", body=CoopAppealBody, status=204)
async def coop_appeal(call: DeskCall) -> Response:
    """Appeal in the shape of Coop's API; the same `appealId` is one appeal, however often it is sent."""
    body: CoopAppealBody = call.body
    key = call.key or "coop-appeal-" + hashlib.sha256(body.appeal_id.encode()).hexdigest()
    item = await run_in_threadpool(find_item, call, body.actioned_item.name)
    appeal = replace(call, key=key).perform
    await run_in_threadpool(appeal, "appeal", item=item, reason=body.appeal_reason or NO_REASON)
    return Response(status_code=204)
