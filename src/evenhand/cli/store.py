"""evenhand store: create the desk's store, prove that nobody changed it, move it in and out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evenhand.choices import (
    Choice,
    FileValue,
    FlagValue,
    NamesValue,
    NameValue,
    OutputPath,
    PairsValue,
    ShareValue,
    TextValue,
    WholeValue,
    text_kind,
)
from evenhand.cli.help import CommandGroup
from evenhand.cli.options import option, with_options

app = CommandGroup(help="Keep a tamper-evident record of what happens at the desk.", no_args_is_help=True)
StoreName = Annotated[
    str, typer.Argument(metavar="STORE", help="The store: a file (desk.db) or a PostgreSQL URL.", show_default=False)
]
KeyFile = Annotated[
    FileValue, Choice("Key file of the store (beside a file: STORE.key; or EVENHAND_STORE_KEY).", flags=("--key",))
]
IdValue = Annotated[str | None, text_kind("ID")]
AsJson = Annotated[FlagValue, Choice("Print the answer as JSON and nothing else.", flags=("--json",))]


@app.command("init")
@with_options
def init(
    store: StoreName,
    key: Annotated[
        FileValue,
        Choice("Where the key file is written (STORE.key, or EVENHAND_STORE_KEY). Keep a copy elsewhere."),
    ],
) -> None:
    """Create an empty store and its key file."""
    from evenhand.cli.output import print_lines
    from evenhand.store.keys import key_path
    from evenhand.store.store import create_store

    with create_store(store, key=key) as made:
        path = key_path(key, made.database.file)
        print_lines(f"created: {made.name}", f"key file: {path} (keep a copy elsewhere)")
        print_lines(f"public key: {made.keys.public}")


@app.command("verify")
@with_options
def verify(
    store: StoreName,
    head: Annotated[
        FileValue, Choice("Head written earlier by `store head`, to detect a truncated or rewritten history too.")
    ],
    key: KeyFile,
    json: AsJson,
) -> None:
    """Check that no event was changed, removed or inserted. Exits with code 1 if one was."""
    from evenhand.cli.output import print_answer
    from evenhand.store import ChainHead, open_store
    from evenhand.store import verify as verify_chain
    from evenhand.store.sentences import verification_lines

    known = ChainHead.read(head) if head else None
    with open_store(store, key=key) as opened:
        result = verify_chain(opened, known)
    print_answer(result.record(), verification_lines(result, known), as_json=json)
    if not result.ok:
        raise typer.Exit(1)


@app.command("head")
@with_options
def head(
    store: StoreName,
    out: Annotated[OutputPath, option("File to write; keep it away from the database.", "--out", "-o")],
    key: KeyFile,
) -> None:
    """Sign the number and the hash of the last event, to verify the store with later."""
    from evenhand.cli.output import print_lines
    from evenhand.files import check_writable
    from evenhand.store import open_store, signed_head

    with open_store(store, key=key) as opened:
        check_writable(out)
        signed = signed_head(opened)
    signed.write(out)
    print_lines(f"head of event {signed.number:,}: {out}")


@app.command("rebuild")
@with_options
def rebuild(
    store: StoreName,
    repair: Annotated[FlagValue, Choice("Replace the stored state with the rebuilt one.")],
    key: KeyFile,
) -> None:
    """Rebuild the state from the events and compare it. Exits with code 1 if it differs."""
    from evenhand.cli.output import print_lines
    from evenhand.store import open_store
    from evenhand.store import rebuild as rebuild_state
    from evenhand.store.sentences import rebuild_line

    with open_store(store, key=key) as opened:
        result = rebuild_state(opened, repair=bool(repair))
    print_lines(rebuild_line(result, repaired=bool(repair)))
    if not result.same:
        raise typer.Exit(1)


@app.command("export")
@with_options
def export(
    store: StoreName,
    out: Annotated[
        OutputPath,
        option(
            "Folder for judgements, items, decisions, notices, appeals and events.", "--out", "-o", metavar="FOLDER"
        ),
    ],
    format: Annotated[NameValue, Choice("File format: parquet, csv or jsonl.", default="parquet")],
    at: Annotated[WholeValue, Choice("Export the state after the event with this number. Default: the last one.")],
    without_texts: Annotated[FlagValue, Choice("Leave out texts, notes and reasons.")],
    actor: Annotated[NameValue, Choice("The person who exports, as recorded in the event.", default="system")],
    key: KeyFile,
) -> None:
    """Export everything as tables that `evenhand audit` can read."""
    from evenhand.cli.output import print_lines
    from evenhand.store import open_store
    from evenhand.store.exporting import export as export_tables

    with open_store(store, key=key) as opened:
        made = export_tables(opened, out, file_format=str(format), at=at, texts=not without_texts, actor=str(actor))
    print_lines(
        f"{out}: state after event {made.number:,}", *(f"  {name}: {n:,} rows" for name, n in made.rows.items())
    )


@app.command("import")
@with_options
def import_past(
    store: StoreName,
    file: Annotated[str, typer.Argument(help="Table of past decisions.", show_default=False)],
    column: Annotated[
        PairsValue,
        Choice(
            "Column, as ROLE=COLUMN; repeatable. Roles: id (required), text, author, language, community, created_at, "
            "score, model, model_version, verdict, action, decided_by, decided_at.",
        ),
    ],
    key: KeyFile,
) -> None:
    """Import past decisions of a platform. Items that are already in the store are left unchanged."""
    from evenhand.cli.output import print_lines, progress_bar
    from evenhand.store import open_store
    from evenhand.store.importing import import_decisions, parse_columns

    columns = parse_columns(column or ())
    with open_store(store, key=key) as opened, progress_bar() as progress:
        made = import_decisions(opened, file, columns, progress)
    print_lines(f"imported: {made.new:,} items; already known: {made.known:,}")


@app.command("activate")
@with_options
def activate(
    store: StoreName,
    policy: Annotated[Path, typer.Argument(help="policy.json of `evenhand plan`, or a policy of the store as JSON.")],
    actor: Annotated[str, option("The person who activates it, as recorded in the event.", "--actor", metavar="NAME")],
    key: KeyFile,
) -> None:
    """Activate a policy: it routes new items from now on."""
    from evenhand.cli.output import print_lines
    from evenhand.store import open_store, perform
    from evenhand.store.policy import read_policy

    wanted = read_policy(policy)
    with open_store(store, key=key) as opened:
        version = perform(opened, "activate", actor=actor, policy=wanted)["policy"]
    print_lines(f"active: policy {version}, by {actor}")


@app.command("invite")
@with_options
def invite(
    store: StoreName,
    person: Annotated[str, typer.Argument(help="Name of the person.", show_default=False)],
    role: Annotated[
        str, option("administrator, lead, moderator, annotator, auditor or service.", "--role", metavar="NAME")
    ],
    key: KeyFile,
    queues: Annotated[NamesValue, Choice("Comma-separated queues that the person has access to. Default: all.")],
) -> None:
    """Add a person with a role, or change role and queues of one who is there."""
    from evenhand.cli.output import print_lines
    from evenhand.store import open_store, perform

    with open_store(store, key=key) as opened:
        perform(opened, "invite", actor="system", person=person, role=role, queues=tuple(queues or ()))
    print_lines(f"invited: {person} as {role}" + (f", for {', '.join(queues)}" if queues else ""))


@app.command("backup")
@with_options
def backup(
    store: StoreName,
    out: Annotated[OutputPath, option("File to write; it is itself a store.", "--out", "-o")],
    key: KeyFile,
) -> None:
    """Copy the store while it is in use, and verify the copy."""
    from evenhand.cli.output import print_lines
    from evenhand.store import open_store
    from evenhand.store.backups import back_up

    with open_store(store, key=key) as opened:
        made = back_up(opened, out, force=True)  # a file that exists was refused, or --force given
    print_lines(f"backup: {out}, {made.events:,} events, verified, in {made.seconds:.1f} seconds")
    print_lines("The key file is not in it: keep a copy of that too.")


@app.command("restore")
@with_options
def restore(
    backup: Annotated[Path, typer.Argument(help="File that `store backup` wrote.", show_default=False)],
    store: StoreName,
    key: Annotated[Path, option("Key file of the store that was backed up.", "--key")],
) -> None:
    """Create a store from a backup, and verify it."""
    from evenhand.cli.output import print_lines
    from evenhand.store.backups import restore as restore_copy

    made = restore_copy(backup, store, key=key)
    print_lines(f"restored: {made.path}, {made.events:,} events, verified, in {made.seconds:.1f} seconds")


@app.command("upgrade")
@with_options
def upgrade(store: StoreName) -> None:
    """Upgrade the tables of a store from an earlier version."""
    from evenhand.cli.output import print_lines
    from evenhand.store.connection import Database
    from evenhand.store.migrations.upgrading import upgrade_schema

    before, after = upgrade_schema(Database(store))
    print_lines(f"up to date: version {after}" if before == after else f"upgraded: version {before} to {after}")


@app.command("erase")
@with_options
def erase(
    store: StoreName,
    days: Annotated[WholeValue, Choice("Erase texts and notes of items received more than this many days ago.")],
    item: Annotated[IdValue, Choice("Erase texts and notes of the item with this external id.")],
    author: Annotated[IdValue, Choice("Erase an author: the key, and the texts and notes of all their items.")],
    reason: Annotated[TextValue, Choice("Reason, as recorded in the event.", default="request")],
    below_complaint_window: Annotated[
        FlagValue, Choice("Allow fewer than 183 days, the period in which users can complain about a decision.")
    ],
    key: KeyFile,
) -> None:
    """Erase texts, notes and keys of authors. The history still verifies; items under legal hold are kept."""
    from evenhand.cli.output import print_lines
    from evenhand.store import open_store
    from evenhand.store.erasure import erase_as_told

    with open_store(store, key=key) as opened, opened.write() as ledger:
        erased = erase_as_told(
            ledger, days=days, item=item, author=author, reason=str(reason),
            below_complaint_window=bool(below_complaint_window),
        )  # fmt: skip
    print_lines(f"erased: {erased:,} texts, notes and keys")


@app.command("hold")
@with_options
def hold(
    store: StoreName,
    item: Annotated[str, typer.Argument(help="External id of the item.", show_default=False)],
    reason: Annotated[str, option("Reason, as recorded in the event.", "--reason")],
    lift: Annotated[FlagValue, Choice("Lift the hold.")],
    key: KeyFile,
) -> None:
    """Place an item under legal hold: nothing of it is erased until the hold is lifted."""
    from evenhand.cli.output import print_lines
    from evenhand.store import open_store
    from evenhand.store.erasure import hold as hold_item
    from evenhand.store.erasure import item_of

    with open_store(store, key=key) as opened, opened.write() as ledger:
        hold_item(ledger, item_of(ledger, item), not lift, reason)
    print_lines(f"hold lifted: {item}" if lift else f"held: {item}")


@app.command("measure")
@with_options
def measure(
    store: StoreName,
    level: Annotated[ShareValue, Choice("Confidence level of the intervals.", default=0.95)],
    key: KeyFile,
    json: AsJson,
) -> None:
    """Estimate recall, precision and prevalence of the policy by week, from the items drawn for measurement."""
    from evenhand.arrays import share
    from evenhand.cli.output import print_answer
    from evenhand.store import open_store
    from evenhand.store.weeks import measure_weeks

    confidence = share(0.95 if level is None else level, "`level`")
    with open_store(store, key=key) as opened:
        answers = measure_weeks(opened)
    records = [record for answer in answers for record in answer.records(confidence)]
    print_answer({"estimates": records}, [line for one in answers for line in one.lines(confidence)], as_json=json)
