"""What `make` installs: every package at the version that constraints.txt pins, and by its hash."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from contracts.locks import CONSTRAINTS, LOCKS, pinned

ROOT = Path(__file__).parents[2]
ELSEWHERE = {"httpx2-jsfetch", "pyyaml-ft"}  # needed on other platforms or Pythons only, so not pinned for this one


@pytest.mark.parametrize("name", LOCKS)
def test_every_package_has_hashes(name: str) -> None:
    entries = re.findall(r"^[a-z0-9].*==.*(?:\n    .*)*", LOCKS[name], re.MULTILINE)
    assert len(entries) == len(pinned(LOCKS[name]))
    for entry in entries:
        assert re.search(r"--hash=sha256:[0-9a-f]{64}\b", entry), entry.splitlines()[0]


def test_locks_and_constraints_say_the_same() -> None:
    for name, text in LOCKS.items():
        for package, version in pinned(text).items():
            assert package in ELSEWHERE or CONSTRAINTS[package] == version.partition("+")[0], (name, package)
    for name in ("demo", "server"):
        assert set(pinned(LOCKS[name])) <= set(pinned(LOCKS["test"])), name
    assert set(CONSTRAINTS) == (set(pinned(LOCKS["test"])) | {"torch"}) - ELSEWHERE


def test_what_the_project_asks_for_is_locked() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    extras = project["project"]["optional-dependencies"]
    asked = [*project["project"]["dependencies"], *(line for name in extras for line in extras[name])]
    names = {canonicalize_name(Requirement(line).name) for line in asked} - {"evenhand"}
    assert names <= set(pinned(LOCKS["test"])) | {"torch"}


def test_the_build_is_pinned() -> None:
    (backend,) = tomllib.loads((ROOT / "pyproject.toml").read_text())["build-system"]["requires"]
    assert backend == f"hatchling=={CONSTRAINTS['hatchling']}"
    assert "hatchling" in pinned(LOCKS["demo"])


def test_make_checks_the_hashes() -> None:
    makefile = (ROOT / "Makefile").read_text()
    assert "--require-hashes" in makefile
    assert makefile.count("--editable") == makefile.count("--no-build-isolation --editable") == 2
    assert "--requirement locks/server.txt" in (ROOT / "deploy/Containerfile").read_text()
    for name in set(LOCKS) - {"server"}:
        assert f"$(HASHED) locks/{name}.txt" in makefile, name
