"""Options of commands, made from rows of choices: a command takes a group of them as one mapping."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, get_args, get_type_hints, is_typeddict

import typer

from evenhand.choices import Choice, Row, Text, rows

Command = Callable[..., None]
Query = Annotated[Text, Choice("For a database URL: the query whose rows are the items.")]
NAMED = inspect.Parameter.KEYWORD_ONLY


def option(help_: str, *names: str, **more: Any) -> Any:
    """An option that must be given, or whose default is told in its help."""
    return typer.Option(*names, help=help_, show_default=False, **more)


@dataclass(frozen=True)
class Only:
    """Some choices of a group, in their order; what is special about one here is said anew."""

    names: tuple[str, ...]
    said: Mapping[str, str]

    def of(self, group: Any) -> Iterator[Row]:
        """The rows of the group that are wanted."""
        known = {row.name: row for row in rows(group)}
        if unknown := {*self.names, *self.said} - set(known):
            raise LookupError(f"{group.__name__} has no {', '.join(sorted(unknown))}")
        for name, row in known.items():
            if name in self.said:
                yield row._replace(choice=replace(row.choice, help=self.said[name]))
            elif name in self.names:
                yield row


def only(*names: str, **said: str) -> Only:
    """Which choices of a group a command takes.

    As in `Annotated[Roles, only("label", score="The one score column.")]`.
    """
    return Only(names, said)


def with_options(command: Command) -> Command:
    """The command as typer reads it: with an option for each choice that it takes, alone or in a group.

    A parameter that is annotated with a `Choice` becomes an option, one that is a TypedDict of choices becomes an
    option for each of them and comes as a mapping that has them all. Other parameters are left to typer.
    """
    hints = get_type_hints(command, include_extras=True)
    groups, parameters = dict[str, list[Row]](), list[inspect.Parameter]()
    for name, parameter in inspect.signature(command).parameters.items():
        if found := _rows(name, hints[name]):
            groups[name] = found
            parameters += map(_parameter, found)
        else:
            parameters.append(parameter.replace(annotation=hints[name], kind=NAMED))

    def run(**typed: Any) -> None:
        meant = {name: {row.name: row.meant(typed.pop(row.name)) for row in group} for name, group in groups.items()}
        command(**typed, **{name: found[name] if _is_alone(hints[name]) else found for name, found in meant.items()})

    run.__name__, run.__doc__ = command.__name__, command.__doc__
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run


def _is_alone(hint: Any) -> bool:
    return any(isinstance(part, Choice) for part in getattr(hint, "__metadata__", ()))


def _rows(name: str, hint: Any) -> list[Row]:
    """The choices behind a parameter: one, those of a group, or none."""
    if _is_alone(hint):
        return [Row(name, *hint.__metadata__)]
    if is_typeddict(hint):
        return list(rows(hint))
    parts = get_args(hint)
    return list(parts[1].of(parts[0])) if parts and isinstance(parts[-1], Only) else []


def _parameter(row: Row) -> inspect.Parameter:
    flags = row.choice.flags or (f"--{row.name.replace('_', '-')}",)
    asked = typer.Option(*flags, help=row.choice.help, show_default=row.choice.default not in (None, ""))
    default = False if row.kind.typed is bool else row.choice.default
    return inspect.Parameter(row.name, NAMED, default=default, annotation=Annotated[row.kind.typed, asked])
