"""One request, until it is answered: paced, repeated where that may help, and explained in one line where not.

Neither a key nor a text is ever in what is said: a server that repeats them in its answer does not get them printed.
"""

from __future__ import annotations

import datetime
import json
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from evenhand.classifiers.adapters.endpoint import TEXT, TEXTS, Endpoint
from evenhand.classifiers.adapters.environment import Environment
from evenhand.classifiers.adapters.pace import Pace
from evenhand.classifiers.adapters.retrying import PASSING, asked_for, backoff
from evenhand.errors import InputError
from evenhand.version import __version__

LARGEST = 32 * 2**20  # bytes of an answer: beyond that it is no list of scores
WORDS = 120  # characters of an error's body that are shown
WORKER = "evenhand-endpoint"


class Skipped(Exception):  # noqa: N818 (an answer: this cannot be scored)
    """The endpoint says, by its status, that it cannot score what it was sent."""


class _Passing(Exception):  # noqa: N818 (not the end: another try may go well)
    """A failure that may be over in a moment, and how long the endpoint asks to wait."""

    def __init__(self, reason: str, wait: float | None = None, status: int | None = None) -> None:
        super().__init__(reason)
        self.wait, self.status = wait, status


@dataclass(frozen=True)
class Caller:
    """What workers share: the client, the pace, the keys, and ways to wait that a test can replace."""

    endpoint: Endpoint
    client: Any = field(repr=False)
    environment: Environment
    pace: Pace
    clock: Callable[[], float]
    sleep: Callable[[float], None]
    draw: Callable[[float, float], float]

    def ask(self, texts: Sequence[str]) -> Any:
        """The answer to one request, as JSON. Raises `Skipped`, or an error once nothing helps any more."""
        for failures in range(1, self.endpoint.tries + 1):
            self.pace.wait(self.sleep)
            try:
                return self._once(texts)
            except _Passing as problem:
                last = problem
            if failures < self.endpoint.tries:
                self._wait(last, failures)
        if last.status in self.endpoint.skip:
            raise Skipped
        tries = f"{self.endpoint.tries} tries" if self.endpoint.tries > 1 else "one try"
        raise self._error(f"{last} after {tries}; what is scored so far is kept, run it again to go on")

    def _wait(self, problem: _Passing, failures: int) -> None:
        if problem.wait is not None:
            self.pace.hold(problem.wait)
        self.sleep(max(problem.wait or 0.0, backoff(failures, self.draw)))

    def _once(self, texts: Sequence[str]) -> Any:
        import httpx

        try:
            with self.client.stream(**self._request(texts)) as response:
                content = self._content(response)
        except httpx.TimeoutException:
            raise _Passing(f"no answer within {self.endpoint.timeout:g} s") from None
        except (httpx.LocalProtocolError, httpx.UnsupportedProtocol, httpx.InvalidURL, UnicodeEncodeError):
            raise self._error("the request cannot be sent: look at url and headers") from None
        except httpx.ConnectError as error:
            raise _Passing(f"no connection ({self.environment.hide(str(error))})") from None
        except (httpx.TransportError, httpx.DecodingError) as error:
            raise _Passing(f"the connection broke ({type(error).__name__})") from None
        return self._read(response.status_code, response.headers, content, texts)

    def _request(self, texts: Sequence[str]) -> dict[str, Any]:
        import httpx

        told, fill = self.endpoint, self.environment.fill
        query = {name: filled(value, texts, fill) for name, value in told.query.items()}
        headers = {name: fill(value) for name, value in told.headers.items()}
        request: dict[str, Any] = {"method": told.method, "url": httpx.URL(fill(told.url))}
        request["url"] = request["url"].copy_merge_params(query) if query else request["url"]
        request["headers"] = {"User-Agent": f"evenhand/{__version__}", "Accept": "application/json", **headers}
        if told.body is not None:  # as ASCII: a text that is no valid Unicode can be sent, too
            request["content"] = json.dumps(filled(told.body, texts, fill)).encode()
            request["headers"].setdefault("Content-Type", "application/json")
        return request

    def _content(self, response: Any) -> bytes:
        """The body, within the time and size of an answer: a timeout of the client alone is one of each packet."""
        until = self.clock() + self.endpoint.timeout
        content = bytearray()
        for block in response.iter_bytes():
            content += block
            if self.clock() > until:
                raise _Passing(f"no whole answer within {self.endpoint.timeout:g} s")
            if len(content) > LARGEST:
                raise self._error("the answer is larger than any list of scores")
        return bytes(content)

    def _read(self, status: int, headers: Any, content: bytes, texts: Sequence[str]) -> Any:
        if status in PASSING:
            wait = asked_for(headers.get("retry-after"), datetime.datetime.now(datetime.UTC))
            raise _Passing(f"status {status}", wait, status)
        if status in self.endpoint.skip:
            raise Skipped
        if not 200 <= status < 300:
            raise self._error(f"status {status}: {self._shown(content, texts)}")
        try:
            return json.loads(content)
        except (ValueError, RecursionError):
            raise self._error(f"the answer is not JSON: {self._shown(content, texts)}") from None

    def _shown(self, content: bytes, texts: Sequence[str]) -> str:
        said = self.environment.hide(content[: 64 * WORDS].decode("utf-8", "replace"))
        for text in texts:
            if text.strip():
                said = said.replace(json.dumps(text)[1:-1], TEXT).replace(text, TEXT)
        short = " ".join(said.split())
        return (short[:WORDS] + "…" if len(short) > WORDS else short) or "(empty)"

    def _error(self, problem: str) -> InputError:
        return InputError(problem, source=self.endpoint.address)


def filled(template: Any, texts: Sequence[str], fill: Callable[[str], str]) -> Any:
    """A nest of tables and lists with the texts and the keys in their places; a text is never looked into."""
    if isinstance(template, str):
        return list(texts) if template == TEXTS else texts[0].join(fill(part) for part in template.split(TEXT))
    if isinstance(template, dict):
        return {name: filled(value, texts, fill) for name, value in template.items()}
    if isinstance(template, (list, tuple)):
        return [filled(value, texts, fill) for value in template]
    return template


class _Discreet(logging.Filter):
    """Drops what the client would log about our requests: the address, and with it any key in it."""

    def filter(self, record: logging.LogRecord) -> bool:
        return not (record.threadName or "").startswith(WORKER)


DISCREET = _Discreet()


def log_no_address() -> None:
    """Before the first request; adding the filter again changes nothing."""
    for name in ("httpx", "httpcore.connection", "httpcore.http11", "httpcore.proxy", "httpcore.http2"):
        logging.getLogger(name).addFilter(DISCREET)
