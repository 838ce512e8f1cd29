"""Passwords: what is accepted, and the argon2id hash that is kept of it.

A hash takes memory on purpose. Only a few are computed at a time, so that strangers who try passwords slow one another
down and not the desk.
"""

from __future__ import annotations

import threading

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from evenhand.errors import InputError

SHORTEST, LONGEST = 12, 1000  # characters
AT_ONCE = 2  # hashes


class PasswordKeeper:
    """Hashes and checks passwords; `hasher` is there for tests."""

    def __init__(self, hasher: PasswordHasher | None = None) -> None:
        self._hasher = hasher or PasswordHasher(time_cost=3, memory_cost=64 * 1024, parallelism=1)
        self._turn = threading.BoundedSemaphore(AT_ONCE)
        self._nobody: str | None = None

    def hash(self, password: str) -> str:
        """What is kept of a new password; `InputError` where it is too short or too long."""
        if not SHORTEST <= len(password) <= LONGEST:
            raise InputError(f"a password must have {SHORTEST} to {LONGEST:,} characters")
        with self._turn:
            return self._hasher.hash(password)

    def fits(self, kept: str | None, password: str) -> bool:
        """Whether it is the password; without one that is kept, no, after the same time."""
        if len(password) > LONGEST:
            return False
        with self._turn:
            if self._nobody is None:
                self._nobody = self._hasher.hash("nobody has this password")
            try:
                return self._hasher.verify(kept or self._nobody, password) and kept is not None
            except (VerificationError, InvalidHashError):
                return False

    def is_outdated(self, kept: str) -> bool:
        """Whether it was hashed more cheaply than passwords are now."""
        return self._hasher.check_needs_rehash(kept)
