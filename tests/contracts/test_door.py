"""The public door: sorted, complete, documented, and light."""

from __future__ import annotations

import subprocess
import sys

import pytest

import evenhand

HEAVY = ("sklearn", "scipy.stats", "altair", "torch", "polars", "numpy", "jinja2", "sqlalchemy")


def test_names_are_sorted_and_exist() -> None:
    assert list(evenhand.__all__) == sorted(evenhand.__all__)
    for name in evenhand.__all__:
        assert getattr(evenhand, name) is not None


def test_every_name_says_what_it_is() -> None:
    for name in set(evenhand.__all__) - {"__version__", "AUDITS"}:
        assert getattr(evenhand, name).__doc__, name


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
    assert loaded("import evenhand.reports, evenhand.cli.audit_run") & {"sklearn", "scipy.stats", "torch"} == set()
