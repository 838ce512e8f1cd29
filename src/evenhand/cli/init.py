"""evenhand init: a first declaration for a file, to be mended by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def init(
    file: Annotated[str, typer.Argument(help="The file, or a database URL with --query.", show_default=False)],
    out: Annotated[Path, typer.Option(help="Where to write the declaration.")] = Path("audit.toml"),
    query: Annotated[str | None, typer.Option(help="For a database URL: the query.", show_default=False)] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a declaration that is there already.")] = False,
) -> None:
    """Look at the columns of a file and write a commented TOML declaration that says what each might mean."""
    from evenhand.audits.sketch import sketch
    from evenhand.errors import InputError
    from evenhand.evidence import open_source
    from evenhand.files import write_text

    if out.exists() and not force:
        raise InputError("this file is there already: choose another name with --out, or --force", source=str(out))
    write_text(out, sketch(open_source(file, query=query), file, query, beside=out))
    print(f"wrote {out}: check it, then run: evenhand audit {out}")
