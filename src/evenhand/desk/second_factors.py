"""The second factor of those who lead and administer: codes of an authenticator app, and recovery codes on paper.

It is enrolled in two steps: the app gets a secret, and a first code shows that it has it; only then is it asked for at
sign-in. Each code is taken once. Recovery codes are shown once, and the database has their hashes. Who has lost both
is helped on the machine of the desk: `evenhand desk recover`.
"""

from __future__ import annotations

import json
import secrets

import sqlalchemy as sa

from evenhand.desk.one_time_codes import enrolment_address, matching_step, new_secret
from evenhand.desk.sessions import SECOND, SecondFactorError, token_hash
from evenhand.store import ConflictError, Store, schema
from evenhand.store.events import SecondFactorChanged
from evenhand.store.ledger import upsert

RECOVERY_CODES = 10


class SecondFactors:
    """Those of the people of a store."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def begin(self, person: str) -> dict[str, str]:
        """A new secret for an app; nothing is asked for until a code of it was entered."""
        secret, table = new_secret(), schema.second_factors
        with self.store.database.writing() as connection:
            if _row(connection, person, confirmed=True) is not None:
                raise ConflictError("you have a second factor already: have it reset with 'evenhand desk recover'")
            row = {"person": person, "secret": secret, "confirmed_at": None, "last_step": 0, "recovery": "[]"}
            connection.execute(upsert(connection, table, ("person",)), [row])
        return {"secret": secret, "address": enrolment_address(secret, person)}

    def confirm(self, person: str, code: str) -> list[str]:
        """Take the first code of the app; the recovery codes, which are shown only now."""
        table = schema.second_factors
        codes = [secrets.token_hex(5) for _ in range(RECOVERY_CODES)]
        with self.store.write(person) as ledger:
            row = _row(ledger.connection, person, confirmed=False)
            if row is None:
                raise ConflictError("begin with a new secret first")
            step = matching_step(row.secret, code, ledger.at / SECOND)
            if step is None:
                raise SecondFactorError("the code is wrong: check the clock of your device, and enter the newest one")
            values = {"confirmed_at": ledger.at, "last_step": step}
            kept = json.dumps([token_hash(one) for one in codes])
            ledger.connection.execute(table.update().where(table.c.person == person).values(**values, recovery=kept))
            ledger.record_apart("people", SecondFactorChanged(person=person, active=True))
        return codes

    def check(self, person: str, code: str | None) -> None:
        """`SecondFactorError` unless the person has none, or this is a code that was not taken before."""
        with self.store.database.writing() as connection:
            row = _row(connection, person, confirmed=True)
            if row is None:
                return
            if not code:
                raise SecondFactorError("enter the code of your authenticator app, or a recovery code")
            if not _take_step(connection, row, code, self.store.clock() / SECOND) and not _take_code(
                connection, row, code
            ):
                raise SecondFactorError("the code is wrong, or was used before")

    def reset(self, person: str) -> bool:
        """Take the factor away; whether there was one."""
        table = schema.second_factors
        with self.store.write() as ledger:
            there = ledger.connection.execute(table.delete().where(table.c.person == person)).rowcount > 0
            if there:
                ledger.record_apart("people", SecondFactorChanged(person=person, active=False))
        return there


def _row(connection: sa.Connection, person: str, *, confirmed: bool) -> sa.Row[tuple[object, ...]] | None:
    table = schema.second_factors
    state = table.c.confirmed_at.is_not(None) if confirmed else table.c.confirmed_at.is_(None)
    return connection.execute(sa.select(table).where(table.c.person == person, state)).first()


def _take_step(connection: sa.Connection, row: sa.Row[tuple[object, ...]], code: str, seconds: float) -> bool:
    """A code of the app, unless it or a later one was taken; of two at once only one is."""
    table, step = schema.second_factors, matching_step(str(row.secret), code, seconds)
    if step is None:
        return False
    fresh = table.update().where(table.c.person == row.person, table.c.last_step < step)
    return connection.execute(fresh.values(last_step=step)).rowcount == 1


def _take_code(connection: sa.Connection, row: sa.Row[tuple[object, ...]], code: str) -> bool:
    """A recovery code that is left."""
    table, left = schema.second_factors, json.loads(str(row.recovery))
    used = token_hash(code.strip().lower())
    if used not in left:
        return False
    rest = json.dumps([one for one in left if one != used])
    same = table.update().where(table.c.person == row.person, table.c.recovery == row.recovery)
    return connection.execute(same.values(recovery=rest)).rowcount == 1
