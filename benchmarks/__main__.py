"""python -m benchmarks [NAME …]: what is promised about speed and memory, measured on this machine.

Ends with 1 where a promise is broken. With --write, which takes all of them, the table is written into RESULTS.md and
everything into results.json; --rewrite judges what results.json has by the promises of today, makes the page
again, and measures nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks import machine, results
from benchmarks.benchmark import Benchmark
from benchmarks.place import ROOT, PeersError, Place, SideError
from benchmarks.registry import BENCHMARKS

PEERS = ROOT / ".venv-bench" / "bin" / "python"


def main(arguments: Sequence[str] | None = None) -> int:
    asked = _parser().parse_args(arguments)
    if asked.rewrite:
        run = json.loads(results.JSON.read_text(encoding="utf-8"))
        results.write(results.judged_again(run, BENCHMARKS))
        return 0
    unknown = set(asked.names) - {one.name for one in BENCHMARKS}
    if unknown:
        sys.exit(f"no benchmark is called {', '.join(sorted(unknown))}: see --help")
    chosen = [one for one in BENCHMARKS if not asked.names or one.name in asked.names]
    if asked.write and (len(chosen) < len(BENCHMARKS) or asked.scale != 1):
        sys.exit("--write takes all benchmarks at their full size")
    with tempfile.TemporaryDirectory(prefix="benchmarks-", dir=asked.folder) as folder:
        try:
            run = measure(chosen, Place(Path(folder), asked.peers.absolute(), asked.scale))
        except PeersError as error:
            sys.exit(str(error))
    if asked.write:
        results.write(run)
    print(results.table(run["rows"]))
    broken = [line for row in run["rows"] for line in row["broken"]]
    print("\n".join(["broken promises:", *broken]) if broken else "every promise was kept")
    return 1 if broken else 0


def measure(chosen: Sequence[Benchmark], place: Place) -> results.Record:
    """One after the other, and what they ran on."""
    started, rows = time.monotonic(), []
    place.say = _Progress("versions", started)
    run = {"hardware": machine.hardware(), "versions": machine.versions(place), "scale": place.scale}
    for number, benchmark in enumerate(chosen, start=1):
        place.say = _Progress(f"{number}/{len(chosen)} {benchmark.name}", started)
        load = os.getloadavg()[0]
        try:
            rows.append(results.record(benchmark, benchmark.run(place), load))
        except SideError as error:
            rows.append(results.unmeasured(benchmark, str(error)))
    return run | {"minutes": (time.monotonic() - started) / 60, "rows": rows, "sides": place.sides}


class _Progress:
    """Says on stderr which side of which benchmark runs, and since when."""

    def __init__(self, title: str, started: float) -> None:
        self._title, self._started = title, started

    def __call__(self, side: str) -> None:
        print(f"{time.monotonic() - self._started:5.0f} s  {self._title}: {side}", file=sys.stderr, flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    names = [one.name for one in BENCHMARKS]
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"some of: {', '.join(names)} (all)")
    parser.add_argument("--peers", type=Path, default=PEERS, help="Python of the environment that holds the peers")
    parser.add_argument("--scale", type=float, default=1.0, help="a part of the rows, such as 0.01, for a first look")
    parser.add_argument("--folder", type=Path, help="where data is made for the while (4 GB; a temporary folder)")
    parser.add_argument("--write", action="store_true", help="write RESULTS.md and results.json")
    parser.add_argument("--rewrite", action="store_true", help="make RESULTS.md again without measuring")
    return parser


if __name__ == "__main__":
    sys.exit(main())
