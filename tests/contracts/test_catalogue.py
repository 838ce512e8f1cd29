"""Renaming a measure changes its row of the catalogue and nothing else: no other module spells its name."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import evenhand
from evenhand.catalogue import MEASURES

ROOT = Path(evenhand.__file__).parent
# Words that are also something else: an audit, a role, a slice key, a side of a decision, a column of a stored file.
OTHER_THINGS_TOO = {
    *("accuracy", "capacity", "count", "crossing", "efficiency", "f1", "left", "missed", "missed_violations"),
    *("population", "precision", "prevalence", "recall", "removed", "reviewed", "violations", "wrong_removals"),
}
WORDS_OF_OTHERS = {  # files in which these are names that others gave
    "reproduce/workspace.py": "the keys of published.json",
    "reproduce/corpora/template_sets.py": "the columns of Jigsaw's published metrics",
}
PATHS = [path for path in sorted(ROOT.rglob("*.py")) if not path.is_relative_to(ROOT / "catalogue")]
PATHS = [path for path in PATHS if str(path.relative_to(ROOT)) not in WORDS_OF_OTHERS]


def docstrings(tree: ast.Module) -> set[int]:
    owners = [n for n in ast.walk(tree) if isinstance(n, ast.Module | ast.ClassDef | ast.FunctionDef)]
    return {id(n.body[0].value) for n in owners if n.body and isinstance(n.body[0], ast.Expr)}


def exports(tree: ast.Module) -> set[int]:
    """What `__all__` lists: functions, some of which are called like the measure they compute."""
    doors = [n for n in tree.body if isinstance(n, ast.Assign) and getattr(n.targets[0], "id", "") == "__all__"]
    return {id(n) for door in doors for n in ast.walk(door)}


@pytest.mark.parametrize("path", PATHS, ids=lambda p: str(p.relative_to(ROOT)))
def test_no_other_module_spells_a_measure(path: Path) -> None:
    tree = ast.parse(path.read_text())
    skipped = docstrings(tree) | exports(tree)
    names = set(MEASURES) - OTHER_THINGS_TOO
    found = [
        f"line {node.lineno}: {node.value}"
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and id(node) not in skipped and node.value in names
    ]
    assert found == []


TEMPLATES = sorted(path for path in ROOT.rglob("*") if path.suffix in (".html", ".js") and path.is_file())


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda p: str(p.relative_to(ROOT)))
def test_no_template_spells_a_measure(path: Path) -> None:
    quoted = set(re.findall(r"""["'](\w+)["']""", path.read_text()))
    assert quoted & (set(MEASURES) - OTHER_THINGS_TOO) == set()


def test_every_row_is_whole() -> None:
    for name, row in MEASURES.items():
        assert name == row == row.name
        assert row.title, name
        assert row.explanation.endswith("."), name
        assert (ROOT.parents[1] / "docs" / row.page).exists(), (name, row.page)
