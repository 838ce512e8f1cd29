"""The reference of Python: every public name with its signature and what it says of itself."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

from docs.generated.words import cell, table

import evenhand
from evenhand.choices import Settings, rows

HEAD = """# Python names

Everything that `import evenhand as eh` offers. How they go together is in [Python](../python.md); options of `audit`
beyond its signature are the [roles](roles.md) and the settings at the end of this page.
"""


def page() -> str:
    """All public names, then the settings of each audit."""
    named = [_section(name, getattr(evenhand, name)) for name in evenhand.__all__ if callable(getattr(evenhand, name))]
    return "\n".join([HEAD, *named, "## Settings of each audit\n", *_settings()])


def _section(name: str, value: Any) -> str:
    said = inspect.cleandoc(value.__doc__ or "")
    lines = [f"## {name}\n", f"```text\n{name}{_signature(value)}\n```\n", f"{said}\n"]
    if inspect.isclass(value):
        lines.append(table(("member", "what it is"), _members(value)))
    return "\n".join(lines)


def _signature(value: Any) -> str:
    """On one line where it fits, else one parameter a line; a star stands before the first that must be named."""
    if inspect.isclass(value) and (issubclass(value, Exception) or getattr(value, "_is_protocol", False)):
        return ""
    found = inspect.signature(value)
    parts, starred = [], False
    for parameter in found.parameters.values():
        star = parameter.kind is inspect.Parameter.KEYWORD_ONLY and not starred
        starred = starred or star
        parts.append(f"{'*, ' if star else ''}{_parameter(parameter)}")
    end = "" if inspect.isclass(value) else f" -> {found.return_annotation}"
    short = f"({', '.join(parts)}){end}"
    return short if len(short) < 90 else "\n".join(["(", *(f"    {part}," for part in parts), f"){end}"])


def _parameter(parameter: inspect.Parameter) -> str:
    empty, prefix = inspect.Parameter.empty, "**" if parameter.kind is inspect.Parameter.VAR_KEYWORD else ""
    kind = "" if parameter.annotation is empty else f": {parameter.annotation}"
    value = "…" if "factory" in repr(parameter.default) else repr(parameter.default)
    return f"{prefix}{parameter.name}{kind}{'' if parameter.default is empty else f' = {value}'}"


def _members(value: type) -> Iterator[tuple[str, str]]:
    for name, member in vars(value).items():
        said = getattr(member, "__doc__", None)
        if name.startswith("_") or not said or not (callable(member) or isinstance(member, (property, classmethod))):
            continue
        yield f"`{name}{'' if isinstance(member, property) else '()'}`", cell(said)


def _settings() -> Iterator[str]:
    for audit in evenhand.AUDITS:
        settings = audit.settings()
        own = [row for row in rows(Settings) if row.name in settings.names()]
        found = [(f"`{row.name}`", f"`{getattr(settings, row.name)!r}`", cell(row.choice.help)) for row in own]
        yield f"### {audit.name}\n\n{table(('setting', 'default', 'what it is'), found)}"
