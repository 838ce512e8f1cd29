"""A desk that runs, and a real Chromium to look at it; without one, these tests are skipped, saying so."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
PASSWORD = "a long enough password"
SECONDS_TO_START = 120  # on a machine that does other things too


@dataclass
class RunningDesk:
    """`evenhand serve --demo` in a process of its own; each visitor sets a password once."""

    url: str
    links: dict[str, str]
    process: subprocess.Popen[str]
    entered: set[str] = field(default_factory=set)

    def enter(self, page: Any, person: str) -> None:
        """Sign in, by keyboard alone."""
        if person in self.entered:
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


@pytest.fixture(scope="session")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningDesk]:
    log = tmp_path_factory.mktemp("browser") / "log"
    command = [sys.executable, "-m", "evenhand", "serve", "--demo", "--port", "0"]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with log.open("w") as out, subprocess.Popen(command, stdout=out, stderr=out, text=True, env=environment) as process:
        try:
            yield _announced(log, process)
        finally:
            process.terminate()
            process.wait(60)


def _announced(log: Path, process: subprocess.Popen[str]) -> RunningDesk:
    """What the desk said once it was open."""
    end = time.monotonic() + SECONDS_TO_START
    while time.monotonic() < end:
        text = log.read_text()
        url = re.search(r"the desk is open: (\S+)", text)
        links = dict(re.findall(r"^as .*\((\w+)\): (\S+)$", text, re.MULTILINE))
        if url and len(links) == 3 and _is_ready(url[1]):
            first = re.search(r"become its administrator .*: (\S+)", text)
            return RunningDesk(url[1], {**links, "administrator": first[1] if first else ""}, process)
        assert process.poll() is None, text
        time.sleep(0.2)
    raise AssertionError(f"the desk did not start: {log.read_text()}")


def _is_ready(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/readyz", timeout=5) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """A browser."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("no Chromium on this machine")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def page(chromium: Any, running: RunningDesk) -> Iterator[Any]:
    """A fresh window; a request to another host, a script error or a refusal by the content policy fails the test."""
    yield from open_window(chromium, running)


@pytest.fixture
def plain_page(chromium: Any, running: RunningDesk) -> Iterator[Any]:
    """The same without JavaScript."""
    yield from open_window(chromium, running, java_script_enabled=False)


def open_window(chromium: Any, running: RunningDesk, **more: Any) -> Iterator[Any]:
    context = chromium.new_context(viewport={"width": 1280, "height": 900}, **more)
    page, problems = context.new_page(), list[str]()
    page.on("request", lambda request: request.url.startswith(running.url) or problems.append(request.url))
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda message: "Content Security" in message.text and problems.append(message.text))
    yield page
    context.close()
    assert not problems
