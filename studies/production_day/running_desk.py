"""The desk of the day: `evenhand serve` in a process that is stopped, killed and started again, and how to reach it."""

from __future__ import annotations

import http.client
import json
import os
import re
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from evenhand.service.tokens import TokenFile, write_tokens
from evenhand.store import DeskPolicy, create_store, perform
from studies.production_day.clock import DayClock

PATIENCE = 120.0  # seconds until a request that nobody answers is a fault
AGAIN = frozenset({429, 502, 503, 504})
SCOPES = ("items", "decisions", "desk")
PROGRAM = (sys.executable, "-P", str(Path(__file__).with_name("clock.py")))


@dataclass
class Answer:
    """Status and document; how many seconds it took, and whether it took more than one try."""

    status: int
    document: Any
    seconds: float
    repeated: bool

    @property
    def ok(self) -> bool:
        """Done."""
        return 200 <= self.status < 300


@dataclass
class RunningDesk:
    """A store, the people with access to it, and the process that serves it."""

    folder: Path
    clock: DayClock
    tokens: dict[str, str] = field(default_factory=dict)
    port: int | None = None
    process: subprocess.Popen[str] | None = None
    callers: list[DeskCaller] = field(default_factory=list)

    @property
    def store(self) -> Path:
        """The file of the store."""
        return self.folder / "desk.db"

    def set_up(self, people: Mapping[str, str], policy: DeskPolicy) -> None:
        """A store with these people, who have a token each, and a policy."""
        with create_store(str(self.store)) as store:
            store.clock = self.clock.micros
            for person, role in people.items():
                perform(store, "invite", actor="system", person=person, role=role)
            perform(store, "activate", actor="system", policy=policy)
        tokens = TokenFile()
        for person in people:
            tokens, self.tokens[person] = tokens.issue(person, SCOPES)
        write_tokens(tokens, self.folder / "tokens.json")

    def run(self, *command: str) -> tuple[float, str]:
        """A command of the program, in the folder of the store; how many seconds it took, and what it printed."""
        began = time.monotonic()
        done = subprocess.run(
            [*PROGRAM, *command], cwd=self.folder, env=self._environment, check=False, capture_output=True, text=True
        )
        if done.returncode:
            raise RuntimeError(f"evenhand {' '.join(command)}: {done.stderr[-2000:]}")
        return time.monotonic() - began, done.stdout

    @property
    def _environment(self) -> dict[str, str]:
        return {**os.environ, **self.clock.environment, "PYTHONUNBUFFERED": "1"}

    def start(self, model: str) -> None:
        """Serve, and wait until requests are taken."""
        options = ("--store", "desk.db", "--port", "0", "--token-file", "tokens.json", "--model", model)
        with (self.folder / "log.jsonl").open("ab") as log:
            self.process = subprocess.Popen(
                [*PROGRAM, "serve", *options],
                cwd=self.folder, env=self._environment, stdout=subprocess.PIPE, stderr=log, text=True,
            )  # fmt: skip
        assert self.process.stdout is not None
        found = re.search(r"http://[^:]+:(\d+)", self.process.stdout.readline())
        if found is None:
            raise RuntimeError((self.folder / "log.jsonl").read_text()[-2000:])
        self.port = int(found[1])

    def crash(self) -> None:
        """Killed, in the middle of whatever it does."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """Asked to stop: it answers what it has accepted."""
        self._end(signal.SIGTERM)

    def _end(self, kind: signal.Signals) -> None:
        assert self.process is not None
        self.port = None
        self.process.send_signal(kind)
        self.process.communicate(timeout=PATIENCE)

    def close(self) -> None:
        """The process and all connections."""
        for caller in self.callers:
            caller.close()
        self.stop()

    def mark_as_earlier(self, version: str) -> None:
        """Let the tables be those of an earlier version that had the same columns."""
        engine = sa.create_engine(f"sqlite:///{self.store}")
        with engine.begin() as connection:
            connection.execute(sa.text("UPDATE alembic_version SET version_num = :version"), {"version": version})
        engine.dispose()


class DeskCaller:
    """Somebody who asks the desk over HTTP, with one connection; a request is repeated until it is answered."""

    def __init__(self, desk: RunningDesk, person: str) -> None:
        self.desk, self.person = desk, person
        desk.callers.append(self)
        self._connection: http.client.HTTPConnection | None = None
        self._port: int | None = None
        self._name, self._number = secrets.token_hex(4), 0

    def ask(self, method: str, path: str, body: Any = None) -> Answer:
        """The answer. A change has a key, so that it is made once, however often it is sent."""
        self._number += 1
        headers = {"Authorization": f"Bearer {self.desk.tokens[self.person]}", "Content-Type": "application/json"}
        if method == "POST":
            headers["Idempotency-Key"] = f"{self._name}-{self._number}"
        content = None if body is None else json.dumps(body).encode()
        began, tries = time.perf_counter(), 0
        while time.perf_counter() - began < PATIENCE:
            tries += 1
            sent = time.perf_counter()
            answer = self._try(method, f"/api/v1{path}", content, headers)
            if answer is not None and answer[0] not in AGAIN:
                return Answer(*answer, time.perf_counter() - sent, tries > 1)
            time.sleep(0.05)
        raise TimeoutError(f"{method} {path} was not answered")

    def _try(self, method: str, path: str, content: bytes | None, headers: dict[str, str]) -> tuple[int, Any] | None:
        port = self.desk.port
        if port is None:
            return None
        if self._connection is None or port != self._port:
            self.close()
            self._connection, self._port = http.client.HTTPConnection("127.0.0.1", port, timeout=60), port
        try:
            self._connection.request(method, path, content, headers)
            response = self._connection.getresponse()
            return response.status, json.loads(response.read() or b"null")
        except (OSError, http.client.HTTPException):
            self.close()
            return None

    def close(self) -> None:
        """The connection; the next request opens another."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None
