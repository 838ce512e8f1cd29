"""A service under load: the process that serves, and clients that cost little beside it.

Clients write ready-made requests on connections that stay open and look at nothing but status and length, so that
what is measured is the service and not them.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

LENGTH = re.compile(rb"content-length: (\d+)", re.IGNORECASE)
START_SECONDS = 60.0


@dataclass
class ServiceProcess:
    """A service that runs: its port, its process, and the file of its log."""

    port: int
    process: subprocess.Popen[bytes]
    log: Path

    def resident_mb(self) -> float:
        """Memory that it holds now."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024  # type: ignore[index]

    def cpu_seconds(self) -> float:
        """Seconds of a core that it has worked."""
        ticks = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()[11:13]
        return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")


@contextmanager
def running_service(*options: str) -> Iterator[ServiceProcess]:
    """`evenhand serve` on a free port of this machine; stopped at the end."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log.jsonl"
        command = [sys.executable, "-m", "evenhand", "serve", "--port", "0", *options]
        with log.open("wb") as stream:
            process = subprocess.Popen(command, stderr=stream, env={**os.environ, "XDG_CONFIG_HOME": folder})
        try:
            yield ServiceProcess(_port(process, log), process, log)
        finally:
            process.terminate()
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _port(process: subprocess.Popen[bytes], log: Path) -> int:
    """The port, once it takes requests."""
    give_up, port = time.monotonic() + START_SECONDS, 0
    while time.monotonic() < give_up and process.poll() is None:
        for line in log.read_text().splitlines():
            facts = json.loads(line)
            port = facts.get("port", port)
            if facts["event"] == "Application startup complete.":
                return int(port)
        time.sleep(0.02)
    raise RuntimeError(f"the service did not start: {log.read_text()[-2000:]}")


@dataclass
class Load:
    """What clients saw: the seconds of each answer, those that were not 200, and requests without an answer."""

    seconds: list[float] = field(default_factory=list)
    statuses: dict[int, int] = field(default_factory=dict)
    unanswered: int = 0
    refused: int = 0  # connections, once nobody listens any more
    wall: float = 0.0

    def quantile(self, share: float) -> float:
        ordered = sorted(self.seconds)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))]

    @property
    def rate(self) -> float:
        """Answers a second."""
        return len(self.seconds) / self.wall


def post_request(document: object, path: str = "/api/v1/score") -> bytes:
    """A request, ready to be sent."""
    body = json.dumps(document).encode()
    lines = (f"POST {path} HTTP/1.1", "Host: localhost", "Content-Type: application/json")
    return "\r\n".join((*lines, f"Content-Length: {len(body)}", "", "")).encode() + body


def await_background(port: int) -> None:
    """Until what is loaded after the start is there: an answer that needs the detector of languages."""
    document = {"comment": {"text": "good morning to all of you"}, "requestedAttributes": {"TOXICITY": {}}}
    load = apply_load(port, [post_request(document, "/v1alpha1/comments:analyze")], 1)
    assert load.statuses == {200: 1}


def batches(texts: Sequence[str], size: int) -> list[bytes]:
    """Requests of so many texts each."""
    return [post_request({"texts": texts[start : start + size]}) for start in range(0, len(texts), size)]


def apply_load(port: int, requests: Iterable[bytes], clients: int) -> Load:
    """So many clients share the requests; each waits for its answer before it sends the next."""
    return asyncio.run(_apply(port, iter(requests), clients))


async def _apply(port: int, requests: Iterator[bytes], clients: int) -> Load:
    load, began = Load(), time.perf_counter()
    await asyncio.gather(*(_client(port, requests, load) for _ in range(clients)))
    load.wall = time.perf_counter() - began
    return load


async def _client(port: int, requests: Iterator[bytes], load: Load) -> None:
    streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
    for request in requests:
        if streams is None:
            try:
                streams = await asyncio.open_connection("127.0.0.1", port)
            except OSError:
                load.refused += 1
                return
        began = time.perf_counter()
        try:
            status, close = await _ask(*streams, request)
        except (OSError, asyncio.IncompleteReadError):
            load.unanswered += 1
            streams[1].close()
            streams = None
            continue
        load.seconds.append(time.perf_counter() - began)
        load.statuses[status] = load.statuses.get(status, 0) + 1
        if close:
            streams[1].close()
            streams = None
    if streams:
        streams[1].close()


async def _ask(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, request: bytes) -> tuple[int, bool]:
    """The status, and whether the connection ends with this answer."""
    writer.write(request)
    head = await reader.readuntil(b"\r\n\r\n")
    length = LENGTH.search(head)
    await reader.readexactly(int(length[1]) if length else 0)
    return int(head[9:12]), b"connection: close" in head.lower()
