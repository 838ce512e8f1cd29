"""Both parts, one after the other, and the table of what they found."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from studies.fuzz.watch import Fault, Watch
from studies.study import RESULTS, Row

COVERED = re.compile(r"cov: (\d+) ft: (\d+) corp: (\d+)")
SECONDS = 600.0  # for each part
GIVEN = {"tables and declarations": ("audited", 0.7), "measures": ("numbers", 0.3)}  # module, and share of the time
BATCH = 50


def sought(name: str, module: Any, seconds: float, seed: int = 0) -> tuple[Row, list[Fault]]:
    """Hypothesis: whatever the strategy of a module gives, until the time is up."""
    from hypothesis import HealthCheck, Phase, given, settings
    from hypothesis import seed as seeded

    watch, started = Watch(), time.monotonic()
    calm = settings(
        max_examples=BATCH,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate],
    )
    while time.monotonic() - started < seconds:
        seed += 1

        def one(example: Any) -> None:
            if not watch.executions or time.monotonic() - started < seconds:  # at least one, however slow
                module.try_one(example, watch)

        seeded(seed)(calm(given(module.STRATEGY)(one)))()
    return _row(name, "hypothesis", watch.executions, time.monotonic() - started, watch), [*watch.faults.values()]


def guided(names: list[str], seconds: float, folder: Path) -> Iterator[tuple[Row, list[Fault]]]:
    """Atheris, in processes of its own."""
    command = [sys.executable, "-m", "studies.fuzz.guided", f"{seconds:.1f}", str(folder), *names]
    told = {"RUST_BACKTRACE": "0", "POLARS_MAX_THREADS": "1", "OMP_NUM_THREADS": "1", "TMPDIR": str(folder)}
    with (folder / "told").open("wb") as out:
        done = subprocess.run(command, stdout=out, stderr=out, check=False, env={**os.environ, **told})
    if done.returncode:
        raise RuntimeError((folder / "told").read_text(errors="replace")[-2000:])
    for name in names:
        yield gathered(name, sorted((folder / name.replace(" ", "-")).iterdir()))


def gathered(name: str, places: list[Path]) -> tuple[Row, list[Fault]]:
    """What the processes of one target left; if one died, what killed it is a fault."""
    watch, covered, spent = Watch(), (0, 0, 0), 0.0
    for place in places:
        kept = place / "watch.json"
        found = json.loads(kept.read_text()) if kept.exists() else {}
        watch.executions += found.get("executions", 0)
        watch.places |= set(found.get("places", ()))
        watch.faults |= {fault["key"]: Fault(**fault) for fault in found.get("faults", ())}
        told = (place / "told").read_text(errors="replace")
        covered = max(covered, *(tuple(map(int, line)) for line in COVERED.findall(told)), (0, 0, 0))
        spent += found.get("seconds", 0.0)
        if place != places[-1] or not kept.exists():
            last = (place / "last").read_bytes() if (place / "last").exists() else b""
            key = f"{name}: the process died"
            watch.faults.setdefault(key, Fault(key, told[-4000:], repr(last)))
    row = _row(name, "atheris", watch.executions, spent, watch)
    return {**row, "edges": covered[0], "features": covered[1], "corpus": covered[2]}, [*watch.faults.values()]


def _row(name: str, tool: str, executions: int, seconds: float, watch: Watch) -> Row:
    return {
        "target": name,
        "tool": tool,
        "executions": executions,
        "seconds": round(seconds),
        "ways_it_ended": len(watch.places),
        "edges": "",
        "features": "",
        "corpus": "",
    }


@dataclass(frozen=True)
class Fuzzing:
    """A study without cells: `seconds` for each of the two parts."""

    name: str = "fuzz"
    seconds: float = SECONDS

    @property
    def path(self) -> Path:
        """Where its results are kept."""
        return RESULTS / f"{self.name}.csv"

    def everything(self) -> list[Row]:
        """All targets; faults are printed as they are found."""
        return [*self.given(), *self.parsed()]

    def given(self) -> list[Row]:
        """The first part: whatever a user may give."""
        from importlib import import_module

        rows = []
        for name, (module, share) in GIVEN.items():
            rows.append(_told(*sought(name, import_module(f"studies.fuzz.{module}"), share * self.seconds)))
        return rows

    def parsed(self) -> list[Row]:
        """The second part: every parser of a file."""
        from studies.fuzz.parsers import TARGETS

        if find_spec("atheris") is None:
            print("fuzz: atheris is not installed (it is for Linux): the parsers are left out")
            return []
        with tempfile.TemporaryDirectory() as folder:
            return [_told(*found) for found in guided([*TARGETS], self.seconds / len(TARGETS), Path(folder))]

    def write(self, rows: list[Row]) -> None:
        """Keep the results, unless the run was a short one."""
        import csv

        if self.seconds < SECONDS:
            print(f"fuzz: {self.seconds:g} s a part are not kept")
            return
        with self.path.open("w", newline="") as file:
            writer = csv.DictWriter(file, fieldnames=list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)

    def read(self) -> list[Row]:
        """The committed results."""
        import csv

        with self.path.open() as file:
            return list(csv.DictReader(file))


def _told(row: Row, faults: list[Fault]) -> Row:
    from studies.fuzz.mended import MENDED

    print(f"fuzz: {row['target']}: {row['executions']} executions, {len(faults)} faults", flush=True)
    for fault in faults:
        print(f"\n--- {fault.key}\n{fault.told}\n{fault.given[:2000]}", flush=True)
    mended = len(MENDED.get(row["target"], ()))
    return {**row, "faults_found": mended + len(faults), "faults_left": len(faults)}
