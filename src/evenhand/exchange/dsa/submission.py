"""Submitting statements of reasons to the Transparency Database: in batches, at a pace, and never one twice.

Every accepted batch is written into a ledger beside the statements, so that a run that was stopped goes on where it
ended. A batch whose answer was lost may have been accepted: the database refuses its ids then, and each is looked up.
Nothing is sent unless the command line names the host, and the key only over https.
"""

from __future__ import annotations

import datetime
import json
import os
import random
import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from evenhand import limits
from evenhand.classifiers.adapters.endpoint_permission import Origin
from evenhand.classifiers.adapters.endpoint_requests import (
    OWN_HEADERS,
    RETRIED_STATUSES,
    RateLimiter,
    backoff_wait,
    retry_after,
)
from evenhand.classifiers.adapters.environment_keys import EnvironmentKeys
from evenhand.documents import parse_json_within
from evenhand.errors import InputError
from evenhand.files import failure_reason, open_own_file, read_own_file
from evenhand.progress import Progress, silent

if TYPE_CHECKING:
    import httpx

BATCH = 100  # statements of a request
PATH = "/api/v1"
TRIES, TIMEOUT = 8, 60.0
LARGEST_ANSWER = 16 << 20
CREATED, FOUND, MISSING, INVALID = 201, 302, 404, 422
LEDGER_ENDING = ".submitted"
RESUME = "run the same command again to go on where it ended"
STATEMENT_NUMBER = re.compile(r"statement_(\d+)(?:\.(\w+))?")


@dataclass(frozen=True)
class Destination:
    """Where statements go: the host that was named, and the variable that holds the key for it."""

    url: str
    secret: str
    rate: float = 2.0  # requests a second
    tries: int = TRIES
    timeout: float = TIMEOUT

    @classmethod
    def named(cls, send_to: str | None, secret: str | None, **settings: Any) -> Destination:
        """From what the command line allows; nothing is sent where it says nothing."""
        if not send_to or not secret:
            problem = "nothing was sent: name the host with `send_to`, and the variable of the key with `secret`"
            raise InputError(problem)
        address = send_to if "://" in send_to else f"https://{send_to}"
        origin = Origin.parse(address)
        if origin.scheme != "https" and not origin.is_this_machine:
            raise InputError(f"{secret} would be sent to {origin} without encryption: use https")
        base = address.rstrip("/")
        return cls(base if base.endswith(PATH) else base + PATH, secret, **settings)


@dataclass(frozen=True)
class SubmissionResult:
    """How many statements are in the database now: those sent by this run, and those that were there before."""

    sent: int
    known: int


class Ledger:
    """What was accepted: a line with `puid` and `uuid` for each statement, beside the file of statements."""

    def __init__(self, statements: Path) -> None:
        self.path = statements.with_name(statements.name + LEDGER_ENDING)
        self.puids = set(self._read())

    def _read(self) -> Iterator[str]:
        """Whole lines only: a run that was killed may have left half of one."""
        if self.path.is_file() and self.path.stat().st_size > limits.TEXT_BYTES:
            problem = "the ledger is too large to be read: split the statements into several files"
            raise InputError(problem, source=str(self.path))
        content = read_own_file(self.path)
        for number, line in enumerate(content[: content.rfind(b"\n") + 1].splitlines(), start=1):
            try:
                yield str(json.loads(line)["puid"])
            except (ValueError, KeyError, TypeError):
                raise InputError("not a ledger of submitted statements", source=str(self.path), row=number) from None

    def open(self) -> IO[bytes]:
        """To write on, after the last whole line."""
        content = read_own_file(self.path)
        try:
            file = open_own_file(self.path)
            file.truncate(content.rfind(b"\n") + 1)
        except OSError as error:
            problem = f"the ledger cannot be written: {failure_reason(error)}"
            raise InputError(problem, source=str(self.path)) from None
        return file

    def add(self, file: IO[bytes], entries: Sequence[tuple[str, str]]) -> None:
        """On the disk before the next batch is sent."""
        lines = (json.dumps({"puid": puid, "uuid": uuid}) + "\n" for puid, uuid in entries)
        file.write("".join(lines).encode())
        file.flush()
        os.fsync(file.fileno())
        self.puids.update(puid for puid, _ in entries)


class TransientFailure(Exception):  # noqa: N818 (another try may go well)
    """A failure that may be over in a moment, and how long the server asks to wait."""

    def __init__(self, reason: str, wait: float | None = None) -> None:
        super().__init__(reason)
        self.wait = wait


@dataclass
class Submitter:
    """Sends batches and looks up ids; ways to wait can be replaced by a test."""

    destination: Destination
    client: httpx.Client
    keys: EnvironmentKeys
    pace: RateLimiter
    sleep: Callable[[float], None] = time.sleep
    draw: Callable[[float, float], float] = field(default=random.uniform)

    def submit(self, batch: Sequence[dict[str, Any]]) -> list[tuple[str, str]]:
        """The ids of a batch that is in the database now, whoever sent it."""
        status, content = self._ask("POST", "/statements", {"statements": list(batch)})
        if status == CREATED:
            return _accepted(batch, content)
        if status != INVALID:
            raise self._error(f"status {status}: {self._shown(content)}")
        known = {one["puid"] for one in batch if self._is_there(one["puid"])}
        if not known:
            raise self._refused(batch, content)
        rest = [one for one in batch if one["puid"] not in known]
        return [*((puid, "") for puid in sorted(known)), *(self.submit(rest) if rest else [])]

    def _is_there(self, puid: str) -> bool:
        status, content = self._ask("GET", f"/statement/existing-puid/{puid}")
        if status not in (FOUND, 200, MISSING):
            raise self._error(f"status {status} for an id: {self._shown(content)}")
        return status != MISSING

    def _ask(self, method: str, path: str, body: object = None) -> tuple[int, bytes]:
        """Status and content; tried again where that may help."""
        for failures in range(1, self.destination.tries + 1):
            self.pace.wait(self.sleep)
            try:
                return self._once(method, path, body)
            except TransientFailure as problem:
                last = problem
            if failures < self.destination.tries:
                if last.wait is not None:
                    self.pace.hold(last.wait)
                self.sleep(max(last.wait or 0.0, backoff_wait(failures, self.draw)))
        raise self._error(f"{last} after {self.destination.tries} tries; {RESUME}")

    def _once(self, method: str, path: str, body: object) -> tuple[int, bytes]:
        import httpx

        headers = {**OWN_HEADERS, "Authorization": self.keys.fill(f"Bearer ${{{self.destination.secret}}}")}
        content = None if body is None else json.dumps(body).encode()
        headers |= {} if body is None else {"Content-Type": "application/json"}
        try:
            with self.client.stream(method, self.destination.url + path, headers=headers, content=content) as response:
                answer = _bounded(response)
        except httpx.TimeoutException:
            raise TransientFailure(f"no answer within {self.destination.timeout:g} s") from None
        except httpx.TransportError as error:
            raise TransientFailure(f"no connection ({type(error).__name__})") from None
        if response.status_code in RETRIED_STATUSES:
            wait = retry_after(response.headers.get("retry-after"), datetime.datetime.now(datetime.UTC))
            raise TransientFailure(f"status {response.status_code}", wait)
        return response.status_code, answer

    def _refused(self, batch: Sequence[dict[str, Any]], content: bytes) -> InputError:
        """The first statement that the database does not take, with its field."""
        answer = _read_answer(content).get("errors")
        errors: dict[str, Any] = answer if isinstance(answer, dict) else {}
        for key in errors:
            match = STATEMENT_NUMBER.match(str(key))
            if match and int(match[1]) < len(batch):
                hidden_errors = self.keys.hide(json.dumps(errors[key])[:200])
                puid = batch[int(match[1])]["puid"]
                return self._error(
                    f"the statement '{puid}' was refused: {hidden_errors}; nothing of its batch was stored"
                )
        return self._error(f"the batch was refused: {self._shown(content)}; nothing of it was stored")

    def _shown(self, content: bytes) -> str:
        return " ".join(self.keys.hide(content[:2000].decode("utf-8", "replace")).split())[:200] or "(empty)"

    def _error(self, problem: str) -> InputError:
        return InputError(problem, source=self.destination.url)


def _bounded(response: httpx.Response) -> bytes:
    content = bytearray()
    for block in response.iter_bytes():
        content += block
        if len(content) > LARGEST_ANSWER:
            raise TransientFailure("an answer larger than any list of statements")
    return bytes(content)


def _read_answer(content: bytes) -> dict[str, Any]:
    try:
        answer = parse_json_within(content)
    except ValueError:
        return {}
    return answer if isinstance(answer, dict) else {}


def _accepted(batch: Sequence[dict[str, Any]], content: bytes) -> list[tuple[str, str]]:
    """The ids with the uuids that the database gave them, where its answer has them."""
    stored = _read_answer(content).get("statements")
    by_puid = {
        str(one.get("puid")): str(one.get("uuid", "")) for one in (stored if isinstance(stored, list) else []) if one
    }
    return [(one["puid"], by_puid.get(one["puid"], "")) for one in batch]


def submit_statements(
    statements: Iterable[dict[str, Any]],
    ledger: Ledger,
    destination: Destination,
    *,
    number: int = 0,
    progress: Progress = silent,
) -> SubmissionResult:
    """Everything that is not in the ledger yet, batch after batch; `number` is how many there are in all."""
    import httpx

    known, sent = len(ledger.puids), 0
    waiting = (one for one in statements if one["puid"] not in ledger.puids)
    keys = EnvironmentKeys.read({"Authorization": f"${{{destination.secret}}}"}, os.environ)
    pace = RateLimiter(destination.rate, clock=time.monotonic)
    with httpx.Client(timeout=destination.timeout, follow_redirects=False) as client, closing(ledger.open()) as file:
        submitter = Submitter(destination, client, keys, pace)
        while batch := list(islice(waiting, BATCH)):
            ledger.add(file, submitter.submit(batch))
            sent += len(batch)
            progress("submitting", known + sent, number)
    return SubmissionResult(sent, known)
