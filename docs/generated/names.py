"""The reference of Python: every public name with its signature, what it says of itself and its example."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from functools import partial
from types import ModuleType
from typing import Any

from docs.generated.words import cell, table

import evenhand
from evenhand.choices import SettingOptions, choice_rows

HEAD = """# evenhand

What `import evenhand as eh` offers; modules have pages of their own. How they go together is in [Python](../python.md).
"""
MODULES = tuple(name for name in evenhand.__all__ if inspect.ismodule(getattr(evenhand, name)))


def page() -> str:
    """The names of the package itself, then the settings of each audit."""
    modules = [(f"[`{name}`]({name}.md)", cell(_first_line(getattr(evenhand, name)))) for name in MODULES]
    parts = [HEAD, table(("module", "what it is for"), modules), *_sections(evenhand)]
    return "\n".join([*parts, "## Settings of each audit\n", *_settings()])


def module_page(name: str) -> str:
    """All names of one public module."""
    module = getattr(evenhand, name)
    return "\n".join([f"# evenhand.{name}\n", _markdown(module.__doc__ or ""), *_sections(module)])


def module_pages() -> dict[str, Callable[[], str]]:
    """The address of the page of each public module, and how it is made."""
    return {f"reference/{name}.md": partial(module_page, name) for name in MODULES}


def _sections(module: ModuleType) -> Iterator[str]:
    public = {name: getattr(module, name) for name in module.__all__}
    for name, value in public.items():
        if inspect.isfunction(value) or inspect.isclass(value):
            yield _section(name, value)
    constants = [(f"`{name}`", f"`{_constant(value)}`") for name, value in public.items() if _is_constant(value)]
    if constants:
        yield f"## Constants\n\n{table(('name', 'value'), constants)}"


def _is_constant(value: Any) -> bool:
    return not (inspect.isfunction(value) or inspect.isclass(value) or inspect.ismodule(value))


def _constant(value: Any) -> str:
    shown = ", ".join(map(str, value)) if isinstance(value, dict) else cell(repr(value))
    return shown if len(shown) < 90 else f"{shown[:88]} …"


def _first_line(value: Any) -> str:
    return inspect.cleandoc(value.__doc__ or "").splitlines()[0]


def _section(name: str, value: Any) -> str:
    lines = [f"## {name}\n", f"```text\n{name}{_signature(value)}\n```\n", _markdown(value.__doc__ or "")]
    if inspect.isclass(value):
        lines.append(table(("member", "what it is"), _members(value)))
    return "\n".join(lines)


def _markdown(doc: str) -> str:
    """A docstring with its examples, and what is indented in it, as code."""
    blocks = re.split(r"\n\s*\n", inspect.cleandoc(doc))
    return "".join(f"{_block(block)}\n\n" for block in blocks if block.strip())


def _block(block: str) -> str:
    if block.startswith(">>>"):
        return f"```pycon\n{block}\n```"
    return f"```text\n{block}\n```" if re.search(r"^ {4}", block, re.MULTILINE) else block


def _signature(value: Any) -> str:
    """On one line where it fits, else one parameter a line; a star stands before the first that must be named."""
    if inspect.isclass(value) and (issubclass(value, Exception) or getattr(value, "_is_protocol", False)):
        return ""
    signature = inspect.signature(value)
    parts, starred = [], False
    for parameter in signature.parameters.values():
        if hasattr(value, "__signature__") and parameter.annotation is inspect.Parameter.empty:
            continue  # an option, which the docstring lists
        star = parameter.kind is inspect.Parameter.KEYWORD_ONLY and not starred
        starred = starred or star
        parts.append(f"{'*, ' if star else ''}{_parameter(parameter)}")
    parts += ["**options"] if hasattr(value, "__signature__") and inspect.isfunction(value) else []
    end = "" if inspect.isclass(value) else f" -> {signature.return_annotation}"
    short = f"({', '.join(parts)}){end}"
    return short if len(short) < 90 else "\n".join(["(", *(f"    {part}," for part in parts), f"){end}"])


def _parameter(parameter: inspect.Parameter) -> str:
    empty, prefix = inspect.Parameter.empty, "**" if parameter.kind is inspect.Parameter.VAR_KEYWORD else ""
    kind = "" if parameter.annotation is empty else f": {parameter.annotation}"
    value = getattr(parameter.default, "__name__", None) or repr(parameter.default)
    value = "…" if "factory" in value else value
    return f"{prefix}{parameter.name}{kind}{'' if parameter.default is empty else f' = {value}'}"


def _members(value: type) -> Iterator[tuple[str, str]]:
    for name, member in vars(value).items():
        doc = getattr(member, "__doc__", None)
        if name.startswith("_") or not doc or not (callable(member) or isinstance(member, (property, classmethod))):
            continue
        yield f"`{name}{'' if isinstance(member, property) else '()'}`", cell(doc)


def _settings() -> Iterator[str]:
    for audit in evenhand.AUDITS:
        settings = audit.settings()
        own = [row for row in choice_rows(SettingOptions) if row.name in settings.names()]
        rows = [(f"`{row.name}`", f"`{getattr(settings, row.name)!r}`", cell(row.choice.help)) for row in own]
        yield f"### {audit.name}\n\n{table(('setting', 'default', 'what it is'), rows)}"
