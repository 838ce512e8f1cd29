"""What `help` and tab completion show in Python of a function that takes options: each by its name, with a line."""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from evenhand.choices import roles, settings
from evenhand.choices.choice import ChoiceRow, choice_rows

F = TypeVar("F", bound=Callable[..., Any])

SECTIONS: dict[str, type] = {
    "Columns, by name, and which rows and values count": roles.RoleOptions,
    "Tables beside labels by annotators": roles.TableOptions,
    "Settings of several audits": settings.SharedOptions,
    "Groups and slices that are shown": settings.DisclosureOptions,
    "Settings of the audit bias": settings.BiasOptions,
    "Settings of the audit collaboration": settings.CollaborationOptions,
    "Settings of the audit calibration": settings.CalibrationOptions,
    "Settings of the audit perspective": settings.PerspectiveOptions,
    "Settings of the audit accuracy": settings.AccuracyOptions,
}
OTHERS = "How the data is read"  # options of no other section
FLAG = re.compile(r"--([a-z][a-z-]*)")
COMMAS = re.compile(r",? \(?comma-separated\)?")  # in Python these are lists


def python_help(text: str) -> str:
    """The help of an option as a reader of Python expects it: `label_threshold` for --label-threshold."""
    return COMMAS.sub("", FLAG.sub(lambda flag: flag[1].replace("-", "_"), text))


def lists_options(options: type) -> Callable[[F], F]:
    """Put a line for each option behind the docstring of a function, and their names into its signature."""

    def decorate(function: F) -> F:
        sections = list(_sections(options))
        own = inspect.signature(function)
        named = [parameter for parameter in own.parameters.values() if parameter.kind is not parameter.VAR_KEYWORD]
        added = [
            inspect.Parameter(row.name, inspect.Parameter.KEYWORD_ONLY, default=None)
            for _, rows in sections
            for row in rows
        ]
        function.__signature__ = own.replace(parameters=[*named, *added])  # type: ignore[attr-defined]
        listed = "\n".join(line for title, rows in sections for line in _option_lines(title, rows))
        function.__doc__ = f"{inspect.cleandoc(function.__doc__ or '')}\n\n{listed}"
        return function

    return decorate


def _sections(options: type) -> Iterator[tuple[str, list[ChoiceRow]]]:
    """The rows of a table of options, in sections with a title."""
    left = {row.name: row for row in choice_rows(options)}
    for title, table in SECTIONS.items():
        if rows := [left.pop(row.name) for row in choice_rows(table) if row.name in left]:
            yield title, rows
    if left:
        yield OTHERS, list(left.values())


def _option_lines(title: str, rows: list[ChoiceRow]) -> Iterator[str]:
    yield f"{title}:"
    for row in rows:
        line = f"{row.name}: {python_help(row.choice.help)}"
        yield textwrap.fill(line, 100, initial_indent="    ", subsequent_indent="        ")
    yield ""
