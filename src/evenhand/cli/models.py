"""evenhand models: what can be asked, and what can be trained."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def models(
    folder: Annotated[Path, typer.Argument(help="Where to look for models beside those shipped.")] = Path(),
    json: Annotated[bool, typer.Option("--json", help="Print the list as JSON and nothing else.")] = False,
) -> None:
    """List the models at hand, those shipped and those in a folder; then presets, and ways to train."""
    import json as form

    from evenhand.classifiers.listing import listing
    from evenhand.classifiers.methods import METHODS
    from evenhand.classifiers.presets import PRESETS

    found = listing(folder)
    if json:
        print(form.dumps([dict(entry._asdict()) for entry in found], indent=1, ensure_ascii=False))
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    for heading in ("model", "version", "kind", "tells apart", ""):
        table.add_column(heading, overflow="fold")
    for entry in found:
        table.add_row(*(Text(part) for part in entry))
    console = Console()
    console.print(table)
    console.print("\nPresets, fetched from the Hugging Face hub (evenhand score preset:NAME --download):")
    for preset in PRESETS.values():
        console.print(Text(f"  {preset.name}: {preset.what}; {preset.classes}"))
    console.print("\nMethods to train others (evenhand train --method):")
    for method in METHODS.values():
        console.print(Text(f"  {method.name}: {method.what}"))
