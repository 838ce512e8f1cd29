"""Data flows one way: each layer imports only from the layers above it in the list, and strangers stay strangers."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import evenhand

ROOT = Path(evenhand.__file__).parent
LAYERS = [
    {"version", "arrays", "choices", "errors", "estimate", "files", "finding", "progress", "seal", "tally"},
    {"evidence", "measures", "intervals", "synthetic", "calibrators", "conformal"},
    {"classifiers", "routing", "sampling"},
    {"audits"},
    {"figures"},
    {"reports"},
    {"cards", "reproduce"},
    {"cli"},
]
FREE = LAYERS[0]  # of the first layer: may know one another
ORDER = {name: number for number, layer in enumerate(LAYERS) for name in layer}


def package(path: Path) -> str:
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def imports(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("evenhand"):
            parts = node.module.split(".")
            found |= {parts[1]} if len(parts) > 1 else {alias.name for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {a.name.split(".")[1] for a in node.names if a.name.startswith("evenhand.")}
    return found


MODULES = [p for p in sorted(ROOT.rglob("*.py")) if p.name not in ("__init__.py", "__main__.py") or p.parent != ROOT]


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(ROOT)))
def test_imports_point_one_way(path: Path) -> None:
    own = package(path)
    assert own in ORDER, f"{own} has no place in the layers"
    for other in imports(path) - {own}:
        lower = ORDER[other] < ORDER[own] or (own in FREE and other in FREE)
        assert lower, f"{path.relative_to(ROOT)} may not import {other}"


def test_every_package_has_a_place() -> None:
    found = {p.name.removesuffix(".py") for p in ROOT.iterdir() if p.suffix == ".py" or (p / "__init__.py").exists()}
    assert found - {"__init__", "__main__"} == set(ORDER)
