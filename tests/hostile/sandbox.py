"""Runs a command where everything it does is seen, and says what that was."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hostile.listener import Listener
from hostile.site import SECRET, SECRET_NAME, Site, differences, take_snapshot

TESTS = Path(__file__).parents[1]
SECONDS = 10.0  # that a refusal or a small audit may take
BUSY = float(os.environ.get("EVENHAND_BUSY", "3"))  # times as long, where others use the machine too
BYTES = 2 << 30  # that a command may hold in memory at a time
PROGRAM = "evenhand.cli:main"


@dataclass(frozen=True)
class Observation:
    """What was seen of one run. `changes` are paths below the root of the site that are not as they were."""

    site: Site
    arguments: tuple[str, ...]
    code: int
    out: str
    err: str
    stopped: str
    seconds: float
    computing: float
    bytes: int
    left: bool
    events: tuple[dict[str, Any], ...]
    changes: dict[str, str]
    contacts: tuple[bytes, ...]


class Sandbox:
    """The process that forks, the listener, and a home in which nothing may appear."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._number = folder, 0
        self.home = folder / "home"
        self.home.mkdir(parents=True)
        self.listener = Listener()
        self._server: subprocess.Popen[str] | None = None

    def site(self) -> Site:
        """A fresh place."""
        self._number += 1
        return Site(self._folder / f"{self._number}", self.listener.port).prepare()

    def run(
        self,
        site: Site,
        arguments: Sequence[str],
        *,
        imports: Sequence[str] = (),
        entry: str = PROGRAM,
        seconds: float = SECONDS * BUSY,
        most: int = BYTES,
    ) -> Observation:
        """Run a command in the site, and compare everything before and after."""
        told = {name: site.root.with_name(f"{site.root.name}.{name}") for name in ("out", "err", "events")}
        for path in told.values():
            path.write_bytes(b"")
        before, home = take_snapshot(site.root), take_snapshot(self.home)
        self.listener.taken()
        answer = self._ask(
            {
                **{name: str(path) for name, path in told.items()},
                "arguments": list(arguments),
                "folder": str(site.work),
                "environment": {"TMPDIR": str(site.root / "tmp"), SECRET_NAME: SECRET},
                "unread": str(site.precious),
                "foreign": str(self._folder),
                "imports": list(imports),
                "entry": entry,
                "seconds": seconds,
                "bytes": most,
            }
        )
        changes = differences(before, take_snapshot(site.root))
        changes |= {f"~/{path}": what for path, what in differences(home, take_snapshot(self.home)).items()}
        return Observation(
            site=site,
            arguments=tuple(arguments),
            code=answer["status"],
            out=told["out"].read_bytes().decode("utf-8", "backslashreplace"),
            err=told["err"].read_bytes().decode("utf-8", "backslashreplace"),
            stopped=answer["stopped"],
            seconds=answer["seconds"],
            computing=answer["computing"],
            bytes=answer["bytes"],
            left=answer["left"],
            events=tuple(json.loads(line) for line in told["events"].read_text(errors="replace").splitlines()),
            changes=changes,
            contacts=tuple(self.listener.taken()),
        )

    def close(self) -> None:
        self.listener.close()
        if self._server:
            with self._server as server:  # its pipes are closed, and it is waited for
                assert server.stdin
                server.stdin.close()

    def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        server = self._server = self._server or self._start()
        assert server.stdin
        assert server.stdout
        server.stdin.write(json.dumps(request) + "\n")
        server.stdin.flush()
        line = server.stdout.readline()
        if not line:
            raise RuntimeError(f"the process that forks has ended ({server.wait(5)})")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def _start(self) -> subprocess.Popen[str]:
        command = [sys.executable, "-B", "-P", "-W", "ignore", "-m", "hostile.forks"]
        return subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment(self.home, self.listener.port),
            cwd=self.home,
        )


def environment(home: Path, port: int) -> dict[str, str]:
    """What a command sees: our own packages, nothing of the person who runs the tests, and the listener for the hub."""
    import evenhand

    paths = os.pathsep.join([str(Path(evenhand.__file__).parents[1]), str(TESTS)])
    kept = {name: os.environ[name] for name in ("PATH", "OMP_NUM_THREADS", "POLARS_MAX_THREADS") if name in os.environ}
    ours = {"HOME": str(home), "PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1", "LC_ALL": "C.UTF-8"}
    return {**kept, **ours, "HF_ENDPOINT": f"http://127.0.0.1:{port}"}
