"""Which tests touch which lines, and how long each takes: `python -m studies.mutation.touched PLAN FOUND`.

A process of its own, so that nothing of what is measured is imported before the measuring starts.
"""

from __future__ import annotations

import json
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import coverage
import pytest


@dataclass
class Watch:
    """A plugin that takes the time of each test, and tells coverage which one runs."""

    measuring: coverage.Coverage
    seconds: dict[str, float] = field(default_factory=dict)
    known: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))  # tests by what their file imports

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        for item in session.items:
            for value in vars(getattr(item, "module", item)).values():
                name = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None)
                self.known[str(name)].add(item.nodeid)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[Any]:
        self.measuring.switch_context(item.nodeid)
        started = time.process_time()
        done = yield
        self.seconds[item.nodeid] = time.process_time() - started
        self.measuring.switch_context("")
        return done


def measured(folder: str, tests: list[str]) -> dict[str, Any]:
    """Seconds by test; tests by file and line that they run, and by module that they know. All must pass."""
    measuring = coverage.Coverage(source=[folder], data_file=None, config_file=False)
    watch = Watch(measuring)
    measuring.start()
    failed = pytest.main([*tests, "-p", "no:cacheprovider", "-p", "studies.mutation.steady"], plugins=[watch])
    measuring.stop()
    if failed:
        raise SystemExit("tests fail before anything is changed")
    data = measuring.get_data()
    root = Path(folder).resolve()
    lines = {
        str(Path(name).relative_to(root)): {line: [t for t in who if t] for line, who in found.items()}
        for name in data.measured_files()
        if (found := data.contexts_by_lineno(name))
    }
    return {"seconds": watch.seconds, "lines": lines, "known": {name: sorted(who) for name, who in watch.known.items()}}


if __name__ == "__main__":
    plan = json.loads(Path(sys.argv[1]).read_text())
    Path(sys.argv[2]).write_text(json.dumps(measured(plan["folder"], plan["tests"])))
