"""The next item of somebody who reviews, at a desk with very many that wait, beside a bare echo of as many bytes.

Each verdict is the request of the review page: it is answered with the item after the next one, and whoever presses a
key before that answer is there would have to wait for it.
"""

from __future__ import annotations

import http.client
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from benchmarks.load import ServiceProcess, running_service
from benchmarks.waiting_desk import PASSWORD, REVIEWER, fill_desk

VERDICTS, WARM = 400, 20
FEW = 1000  # waiting items of the desk beside
TICKET = re.compile(rb'data-ticket="([0-9a-f]+)"')
CSRF = re.compile(rb'data-csrf="([^"]+)"')
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
LISTENS = re.compile(r"http://127\.0\.0\.1:(\d+)")


@dataclass
class ReviewClient:
    """A review page without its browser: the item on the screen, and the next one."""

    service: ServiceProcess
    connection: http.client.HTTPConnection
    headers: dict[str, str]
    csrf: str = ""
    current: str = ""
    following: str = ""

    @classmethod
    def signed_in(cls, service: ServiceProcess) -> ReviewClient:
        connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=60)
        fields = {"name": REVIEWER, "password": PASSWORD, "next": "/queue"}
        connection.request("POST", "/sign-in", urlencode(fields), FORM)
        answer = connection.getresponse()
        answer.read()
        client = cls(service, connection, {"Cookie": (answer.getheader("set-cookie") or "").partition(";")[0]})
        connection.request("GET", "/queue", headers=client.headers)
        page = connection.getresponse().read()
        client.csrf = CSRF.findall(page)[0].decode()
        client.current, client.following = (ticket.decode() for ticket in TICKET.findall(page))
        return client

    def decide(self) -> tuple[float, int]:
        """Press a key: seconds until the item after the next one is there, and the bytes of the answer."""
        fields = {"queue": "review", "ticket": self.current, "showing": self.following, "do": "leave", "part": "1"}
        body = urlencode({**fields, "csrf": self.csrf, "clause": "", "ground": "", "note": ""})
        began = time.perf_counter()
        self.connection.request("POST", "/queue", body, {**FORM, **self.headers})
        response = self.connection.getresponse()
        answer = response.read()
        seconds = time.perf_counter() - began
        tickets = [ticket.decode() for ticket in TICKET.findall(answer)]
        if response.status != 200 or len(tickets) != 1:
            raise RuntimeError(f"the verdict was not accepted: {response.status} {answer[:500]!r}")
        self.current, self.following = self.following, tickets[0]
        return seconds, len(answer)


def next_items(waiting: int) -> dict[str, Any]:
    """Seconds of each verdict with so many waiting items, with few, and of as many bytes echoed, in turns."""
    few_folder, many_folder = tempfile.TemporaryDirectory(), tempfile.TemporaryDirectory()
    with few_folder as few, many_folder as many, running_echo() as port:
        for folder, number in ((few, FEW), (many, waiting)):
            fill_desk(Path(folder) / "desk.db", number).close()
        with _served(few) as beside, _served(many) as ours:
            return _in_turns(ours, beside, http.client.HTTPConnection("127.0.0.1", port, timeout=60))


@contextmanager
def _served(folder: str) -> Iterator[ReviewClient]:
    with running_service("--store", f"{folder}/desk.db") as service:
        yield ReviewClient.signed_in(service)


def _in_turns(ours: ReviewClient, beside: ReviewClient, echo: http.client.HTTPConnection) -> dict[str, Any]:
    seconds, few, bare, before = list[float](), list[float](), list[float](), (0.0, 0.0)
    for turn in range(WARM + VERDICTS):
        (one, size), (other, _) = ours.decide(), beside.decide()
        alone = echoed(echo, size)
        if turn < WARM:
            before = ours.service.cpu_seconds(), beside.service.cpu_seconds()
        else:
            seconds.append(one)
            few.append(other)
            bare.append(alone)
    used = ours.service.cpu_seconds() - before[0], beside.service.cpu_seconds() - before[1]
    return {"seconds": seconds, "few": few, "echo": bare, "cpu": used[0], "few_cpu": used[1]}


def echoed(connection: http.client.HTTPConnection, size: int) -> float:
    """Seconds of a request whose body comes back."""
    began = time.perf_counter()
    connection.request("POST", "/", b"." * size)
    answer = connection.getresponse().read()
    seconds = time.perf_counter() - began
    if len(answer) != size:
        raise RuntimeError(f"the echo has {len(answer)} bytes, not {size}")
    return seconds


@contextmanager
def running_echo() -> Iterator[int]:
    """The port of an echo in a process of its own."""
    command = [sys.executable, "-m", "uvicorn", "benchmarks.echo:echo", "--port", "0", "--log-level", "info"]
    root = Path(__file__).parents[2]
    with subprocess.Popen([*command, "--no-access-log"], cwd=root, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield _port_of(process)
        finally:
            process.terminate()


def _port_of(process: subprocess.Popen[str]) -> int:
    assert process.stderr is not None
    for line in process.stderr:
        if listens := LISTENS.search(line):
            return int(listens[1])
    raise RuntimeError("the echo did not start")
