"""One option: its name, the type of its value, and how it is explained on the command line and in a TOML file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, NamedTuple, get_type_hints

from evenhand.errors import InputError
from evenhand.limits import LONGEST, MOST
from evenhand.loose_values import one_or_several


def comma_separated(text: str | None) -> tuple[str, ...] | None:
    """Comma-separated names; none at all where the option was given empty."""
    return None if text is None else tuple(part.strip() for part in text.split(",") if part.strip())


def repeated(values: list[Any] | None) -> tuple[Any, ...] | None:
    """What an option was given, once or more often; never is nothing."""
    return tuple(values) if values else None


def switched(on: bool) -> bool | None:
    """A switch that is off says nothing."""
    return on or None


@dataclass(frozen=True)
class ValueKind:
    """What a command takes for a value, and what it means by it. None is: nothing was said.

    Help shows it as the `placeholder`. An `output` is a file or folder that the command writes, which must not be one
    that it reads.
    """

    typed: Any
    placeholder: str = ""
    meant: Callable[[Any], Any] | None = None
    output: bool = False

    @property
    def is_text(self) -> bool:
        """Whether the value is one text, as typed."""
        return self.typed == str | None and self.meant is None


@dataclass(frozen=True)
class Choice:
    """How a value is explained: by a command, and in a TOML file, as an example with a remark behind it."""

    help: str
    toml: str = ""
    flags: tuple[str, ...] = ()  # of the command, where they are not made from the name
    default: Any = None  # of the command, where it is not left to whoever takes the value


def without_unset(values: Mapping[str, Any]) -> dict[str, Any]:
    """What was said; the rest is left to whoever takes the values."""
    return {name: value for name, value in values.items() if value is not None}


class ChoiceRow(NamedTuple):
    """A choice with its name and kind."""

    name: str
    kind: ValueKind
    choice: Choice

    def meant(self, typed: object) -> Any:
        """What is meant by what was typed."""
        return self.kind.meant(typed) if self.kind.meant else typed


def text_kind(placeholder: str) -> ValueKind:
    """One text."""
    return ValueKind(str | None, placeholder)


def list_kind(placeholder: str) -> ValueKind:
    """Texts, comma-separated."""
    return ValueKind(str | None, f"{placeholder},…", comma_separated)


def repeated_kind(placeholder: str) -> ValueKind:
    """Texts, each with the option before it."""
    return ValueKind(list[str] | None, placeholder, repeated)


TEXT, NAME, COLUMN = text_kind("TEXT"), text_kind("NAME"), text_kind("COLUMN")
NUMBER, SHARE, WHOLE = (
    ValueKind(float | None, "NUMBER"),
    ValueKind(float | None, "SHARE"),
    ValueKind(int | None, "NUMBER"),
)
FILE = ValueKind(Path | None, "FILE")
OUTPUT, OUTPUT_FOLDER = ValueKind(Path | None, "FILE", output=True), ValueKind(Path | None, "FOLDER", output=True)

# Types of Python, each with the kind that it is on the command line.
TextValue = Annotated[str | None, TEXT]
NameValue = Annotated[str | None, NAME]
ColumnValue = Annotated[str | None, COLUMN]
ConditionValue = Annotated[str | None, text_kind("CONDITION")]
NumberValue = Annotated[float | None, NUMBER]
ShareValue = Annotated[float | None, SHARE]
WholeValue = Annotated[int | None, WHOLE]
FlagValue = Annotated[bool | None, ValueKind(bool, meant=switched)]
FileValue = Annotated[Path | None, FILE]
FolderValue = Annotated[Path | None, ValueKind(Path | None, "FOLDER")]
OutputValue = Annotated[Path | None, OUTPUT]
OutputPath = Annotated[Path, OUTPUT]
OutputFolder = Annotated[Path | None, OUTPUT_FOLDER]
NamesValue = Annotated[str | Sequence[str] | None, list_kind("NAME")]
ColumnsValue = Annotated[str | Sequence[str] | None, list_kind("COLUMN")]
CodesValue = Annotated[str | float | Sequence[str] | None, list_kind("LABEL")]
LabelsValue = Annotated[str | float | Sequence[str] | None, repeated_kind("LABEL")]
FilesValue = Annotated[Sequence[str] | None, repeated_kind("FILE")]
PairsValue = Annotated[Sequence[str] | None, repeated_kind("ROLE=COLUMN")]
DateValue = Annotated[str | None, text_kind("DATE")]
PeriodValue = Annotated[str | None, text_kind("PERIOD")]
SettingsValue = Annotated[Sequence[str] | None, repeated_kind("NAME=VALUE")]
NumbersValue = Annotated[Sequence[float] | None, ValueKind(list[float] | None, "NUMBER", repeated)]
SharesValue = Annotated[Sequence[float] | None, ValueKind(list[float] | None, "SHARE", repeated)]
FileNameValue = Annotated[str | None, text_kind("FILE")]
TableValue = Annotated[Any, text_kind("FILE")]


def check_limits(values: Mapping[str, Any]) -> None:
    """`InputError` for the first whole number, alone or in a list, or list that is more than there may be."""
    for name, value in values.items():
        if name in LONGEST and len(one_or_several(value)) > LONGEST[name]:
            problem = f"`{name}` has {len(one_or_several(value)):,} values: it may have {LONGEST[name]:,} at most"
            raise InputError(problem, role=name)
        for number in one_or_several(value) if name in MOST else ():
            if isinstance(number, int) and number > MOST[name]:
                raise InputError(f"`{name}` is {number:,}: it may be {MOST[name]:,} at most", role=name)


def choice_rows(choices: type) -> Iterator[ChoiceRow]:
    """The rows of a TypedDict whose values are annotated with a kind and a choice."""
    for name, hint in get_type_hints(choices, include_extras=True).items():
        kind, choice = hint.__metadata__
        yield ChoiceRow(name, kind, choice)
