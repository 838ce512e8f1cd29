"""The API of the audits: the five questions on the live evidence, as of a snapshot."""

from __future__ import annotations

from starlette.responses import Response

from evenhand.desk.calls import DeskCall, DeskRoutes, query_number
from evenhand.desk.live_findings import LiveFindings
from evenhand.service.api import JSON

routes = DeskRoutes("audits")
LAST_NUMBER = 2**53
SNAPSHOT = (query_number("snapshot", "The state after the event with this number (default: the last).", LAST_NUMBER),)


def _live(call: DeskCall) -> tuple[LiveFindings, int]:
    """What keeps the findings, and the snapshot that is asked for."""
    live: LiveFindings = call.request.app.state.live
    asked = call.request.query_params.get("snapshot")
    return live, live.number(None if asked is None else call.number("snapshot", 0, LAST_NUMBER))


@routes.add("GET", "/audits", "see_findings", query=SNAPSHOT)
def audits(call: DeskCall) -> Response:
    """All audits that the store has columns for, as `evenhand audit STORE --snapshot N --json` prints them."""
    live, number = _live(call)
    return Response(live.report(number).json(), media_type=JSON)


@routes.add("GET", "/audits/{question}", "see_findings", query=SNAPSHOT)
def audit(call: DeskCall) -> Response:
    """One of them: bias, collaboration, calibration, accuracy or perspective."""
    live, number = _live(call)
    return Response(live.one(call.named("question"), number).json(), media_type=JSON)
