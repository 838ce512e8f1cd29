"""The example notebooks run from top to bottom, and what they end cells with shows itself richly.

Their cells are run in this process, each notebook in a namespace of its own: starting a kernel takes longer than all
of them together, and shows no more.
"""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parents[2] / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


def run(cell: str, names: dict[str, Any]) -> Any:
    """What a notebook would show below the cell: the value of its last expression."""
    tree = ast.parse(cell)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), names)
    return eval(compile(ast.Expression(last.value), "cell", "eval"), names) if last else None  # type: ignore[attr-defined]


def shown(value: Any) -> str:
    if hasattr(value, "_repr_mimebundle_"):
        return str(value._repr_mimebundle_())
    return value._repr_html_() if hasattr(value, "_repr_html_") else repr(value)


@pytest.fixture(scope="module")
def outputs() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for path in NOTEBOOKS:
        names: dict[str, Any] = {"__name__": "__main__"}
        cells = [cell for cell in json.loads(path.read_text())["cells"] if cell["cell_type"] == "code"]
        found[path.stem] = {cell["id"]: run("".join(cell["source"]), names) for cell in cells}
    return found


def test_there_are_two_and_they_hold_no_output() -> None:
    assert len(NOTEBOOKS) == 2
    for path in NOTEBOOKS:
        notebook = json.loads(path.read_text())
        assert notebook["nbformat"] == 4
        assert len({cell["id"] for cell in notebook["cells"]}) == len(notebook["cells"])
        for cell in notebook["cells"]:
            assert not cell.get("outputs")
            assert cell.get("execution_count") is None


@pytest.mark.verify
def test_every_value_shows_itself(outputs: dict[str, dict[str, Any]]) -> None:
    for cells in outputs.values():
        assert all(shown(value) for value in cells.values() if value is not None)


@pytest.mark.verify
def test_the_first_audit_shows_a_report_estimates_and_figures(outputs: dict[str, dict[str, Any]]) -> None:
    cells = outputs["first_audit"]
    assert "Summary" in shown(cells["audit"])
    assert "95% delong_score" in shown(cells["estimate"])
    assert "Are the probabilities calibrated" in shown(cells["finding"])
    assert "<svg" in shown(cells["figure"])
    assert "tables" in cells["save"]


@pytest.mark.verify
def test_what_was_planted_between_two_months_is_found(outputs: dict[str, dict[str, Any]]) -> None:
    cells = outputs["what_changed"]
    assert "statistically significant" in cells["june"]
    assert "stands_out" in cells["differences"].flags
    assert cells["differences"].value < 0.0
    assert "stands_out" not in cells["others"].flags
    assert cells["same"].defined
