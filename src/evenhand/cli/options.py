"""What the options of commands have in common."""

from __future__ import annotations

from typing import Any, Optional

import typer

Text = Optional[str]  # noqa: UP045 (typer reads annotations at run time)
Number = Optional[float]  # noqa: UP045
Whole = Optional[int]  # noqa: UP045


def option(help_: str, *names: str, **more: Any) -> Any:
    """An option whose default is told in its help, or not at all."""
    return typer.Option(*names, help=help_, show_default=False, **more)


def listed(text: str | None) -> list[str] | None:
    """Names separated by commas; none at all where the option was given empty."""
    return [part.strip() for part in text.split(",") if part.strip()] if text is not None else None
