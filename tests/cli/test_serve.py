"""evenhand serve: tokens are made, listed and revoked; what cannot be served is one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.program import Program, fails, ran
from evenhand.service.tokens import read_tokens


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


def test_a_token_is_shown_once_listed_and_revoked(program: Program, tmp_path: Path) -> None:
    token = ran(program, "serve", "tokens", "add", "shop", "--scopes", "score,metrics").strip()
    path = tmp_path / "config" / "evenhand" / "tokens.json"
    record = read_tokens(path).find(token)
    assert record is not None
    assert record.scopes == ("score", "metrics")
    listed = ran(program, "serve", "tokens", "list")
    assert listed.startswith("shop  score,metrics  20")
    assert token not in listed
    assert ran(program, "serve", "tokens", "revoke", "shop") == "revoked: shop\n"
    assert ran(program, "serve", "tokens", "list") == f"no tokens in {path}\n"


def test_tokens_in_a_file_of_ones_own(program: Program) -> None:
    token = ran(program, "serve", "tokens", "add", "a", "--file", "mine.json").strip()
    record = read_tokens(Path("mine.json")).find(token)
    assert record is not None
    assert record.scopes == ("score", "models")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--host", "0.0.0.0"], ["--host 0.0.0.0 is reachable from other machines", "serve tokens add"]),
        (["--trusted-proxies", "10.0.0.1"], ["with --trusted-proxies every request needs a token"]),
        (["--model", "nothing"], ["nothing: there is no such model"]),
        (["--model", "default@00000000"], ["default: the model has version", "but 00000000 is configured"]),
        (["--model", "default", "--model", "default"], ["two models are named 'default'"]),
        (["--calibrator", "c.json"], ["c.json", "no such file"]),
        (["--port", "70000"], ["invalid --port: 70000"]),
        (["--config", "none.toml"], ["none.toml: there is no such file"]),
        (["tokens", "add", "a", "--scopes", "everything"], ["there is no scope 'everything'"]),
        (["tokens", "revoke", "a"], ["there is no token 'a'; there are none"]),
    ],
)
def test_what_cannot_be_served_is_one_line(arguments: list[str], says: list[str], program: Program) -> None:
    fails(program, "serve", *arguments, says=says)


def test_a_variable_at_fault_is_named(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVENHAND_SERVE_PORT", "many")
    fails(program, "serve", says=["EVENHAND_SERVE_PORT: invalid: many (must be a whole number)"])
