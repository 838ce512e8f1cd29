"""Tokens of the programs of a desk: an administrator makes and revokes them, and the log says so.

They are kept where `evenhand serve tokens` keeps them, by their hashes. From a page only programs get tokens, so that
nobody acts as another person.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from evenhand.desk.people import ITEMS_SCOPE, Role, find_person
from evenhand.errors import InputError
from evenhand.service.tokens import SCOPES, TokenFile, read_tokens, write_tokens
from evenhand.store import Store
from evenhand.store.events import TokenChanged
from evenhand.store.ledger import EventLedger

PROGRAM_SCOPES = tuple(SCOPES)
USUAL_SCOPES = (ITEMS_SCOPE, "decisions")


def issue_token(store: Store, path: Path, actor: str, name: str, scopes: Sequence[str]) -> str:
    """Make a token for a program; it is known only now."""
    with store.write(actor) as ledger:
        person = find_person(ledger.connection, name)
        if person is None or person.role != Role.SERVICE:
            raise InputError(f"no program named '{name}' works here: invite it in the role 'service' first")
        tokens, token = read_tokens(path).issue(name, scopes)
        _change(ledger, tokens, path, TokenChanged(name=name, scopes=tuple(scopes), active=True))
    return token


def revoke_token(store: Store, path: Path, actor: str, name: str) -> None:
    """From the next request on the token is unknown."""
    with store.write(actor) as ledger:
        tokens = read_tokens(path)
        remaining = tokens.revoke(name)
        scopes = next(record.scopes for record in tokens.records if record.name == name)
        _change(ledger, remaining, path, TokenChanged(name=name, scopes=scopes, active=False))


def _change(ledger: EventLedger, tokens: TokenFile, path: Path, event: TokenChanged) -> None:
    """Record it, then write the file: what cannot be recorded does not happen."""
    ledger.record_apart("store", event)
    ledger.flush()
    write_tokens(tokens, path)
