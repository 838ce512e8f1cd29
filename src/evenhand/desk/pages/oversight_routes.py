"""The addresses of the people and the log: who works here, and all that happened."""

from __future__ import annotations

from fastapi import Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response, StreamingResponse

from evenhand.desk.authorisation import form_fields, store_of
from evenhand.desk.pages.handling import error_words, say, show, signed_in
from evenhand.desk.pages.log import LogFilter, event_lines, log_page
from evenhand.desk.pages.people import change_people, people_page
from evenhand.errors import InputError


async def people(request: Request) -> Response:
    """Everybody who works here."""
    await signed_in(request, "see_people")
    return show(request, "people.html", page=await run_in_threadpool(people_page, store_of(request)), link="")


async def change_person(request: Request) -> Response:
    """Invite somebody, make a new link, end access. A link is shown in the answer, once."""
    session = await signed_in(request, "invite")
    fields, store = await form_fields(request), store_of(request)
    try:
        said, path = await run_in_threadpool(change_people, store, session.person, fields)
    except InputError as error:
        view = await run_in_threadpool(people_page, store)
        told = error_words(request, error) or f"{error}"
        return show(request, "people.html", status=422, page=view, link="", message=told, problem=True)
    view = await run_in_threadpool(people_page, store)
    link = f"{request.url.scheme}://{request.url.netloc}{path}" if path else ""
    key = said if link or said != "done.invited" else "done.changed"
    return show(
        request, "people.html", page=view, link=link, message=say(request, key, person=fields.get("name", "").strip())
    )


async def log(request: Request) -> Response:
    """The events."""
    await signed_in(request, "see_events")
    chosen = LogFilter.from_values(request.query_params)
    return show(request, "log.html", page=await run_in_threadpool(log_page, store_of(request), chosen))


async def export_events(request: Request) -> Response:
    """Every sealed event, as it was stored."""
    await signed_in(request, "see_events")
    headers = {"content-disposition": "attachment; filename=events.jsonl"}
    return StreamingResponse(event_lines(store_of(request)), headers=headers, media_type="application/x-ndjson")
