"""Data flows one way: each layer imports only from the layers above it in the list, and strangers stay strangers.

Lazy imports, `import_module` with a name, and the imports inside packages count like any other. No module imports its
way back to itself, and every module is worth a file of its own.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import pytest

import evenhand

ROOT = Path(evenhand.__file__).parent
LAYERS = [
    {
        *("version", "arrays", "catalogue", "choices", "documents", "errors", "estimate", "files", "finding"),
        *("findings_file", "formatting", "inputs", "limits", "loose_values", "memo", "output_folder", "pandas_frames"),
        *("progress", "staging", "tally", "visible_text"),
    },
    {"evidence", "measures", "intervals", "synthetic", "calibrators", "conformal"},
    {"classifiers", "routing", "sampling"},
    {"audits"},
    {"comparison", "metrics"},
    {"measurement", "staffing", "recalibration", "migration"},
    {"figures"},
    {"reports"},
    {"cards", "exchange", "reproduce"},
    {"store"},
    {"service", "client"},
    {"desk"},
    {"cli"},
]
FREE = LAYERS[0]  # of the first layer: may know one another
ORDER = {name: number for number, layer in enumerate(LAYERS) for name in layer}
SMALLEST = 30  # lines of a module
SMALL_ON_PURPOSE = {
    "version.py": "read by the build without importing anything",
    "progress.py": "one type that every layer knows",
    "audits/*/*.py": "every audit has its parts in files of the same names",
    "catalogue/*.py": "a file has the rows of one audit, which may be a single one",
}
IMPORTERS = ("import_module", "__import__")
COMPUTED = {  # where a name is computed
    "classifiers/adapters/pretrained.py": "libraries that an extra installs",
    "classifiers/adapters/skops_file.py": "types of scikit-learn",
    "cli/help.py": "the commands, from the last layer",
}
PATHS = [p for p in sorted(ROOT.rglob("*.py")) if p not in (ROOT / "__init__.py", ROOT / "__main__.py")]


def name(path: Path) -> str:
    parts = path.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {name(path): path for path in PATHS}


def package(path: Path) -> str:
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def called_name(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def imports(path: Path, *, lazy: bool = True) -> set[str]:
    """The modules of ours that are imported: in functions too, unless only what runs at import is asked for."""
    found = set()
    tree = ast.parse(path.read_text())
    nodes = ast.walk(tree) if lazy else [n for n in tree.body if isinstance(n, ast.Import | ast.ImportFrom)]
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "evenhand":
            found |= {full if (full := f"{node.module}.{a.name}") in MODULES else node.module for a in node.names}
        elif isinstance(node, ast.Import):
            found |= {a.name for a in node.names if a.name.startswith("evenhand.")}
        elif isinstance(node, ast.Call) and called_name(node) in IMPORTERS and node.args:
            found |= {loaded for loaded in [getattr(node.args[0], "value", "")] if str(loaded).startswith("evenhand.")}
    return found - {"evenhand"}


def test_only_known_places_import_what_they_compute_the_name_of() -> None:
    """Whatever else `import_module` loads is a name that stands there, so that the layers see it."""
    computed = {
        str(path.relative_to(ROOT))
        for path in PATHS
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call)
        and called_name(node) in IMPORTERS
        and not (node.args and isinstance(node.args[0], ast.Constant))
    }
    assert computed == set(COMPUTED)


@pytest.mark.parametrize("path", PATHS, ids=lambda p: str(p.relative_to(ROOT)))
def test_imports_point_one_way(path: Path) -> None:
    own = package(path)
    assert own in ORDER, f"{own} has no place in the layers"
    for other in {module.split(".")[1] for module in imports(path)} - {own}:
        lower = ORDER[other] < ORDER[own] or (own in FREE and other in FREE)
        assert lower, f"{path.relative_to(ROOT)} may not import {other}"


def test_audits_do_not_know_one_another() -> None:
    """Inside `audits`: the five questions are strangers, and what they share knows none of them but the registry."""
    five = {"bias", "collaboration", "calibration", "accuracy", "perspective"}
    for module, path in MODULES.items():
        parts = module.split(".")
        if parts[1] != "audits" or len(parts) < 3 or parts[2] in ("registry", "request"):
            continue
        known = {m.split(".")[2] for m in imports(path) if m.startswith("evenhand.audits.") and m.count(".") > 1}
        assert known & five <= {parts[2]}, f"{module} knows {sorted(known & five - {parts[2]})}"


def test_no_module_imports_its_way_back() -> None:
    graph = {module: imports(path, lazy=False) & set(MODULES) for module, path in MODULES.items()}
    state: dict[str, int] = defaultdict(int)

    def visit(module: str, trail: tuple[str, ...]) -> None:
        assert state[module] != 1, " → ".join((*trail[trail.index(module) :], module))
        if state[module]:
            return
        state[module] = 1
        for other in graph[module] - {module}:
            if MODULES[other].name != "__init__.py" or not module.startswith(f"{other}."):
                visit(other, (*trail, module))
        state[module] = 2

    for module in graph:
        visit(module, ())


def test_every_package_has_a_place() -> None:
    found = {p.name.removesuffix(".py") for p in ROOT.iterdir() if p.suffix == ".py" or (p / "__init__.py").exists()}
    assert found - {"__init__", "__main__"} == set(ORDER)


def test_a_public_class_name_exists_once() -> None:
    places: dict[str, list[str]] = defaultdict(list)
    for module, path in MODULES.items():
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(module)
    assert {word: where for word, where in places.items() if len(where) > 1} == {}


def test_a_module_is_worth_a_file() -> None:
    small = {
        str(path.relative_to(ROOT))
        for path in PATHS
        if path.name != "__init__.py" and len(path.read_text().splitlines()) < SMALLEST
    }
    assert {path for path in small if not any(Path(path).match(known) for known in SMALL_ON_PURPOSE)} == set()
