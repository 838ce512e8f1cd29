"""The key file: private, never replaced, and the only thing that foresees a draw or signs."""

from __future__ import annotations

import hashlib
import stat
from pathlib import Path

import numpy as np
import pytest

from evenhand.errors import InputError
from evenhand.store.keys import FILE_VARIABLE, StoreKeys, is_signed, key_path


def test_only_the_key_foresees_a_draw() -> None:
    """Uniform, the same for a name, independent between purposes, names and keys."""
    keys, other = StoreKeys(bytes(32), bytes(32)), StoreKeys(bytes(32), b"\1" * 32)
    names = [f"item {number}" for number in range(20_000)]
    draws = np.array([keys.uniform("draw", name) for name in names])
    assert draws.tolist() == [keys.uniform("draw", name) for name in names]
    assert draws.min() >= 0.0
    assert draws.max() < 1.0
    expected = len(names) / 20
    counts = np.bincount((draws * 20).astype(int), minlength=20)
    assert ((counts - expected) ** 2 / expected).sum() < 43.8  # chi-squared, 19 degrees of freedom, one in a thousand
    for apart in ([keys.uniform("order", name) for name in names], [other.uniform("draw", name) for name in names]):
        assert abs(np.corrcoef(draws, apart)[0, 1]) < 0.03


def test_a_guess_cannot_be_tested_against_a_fingerprint() -> None:
    keys, other = StoreKeys(bytes(32), bytes(32)), StoreKeys(bytes(32), b"\1" * 32)
    assert keys.fingerprint("a text") == keys.fingerprint("a text") != keys.fingerprint("another")
    assert keys.fingerprint("a text") not in (other.fingerprint("a text"), hashlib.sha256(b"a text").hexdigest())


def test_a_signature_is_of_one_message_and_one_key() -> None:
    keys, other = StoreKeys.generate(), StoreKeys.generate()
    signature = keys.sign(b"message")
    assert is_signed(keys.public, b"message", signature)
    assert not is_signed(keys.public, b"messages", signature)
    assert not is_signed(other.public, b"message", signature)
    assert not is_signed("no key", b"message", signature)


def test_the_file_is_private_and_never_replaced(tmp_path: Path) -> None:
    path, keys = tmp_path / "a.key", StoreKeys.generate()
    keys.write(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert StoreKeys.read(path) == keys
    with pytest.raises(InputError, match="there is a key file already"):
        StoreKeys.generate().write(path)
    for text in ("", "[]", "{}", '{"kind": "evenhand-store-key-1", "signing": "00", "drawing": "00"}'):
        path.write_text(text)
        with pytest.raises(InputError, match="key file"):
            StoreKeys.read(path)


def test_where_the_file_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(FILE_VARIABLE, raising=False)
    assert key_path(None, "desk.db") == Path("desk.db.key")
    assert key_path(Path("x"), "desk.db") == Path("x")
    with pytest.raises(InputError, match=FILE_VARIABLE):
        key_path(None, None)
    monkeypatch.setenv(FILE_VARIABLE, "/elsewhere/key")
    assert key_path(None, "desk.db") == Path("/elsewhere/key")
