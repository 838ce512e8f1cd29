"""The reference of roles: what a column can be declared as, and which roles an audit needs."""

from __future__ import annotations

from dataclasses import MISSING, fields
from typing import Any

from docs.generated.words import cell, table

from evenhand import AUDITS, Declaration

HEAD = """# Roles

What can be declared of a table, in `[columns]` of a TOML file or as an argument of `evenhand.audit`. What each holds is
in [evidence](../evidence.md).
"""


def page() -> str:
    """All roles with type and default, then what each audit needs."""
    rows = [(f"`{f.name}`", f"`{cell(str(f.type))}`", _default(f)) for f in fields(Declaration)]
    needs = [(f"[{a.name}](../audits/{a.name}.md)", a.question, ", ".join(sorted(a.needs))) for a in AUDITS]
    asked = table(("audit", "question", "needs"), needs)
    return f"{HEAD}\n{table(('role', 'type', 'default'), rows)}\n## What each audit needs\n\n{asked}"


def _default(field: Any) -> str:
    value = field.default
    return "" if value is MISSING or value in (None, (), False) else f"`{value!r}`"
