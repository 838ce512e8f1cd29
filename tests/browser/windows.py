"""Browser windows on a desk: in a process of its own, or in this one, where a test sets its clock."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import uvicorn

from desk.desks import PASSWORD, TestDesk


@dataclass
class RunningDesk:
    """A desk at an address; visitors with a link set a password once."""

    url: str
    links: dict[str, str] = field(default_factory=dict)
    entered: set[str] = field(default_factory=set)

    def enter_first(self, page: Any) -> None:
        """Sign in as the administrator, who chooses a name the first time."""
        if "administrator" in self.entered:
            self.enter(page, "administrator")
            return
        page.goto(self.links["administrator"])
        page.locator("#name").fill("administrator")
        page.locator("#password").fill(PASSWORD)
        page.keyboard.press("Enter")
        page.wait_for_url(f"{self.url}/")
        self.entered.add("administrator")

    def enter(self, page: Any, person: str) -> None:
        """Sign in, by keyboard alone."""
        if person in self.entered or person not in self.links:
            page.goto(f"{self.url}/sign-in")
            page.locator("#name").focus()
            page.keyboard.type(person)
            page.keyboard.press("Tab")
        else:
            page.goto(self.links[person])
            page.locator("#password").focus()
        page.keyboard.type(PASSWORD)
        page.keyboard.press("Enter")
        page.wait_for_url(f"{self.url}/")
        self.entered.add(person)


@contextmanager
def served(desk: TestDesk) -> Iterator[RunningDesk]:
    """A desk of this process, at an address of its own."""
    desk.app.state.scorer.rescores = False  # the scores of its items are those that a test gave them
    server = uvicorn.Server(uvicorn.Config(desk.app, port=0, log_level="warning"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive(), "the desk did not start"
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield RunningDesk(f"http://127.0.0.1:{port}")
    finally:
        server.should_exit = True
        thread.join(30)
        desk.store.close()


def open_window(chromium: Any, running: RunningDesk, **more: Any) -> Iterator[Any]:
    context = chromium.new_context(viewport={"width": 1280, "height": 900}, **more)
    page, problems = context.new_page(), list[str]()
    page.on("request", lambda request: request.url.startswith(running.url) or problems.append(request.url))
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda message: "Content Security" in message.text and problems.append(message.text))
    yield page
    context.close()
    assert not problems
