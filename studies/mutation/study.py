"""The study: which mutants, with which tests, and what came of them."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from studies.study import RESULTS, Row

if TYPE_CHECKING:
    from studies.mutation.mutants import Mutant, Source


FEW = 5  # tests of a module that is not changed
AT_MOST = 3.0  # seconds of tests for one mutant; what only slower ones would notice counts as survived


@dataclass(frozen=True)
class Mutation:
    """Mutants of the packages in a folder of sources, against tests; `mutants` of them, or all if None."""

    folder: Path
    packages: tuple[str, ...]
    tests: tuple[str, ...]
    libraries: tuple[str, ...] = ()  # loaded once, before the first mutant
    mutants: int | None = 1000
    seed: int = 3  # survivors of 1 and 2 were mended: what is left is asked of other mutants
    patience: float = 8.0  # seconds of computing beyond three times what the tests take, after which it ends
    workers: int = os.cpu_count() or 1
    results: Path = RESULTS
    name: str = "mutation"

    def everything(self) -> list[Row]:
        """One row a mutant that was tried. What no test touches survives untried."""
        drawn = self.drawn()
        trials = [self._trial(number, mutant) for number, mutant in enumerate(drawn)]
        found = dict.fromkeys(range(len(drawn)), "survived") | self._outcomes([t for t in trials if t["tests"]])
        return [
            {"file": m.source.name, "function": m.function, "line": m.first, "change": m.change, "outcome": found[n]}
            for n, m in enumerate(drawn)
        ]

    def read(self) -> list[Row]:
        """The committed counts, numbers as numbers."""
        return [{"module": row.pop("module")} | {k: float(v) for k, v in row.items()} for row in read(self.path)]

    @property
    def path(self) -> Path:
        """Where the counts are kept."""
        return self.results / f"{self.name}.csv"

    @property
    def survivors(self) -> Path:
        """Where the survivors are kept."""
        return self.results / f"{self.name}_survivors.csv"

    def write(self, rows: list[Row]) -> None:
        """Keep the counts by module, package and in all, and the survivors with what was said of them before."""
        _table(self.path, list(self.counts(rows)))
        said = {(r["file"], r["function"], r["change"]): r["why"] for r in read(self.survivors)}
        columns = ("file", "function", "change")
        keys = [tuple(str(row[c]) for c in columns) for row in rows if row["outcome"] == "survived"]
        _table(self.survivors, [{**dict(zip(columns, key, strict=True)), "why": said.get(key, "")} for key in keys])

    @cached_property
    def sources(self) -> list[Source]:
        from studies.mutation.mutants import Source

        files = [path for package in self.packages for path in sorted((self.folder / package).rglob("*.py"))]
        return [Source(self.folder, str(path.relative_to(self.folder))) for path in files]

    def drawn(self) -> list[Mutant]:
        """A sample of each module in proportion to its mutants; what cannot be compiled is passed over."""
        sizes = np.array([len(source.mutants) for source in self.sources])
        share = 1.0 if self.mutants is None else min(1.0, self.mutants / sizes.sum())
        ends = np.rint(share * np.cumsum(sizes)).astype(int)
        rng = np.random.default_rng(self.seed)
        found: list[Mutant] = []
        for source, wanted in zip(self.sources, np.diff(ends, prepend=0), strict=True):
            order = iter(rng.permutation(len(source.mutants)))
            chosen = (source.mutants[i] for i in order)
            found += [mutant for mutant, _ in zip((m for m in chosen if m.is_code), range(wanted), strict=False)]
        return found

    def counts(self, rows: list[Row]) -> Iterator[Row]:
        """How many were killed, in each module, each package and in all, with Wilson's interval."""
        of = {source.name: len(source.mutants) for source in self.sources}
        for name in (*of, *self.packages, ""):
            outcomes = Counter(row["outcome"] for row in rows if row["file"].startswith(name))
            if tried := outcomes.total():
                killed = tried - outcomes["survived"]
                low, high = _wilson(killed, tried)
                yield {
                    "module": name or "all",
                    "mutants": sum(size for file, size in of.items() if file.startswith(name)),
                    "tried": tried,
                    "killed": outcomes["killed"],
                    "timeouts": outcomes["killed late"],
                    "survived": outcomes["survived"],
                    "score": killed / tried,
                    "low": low,
                    "high": high,
                }

    def _trial(self, number: int, mutant: Mutant) -> dict[str, Any]:
        tests, seconds = self._chosen(mutant)
        return {
            "number": number,
            "module": mutant.source.module,
            "path": str(self.folder / mutant.source.name),
            "text": mutant.text,
            "function": mutant.body,
            "tests": tests,
            "seconds": 3.0 * seconds + self.patience,
        }

    def _chosen(self, mutant: Mutant) -> tuple[list[str], float]:
        """The tests that run the changed lines; for what is run at import, those that run or know the module.

        Fastest first, and of a test with many cases one case before the second of any other.
        """
        seconds, lines = self.touched["seconds"], self.touched["lines"].get(mutant.source.name, {})
        here = [lines[str(line)] for line in range(mutant.first, mutant.last + 1) if str(line) in lines]
        near = {test for tests in here for test in tests}
        if here and not near:
            near = {test for tests in lines.values() for test in tests}
            near |= set(self.touched["known"].get(mutant.source.module, ()))
        cases = Counter[str]()
        order = list[tuple[int, float, str]]()
        for test in sorted(near, key=lambda test: (seconds[test], test)):
            cases[name := test.partition("[")[0]] += 1
            order.append((cases[name], seconds[test], test))
        order.sort()
        total = np.cumsum([each for _, each, _ in order])
        kept = max(1, int((total <= AT_MOST).sum()))
        return [test for _, _, test in order[:kept]], float(total[:kept].max(initial=0.0))

    @cached_property
    def touched(self) -> dict[str, Any]:
        """Which tests run which line, by running them all once."""
        plan, found = self._work / "tests.json", self._work / "touched.json"
        plan.write_text(json.dumps({"folder": str(self.folder), "tests": self.tests}))
        self._python("studies.mutation.touched", str(plan), str(found))
        known: dict[str, Any] = json.loads(found.read_text())
        return known

    def _outcomes(self, trials: list[dict[str, Any]]) -> dict[int, str]:
        """By number. Modules are tried without a change as well: then tests must pass."""
        ways = {trial["path"] if trial["function"] else "": trial for trial in trials}.values()
        unchanged = [
            {**trial, "number": -1 - n, "text": Path(trial["path"]).read_text(), "tests": trial["tests"][:FEW]}
            for n, trial in enumerate(ways)
        ]
        plan, outcomes = self._work / "plan.json", self._work / "outcomes.jsonl"
        asked = {"workers": self.workers, "libraries": self.libraries, "tests": self.tests}
        plan.write_text(json.dumps({**asked, "trials": [*unchanged, *trials]}))
        self._python("studies.mutation.trials", str(plan), str(outcomes))
        found = {n: outcome for n, outcome, _ in map(json.loads, outcomes.read_text().splitlines())}
        if wrong := [trial["path"] for trial in unchanged if found[trial["number"]] != "survived"]:
            raise SystemExit(f"tests fail where nothing is changed: {wrong}")
        if wrong := [trial["path"] for trial in trials if found[trial["number"]] == "went wrong"]:
            raise SystemExit(f"could not be tried: {wrong}")
        return found

    def _python(self, module: str, *arguments: str) -> None:
        """A fresh process at the root of the project, with one thread and without the real data, which not all have."""
        known = {key: value for key, value in os.environ.items() if key != "EVENHAND_DATA"}
        paths = os.pathsep.join([str(self.folder), *sys.path])
        command = [sys.executable, "-m", module, *arguments]
        environment = {**known, "PYTHONPATH": paths, "OMP_NUM_THREADS": "1"}
        done = subprocess.run(
            command, cwd=self.folder.parent, env=environment, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise SystemExit(done.stdout + done.stderr)

    @property
    def _work(self) -> Path:
        path = self.folder.parent / "build" / "mutation"
        path.mkdir(parents=True, exist_ok=True)
        return path


def _wilson(part: int, whole: int) -> tuple[float, float]:
    from evenhand.intervals.proportions import WilsonInterval as Bounded

    return Bounded(part / whole, 1.0 / whole).interval(0.95)


def read(path: Path) -> list[dict[str, str]]:
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def _table(path: Path, rows: list[Row]) -> None:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]) if rows else ["file", "function", "change", "why"])
        writer.writeheader()
        writer.writerows({k: f"{v:.5g}" if isinstance(v, float) else v for k, v in row.items()} for row in rows)
