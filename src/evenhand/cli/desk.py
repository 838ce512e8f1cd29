"""evenhand desk: what somebody with access to the machine of a desk does for the people who work there."""

from __future__ import annotations

from typing import Annotated

import typer

from evenhand.cli.help import CommandGroup
from evenhand.cli.options import option, with_options
from evenhand.cli.store import KeyFile, StoreName

app = CommandGroup(help="Help people who work at a desk.", no_args_is_help=True)


@app.callback()
def desk() -> None:
    """Help people who work at a desk."""


@app.command("recover")
@with_options
def recover(
    store: StoreName,
    person: Annotated[str, typer.Argument(help="Name of the person.", show_default=False)],
    key: KeyFile,
    url: Annotated[
        str, option("Where people open the desk (http://127.0.0.1:8717).", "--url")
    ] = "http://127.0.0.1:8717",
) -> None:
    """Print a one-time link with which a person sets a new password; earlier links and their second factor are void."""
    from evenhand.cli.output import print_lines
    from evenhand.desk.invitations import issue_link
    from evenhand.desk.second_factors import SecondFactors
    from evenhand.store import open_store

    with open_store(store, key=key) as opened:
        link = issue_link(opened, person)
        had_factor = SecondFactors(opened).reset(person)
    print_lines(f"for {person}, once, within 72 hours: {url.rstrip('/')}{link}")
    if had_factor:
        print_lines("their second factor was removed: they enrol a new one after signing in")
