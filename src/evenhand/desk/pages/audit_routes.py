"""The addresses of the audits: the questions, one of them with its figures and files, and the items behind a number."""

from __future__ import annotations

from collections.abc import Callable

from fastapi import Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from evenhand.desk.authorisation import form_fields
from evenhand.desk.live_findings import LiveFindings
from evenhand.desk.pages.audit_items import ItemFilter, items_page, with_texts
from evenhand.desk.pages.audits import AuditsPage, audit_page, audits_page
from evenhand.desk.pages.handling import say, show, signed_in
from evenhand.desk.pages.log import time_of_event
from evenhand.errors import InputError
from evenhand.reports import Report
from evenhand.service.problems import Problem

DOWNLOADS: dict[str, tuple[str, Callable[[Report], str]]] = {
    "findings.json": ("application/json", Report.json),
    "estimates.csv": ("text/csv; charset=utf-8", Report.csv),
    "report.html": ("text/html; charset=utf-8", Report.html),
}
FIGURE_POLICY = "default-src 'none'; style-src 'none'"


def live_of(request: Request) -> LiveFindings:
    """What keeps the findings of this desk."""
    live: LiveFindings = request.app.state.live
    return live


async def _number(request: Request, text: str | None) -> int:
    """The snapshot that is asked for; without one, the last one of a short time ago."""
    live = live_of(request)
    if not text:
        return await run_in_threadpool(live.shown_number)
    if not text.isascii() or not text.isdigit() or len(text) > 18:
        raise Problem(422, "invalid-request", say(request, "audits.bad_snapshot"))
    return await run_in_threadpool(live.number, int(text))


async def _time(request: Request, number: int) -> str:
    """When the last event of a snapshot happened."""
    return await run_in_threadpool(time_of_event, live_of(request).store, number)


async def audits(request: Request) -> Response:
    """The five questions, each in a sentence."""
    await signed_in(request, "see_findings")
    number = await _number(request, request.query_params.get("snapshot"))
    view: AuditsPage = await run_in_threadpool(audits_page, live_of(request), number)
    return show(request, "audits.html", page=view, at=await _time(request, number))


async def audit(request: Request) -> Response:
    """One question: sentences, figures, numbers."""
    await signed_in(request, "see_findings")
    number = await _number(request, request.query_params.get("snapshot"))
    view = await run_in_threadpool(audit_page, live_of(request), request.path_params["question"], number)
    return show(request, "audit.html", page=view, at=await _time(request, number))


async def figure(request: Request) -> Response:
    """A figure of a finding, as a picture of its own."""
    await signed_in(request, "see_findings")
    number = await _number(request, request.query_params.get("snapshot"))
    report = await run_in_threadpool(live_of(request).one, request.path_params["question"], number)
    place = request.path_params["place"]
    if not place.isdecimal() or len(place) > 4 or int(place) >= len(report.figures):
        raise Problem(404, "not-found", say(request, "error.missing"))
    drawing = await run_in_threadpool(lambda: report.figures[int(place)].svg)
    headers = {"content-security-policy": FIGURE_POLICY}
    return Response(drawing, headers=headers, media_type="image/svg+xml")


async def download(request: Request) -> Response:
    """A file of one finding, or of all; the JSON has the bytes of the command line."""
    await signed_in(request, "see_findings")
    number = await _number(request, request.query_params.get("snapshot"))
    question, name = request.path_params.get("question"), request.path_params["name"]
    if name not in DOWNLOADS:
        raise Problem(404, "not-found", say(request, "error.missing"))
    live, (media, write) = live_of(request), DOWNLOADS[name]
    report = await run_in_threadpool(lambda: live.one(question, number) if question else live.report(number))
    content = await run_in_threadpool(write, report)
    saved = f"{question or 'audits'}-{number}-{name}"
    return Response(content, headers={"content-disposition": f'attachment; filename="{saved}"'}, media_type=media)


async def items(request: Request) -> Response:
    """The items behind a number, without their texts."""
    session = await signed_in(request, "see_items")
    number = await _number(request, request.query_params.get("snapshot"))
    chosen = ItemFilter.from_values(request.query_params)
    try:
        view = await run_in_threadpool(items_page, live_of(request), session.person, chosen, number)
    except InputError as error:
        return show(request, "problem.html", status=422, detail=error.problem)
    return show(request, "audit_items.html", page=view)


async def read_items(request: Request) -> Response:
    """The same page with its texts, which is recorded for each."""
    session = await signed_in(request, "read_text")
    fields, live = await form_fields(request), live_of(request)
    number, chosen = await _number(request, fields.get("snapshot")), ItemFilter.from_values(fields)
    view = await run_in_threadpool(items_page, live, session.person, chosen, number)
    return show(request, "audit_items.html", page=await run_in_threadpool(with_texts, live.store, session.person, view))
