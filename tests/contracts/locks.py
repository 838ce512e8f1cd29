"""What the locks and constraints.txt pin."""

from __future__ import annotations

from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
LOCKS = {path.stem: path.read_text() for path in sorted((ROOT / "locks").glob("*.txt"))}


def pinned(text: str) -> dict[str, str]:
    found = (
        Requirement(line.split(";")[0].strip(" \\")) for line in text.splitlines() if "==" in line and line[0].isalnum()
    )
    return {canonicalize_name(one.name): str(one.specifier).removeprefix("==") for one in found}


CONSTRAINTS = pinned((ROOT / "constraints.txt").read_text())
