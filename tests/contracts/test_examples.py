"""Every public name says what it is, and shows an example that runs; constants are named by their module."""

from __future__ import annotations

import doctest
import inspect
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import polars as pl
import pytest

import evenhand as eh

MODULES = (
    *("calibrators", "comparison", "conformal", "measurement", "metrics", "routing", "sampling", "staffing"),
    "store",
)


def public_modules() -> list[ModuleType]:
    return [eh, *(getattr(eh, name) for name in MODULES)]


def public_names() -> Iterator[tuple[str, Any]]:
    """Functions and classes, each once."""
    seen: set[int] = set()
    for module in public_modules():
        for name in module.__all__:
            value = getattr(module, name)
            if (inspect.isfunction(value) or inspect.isclass(value)) and id(value) not in seen:
                seen.add(id(value))
                yield f"{module.__name__}.{name}", value


NAMES = dict(public_names())


@pytest.fixture(scope="session")
def planned_campaign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files that examples start from: items to measure, and a plan for them."""
    folder = tmp_path_factory.mktemp("planned")
    pl.DataFrame({"id": range(500), "p": np.linspace(0.01, 0.99, 500)}).write_csv(folder / "items.csv")
    eh.measurement.plan_campaign(
        folder / "items.csv",
        folder / "plan.json",
        roles=eh.measurement.ItemColumns(id="id", score="p"),
        design=eh.sampling.RandomDesign(),
        size=eh.measurement.SampleSizeRequest(n=100),
        purpose={"ground_truth": "policy", "codebook": "v1", "population": "all comments", "period": "2026-01"},
        seed=1,
    )
    return folder


@pytest.mark.parametrize("name", NAMES)
def test_the_example_runs(name: str, tmp_path: Path, planned_campaign: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(shutil.copytree(planned_campaign, tmp_path, dirs_exist_ok=True))
    value = NAMES[name]
    own = vars(sys.modules[value.__module__])
    tests = doctest.DocTestFinder(recurse=False).find(value, name, globs={**own, "eh": eh, "np": np})
    assert [test for test in tests if test.examples], f"{name} has no example"
    runner = doctest.DocTestRunner(verbose=False)
    failures: list[str] = []
    for test in tests:
        runner.run(test, out=failures.append)
    assert not runner.failures, "".join(failures)


@pytest.mark.parametrize("module", public_modules(), ids=lambda module: module.__name__)
def test_constants_are_named_by_their_module(module: ModuleType) -> None:
    constants = {name for name in module.__all__ if f"{module.__name__}.{name}" not in NAMES}
    constants -= {name for name in module.__all__ if inspect.ismodule(getattr(module, name))}
    constants -= {name for name in module.__all__ if any(getattr(module, name) is value for value in NAMES.values())}
    for name in constants:
        assert f"`{name}`" in (module.__doc__ or ""), name
