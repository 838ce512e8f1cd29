"""The pages that --help prints: options by topic, and a program whose commands are loaded when they are called."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup, TyperOption

if TYPE_CHECKING:  # the Click that comes with typer
    from typer._click import Command as ClickCommand
    from typer._click import Context, HelpFormatter, Parameter

Command = Callable[..., None]
START, COLUMNS, GROUPS, OUTPUT, OPTIONS = "Start here", "Columns", "Groups", "Output", "Options"
LAYOUT_PANEL = "CSV format"
EVERY_AUDIT, ANNOTATORS, SAMPLING = "All audits", "Annotators", "Sampling"

# Where the options of an audit stand, which are too many for one list.
AUDIT_PANELS: Mapping[str, tuple[str, ...]] = {
    START: ("score", "label", "positive", "groups", "group_by", "text", "slices", "audits", "out"),
    COLUMNS: (
        *("scale", "probabilities", "classes", "normalise", "label_threshold", "id", "count", "weight"),
        *("uncertainty", "reviews", "gold"),
        *("decision", "removes", "skip_unscored", "where", "query", "snapshot", "preset"),
    ),
    GROUPS: ("terms", "group_threshold", "smallest_group"),
    SAMPLING: ("cluster", "inclusion", "stratum"),
    ANNOTATORS: (
        *("item", "annotator", "annotator_groups", "within", "spellings", "skip", "duplicates"),
        *("items", "annotators"),
    ),
    EVERY_AUDIT: ("threshold", "level", "interval", "replicates", "seed", "examples", "compare"),
    "Audit bias": ("tolerance", "intersections"),
    "Audit collaboration": ("capacities", "strategies"),
    "Audit calibration": ("bins", "bins_by"),
    "Audit perspective": (
        *("majority", "ties", "distance", "fewest_labels", "permutations", "smoothing", "clusters", "miss"),
    ),
    "Audit accuracy": ("target", "effect", "rank_with"),
    LAYOUT_PANEL: ("separator", "decimal", "encoding", "date_order", "skip_bad"),
    OUTPUT: ("title", "period", "author", "date", "brief", "png", "tables", "json", "csv"),
}
# Other commands: by the parameter that takes a group of options.
PANELS = {
    "columns": COLUMNS,
    "printed": OUTPUT,
    "shared": "Settings",
    "goals": "What to plan for",
    "promise": "Target precision",
    "sample_size": "Sample size",
    "purpose": "What is measured",
    "labour": "Labelling effort",
    "settings": "Design",
    "trials": "Simulation",
    "scores": "Scores and model",
    "judged": "Thresholds",
    "training_data": "Training data",
    "training_method": "Method",
    "named": "Settings of the method",
    "rounds": "Comparison",
    "answers": "Answers",
    "sheets": "Reviewers",
}
_AUDIT_PANEL = {name: panel for panel, names in AUDIT_PANELS.items() for name in names}


def panel_of(option: str, parameter: str) -> str:
    """The topic that an option stands under, by its own name in an audit, else by the parameter it belongs to."""
    if parameter == "options":
        return _AUDIT_PANEL.get(option, OPTIONS)
    return PANELS.get(parameter, OPTIONS)


PLACEHOLDERS = {int: "NUMBER", float: "NUMBER", Path: "FILE"}  # of options that have none of their own
BRACES = re.compile("[{}]")


class PanelCommand(TyperCommand):
    """A command whose help has a section for each topic, the first one first, and says what each value is."""

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        for parameter in self.params:
            if parameter.metavar is None:
                parameter.metavar = _placeholder(parameter)

    def collect_usage_pieces(self, ctx: Context) -> list[str]:
        """Arguments that must be given stand there as they are, others in brackets."""
        return [BRACES.sub("", piece) for piece in super().collect_usage_pieces(ctx)]

    def format_options(self, ctx: Context, formatter: HelpFormatter) -> None:
        """Arguments, then options by topic."""
        panels: dict[str, list[tuple[str, str]]] = {"Arguments": [], START: [], OPTIONS: []}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is None:
                continue
            if parameter.param_type_name == "argument":
                panels["Arguments"].append((str(parameter.metavar), record[1]))
                continue
            panel = getattr(parameter, "rich_help_panel", None)
            panels.setdefault(panel or (OUTPUT if OUTPUT in panels else OPTIONS), []).append(record)
        for panel, rows in panels.items():
            if rows:
                with formatter.section(panel):
                    formatter.write_dl(rows, col_max=26)


def _placeholder(parameter: Parameter) -> str:
    """What stands for the value: of an argument its name."""
    if isinstance(parameter, TyperOption):
        return PLACEHOLDERS.get(parameter.type_descriptor.annotation, "TEXT")
    return str(parameter.name).upper()


class CommandRow(NamedTuple):
    """Where a command is defined, and what it does in a line."""

    module: str
    attribute: str
    help: str


class LazyGroup(TyperGroup):
    """A group that loads a command when it is called: the list of commands costs nothing."""

    table: Mapping[str, CommandRow] = {}

    @cached_property
    def _loaded(self) -> dict[str, ClickCommand]:
        return {}

    @property
    def commands(self) -> dict[str, ClickCommand]:
        """All of them, for those who walk through them."""
        return {name: self._load(name) for name in self.table}

    @commands.setter
    def commands(self, _: object) -> None:
        """They are in the table."""

    def list_commands(self, ctx: Context) -> list[str]:
        """Their names."""
        return list(self.table)

    def get_command(self, ctx: Context, cmd_name: str) -> ClickCommand | None:
        """One of them."""
        return self._load(cmd_name) if cmd_name in self.table else None

    def format_commands(self, ctx: Context, formatter: HelpFormatter) -> None:
        """The list, from the table alone."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, row.help) for name, row in self.table.items()])

    def _load(self, name: str) -> ClickCommand:
        if name not in self._loaded:
            row = self.table[name]
            content = getattr(import_module(row.module), row.attribute)
            if not isinstance(content, typer.Typer):
                (group := CommandGroup()).command(name)(content)
                content = group
            self._loaded[name] = typer.main.get_command(content)
            self._loaded[name].name = name
        return self._loaded[name]


class CommandGroup(typer.Typer):
    """Some commands of one topic, such as `sample`; or one alone."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(rich_markup_mode=None, add_completion=False, pretty_exceptions_enable=False, **settings)

    def command(  # type: ignore[override]
        self, name: str | None = None, **settings: Any
    ) -> Callable[[Command], Command]:
        """Add a command with options by topic; the list of commands has its first sentence, whole."""

        def add(function: Command) -> Command:
            paragraph = inspect.cleandoc(function.__doc__ or "").partition("\n\n")[0]
            sentence = " ".join(paragraph.split()).partition(". ")[0].removesuffix(".")
            register = super(CommandGroup, self).command(name, cls=PanelCommand, short_help=f"{sentence}.", **settings)
            return register(function)

        return add
