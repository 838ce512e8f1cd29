"""One thing that may be said: what it is called, what its value is, and how it is explained."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, NamedTuple, get_type_hints


def listed(text: str | None) -> tuple[str, ...] | None:
    """Names separated by commas; none at all where the option was given empty."""
    return None if text is None else tuple(part.strip() for part in text.split(",") if part.strip())


def repeated(values: list[Any] | None) -> tuple[Any, ...] | None:
    """What an option was given, once or more often; never is nothing."""
    return tuple(values) if values else None


def switched(on: bool) -> bool | None:
    """A switch that is off says nothing."""
    return on or None


@dataclass(frozen=True)
class Kind:
    """What a command takes for a value, and what it means by it. None is: nothing was said."""

    typed: Any
    meant: Callable[[Any], Any] | None = None


@dataclass(frozen=True)
class Choice:
    """How a value is explained: by a command, and in a TOML file, as an example with a remark behind it."""

    help: str
    toml: str = ""
    flags: tuple[str, ...] = ()  # of the command, where they are not made from the name
    default: Any = None  # of the command, where it is not left to whoever takes the value


def given(values: Mapping[str, Any]) -> dict[str, Any]:
    """What was said; the rest is left to whoever takes the values."""
    return {name: value for name, value in values.items() if value is not None}


class Row(NamedTuple):
    """A choice with its name and kind."""

    name: str
    kind: Kind
    choice: Choice

    def meant(self, typed: Any) -> Any:
        """What is meant by what was typed."""
        return self.kind.meant(typed) if self.kind.meant else typed


TEXT, NUMBER, WHOLE = Kind(str | None), Kind(float | None), Kind(int | None)
BY_COMMAS = Kind(str | None, listed)
REPEATED = Kind(list[str] | None, repeated)

# Types of Python, each with the kind that it is on the command line.
Text = Annotated[str | None, TEXT]
Number = Annotated[float | None, NUMBER]
Whole = Annotated[int | None, WHOLE]
Flag = Annotated[bool | None, Kind(bool, switched)]
File = Annotated[Path | None, Kind(Path | None)]
Names = Annotated[str | Sequence[str] | None, BY_COMMAS]
Codes = Annotated[str | float | Sequence[str] | None, BY_COMMAS]
Labels = Annotated[str | float | Sequence[str] | None, REPEATED]
Texts = Annotated[Sequence[str] | None, REPEATED]
Numbers = Annotated[Sequence[float] | None, Kind(list[float] | None, repeated)]
Table = Annotated[Any, TEXT]


def rows(choices: Any) -> Iterator[Row]:
    """The rows of a TypedDict whose values are annotated with a kind and a choice."""
    for name, hint in get_type_hints(choices, include_extras=True).items():
        kind, choice = hint.__metadata__
        yield Row(name, kind, choice)
