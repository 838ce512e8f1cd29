"""The settings of the desk: webhooks with their deliveries, the tokens of programs, and how long texts are kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from evenhand.desk import webhooks
from evenhand.desk.outgoing import DeliveryError, OutgoingRequests
from evenhand.desk.pages.log import time_of
from evenhand.desk.pages.words import PhraseError
from evenhand.desk.people import Person, Role, list_people
from evenhand.desk.program_tokens import PROGRAM_SCOPES, issue_token, revoke_token
from evenhand.service.tokens import TokenRecord, read_tokens
from evenhand.store import Store, perform, schema
from evenhand.store.erasure import COMPLAINT_DAYS, DAY

SHOWN_DELIVERIES = 20
LONGEST_KEPT = 36_500  # days


@dataclass(frozen=True)
class WebhookStanding:
    """An address that decisions are sent to, how far it has come, and what was sent last."""

    id: str
    url: str
    active: bool
    known: int
    behind: int
    failures: int
    deliveries: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True)
class TextsKept:
    """How many items have a text, since when, how many of them could be erased by age, and how many must be kept."""

    items: int
    oldest: str | None
    old: int
    held: int


@dataclass(frozen=True)
class SettingsPage:
    """What programs may do here, and what is kept."""

    webhooks: tuple[WebhookStanding, ...]
    tokens: tuple[TokenRecord, ...]
    programs: tuple[str, ...]  # who may get a token and has none
    kept: TextsKept
    scopes: tuple[str, ...] = PROGRAM_SCOPES
    fewest_days: int = COMPLAINT_DAYS


@dataclass(frozen=True)
class SettingsChange:
    """The key of the words that say what was done, their values, and a secret that is shown once."""

    key: str
    values: Mapping[str, str | int]
    secret: str | None = None


@dataclass(frozen=True)
class DeskSettings:
    """What the page needs of the running desk."""

    store: Store
    token_path: Path
    outgoing: OutgoingRequests

    def page(self) -> SettingsPage:
        """As it is now."""
        tokens = read_tokens(self.token_path).records
        named = {record.name for record in tokens}
        with self.store.database.reading() as connection:
            people = list_people(connection)
            standings = tuple(_standing(connection, row) for row in webhooks.list_webhooks(connection))
            kept = texts_kept(connection, self.store.clock())
        programs = tuple(str(one["person"]) for one in people if one["role"] == Role.SERVICE and one["active"])
        return SettingsPage(standings, tokens, tuple(name for name in programs if name not in named), kept)

    def change(self, person: Person, fields: Mapping[str, str]) -> SettingsChange:
        """Do what a form of the page asks."""
        asked = fields.get("do", "")
        if asked not in CHANGES:
            raise PhraseError("conflict.unknown")
        permission, change = CHANGES[asked]
        if not person.may(permission):
            raise PhraseError("error.forbidden")
        return change(self, person, fields)


def _standing(connection: sa.Connection, row: Mapping[str, Any]) -> WebhookStanding:
    deliveries = webhooks.list_deliveries(connection, row["webhook"], SHOWN_DELIVERIES)
    values = {name: row[name] for name in ("url", "active", "known", "behind", "failures")}
    return WebhookStanding(row["webhook"], **values, deliveries=tuple(deliveries))


def texts_kept(connection: sa.Connection, at: int) -> TextsKept:
    """Of items that test reviewers too."""
    items, contents = schema.items, schema.contents
    there = sa.select(sa.func.count(), sa.func.min(items.c.received_at), sa.func.sum(sa.cast(items.c.held, sa.Integer)))
    query = there.select_from(items.join(contents, contents.c.id == items.c.text)).where(contents.c.salt.is_not(None))
    number, oldest, held = connection.execute(query).one()
    before = items.c.received_at < at - COMPLAINT_DAYS * DAY
    old = connection.execute(query.where(before, ~items.c.held)).one()[0]
    return TextsKept(number, None if oldest is None else time_of(oldest)[:10], old, int(held or 0))


def _add_webhook(settings: DeskSettings, person: Person, fields: Mapping[str, str]) -> SettingsChange:
    url = fields.get("url", "").strip()
    try:
        settings.outgoing.pinned(url)
    except DeliveryError as error:
        raise PhraseError("error.address", problem=f"{error}") from None
    with settings.store.write(person.id) as ledger:
        added = webhooks.add_webhook(ledger, url)
    return SettingsChange("done.webhook", {"url": url}, webhooks.secret_of(settings.store, added["webhook"]))


def _end_webhook(settings: DeskSettings, person: Person, fields: Mapping[str, str]) -> SettingsChange:
    with settings.store.write(person.id) as ledger:
        webhooks.end_webhook(ledger, fields.get("webhook", ""))
    return SettingsChange("done.webhook_ended", {})


def _replay(settings: DeskSettings, person: Person, fields: Mapping[str, str]) -> SettingsChange:
    after = _number(fields.get("after", ""), 0, 10**15)
    with settings.store.write(person.id) as ledger:
        webhooks.replay(ledger, fields.get("webhook", ""), after)
    return SettingsChange("done.replay", {"n": after})


def _issue(settings: DeskSettings, person: Person, fields: Mapping[str, str]) -> SettingsChange:
    scopes = [scope for scope in PROGRAM_SCOPES if fields.get(f"scope_{scope}")]
    name = fields.get("name", "")
    token = issue_token(settings.store, settings.token_path, person.id, name, scopes)
    return SettingsChange("done.token", {"name": name}, token)


def _revoke(settings: DeskSettings, person: Person, fields: Mapping[str, str]) -> SettingsChange:
    name = fields.get("name", "")
    revoke_token(settings.store, settings.token_path, person.id, name)
    return SettingsChange("done.token_revoked", {"name": name})


def _erase(settings: DeskSettings, person: Person, fields: Mapping[str, str]) -> SettingsChange:
    days = _number(fields.get("days", ""), COMPLAINT_DAYS, LONGEST_KEPT)
    if not fields.get("sure"):
        raise PhraseError("error.sure")
    erased = perform(settings.store, "erase_old", actor=person.id, days=days)["erased"]
    return SettingsChange("done.erased", {"n": int(erased)})


def _number(text: str, least: int, most: int) -> int:
    known = text.strip()
    if not known.isascii() or not known.isdigit() or len(known) > 16 or not least <= int(known) <= most:
        raise PhraseError("error.number", least=f"{least:,}", most=f"{most:,}")
    return int(known)


CHANGES = {
    "add_webhook": ("manage_webhooks", _add_webhook),
    "end_webhook": ("manage_webhooks", _end_webhook),
    "replay": ("manage_webhooks", _replay),
    "issue": ("manage_tokens", _issue),
    "revoke": ("manage_tokens", _revoke),
    "erase": ("erase_old", _erase),
}
