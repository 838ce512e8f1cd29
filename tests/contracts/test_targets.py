"""Where tests are and what runs them: they mirror the package, and two targets run all of them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TESTS = ROOT / "tests"


def recipe(target: str) -> str:
    """What make runs for a target."""
    found = re.search(rf"^{target}:.*\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert found, target
    return found[1]


def test_every_test_is_in_one_of_two_targets() -> None:
    assert '-m "not verify"' in recipe("test")
    assert "-m verify" in recipe("verify")


def test_continuous_integration_runs_both() -> None:
    called = [line for line in (ROOT / ".ci" / "run").read_text().splitlines() if line.startswith("make ")]
    assert called == ["make check", "make test", "make verify"]


@pytest.mark.parametrize("target", ["demo", "test", "verify", "check"])
def test_targets_are_explained(target: str) -> None:
    head = (ROOT / "Makefile").read_text().split("PYTHON ?=")[0]
    assert f"# make {target} " in head
    assert target in re.findall(r"[a-z]+", (ROOT / "Makefile").read_text().partition(".PHONY:")[2].splitlines()[0])


def test_no_test_imports_another() -> None:
    """What tests share is in a module of its own."""
    pattern = re.compile(r"^\s*(?:from|import) [\w.]*\btest_\w+", re.MULTILINE)
    assert [path.name for path in TESTS.rglob("*.py") if pattern.search(path.read_text())] == []


ABOUT_SEVERAL = {  # behaviour that no one module has
    "desk/test_ingestion.py",
    "store/test_settled.py",
    "store/test_throughput.py",
    "evidence/test_weights.py",
    "staffing/test_export_answers.py",
    "desk/pages/test_blindness.py",
    "desk/pages/test_waiting.py",
    "audits/accuracy/test_statements.py",
    "audits/perspective/test_statements.py",
    "desk/test_logs.py",
    "audits/bias/test_clusters.py",
    "audits/bias/test_score_sentences.py",
    "audits/test_usual_audits.py",
    "audits/calibration/test_clusters.py",
    "staffing/test_wikipedia_export.py",
    "store/test_study_machine.py",
    "tally/test_heaviest.py",
    "audits/test_small_groups.py",
    "evidence/test_changing_files.py",
    "evidence/test_panics.py",
    "choices/test_rows.py",
    "classifiers/test_default_model.py",
    "evidence/test_classes.py",
    *("desk/test_api.py", "desk/test_client.py", "desk/test_hostile.py", "desk/test_load.py"),
    *("desk/test_postgres.py", "desk/test_routes.py"),
    "evidence/test_extended.py",
    "evidence/test_kinds.py",
    "evidence/test_label_scale.py",
    "evidence/test_one_pass.py",
    "evidence/test_slice_keys.py",
    "evidence/test_yes_and_no.py",
    "intervals/test_method_names.py",
    "measurement/test_loaded_estimate.py",
    "measures/perspective/test_real_data.py",
    "migration/test_real_data.py",
    "migration/test_sentences.py",
    "reports/test_nothing_known.py",
    "sampling/test_design_table.py",
    "service/test_clients.py",
    "service/test_docs.py",
    "service/test_hostile.py",
    "test_short_reprs.py",
}
APART = {
    "browser",
    "cli",
    "contracts",
    "fuzz",
    "guard",
    "hostile",
    "invariants",
    "load",
    "published",
    "simulations",
    "speed",
}


def test_tests_mirror_the_package() -> None:
    """A test file is called as the module or package that it tests, and lies where that lies."""
    files = {path.relative_to(TESTS) for path in TESTS.rglob("test_*.py")}
    mirrored = {
        path
        for path in files
        for module in [ROOT / "src" / "evenhand" / path.parent / path.stem.removeprefix("test_")]
        if module.with_suffix(".py").exists() or (module / "__init__.py").exists()
    }
    strangers = {path.as_posix() for path in files - mirrored if path.parts[0] not in APART}
    assert strangers <= ABOUT_SEVERAL
