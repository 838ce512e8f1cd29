"""Requests to a server: rate-limited, retried where that may help, and explained in one line where they fail.

Waits grow, are drawn at random over their whole length (full jitter, so that workers that failed together do not
return together), and give way to Retry-After. Neither a key nor a text is ever in a message, also where a server
repeats them in its answer. The retries need no library: tenacity and stamina would replace the nine lines of
`EndpointCaller.ask`, and neither makes all workers keep the pause that a server asks one of them for.
"""

from __future__ import annotations

import datetime
import email.utils
import json
import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from evenhand import limits
from evenhand.classifiers.adapters.endpoint_permission import Origin
from evenhand.classifiers.adapters.environment_keys import EnvironmentKeys
from evenhand.classifiers.adapters.json_path import JsonValue
from evenhand.classifiers.adapters.server import TEXT, Server, UnreadableAnswer, fill_template
from evenhand.classifiers.bounded_files import parse_json
from evenhand.classifiers.protocol import RESUME_HINT
from evenhand.errors import InputError
from evenhand.version import __version__

if TYPE_CHECKING:
    import httpx

RETRIED_STATUSES = frozenset({408, 425, 429, 500, 502, 503, 504})  # statuses that may be another one in a moment
FIRST_WAIT, LONGEST_WAIT = 0.5, 30.0  # seconds: the longest first wait, and the longest of all
LONGEST_RETRY_AFTER = 300.0  # seconds: what an endpoint may ask for at most


def backoff_wait(failures: int, draw: Callable[[float, float], float]) -> float:
    """Seconds to wait after so many failures."""
    return draw(0.0, min(LONGEST_WAIT, FIRST_WAIT * 2.0 ** min(failures - 1, 30)))


def retry_after(header: str | None, now: datetime.datetime) -> float | None:
    """Seconds that a Retry-After header asks for, given as a number or as a date; None where it cannot be read."""
    if header is None:
        return None
    try:
        seconds = float(header)
    except ValueError:
        try:
            when = email.utils.parsedate_to_datetime(header)
        except ValueError:
            return None
        aware = when if when.tzinfo else when.replace(tzinfo=datetime.UTC)
        seconds = (aware - now).total_seconds()
    return min(max(0.0, seconds), LONGEST_RETRY_AFTER) if seconds == seconds else None


class RateLimiter:
    """Hands out the moments at which a request may begin: one after another, never closer than the rate.

    An endpoint that asks for a pause gets it from all workers. Clock and sleep are given, so that a test needs no time.
    """

    def __init__(self, rate: float | None, *, clock: Callable[[], float]) -> None:
        self._gap = 1.0 / rate if rate else 0.0
        self._clock = clock
        self._lock = threading.Lock()
        self._next = float("-inf")

    def wait(self, sleep: Callable[[float], None]) -> None:
        """Until it is this worker's turn."""
        while (delay := self._take()) > 0.0:
            sleep(delay)

    def hold(self, seconds: float) -> None:
        """Nobody begins within the next seconds."""
        with self._lock:
            self._next = max(self._next, self._clock() + seconds)

    def _take(self) -> float:
        """Take the next turn if it has come, else say how long that will be; it is asked again then."""
        with self._lock:
            now = self._clock()
            if now < self._next:
                return self._next - now
            self._next = now + self._gap
            return 0.0


OWN_HEADERS = {
    "User-Agent": f"evenhand/{__version__}",
    "Accept": "application/json",
    "Accept-Encoding": "identity",  # a few bytes can unpack to any size
}
SHOWN_CHARACTERS = 120  # characters of an error's body that are shown
WORKER_NAME = "evenhand-endpoint"


def largest_answer(server: Server) -> int:
    """Bytes of one answer, so that all answers at a time fit into memory."""
    for_texts = limits.MIB + limits.ANSWER_BYTES_PER_TEXT * server.batch
    return min(limits.ANSWER_BYTES, for_texts, limits.ANSWERS_BYTES // server.parallel)


class NotScorable(Exception):  # noqa: N818 (an answer: this cannot be scored)
    """The endpoint says, by its status, that it cannot score what it was sent."""


class _TransientFailure(Exception):  # noqa: N818 (not the end: another try may go well)
    """A failure that may be over in a moment, and how long the endpoint asks to wait."""

    def __init__(self, reason: str, wait: float | None = None, status: int | None = None) -> None:
        super().__init__(reason)
        self.wait, self.status = wait, status


@dataclass(frozen=True)
class EndpointCaller:
    """What workers share: the client, the pace, the keys, and ways to wait that a test can replace."""

    server: Server
    origin: Origin
    client: httpx.Client = field(repr=False)
    environment: EnvironmentKeys
    pace: RateLimiter
    clock: Callable[[], float]
    sleep: Callable[[float], None]
    draw: Callable[[float, float], float]

    def ask(self, texts: Sequence[str]) -> JsonValue:
        """The answer to one request, as JSON. Raises `NotScorable`, or an error after the last try."""
        for failures in range(1, self.server.tries + 1):
            self.pace.wait(self.sleep)
            try:
                return self._once(texts)
            except _TransientFailure as problem:
                last = problem
            if failures < self.server.tries:
                self._wait(last, failures)
        if last.status in self.server.skip:
            raise NotScorable
        tries = f"{self.server.tries} tries" if self.server.tries > 1 else "one try"
        raise self._error(f"{last} after {tries}; {RESUME_HINT}")

    def _wait(self, problem: _TransientFailure, failures: int) -> None:
        if problem.wait is not None:
            self.pace.hold(problem.wait)
        self.sleep(max(problem.wait or 0.0, backoff_wait(failures, self.draw)))

    def _once(self, texts: Sequence[str]) -> JsonValue:
        import httpx

        try:
            with self.client.stream(**self._request(texts)) as response:
                content = self._content(response)
        except httpx.TimeoutException:
            raise _TransientFailure(f"no answer within {self.server.timeout:g} s") from None
        except (httpx.LocalProtocolError, httpx.UnsupportedProtocol, httpx.InvalidURL, UnicodeEncodeError):
            raise self._error("the request cannot be sent: look at url and headers") from None
        except httpx.ConnectError as error:
            raise _TransientFailure(f"no connection ({self.environment.hide(str(error))})") from None
        except (httpx.TransportError, httpx.DecodingError) as error:
            raise _TransientFailure(f"the connection broke ({type(error).__name__})") from None
        return self._read(response.status_code, response.headers, content, texts)

    def _request(self, texts: Sequence[str]) -> dict[str, Any]:
        import httpx

        template, fill = self.server.request, self.environment.fill
        query: dict[str, Any] = {name: fill_template(value, texts, fill) for name, value in template.query.items()}
        headers = {name: fill(value) for name, value in self.server.headers.items()}
        url = httpx.URL(fill(template.url))
        if Origin.parse(url) != self.origin:
            raise self._error("a variable would change the host that is asked")
        request: dict[str, Any] = {"method": template.method, "url": url.copy_merge_params(query) if query else url}
        request["headers"] = {**OWN_HEADERS, **headers}
        if template.body is not None:  # as ASCII: a text that is not valid Unicode can be sent, too
            request["content"] = json.dumps(self.server.filled_body(texts, fill)).encode()
            request["headers"].setdefault("Content-Type", "application/json")
        return request

    def _content(self, response: httpx.Response) -> bytes:
        """The body, within the time and size of an answer: a timeout of the client alone is one of each packet."""
        if response.headers.get("content-encoding", "identity").lower() not in ("", "identity"):
            raise self._error("the answer is compressed, which was not asked for")
        until = self.clock() + self.server.timeout
        content, most = bytearray(), largest_answer(self.server)
        for block in response.iter_bytes():
            content += block
            if self.clock() > until:
                raise _TransientFailure(f"no whole answer within {self.server.timeout:g} s")
            if len(content) > most:
                raise self._error("the answer is larger than any list of scores")
        return bytes(content)

    def _read(self, status: int, headers: Mapping[str, str], content: bytes, texts: Sequence[str]) -> JsonValue:
        if status in RETRIED_STATUSES:
            wait = retry_after(headers.get("retry-after"), datetime.datetime.now(datetime.UTC))
            raise _TransientFailure(f"status {status}", wait, status)
        if status in self.server.skip:
            raise NotScorable
        if not 200 <= status < 300:
            raise self._error(f"status {status}: {self._shown(content, texts)}")
        try:
            answer: JsonValue = parse_json(content, limits.GIB // self.server.parallel)
        except ValueError:
            raise UnreadableAnswer(f"the answer is not JSON: {self._shown(content, texts)}") from None
        return answer

    def _shown(self, content: bytes, texts: Sequence[str]) -> str:
        shown = self.environment.hide(content[: 64 * SHOWN_CHARACTERS].decode("utf-8", "replace"))
        for text in texts:
            if text.strip():
                shown = shown.replace(json.dumps(text)[1:-1], TEXT).replace(text, TEXT)
        short = " ".join(shown.split())
        return (short[:SHOWN_CHARACTERS] + "…" if len(short) > SHOWN_CHARACTERS else short) or "(empty)"

    def _error(self, problem: str) -> InputError:
        return InputError(problem, source=self.server.address)


class _HideRequests(logging.Filter):
    """Drops what the client would log about our requests: the address, and with it any key in it."""

    def filter(self, record: logging.LogRecord) -> bool:
        return not (record.threadName or "").startswith(WORKER_NAME)


HIDE_REQUESTS = _HideRequests()


def hide_requests_from_logs() -> None:
    """Before the first request; adding the filter again changes nothing."""
    for name in ("httpx", "httpcore.connection", "httpcore.http11", "httpcore.proxy", "httpcore.http2"):
        logging.getLogger(name).addFilter(HIDE_REQUESTS)
