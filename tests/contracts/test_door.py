"""The public door: sorted, complete, documented, and light."""

from __future__ import annotations

import inspect
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import evenhand
from evenhand.choices import Options, choice_rows

HEAVY = ("sklearn", "scipy.stats", "altair", "torch", "polars", "numpy", "jinja2", "sqlalchemy")


def test_names_are_sorted_and_exist() -> None:
    assert list(evenhand.__all__) == sorted(evenhand.__all__)
    for name in evenhand.__all__:
        assert getattr(evenhand, name) is not None


def test_every_name_says_what_it_is() -> None:
    for name in set(evenhand.__all__) - {"__version__", "AUDITS"}:
        assert getattr(evenhand, name).__doc__, name


def test_tab_completion_shows_every_public_name() -> None:
    assert dir(evenhand) == sorted(evenhand.__all__)


def test_an_unknown_name_is_an_attribute_error() -> None:
    assert not hasattr(evenhand, "nothing_of_the_kind")


def loaded(code: str) -> set[str]:
    script = f"import sys\n{code}\nprint(' '.join(m for m in {HEAVY!r} if m in sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stdout.splitlines()[-1].split()) if done.stdout.strip() else set()


@pytest.mark.parametrize("command", [[], ["audit"], ["sample", "plan"]], ids=" ".join)
def test_help_imports_nothing_heavy(command: list[str]) -> None:
    asked = ["evenhand", *command, "--help"]
    code = f"import evenhand.cli, sys\nsys.argv = {asked!r}\ntry: evenhand.cli.main()\nexcept SystemExit: pass"
    assert loaded(code) == set()


def test_importing_evenhand_imports_nothing_heavy() -> None:
    assert loaded("import evenhand") == set()


def test_an_audit_needs_no_machine_learning_library() -> None:
    assert loaded("import evenhand.reports, evenhand.cli.audit") & {"sklearn", "scipy.stats", "torch"} == set()


MODULES = (
    *("calibrators", "comparison", "conformal", "measurement", "metrics", "routing", "sampling", "staffing"),
    "store",
)


@pytest.mark.parametrize("name", MODULES)
def test_tab_completion_in_a_module_shows_its_public_names(name: str) -> None:
    module = getattr(evenhand, name)
    assert dir(module) == sorted(module.__all__)


@pytest.mark.parametrize("module", MODULES)
def test_modules_are_reached_from_the_door(module: str) -> None:
    found = getattr(evenhand, module)
    assert found.__doc__
    assert set(found.__all__) <= set(dir(found))


def test_help_of_an_audit_lists_every_column_and_setting() -> None:
    text = inspect.getdoc(evenhand.audit) or ""
    rows = list(choice_rows(Options))
    assert len(rows) > 40
    for row in rows:
        (line,) = [line for line in text.splitlines() if line.startswith(f"    {row.name}: ")]
        assert len(line) > len(row.name) + 15
    assert "--" not in text
    assert "comma" not in text


def test_tab_completion_knows_the_options_of_an_audit() -> None:
    assert {"score", "label", "groups", "level", "data"} <= set(inspect.signature(evenhand.audit).parameters)


def public() -> Iterator[tuple[str, Callable[..., Any]]]:
    for module in (evenhand, *(getattr(evenhand, name) for name in MODULES)):
        for name in module.__all__:
            value = getattr(module, name)
            if inspect.isfunction(value) or inspect.isclass(value):
                yield f"{module.__name__}.{name}", value


def test_nothing_public_needs_a_progress() -> None:
    for name, value in public():
        members = [(name, value)]
        if inspect.isclass(value):
            members += [(f"{name}.{own}", one) for own, one in vars(value).items() if inspect.isfunction(one)]
        for called, function in members:
            try:
                parameter = inspect.signature(function).parameters.get("progress")
            except ValueError:  # a class of C has none
                continue
            assert parameter is None or parameter.default is not inspect.Parameter.empty, called
