"""What the papers print, read once from a file beside this one."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def _everything() -> dict[str, Any]:
    return dict(json.loads((files("evenhand.reproduce") / "published.json").read_text(encoding="utf-8")))


def published(paper: str) -> dict[str, Any]:
    """The tables of one paper, by their names."""
    found: dict[str, Any] = _everything()[paper]
    return found


def source(paper: str) -> str:
    """Where they stand."""
    return str(_everything()["sources"][paper])
