"""The log of this process: lines of JSON, which never hold a text, a token or the message of another library.

A request is named by its route, an error by its type and place. Lines of requests that are answered in one turn of the
event loop are written together: to write each alone would be a tenth of the work of a short request.
"""

from __future__ import annotations

import asyncio
import json
import logging
import sys
import time
import traceback
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, TextIO

LOG = logging.getLogger("evenhand.service.requests")
OUR_LOGGERS = ("evenhand", "uvicorn.error")


@dataclass(frozen=True, slots=True)
class RequestFacts:
    """What the log says of a request; `request` is its id, `token` the name of the token it came with."""

    request: str
    method: str
    route: str
    status: int
    seconds: float
    client: str | None
    token: str | None

    def json_fields(self) -> str:
        """The fields as JSON, without the braces; most of them are those of other requests."""
        before, after = _repeated_fields(self.method, self.route, self.status, self.client, self.token)
        return f'"request": {json.dumps(self.request)}, {before}, "seconds": {self.seconds!r}, {after}'


@lru_cache(maxsize=1024)
def _repeated_fields(method: str, route: str, status: int, client: str | None, token: str | None) -> tuple[str, str]:
    """The fields before and after the seconds."""
    before = {"method": method, "route": route, "status": status}
    return json.dumps(before)[1:-1], json.dumps({"client": client, "token": token})[1:-1]


class RequestRecord(logging.LogRecord):
    """The record of a request: what is the same for all of them is looked up once, the place in the code included."""

    SAME = vars(logging.LogRecord(LOG.name, logging.INFO, __file__, 0, "request", (), None))
    facts: RequestFacts

    def __init__(self, facts: RequestFacts) -> None:
        now = time.time()
        since_start = self.SAME["relativeCreated"] + (now - self.SAME["created"]) * 1000
        vars(self).update(self.SAME, created=now, msecs=now % 1 * 1000, relativeCreated=since_start, facts=facts)


def log_request(facts: RequestFacts) -> None:
    """One line."""
    if LOG.isEnabledFor(logging.INFO):
        LOG.handle(RequestRecord(facts))


class JsonLines(logging.Formatter):
    """A record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        if isinstance(record, RequestRecord):
            return f'{{"time": "{_timestamp(record.created)}", {OF_REQUESTS}, {record.facts.json_fields()}}}'
        fields: dict[str, Any] = dict(getattr(record, "facts", {}))
        if record.exc_info and record.exc_info[1]:
            fields |= error_place(record.exc_info[1])
        return f"{_opening(record)}, {json.dumps(fields)[1:]}" if fields else _opening(record) + "}"


def _opening(record: logging.LogRecord) -> str:
    """The fields that every line has, after an opening brace."""
    ours = record.name.startswith(OUR_LOGGERS)
    event = record.getMessage() if ours else f"{record.module}.{record.funcName}:{record.lineno}"
    return f'{{"time": "{_timestamp(record.created)}", {_names(record.levelname, record.name, event)}'


def _names(level: str, logger: str, event: str) -> str:
    return f'"level": "{level.lower()}", "logger": {json.dumps(logger)}, "event": {json.dumps(event)}'


OF_REQUESTS = _names("INFO", LOG.name, "request")


@lru_cache(maxsize=2)
def _whole_second(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S")


def _timestamp(seconds: float) -> str:
    """A time in UTC, to the millisecond (ISO 8601)."""
    return f"{_whole_second(int(seconds))}.{int(seconds % 1 * 1000):03d}+00:00"


def error_place(error: BaseException) -> dict[str, Any]:
    """The type of an error and where it happened, without its message."""
    frames = traceback.extract_tb(error.__traceback__)
    return {"error": type(error).__name__, "trace": [f"{f.filename}:{f.lineno} {f.name}" for f in frames[-8:]]}


class GatheredLines(logging.StreamHandler[TextIO]):
    """Lines of requests wait for the next turn of the event loop, to be written together; others come after them."""

    def __init__(self, stream: TextIO) -> None:
        super().__init__(stream)
        self._waiting: list[str] = []
        self._turning: asyncio.AbstractEventLoop | None = None  # the loop that will flush
        self.setFormatter(JsonLines())

    def emit(self, record: logging.LogRecord) -> None:
        """Take a record."""
        loop = _running_loop() if isinstance(record, RequestRecord) else None
        if loop is None:
            self._write_waiting()
            super().emit(record)
            return
        self._waiting.append(self.format(record))
        if self._turning is not loop:
            self._turning = loop
            loop.call_soon(self.flush)

    def flush(self) -> None:
        """Write what waits: also when the process ends."""
        with suppress(OSError, ValueError):  # a log that is closed, or cannot be written, stops no answer
            self._write_waiting()
            super().flush()

    def _write_waiting(self) -> None:
        with self.lock:  # type: ignore[union-attr]
            lines, self._waiting, self._turning = self._waiting, [], None
            if lines:
                self.stream.write("\n".join(lines) + "\n")


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def log_as_json(stream: TextIO | None = None) -> None:
    """Write every log of this process as lines of JSON, to stderr unless another place is given."""
    root = logging.getLogger()
    root.handlers, root.level = [GatheredLines(stream or sys.stderr)], logging.WARNING
    logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False  # not written, so not looked up
    for name in OUR_LOGGERS:
        logging.getLogger(name).setLevel(logging.INFO)
    logging.captureWarnings(True)
