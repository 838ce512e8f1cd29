"""The program `evenhand`: its commands, and what happens when one fails. 0 done, 2 the input is at fault, 1 we are.

Whoever reads the output may stop before its end (`| head`): then we stop too, without a word, with 141 as is usual.
"""

from __future__ import annotations

import os
import sys

import typer

from evenhand.cli import (
    agreement,
    audit,
    calibrate,
    card,
    demo,
    init,
    models,
    plan,
    reproduce,
    sample,
    score,
    synthesise,
    train,
)
from evenhand.errors import EvenhandError, InputError
from evenhand.version import __version__

app = typer.Typer(
    name="evenhand",
    help="Audit moderation done by people and models together: every number with an interval.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command("audit")(audit.audit)
app.command("init")(init.init)
app.command("agreement")(agreement.agreement)
app.command("plan")(plan.plan)
app.command("score")(score.score)
app.command("train")(train.train)
app.command("models")(models.models)
app.command("card")(card.card)
app.command("reproduce")(reproduce.reproduce)
app.command("demo")(demo.demo)
app.add_typer(calibrate.app, name="calibrate")
app.add_typer(sample.app, name="sample")
app.add_typer(synthesise.app, name="synthesise")


@app.callback(invoke_without_command=True)
def _version(version: bool = typer.Option(False, "--version", help="Print the version and stop.")) -> None:
    if version:
        print(f"evenhand {__version__}")
        raise typer.Exit


CLOSED = 141  # what a shell says of a program that SIGPIPE ended


def main() -> None:
    """Run a command; whatever goes wrong is one line."""
    try:
        _run()
    except EvenhandError as error:
        print(f"evenhand: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
    except OSError as error:  # a full disk
        if os.environ.get("EVENHAND_DEBUG"):
            raise
        print(f"evenhand: {error.filename or 'the output'}: {error.strerror or error}", file=sys.stderr)
        sys.exit(InputError.exit_code)
    except Exception as error:
        if os.environ.get("EVENHAND_DEBUG"):
            raise
        reason = " ".join(f"{type(error).__name__}: {error}".split())[:300]
        print(f"evenhand: a fault of Evenhand itself ({reason}); EVENHAND_DEBUG=1 shows where", file=sys.stderr)
        sys.exit(1)


def _run() -> None:
    """The command, with all that it prints: what is left in the buffer would fail later, out of our sight."""
    try:
        try:
            app()
        finally:
            sys.stdout.flush()
    except (BrokenPipeError, SystemExit) as end:
        closed = end if isinstance(end, BrokenPipeError) else end.__context__  # Click and Rich exit with 1
        if not isinstance(closed, BrokenPipeError):
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(CLOSED)
