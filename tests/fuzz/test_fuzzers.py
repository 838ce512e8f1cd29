"""The fuzzers themselves: a moment of each, so that they go on working, and what the committed run found."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest
from studies.fuzz import STUDY, audited, mended, numbers
from studies.fuzz.parsers import TARGETS
from studies.fuzz.running import GIVEN, sought
from studies.fuzz.watch import Watch

SLOW = ("encoder", "skops")  # torch and scikit-learn are tried elsewhere
QUICK = [name for name in TARGETS if not name.startswith(SLOW)]


@pytest.mark.parametrize("module", [audited, numbers], ids=["tables", "numbers"])
def test_whatever_is_given(module) -> None:
    row, faults = sought("given", module, 2.0)
    assert row["executions"] >= 1
    assert [fault.told for fault in faults] == []


@pytest.mark.parametrize("name", QUICK)
def test_sound_files_and_altered_ones(name: str, tmp_path: Path) -> None:
    """Without atheris: the same changes, led by chance alone, for a moment."""
    target, watch, rng = TARGETS[name], Watch(), random.Random(name)
    found = target.seeds()
    until = time.monotonic() + 0.15
    while time.monotonic() < until or watch.executions < 4:
        content = rng.choice(found)
        if watch.executions:
            content = target.change(content, cut, rng) if target.change else cut(content)
        folder = tmp_path / str(watch.executions)
        folder.mkdir()
        watch.look(lambda content=content, folder=folder: target.feed(content, folder), content)
    assert [fault.told for fault in watch.faults.values()] == []


def cut(content: bytes) -> bytes:
    return content[: len(content) * 2 // 3]


@pytest.mark.parametrize("name", QUICK)
def test_seeds_are_sound(name: str, tmp_path: Path) -> None:
    """At least one of them is read to the end: else a fuzzer would only see refusals."""
    target, watch = TARGETS[name], Watch()
    ends = set()
    for number, content in enumerate(target.seeds()):
        (tmp_path / str(number)).mkdir()
        ends.add(watch.look(lambda c=content, n=number: target.feed(c, tmp_path / str(n)), content))
    assert "done" in ends or name == "endpoint answer"  # each answer is for one endpoint of two


def test_faults_are_told_apart() -> None:
    watch = Watch()
    watch.look(lambda: 1 / 0, "x")
    watch.look(lambda: [][0], "x")
    assert [key.split()[0] for key in watch.faults] == ["ZeroDivisionError", "IndexError"]


def test_the_committed_run() -> None:
    rows = {row["target"]: row for row in STUDY.read()}
    assert set(rows) == {*GIVEN, *TARGETS}
    for part in ("hypothesis", "atheris"):
        assert sum(float(row["seconds"]) for row in rows.values() if row["tool"] == part) >= 590
    for name, row in rows.items():
        assert int(row["executions"]) > 100, name
        assert int(row["faults_found"]) - int(row["faults_left"]) == len(mended.MENDED.get(name, ())), name
        assert int(row["faults_left"]) == 0, name
