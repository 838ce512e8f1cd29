"""Options of commands, made from rows of choices: a command takes a group of them as one mapping."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, get_args, get_type_hints, is_typeddict

import typer

from evenhand.choices import Choice, ChoiceRow, LayoutOptions, check_limits, choice_rows, text_kind
from evenhand.cli.help import LAYOUT_PANEL, Command, panel_of
from evenhand.cli.outputs import FORCE, FORCE_PARAMETER, check_outputs, is_folder, is_output
from evenhand.inputs import note_input
from evenhand.loose_values import one_or_several

Query = Annotated[
    Annotated[str | None, text_kind("SQL")], Choice("For a database URL: the query whose rows are the items.")
]
NAMED = inspect.Parameter.KEYWORD_ONLY
LAYOUT = tuple(choice_rows(LayoutOptions))
DECLARABLE = ("columns", "shared")  # parameters whose options a declaration may give
ROLES_BY_OPTION = {"by": "slices"}  # where an option has another name than the role


def option(help_: str, *names: str, **more: Any) -> Any:
    """An option that must be given, or whose default is told in its help."""
    return typer.Option(*names, help=help_, show_default=False, **more)


@dataclass(frozen=True)
class OptionSubset:
    """Some choices of a group, in their order; what is special about one here is said anew."""

    names: tuple[str, ...]
    help_by_name: Mapping[str, str]

    def rows_of(self, group: type) -> Iterator[ChoiceRow]:
        """The rows of the group that are wanted."""
        known = {row.name: row for row in choice_rows(group)}
        if unknown := {*self.names, *self.help_by_name} - set(known):
            raise LookupError(f"{group.__name__} has no {', '.join(sorted(unknown))}")
        for name, row in known.items():
            if name in self.help_by_name:
                yield row._replace(choice=replace(row.choice, help=self.help_by_name[name]))
            elif name in self.names:
                yield row


def only(*names: str, **help_by_name: str) -> OptionSubset:
    """Which choices of a group a command takes.

    As in `Annotated[Roles, only("label", score="The one score column.")]`.
    """
    return OptionSubset(names, help_by_name)


def with_options(command: Command) -> Command:
    """The command as typer reads it: with an option for each choice that it takes, alone or in a group.

    A parameter that is annotated with a `Choice` becomes an option, one that is a TypedDict of choices becomes an
    option for each of them and comes as a mapping that has them all. Other parameters are left to typer. An output
    that is one of the files that the command is given, or that exists, is refused before anything is done; whatever
    writes a file takes --force.
    """
    return _OptionParser(command).as_command()


def reads_tables(declared: str | None = None) -> Callable[[Command], Command]:
    """`with_options` for a command that opens tables: it also takes how they are written as text.

    The argument named `declared` may be a TOML declaration in place of a table. Columns, query and layout are then
    those it names, and options come on top.
    """
    return lambda command: _OptionParser(command, reads_tables=True, declared=declared).as_command()


class _OptionParser:
    """The parameters of a command as typer reads them, and what is meant by the values."""

    def __init__(self, command: Command, *, reads_tables: bool = False, declared: str | None = None) -> None:
        self.command, self.declared = command, declared
        self.layout = LAYOUT if reads_tables else ()
        self.is_audit = "options" in inspect.signature(command).parameters
        self.hints = get_type_hints(command, include_extras=True)
        self.groups, self.parameters = dict[str, list[ChoiceRow]](), list[inspect.Parameter]()
        self.outputs, self.files = set[str](), set[str]()  # what is written, and what of it is a file, not a folder
        for name, parameter in inspect.signature(command).parameters.items():
            self._add(name, parameter)
        self.parameters += [_parameter(row, LAYOUT_PANEL) for row in self.layout]
        if self.files:
            self.parameters.append(FORCE_PARAMETER)

    def _add(self, name: str, parameter: inspect.Parameter) -> None:
        hint = self.hints[name]
        if rows := _rows(name, hint):
            self.groups[name] = rows
            self.parameters += [
                _parameter(row, panel_of(row.name, "options" if self.is_audit else name)) for row in rows
            ]
            for row in rows:
                self._add_output(row.name, (row.kind,))
        else:
            self.parameters.append(parameter.replace(annotation=hint, kind=NAMED))
            self._add_output(name, getattr(hint, "__metadata__", ()))

    def _add_output(self, name: str, metadata: Iterable[Any]) -> None:
        if is_output(metadata):
            self.outputs.add(name)
            self.files |= set() if is_folder(metadata) else {name}

    def as_command(self) -> Command:
        """A function with an argument for each option."""

        def run(**typed: Any) -> None:
            self.run(typed)

        run.outputs = frozenset(self.outputs)  # type: ignore[attr-defined]
        run.__name__, run.__doc__ = self.command.__name__, self.command.__doc__
        run.__signature__ = inspect.Signature(self.parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {parameter.name: parameter.annotation for parameter in self.parameters}
        return run

    def run(self, typed: dict[str, Any]) -> None:
        """The command with what is meant by what was typed."""
        check_outputs(typed, self.outputs, self.files, force=bool(typed.pop(FORCE, False)))
        layout = {row.name: row.meant(typed.pop(row.name)) for row in self.layout}
        values = {
            name: {row.name: row.meant(typed.pop(row.name)) for row in rows} for name, rows in self.groups.items()
        }
        if self.declared and str(typed[self.declared]).lower().endswith(".toml"):
            self._take_declaration(typed, values, layout)
        for group in values.values():
            check_limits(group)
        alone = {name: group[name] if _is_alone(self.hints[name]) else group for name, group in values.items()}
        with _as_declared(layout):
            self.command(**typed, **alone)

    def _take_declaration(
        self, typed: dict[str, Any], values: dict[str, dict[str, Any]], layout: dict[str, Any]
    ) -> None:
        """Whatever no option says is as the declaration says."""
        from evenhand.audits.request import read_request_file

        assert self.declared
        path = Path(typed[self.declared])
        written = read_request_file(path)
        note_input(path)
        typed[self.declared] = type(typed[self.declared])(str(written["data"]))
        if "query" in values and values["query"]["query"] is None:
            values["query"]["query"] = written.get("query")
        roles = written["options"]
        layout |= {name: roles.get(name) for name, value in layout.items() if value is None}
        for name in DECLARABLE:
            for row in self.groups.get(name, ()):
                value = roles.get(ROLES_BY_OPTION.get(row.name, row.name))
                if values[name][row.name] is None and value is not None:
                    values[name][row.name] = _as_typed(row, value)


def _as_typed(row: ChoiceRow, value: object) -> object:
    """A value of a TOML file as the option would give it: one name, or several."""
    if row.kind.is_text:
        return one_or_several(value)[0] if len(one_or_several(value)) == 1 else value
    return one_or_several(value) if row.kind.meant else value


def _as_declared(layout: Mapping[str, str | None]) -> AbstractContextManager[None]:
    if not any(layout.values()):
        return nullcontext()
    from evenhand.evidence import declared_layout

    return declared_layout(**layout)


def _is_alone(hint: object) -> bool:
    return any(isinstance(part, Choice) for part in getattr(hint, "__metadata__", ()))


def _rows(name: str, hint: Any) -> list[ChoiceRow]:
    """The choices behind a parameter: one, those of a group, or none."""
    if _is_alone(hint):
        return [ChoiceRow(name, *hint.__metadata__)]
    if is_typeddict(hint):
        return list(choice_rows(hint))
    parts = get_args(hint)
    return list(parts[1].rows_of(parts[0])) if parts and isinstance(parts[-1], OptionSubset) else []


def _parameter(row: ChoiceRow, panel: str) -> inspect.Parameter:
    flags = row.choice.flags or (f"--{row.name.replace('_', '-')}",)
    shown = row.choice.default not in (None, "")
    option_info = typer.Option(
        *flags,
        help=row.choice.help,
        metavar=row.kind.placeholder or None,
        show_default=shown,
        rich_help_panel=panel,
    )
    default = False if row.kind.typed is bool else row.choice.default
    return inspect.Parameter(row.name, NAMED, default=default, annotation=Annotated[row.kind.typed, option_info])
