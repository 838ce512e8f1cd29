"""evenhand card: a model card from the findings of an audit."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evenhand.choices import Text
from evenhand.cli.options import option


def card(
    findings: Annotated[Path, typer.Argument(help="The findings.json of an audit.")],
    out: Annotated[Path, option("The Markdown file to write (model_card.md).", "--out", "-o")] = Path("model_card.md"),
    name: Annotated[Text, option("What the model is called. Default: its column.")] = None,
    model: Annotated[Text, option("Which model, where several were audited.")] = None,
    force: Annotated[bool, option("Replace a card that is there.", "--force")] = False,
) -> None:
    """Write the card of a model: every number of an audit filled in, and prompts for what only people know."""
    from evenhand.cards.audited import model_card
    from evenhand.errors import InputError
    from evenhand.files import write_text
    from evenhand.reports.serialise import read

    if out.exists() and not force:
        raise InputError("there is a card already, perhaps filled in by somebody: --force replaces it", source=str(out))
    found = read(findings)
    roles = found[0].provenance.get("roles", {}) if found else {}
    called = name or model or ", ".join(roles.get("score") or ()) or "the model"
    write_text(out, model_card(found, name=called, model=model))
    print(f"card: {out}")
