"""What the figures of one group share: which exhibits they show, and under which name."""

from __future__ import annotations

from collections.abc import Mapping

from evenhand.finding import Exhibit, Finding, Slice


def exhibits(finding: Finding, kind: str, group: str) -> list[Exhibit]:
    """The exhibits of one kind that are drawn for a group."""
    return [e for e in finding.exhibits if e.kind == kind and e.slice["group"] == group and _is_shown(e.slice)]


def _is_shown(slice_: Slice) -> bool:
    """Everything and short comments have a panel; other slices would be too many."""
    return set(slice_) <= {"group", "model", "length"}


def panel_name(slice_: Mapping[str, str]) -> str:
    """The name of a panel or line: the model, and the part of the items."""
    length = slice_.get("length")
    return f"{slice_['model']}, {length} items only" if length else slice_["model"]
