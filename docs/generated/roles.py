"""The reference of roles: what a column can be declared as, and which roles an audit needs."""

from __future__ import annotations

from dataclasses import MISSING, fields
from typing import Any

from docs.generated.words import cell, table

from evenhand import AUDITS, Declaration
from evenhand.choices import RoleOptions, choice_rows

HEAD = """# Roles

What can be declared of a table, in `[columns]` of a TOML file or as an argument of `evenhand.audit`. What each holds is
in [evidence](../evidence.md).
"""


def page() -> str:
    """All roles with type and default, then what each audit needs."""
    kinds = {field.name: field for field in fields(Declaration)}
    found = [
        (f"`{r.name}`", f"`{cell(str(kinds[r.name].type))}`", _default(kinds[r.name]), cell(r.choice.help))
        for r in choice_rows(RoleOptions)
    ]
    needs = [(f"[{a.name}](../audits/{a.name}.md)", a.question, ", ".join(sorted(a.needs))) for a in AUDITS]
    asked = table(("audit", "question", "needs"), needs)
    return f"{HEAD}\n{table(('role', 'type', 'default', 'what it is'), found)}\n## What each audit needs\n\n{asked}"


def _default(field: Any) -> str:
    value = field.default
    return "" if value is MISSING or value in (None, (), False) else f"`{value!r}`"
