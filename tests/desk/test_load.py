"""Eight people at one desk on SQLite, and a server that is killed meanwhile: nothing is decided twice, nothing lost."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest
import sqlalchemy as sa

from evenhand.service.tokens import TokenFile, write_tokens
from evenhand.store import DeskPolicy, create_store, open_store, perform, schema
from store.desks import check

PEOPLE = [f"m{number}" for number in range(8)]
PATIENCE = 60.0


@dataclass
class LoadedDesk:
    """A desk in a process of its own, that can be killed and started again; clients find it by `url`."""

    folder: Path
    tokens: dict[str, str] = field(default_factory=dict)
    url: str = ""

    def __post_init__(self) -> None:
        with create_store(str(self.folder / "desk.db")) as store:
            for person in PEOPLE:
                perform(store, "invite", actor="system", person=person, role="moderator")
            perform(store, "invite", actor="system", person="forum", role="service")
            policy = DeskPolicy.from_thresholds(upper=None, lower=None, measured=1e-9, reserved=0.0)
            perform(store, "activate", actor="system", policy=policy)
        tokens = TokenFile()
        for person in (*PEOPLE, "forum"):
            tokens, self.tokens[person] = tokens.issue(person, ["items", "decisions", "desk"])
        write_tokens(tokens, self.folder / "tokens.json")

    def start(self) -> None:
        log = (self.folder / "log.jsonl").open("ab")
        options = ("--store", "desk.db", "--port", "0", "--token-file", "tokens.json")
        command = [sys.executable, "-m", "evenhand", "serve", *options]
        environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
        self.process = subprocess.Popen(
            command, cwd=self.folder, stdout=subprocess.PIPE, stderr=log, env=environment, text=True
        )
        log.close()
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        found = re.search(r"http://\S+", line)
        assert found, (self.folder / "log.jsonl").read_text()
        self.url = found[0]

    def kill(self) -> None:
        self.url = ""
        self.process.send_signal(signal.SIGKILL)
        self.process.communicate()

    def stop(self) -> None:
        self.process.terminate()
        self.process.communicate(timeout=60)
        assert self.process.returncode == 0

    def client(self, person: str) -> httpx.Client:
        return httpx.Client(headers={"Authorization": f"Bearer {self.tokens[person]}"}, timeout=30)

    def post(self, client: httpx.Client, path: str, **more: object) -> httpx.Response:
        """Until the desk answers, also over a restart; the same request with the same key."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            try:
                if self.url:
                    return client.post(f"{self.url}/api/v1{path}", **more)  # type: ignore[arg-type]
            except httpx.HTTPError:
                pass
            time.sleep(0.05)
        raise AssertionError("the desk does not answer")


def work(desk: LoadedDesk, person: str, acknowledged: list[str], seconds: list[float]) -> None:
    """Claim and decide until nothing waits."""
    turn = 0
    with desk.client(person) as client:
        while True:
            turn += 1
            key = {"Idempotency-Key": f"{person}-{turn}"}
            began = time.perf_counter()
            task = desk.post(client, "/queues/review/claim", headers=key).json()
            if task["task"] is None:
                return
            body = {"version": task["version"], "verdict": "benign"}
            path = f"/tasks/{task['task']}/decide"
            answer = desk.post(client, path, json=body, headers={"Idempotency-Key": f"{person}-{turn}-decide"})
            seconds.append(time.perf_counter() - began)
            assert answer.status_code == 200, answer.text
            acknowledged.append(task["item"])


def day(desk: LoadedDesk, items: int, kill_at: int | None) -> tuple[list[str], list[float], float]:
    with desk.client("forum") as client:
        lines = "\n".join(f'{{"id": "c{number}", "text": "comment {number}"}}' for number in range(items))
        headers = {"Content-Type": "application/x-ndjson"}
        answer = desk.post(client, "/items", content=lines, headers=headers)
        assert answer.text.count('"outcome":"new"') == items, answer.text[:500]
    acknowledged, seconds, faults = list[str](), list[float](), list[BaseException]()

    def run(person: str) -> None:
        try:
            work(desk, person, acknowledged, seconds)
        except BaseException as error:
            faults.append(error)

    threads = [threading.Thread(target=run, args=(person,)) for person in PEOPLE]
    began = time.perf_counter()
    for thread in threads:
        thread.start()
    if kill_at is not None:
        while len(acknowledged) < kill_at and any(thread.is_alive() for thread in threads):
            time.sleep(0.005)
        desk.kill()
        desk.start()
    for thread in threads:
        thread.join()
    assert not faults, faults[0]
    return acknowledged, seconds, time.perf_counter() - began


@pytest.mark.verify
def test_every_item_is_decided_once_and_every_acknowledged_decision_is_there(tmp_path: Path) -> None:
    desk, items = LoadedDesk(tmp_path), 160
    desk.start()
    try:
        acknowledged, _, _ = day(desk, items, kill_at=40)
    finally:
        desk.stop()
    with open_store(str(tmp_path / "desk.db")) as store:
        check(store)
        with store.database.reading() as connection:
            decided = sa.select(schema.events.c.stream).where(schema.events.c.kind == "decided")
            decisions = list(connection.scalars(decided))
            held = connection.scalar(sa.select(sa.func.count()).where(schema.tasks.c.state.in_(("claimed", "waiting"))))
    assert sorted(decisions) == sorted(set(decisions))
    assert set(acknowledged) <= set(decisions)
    assert len(decisions) == items
    assert held == 0
