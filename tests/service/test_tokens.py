"""Tokens: shown once, kept as hashes, in a file for its owner alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evenhand.errors import InputError
from evenhand.service.tokens import TokenFile, read_tokens, token_file, write_tokens


def test_a_token_is_found_again_and_is_not_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "tokens.json"
    one, token = TokenFile().issue("one", ["score"])
    both, other = one.issue("two", ["score", "metrics"])
    write_tokens(both, path)
    assert path.stat().st_mode & 0o777 == 0o600
    assert token not in path.read_text()
    assert token.removeprefix("evh_") not in path.read_text()
    kept = read_tokens(path)
    assert kept == both
    assert (kept.find(token).name, kept.find(other).scopes) == ("one", ("score", "metrics"))  # type: ignore[union-attr]
    assert len({token, other}) == 2
    assert len(token) >= 43


@pytest.mark.parametrize("wrong", ["", "evh_", "evh_" + "A" * 43, "\ud800", "é" * 1000])
def test_nothing_else_is_a_token(wrong: str) -> None:
    tokens, token = TokenFile().issue("one", ["score"])
    assert tokens.find(wrong) is None
    assert tokens.find(token[:-1]) is None
    assert tokens.find(token + "x") is None


def test_two_files_have_different_hashes_of_one_token() -> None:
    assert TokenFile()._hash("t") != TokenFile()._hash("t")


def test_a_revoked_token_is_no_token() -> None:
    tokens, token = TokenFile().issue("one", ["score"])
    assert tokens.revoke("one").find(token) is None
    with pytest.raises(InputError, match="there is no token 'onee'; did you mean 'one'"):
        tokens.revoke("onee")


@pytest.mark.parametrize(
    ("name", "scopes", "says"),
    [
        ("one", ["score"], "a token named 'one' already exists"),
        ("a b", ["score"], "not a name"),
        ("two", ["scores"], "did you mean 'score'"),
        ("two", [], "needs at least one of"),
    ],
)
def test_what_cannot_be_issued(name: str, scopes: list[str], says: str) -> None:
    tokens, _ = TokenFile().issue("one", ["score"])
    with pytest.raises(InputError, match=says):
        tokens.issue(name, scopes)


@pytest.mark.parametrize("mode", [0o604, 0o602, 0o620, 0o666])
def test_a_file_that_others_may_use_is_refused(mode: int, tmp_path: Path) -> None:
    path = tmp_path / "tokens.json"
    write_tokens(TokenFile(), path)
    path.chmod(mode)
    with pytest.raises(InputError, match=r"tokens\.json: other users can read or change this file: run chmod 600"):
        read_tokens(path)
    path.chmod(0o440)  # as a container mounts a secret
    assert read_tokens(path).records == ()


@pytest.mark.parametrize(
    "content", ["", "[]", "{}", '{"format": 2}', '{"format": 1, "key": "00", "tokens": []}', "[" * 100_000, "\xff"]
)
def test_what_is_not_a_file_of_tokens_is_refused(content: str, tmp_path: Path) -> None:
    path = tmp_path / "tokens.json"
    path.write_text(content, encoding="latin-1")
    path.chmod(0o600)
    with pytest.raises(InputError, match="tokens"):
        read_tokens(path)


def test_a_record_that_lacks_something_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "tokens.json"
    write_tokens(TokenFile().issue("one", ["score"])[0], path)
    content = json.loads(path.read_text())
    content["tokens"][0]["hash"] = None
    path.write_text(json.dumps(content))
    with pytest.raises(InputError, match="not a token file"):
        read_tokens(path)


def test_where_tokens_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert token_file() == tmp_path / "evenhand" / "tokens.json"
    monkeypatch.setenv("EVENHAND_SERVE_TOKEN_FILE", "/elsewhere.json")
    assert token_file() == Path("/elsewhere.json")
    assert token_file(Path("named.json")) == Path("named.json")
