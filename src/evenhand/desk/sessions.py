"""Signing in: sessions that the server keeps, tokens against forged requests, and a limit on attempts.

A session is 256 random bits in a cookie; the database has their hash. The token against forged requests (CSRF) is an
HMAC under the session, so it ends with it and nobody without the cookie can compute it. Attempts are counted before the
password is looked at, by person and address, by address, and by person.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass

import sqlalchemy as sa

from evenhand.desk.passwords import PasswordKeeper
from evenhand.desk.people import Person, find_person
from evenhand.errors import EvenhandError
from evenhand.store import Store, schema
from evenhand.store.ledger import new_id

SECOND = 1_000_000
LIFETIME, IDLE = 12 * 3600 * SECOND, 4 * 3600 * SECOND
SEEN_EVERY = 60 * SECOND  # how exactly the last use is known
WINDOW = 15 * 60 * SECOND
TRIES = {"both": 5, "person": 50, "address": 50}  # in a window


class SignInError(EvenhandError):
    """The name or the password is wrong; which one is not said."""

    exit_code = 2


class SecondFactorError(SignInError):
    """The password fits, and a code of the second factor is missing or wrong."""


class TooManyAttemptsError(EvenhandError):
    """Too many attempts to sign in; `seconds` to wait."""

    exit_code = 2

    def __init__(self, seconds: int) -> None:
        super().__init__(f"too many attempts to sign in: try again in {seconds:,} seconds")
        self.seconds = seconds


@dataclass(frozen=True)
class DeskSession:
    """A person who is signed in, with what the cookie holds."""

    person: Person
    token: str
    second_factor: bool = False  # whether the person has one

    @property
    def csrf(self) -> str:
        """What every form and every writing call of this session must present."""
        return hmac.digest(self.token.encode(), b"csrf", hashlib.sha256).hex()

    def accepts(self, presented: str | None) -> bool:
        """Whether a request comes from a page of this session."""
        return presented is not None and hmac.compare_digest(self.csrf.encode(), presented.encode())


def token_hash(token: str) -> str:
    """What the database has of a session or a link: of 256 random bits, a plain hash says nothing."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


class SessionRegister:
    """The sessions of a store."""

    def __init__(self, store: Store, passwords: PasswordKeeper | None = None) -> None:
        self.store, self.passwords = store, passwords or PasswordKeeper()

    def sign_in(self, name: str, password: str, address: str, code: str | None = None) -> DeskSession:
        """Begin a session; `SignInError`, or `TooManyAttemptsError` before the password is looked at.

        Whoever has a second factor needs a code of it too, `SecondFactorError` otherwise.
        """
        attempt = self._count_attempt(name, address)
        with self.store.database.reading() as connection:
            person = find_person(connection, name)
            credentials = schema.credentials
            kept = connection.scalar(sa.select(credentials.c.password).where(credentials.c.person == name))
        if not self.passwords.fits(kept if person else None, password) or person is None or kept is None:
            raise SignInError("the name or the password is wrong")
        self._check_code(name, code, attempt)
        fresh = self.passwords.hash(password) if self.passwords.is_outdated(kept) else kept
        with self.store.database.writing() as connection:
            connection.execute(schema.sign_in_attempts.delete().where(schema.sign_in_attempts.c.id == attempt))
            if fresh != kept:
                same = credentials.update().where(credentials.c.person == name, credentials.c.password == kept)
                connection.execute(same.values(password=fresh))
            return self._begin(connection, person)

    def _check_code(self, name: str, code: str | None, attempt: str) -> None:
        """A wrong code counts as an attempt, a missing one does not: it is the first of two steps."""
        from evenhand.desk.second_factors import SecondFactors

        try:
            SecondFactors(self.store).check(name, code)
        except SecondFactorError:
            if not code:
                with self.store.database.writing() as connection:
                    table = schema.sign_in_attempts
                    connection.execute(table.delete().where(table.c.id == attempt))
            raise

    def begin(self, name: str) -> DeskSession:
        """A session for somebody who has just shown in another way who they are: by a one-time link.

        Whoever has a second factor signs in with it, as a link alone does not show that they have it.
        """
        with self.store.database.reading() as connection:
            if _has_second_factor(connection, name):
                raise SecondFactorError("the password is set: sign in with it and a code of your authenticator app")
        with self.store.database.writing() as connection:
            person = find_person(connection, name)
            if person is None:
                raise SignInError("the name or the password is wrong")
            return self._begin(connection, person)

    def _begin(self, connection: sa.Connection, person: Person) -> DeskSession:
        token, now, sessions = secrets.token_urlsafe(32), self.store.clock(), schema.sessions
        connection.execute(sessions.delete().where(sessions.c.began_at < now - LIFETIME))
        row = {"token": token_hash(token), "person": person.id, "began_at": now, "seen_at": now}
        connection.execute(sessions.insert(), [row])
        return DeskSession(person, token, _has_second_factor(connection, person.id))

    def find(self, token: str) -> DeskSession | None:
        """The session of a cookie, unless it ended or the person has no access any more."""
        sessions, now = schema.sessions, self.store.clock()
        with self.store.database.reading() as connection:
            row = connection.execute(sa.select(sessions).where(sessions.c.token == token_hash(token))).first()
            if row is None or now - row.began_at > LIFETIME or now - row.seen_at > IDLE:
                return None
            person = find_person(connection, row.person)
            second_factor = _has_second_factor(connection, row.person)
        if person is not None and now - row.seen_at > SEEN_EVERY:
            with self.store.database.writing() as connection:
                connection.execute(sessions.update().where(sessions.c.token == row.token).values(seen_at=now))
        return None if person is None else DeskSession(person, token, second_factor)

    def sign_out(self, token: str) -> None:
        """End a session."""
        with self.store.database.writing() as connection:
            connection.execute(schema.sessions.delete().where(schema.sessions.c.token == token_hash(token)))

    def _count_attempt(self, name: str, address: str) -> str:
        """Note an attempt, unless there were too many; its id, to be taken back where the password fits."""
        now = self.store.clock()
        subjects = {"both": f"{name}\x1f{address}", "person": f"{name}\x1f", "address": f"\x1f{address}"}
        attempts, attempt = schema.sign_in_attempts, new_id(now)
        with self.store.database.writing() as connection:
            connection.execute(attempts.delete().where(attempts.c.at < now - WINDOW))
            for kind, subject in subjects.items():
                made = sa.select(sa.func.count(), sa.func.min(attempts.c.at)).where(
                    attempts.c.subject == token_hash(subject)
                )
                count, first = connection.execute(made).one()
                if count >= TRIES[kind]:
                    raise TooManyAttemptsError(max(1, (first + WINDOW - now) // SECOND))
            rows = [{"id": attempt, "subject": token_hash(subject), "at": now} for subject in subjects.values()]
            connection.execute(attempts.insert(), rows)
        return attempt


def _has_second_factor(connection: sa.Connection, person: str) -> bool:
    table = schema.second_factors
    query = sa.select(table.c.confirmed_at).where(table.c.person == person, table.c.confirmed_at.is_not(None))
    return connection.scalar(query) is not None
