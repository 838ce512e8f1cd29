"""A desk that runs, and a real Chromium to look at it. Without one, `make verify` fails and `make test` goes on."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from browser.windows import RunningDesk, open_window

SECONDS_TO_START = 120  # on a machine that does other things too


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
        if url and len(links) >= 3 and _is_ready(url[1]):
            first = re.search(r"become its administrator .*: (\S+)", text)
            return RunningDesk(url[1], {**links, "administrator": first[1] if first else ""})
        assert process.poll() is None, text
        time.sleep(0.2)
    raise AssertionError(f"the desk did not start: {log.read_text()}")


def _is_ready(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/readyz", timeout=5) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


@pytest.fixture
def page(chromium: Any, running: RunningDesk) -> Iterator[Any]:
    """A fresh window; a request to another host, a script error or a refusal by the content policy fails the test."""
    yield from open_window(chromium, running)


@pytest.fixture
def plain_page(chromium: Any, running: RunningDesk) -> Iterator[Any]:
    """The same without JavaScript."""
    yield from open_window(chromium, running, java_script_enabled=False)
