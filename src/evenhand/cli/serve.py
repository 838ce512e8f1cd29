"""evenhand serve: score over HTTP; and the tokens that it takes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evenhand.choices import Choice, FileValue, NamesValue
from evenhand.choices.service import ServiceOptions
from evenhand.cli.help import CommandGroup
from evenhand.cli.options import option, with_options
from evenhand.cli.output import print_lines

app = CommandGroup(help="Serve models over HTTP.", invoke_without_command=True)
tokens = CommandGroup(help="Manage the tokens that a service accepts.", no_args_is_help=True)
app.add_typer(tokens, name="tokens")
TokenFileOption = Annotated[
    FileValue,
    Choice("File of hashed tokens (~/.config/evenhand/tokens.json, or EVENHAND_SERVE_TOKEN_FILE).", flags=("--file",)),
]
TokenName = Annotated[str, typer.Argument(help="Name of the token.", show_default=False)]


@app.callback()
@with_options
def serve(
    context: typer.Context,
    settings: ServiceOptions,
    config: Annotated[
        Path | None, option("TOML file of settings (or EVENHAND_SERVE_CONFIG).", "--config", metavar="FILE")
    ] = None,
    demo: Annotated[
        bool, option("Open a desk with weeks of synthetic history, in a temporary folder.", "--demo")
    ] = False,
) -> None:
    """Serve models over HTTP, and with `store` the desk; settings also come from EVENHAND_SERVE_… and a TOML file."""
    if context.invoked_subcommand:
        return
    from evenhand.service.server import serve as run
    from evenhand.service.settings import read_settings

    chosen = read_settings(settings, config=config)
    if chosen.store is None and not demo:
        run(chosen)
        return
    from evenhand.desk.app import open_desk
    from evenhand.desk.demo import open_demo

    with (open_demo if demo else open_desk)(chosen) as (desk, lines):
        run(chosen, desk, announce=lambda url: print_lines(*(line.replace("{url}", url) for line in lines)))


@tokens.command("add")
@with_options
def add(
    name: TokenName,
    scopes: Annotated[
        NamesValue,
        Choice(
            "What it may do, comma-separated: score, models, metrics; at a desk items, decisions, desk (score,models).",
            default="",
        ),
    ],
    file: TokenFileOption,
) -> None:
    """Create a token and print it. It is shown only once; only its hash is stored."""
    from evenhand.service.tokens import read_tokens, token_file, write_tokens

    path = token_file(file)
    issued, token = read_tokens(path).issue(name, scopes or ("score", "models"))
    write_tokens(issued, path)
    print(token)


@tokens.command("list")
@with_options
def list_tokens(file: TokenFileOption) -> None:
    """List the tokens: names, scopes and creation dates."""
    from evenhand.service.tokens import read_tokens, token_file

    path = token_file(file)
    records = read_tokens(path).records
    for record in records:
        print_lines(f"{record.name}  {','.join(record.scopes)}  {record.created}")
    if not records:
        print_lines(f"no tokens in {path}")


@tokens.command("revoke")
@with_options
def revoke(name: TokenName, file: TokenFileOption) -> None:
    """Revoke a token; a running service rejects it from the next request on."""
    from evenhand.service.tokens import read_tokens, token_file, write_tokens

    path = token_file(file)
    write_tokens(read_tokens(path).revoke(name), path)
    print_lines(f"revoked: {name}")
