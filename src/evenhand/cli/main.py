"""The program `evenhand`: the table of its commands, and what happens when one fails.

Exit codes: 0 done, 2 the input is at fault, 1 an internal error. If the reader of the output stops before its end
(`| head`), the program stops too, silently, with 141 as is usual.
"""

from __future__ import annotations

import difflib
import io
import logging
import os
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Annotated, Any

import typer

from evenhand.cli.help import CommandRow, LazyGroup
from evenhand.errors import EvenhandError, InputError, name_settings
from evenhand.inputs import protected_inputs
from evenhand.version import __version__
from evenhand.visible_text import visible

COMMANDS = {
    "init": CommandRow("evenhand.cli.audit", "init", "Write a declaration of a file's columns, for you to check."),
    "audit": CommandRow("evenhand.cli.audit", "audit_file", "Audit scores and decisions, and write a report."),
    "agreement": CommandRow("evenhand.cli.audit", "agreement", "Compare how two bias audits rank the groups."),
    "plan": CommandRow("evenhand.cli.plan", "plan", "Plan review capacity, reviewers and safe thresholds."),
    "queue": CommandRow("evenhand.cli.queue", "queue", "List what to remove, review and leave up today."),
    "check-labels": CommandRow("evenhand.cli.check_labels", "check_labels", "List labels worth checking."),
    "sample": CommandRow("evenhand.cli.sample", "app", "Choose items to label, and estimate from their labels."),
    "report": CommandRow("evenhand.cli.report", "app", "Write and check transparency reports (DSA)."),
    "statements": CommandRow("evenhand.cli.statements", "app", "Write and submit statements of reasons (DSA)."),
    "annotations": CommandRow("evenhand.cli.annotations", "app", "Exchange annotations with labelling tools."),
    "calibrate": CommandRow("evenhand.cli.calibrate", "app", "Fit, apply and compare calibrators of probabilities."),
    "migrate": CommandRow("evenhand.cli.migrate", "app", "Move thresholds from another service to a new model."),
    "score": CommandRow("evenhand.cli.models", "score", "Score the texts of a file with a model."),
    "train": CommandRow("evenhand.cli.models", "train", "Train a model on labelled texts."),
    "models": CommandRow("evenhand.cli.models", "models", "List models, presets and training methods."),
    "card": CommandRow("evenhand.cli.models", "card", "Write the model card of an audit."),
    "serve": CommandRow("evenhand.cli.serve", "app", "Serve models over HTTP, and open the desk."),
    "store": CommandRow("evenhand.cli.store", "app", "Keep a tamper-evident record of moderation."),
    "desk": CommandRow("evenhand.cli.desk", "app", "Let a person set a new password at a desk."),
    "reproduce": CommandRow("evenhand.cli.reproduce", "reproduce_paper", "Reproduce the tables of a paper."),
    "synthesise": CommandRow("evenhand.cli.synthesise", "app", "Write synthetic data with known ground truth."),
    "demo": CommandRow("evenhand.cli.synthesise", "demo", "Audit synthetic comments: a first report in a minute."),
}


class Program(LazyGroup):
    """All commands."""

    table = COMMANDS


app = typer.Typer(
    name="evenhand",
    cls=Program,
    help="Audit moderation done by people and models together: every number with an interval.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


@app.callback(invoke_without_command=True)
def _version(
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
) -> None:
    if version:
        print(f"evenhand {__version__}")
        raise typer.Exit


def name_options(text: str) -> str:
    """The text with settings named as options: `label_threshold` is --label-threshold."""
    flags = _flags(typer.main.get_command(app))
    return name_settings(text, lambda name: flags.get(name) or f"`{name}`")


def _flags(command: Any) -> dict[str, str]:
    """The first flag of every option, of this command and of all below it."""
    flags = {parameter.name: parameter.opts[0] for parameter in command.params if parameter.opts[0].startswith("--")}
    for inner in getattr(command, "commands", {}).values():
        flags |= _flags(inner)
    return flags


UsageError: type[Exception] = typer.BadParameter.__mro__[1]  # a command that cannot be read: typer has no name for it
USAGE_WORDS = (  # as the other messages say it
    (r"^Invalid value for ([^:]+): ", r"invalid \1: "),
    (r"greater than or equal to (\S+)\)", r"\1 or more)"),
    (r"\(Possible options: ([^)]*)\)", r"(did you mean \1?)"),
    (r"\. Did you mean (.*)\?", r" (did you mean \1?)"),
    (r"^Got unexpected extra arguments?(?:\(s\))? \((.*)\)", r"too many arguments: \1"),
)
VALUE_WORDS = {"float_parsing": "a number", "int_parsing": "a whole number", "int_from_float": "a whole number"}
CLOSED = 141  # what a shell says of a program that SIGPIPE ended


def main() -> None:
    """Run a command; whatever goes wrong is one line."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal may know fewer letters than we print
    try:
        _run()
    except EvenhandError as error:
        _complain(f"evenhand: {name_options(str(error))}")
        sys.exit(error.exit_code)
    except OSError as error:  # a full disk
        if os.environ.get("EVENHAND_DEBUG"):
            raise
        _complain(f"evenhand: {error.filename or 'the output'}: {error.strerror or error}")
        sys.exit(InputError.exit_code)
    except Exception as error:
        if os.environ.get("EVENHAND_DEBUG"):
            raise
        reason = " ".join(f"{type(error).__name__}: {error}".split())[:300]
        _complain(f"evenhand: internal error ({reason}); please report it, EVENHAND_DEBUG=1 shows where")
        sys.exit(1)


class NoticePrinter(logging.Handler):
    """Prints what is noticed about inputs on the error channel, each line once."""

    def __init__(self) -> None:
        super().__init__()
        self._printed = set[str]()

    def emit(self, record: logging.LogRecord) -> None:
        """Print a line with settings named as options."""
        line = name_options(record.getMessage())
        if line not in self._printed:
            self._printed.add(line)
            _complain(line)


@contextmanager
def printed_notices() -> Iterator[None]:
    """While a command runs, notices are lines for the person who runs it."""
    notices, printer = logging.getLogger("evenhand.notices"), NoticePrinter()
    notices.addHandler(printer)
    notices.propagate = False
    try:
        yield
    finally:
        notices.removeHandler(printer)
        notices.propagate = True


def _complain(*lines: str) -> None:
    for line in lines:
        print(visible(line), file=sys.stderr)


def _check_arguments(arguments: Sequence[str]) -> None:
    """File names may be any bytes, and what reads and writes tables takes text."""
    for argument in arguments:
        try:
            argument.encode()
        except UnicodeEncodeError:
            raise InputError(f"'{argument}' is not UTF-8: give files and columns names that are") from None


def _usage_lines(error: Any) -> list[str]:
    """A command that cannot be read, in one line; the whole help for one without arguments."""
    if type(error).__name__ == "NoArgsIsHelpError":
        return str(error.ctx.get_help()).splitlines()
    if getattr(error, "possibilities", None):  # the closest alone: typer names whatever is a little alike
        error.possibilities = difflib.get_close_matches(error.option_name, error.possibilities, n=1, cutoff=0.0)
    message = " ".join(error.format_message().replace("'", "").split()).removesuffix(".")
    if isinstance(error.__cause__, ValueError) and hasattr(error.__cause__, "errors"):
        fault = error.__cause__.errors()[0]
        words = VALUE_WORDS.get(fault["type"]) or fault["msg"].removeprefix("Input should be ")
        message = f"{message.partition(': ')[0]}: {fault['input']} (must be {words})"
    for pattern, words in USAGE_WORDS:
        message = re.sub(pattern, words, message)
    path = error.ctx.command_path if error.ctx else "evenhand"
    return [f"evenhand: {message[:1].lower()}{message[1:]}; see {path} --help"]


def _call(arguments: Sequence[str]) -> Any:
    """A command that is named first is called directly: reading the options of the program itself takes time."""
    program = typer.main.get_command(app)
    if arguments and arguments[0] in COMMANDS:
        command = program.get_command(None, arguments[0])  # type: ignore[attr-defined]
        return command.main(args=list(arguments[1:]), prog_name=f"evenhand {arguments[0]}", standalone_mode=False)
    return program.main(args=list(arguments), prog_name="evenhand", standalone_mode=False)


def _run() -> None:
    """The command, with all that it prints: what is left in the buffer would fail later, out of our sight."""
    _check_arguments(sys.argv[1:])
    try:
        try:
            with protected_inputs(), printed_notices():
                sys.exit(_call(sys.argv[1:]))
        except UsageError as error:
            _complain(*_usage_lines(error))
            sys.exit(InputError.exit_code)
        finally:
            sys.stdout.flush()
    except (BrokenPipeError, SystemExit) as end:
        closed = end if isinstance(end, BrokenPipeError) else end.__context__  # Click and Rich exit with 1
        if not isinstance(closed, BrokenPipeError):
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(CLOSED)
