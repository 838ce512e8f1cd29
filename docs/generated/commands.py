"""The reference of commands: every one with its arguments, options and defaults, as the program itself has them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import typer
from docs.generated.words import cell, table


def page() -> str:
    """All commands, those of a group after one another."""
    from evenhand.cli.main import app

    found = _commands(typer.main.get_command(app), "evenhand")
    head = "# Commands\n\nWhat they are for, with more words, is in [the command line](../command-line.md).\n"
    return "\n".join([head, *(_section(name, command) for name, command in found)])


def _commands(command: Any, name: str) -> Iterator[tuple[str, Any]]:
    inner = getattr(command, "commands", None)
    if inner is None:
        yield name, command
        return
    if command.invoke_without_command and name != "evenhand":
        yield name, command
    for key, value in inner.items():
        yield from _commands(value, f"{name} {key}")


def _section(name: str, command: Any) -> str:
    arguments = [p for p in command.params if p.param_type_name == "argument"]
    options = [p for p in command.params if p.param_type_name == "option" and "--help" not in p.opts]
    called = " ".join([name, *(p.name.upper() + ("…" if p.nargs == -1 else "") for p in arguments)])
    rows = [(_spelled(p), _default(p), cell(p.help or "")) for p in options]
    taken = [(f"`{p.name.upper()}`", "", cell(p.help or "")) for p in arguments if p.help]
    return "\n".join(
        [f"## {name}\n", f"`{called}`\n", f"{command.help}\n", table(("option", "default", "what it is"), taken + rows)]
    )


def _spelled(option: Any) -> str:
    return ", ".join(f"`{name}`" for name in (*option.opts, *option.secondary_opts))


def _default(option: Any) -> str:
    if option.required:
        return "required"
    value = option.default
    if value in (None, False, (), [], "") or callable(value) or "Sentinel" in type(value).__name__:
        return ""
    return f"`{value}`"
