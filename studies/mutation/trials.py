"""Runs the tests against each mutant: `python -m studies.mutation.trials PLAN FOUND`, one line of JSON each.

Each mutant has a child process of its own, which runs the tests that touch the change, fastest first, until one fails.
A change within a function is made in a child of a process that has loaded and collected all tests already: the code of
the function is exchanged, wherever it is known. A change outside of functions needs a fresh import of everything.
"""

from __future__ import annotations

import importlib
import importlib.machinery
import importlib.util
import json
import math
import os
import resource
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, TextIO

import pytest
from _pytest.runner import runtestprotocol

OPTIONS = "-x --tb=no -p no:cacheprovider -p studies.mutation.steady -W ignore::pytest.PytestAssertRewriteWarning"
MEMORY = 12 * 2**30
ASLEEP = 20.0  # times its seconds of computing, after which a child that waits for something is ended


@dataclass(frozen=True)
class Trial:
    """A changed text of a module, the tests to run in order, and the seconds of computing they may take."""

    number: int
    module: str
    path: str
    text: str
    function: str  # whose body is changed, or none
    tests: list[str]
    seconds: float

    def afresh(self) -> bool:
        """Whether a test notices, with everything imported anew and the changed text in its place."""
        sys.meta_path.insert(0, Changed(self))
        files = dict.fromkeys(test.partition("::")[0] for test in self.tests)
        answer = pytest.main([*files, *OPTIONS.split()], plugins=[Chosen(self.tests)])
        return answer not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)  # a test named after the change

    def exchanged(self, items: dict[str, pytest.Item]) -> bool:
        """Whether a test notices, with the code of one function exchanged."""
        function = live(importlib.import_module(self.module), self.function)
        function.__code__ = code(compile(self.text, self.path, "exec", dont_inherit=True), self.function)
        chosen = [items[test] for test in self.tests]
        return any(
            report.failed
            for item, after in zip(chosen, [*chosen[1:], None], strict=True)
            for report in runtestprotocol(item, log=False, nextitem=after)
        )


def live(place: object, name: str) -> FunctionType:
    """The function of this name in a module, out of what is wrapped around it."""
    for part in name.split("."):
        place = vars(place)[part]
    while not isinstance(place, FunctionType) or hasattr(place, "__wrapped__"):
        match place:
            case property():
                place = place.fget
            case cached_property():
                place = place.func
            case _:
                place = place.__wrapped__ if hasattr(place, "__wrapped__") else place.__func__  # type: ignore[attr-defined]
    return place


def code(of: CodeType, name: str) -> CodeType:
    """The code of the function of this name in the code of a module."""
    for inner in of.co_consts:
        if isinstance(inner, CodeType):
            if inner.co_qualname == name:
                return inner
            if name.startswith(f"{inner.co_qualname}."):
                return code(inner, name)
    raise LookupError(name)


class Changed:
    """Finds the changed text where the module is asked for."""

    def __init__(self, trial: Trial) -> None:
        self.trial = trial

    def find_spec(self, name: str, path: object = None, target: object = None) -> importlib.machinery.ModuleSpec | None:
        if name != self.trial.module:
            return None
        loader = Text(name, self.trial.path)
        loader.text = self.trial.text
        return importlib.util.spec_from_file_location(name, self.trial.path, loader=loader)


class Text(importlib.machinery.SourceFileLoader):
    """Loads a text instead of what is in the file."""

    text: str

    def get_code(self, fullname: str) -> CodeType:
        return compile(self.text, self.path, "exec", dont_inherit=True)


class Chosen:
    """A plugin that keeps the chosen tests, in the chosen order."""

    def __init__(self, tests: list[str]) -> None:
        self.place = {test: number for number, test in enumerate(tests)}

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = sorted((i for i in items if i.nodeid in self.place), key=lambda i: self.place[i.nodeid])


class Loop:
    """A plugin that tries mutants where pytest would run the tests."""

    def __init__(self, trials: list[Trial], workers: int, file: TextIO) -> None:
        self.trials, self.workers, self.file = trials, workers, file

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        items = {item.nodeid: item for item in session.items}
        report(outcomes(self.trials, self.workers, lambda trial: trial.exchanged(items)), self.file)
        return True


def report(found: Iterable[tuple[int, str, float]], file: TextIO) -> None:
    """One line each, as they come."""
    for each in found:
        print(json.dumps(each), file=file, flush=True)


def outcomes(trials: list[Trial], workers: int, noticed: Callable[[Trial], bool]) -> Iterator[tuple[int, str, float]]:
    """The number, outcome and seconds of each trial, as they end."""
    waiting, running = trials[::-1], dict[int, tuple[Trial, float]]()
    while waiting or running:
        while waiting and len(running) < workers:
            trial = waiting.pop()
            running[child(trial, noticed)] = trial, time.monotonic()
        for number, (trial, started) in list(running.items()):
            done, status = os.waitpid(number, os.WNOHANG)
            if not done and time.monotonic() - started > ASLEEP * trial.seconds:
                os.kill(number, signal.SIGKILL)
            if done:
                del running[number]
                yield trial.number, outcome(status), time.monotonic() - started
        time.sleep(0.002)


def child(trial: Trial, noticed: Callable[[Trial], bool]) -> int:
    """Forks; what comes of the trial is how the child ends: 0 survived, 1 killed, 2 the trial itself went wrong."""
    number = os.fork()
    if number:
        return number
    answer = 2
    try:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(trial.seconds), math.ceil(trial.seconds) + 1))
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        answer = int(noticed(trial))
    except MemoryError:
        answer = 1
    finally:
        os._exit(answer)


def outcome(status: int) -> str:
    """Ended by the system: for lack of time if it computed too long, else for what the change made it do."""
    answer = os.waitstatus_to_exitcode(status)
    if answer < 0:
        return "killed late" if -answer in (signal.SIGXCPU, signal.SIGKILL) else "killed"
    return ("survived", "killed", "went wrong")[answer]


def main(plan: dict[str, Any], file: TextIO) -> None:
    for library in plan["libraries"]:
        importlib.import_module(library)
    trials, workers = [Trial(**trial) for trial in plan["trials"]], plan["workers"]
    report(outcomes([trial for trial in trials if not trial.function], workers, Trial.afresh), file)
    within = [trial for trial in trials if trial.function]
    pytest.main([*plan["tests"], *OPTIONS.split()], plugins=[Loop(within, workers, file)])


if __name__ == "__main__":
    with Path(sys.argv[2]).open("w") as found:
        main(json.loads(Path(sys.argv[1]).read_text()), found)
