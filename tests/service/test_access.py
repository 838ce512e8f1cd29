"""Who may ask: on this machine everybody, elsewhere and through a proxy nobody without a token."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI

from evenhand.errors import InputError
from evenhand.service.access import Access
from evenhand.service.app import create_app
from evenhand.service.settings import ServiceSettings
from evenhand.service.tokens import TokenFile, read_tokens, write_tokens
from service.fakes import ELSEWHERE, HERE, fake_model, local_client

SCORE = ("POST", "/api/v1/score")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "tokens.json"


@pytest.fixture
def token(path: Path) -> str:
    tokens, token = TokenFile().issue("shop", ["score"])
    write_tokens(tokens, path)
    return token


def app_with(path: Path, **settings: Any) -> FastAPI:
    return create_app(ServiceSettings(token_file=path, **settings), models={"fake": fake_model()})


def status(
    app: FastAPI, *, token: str | None = None, client: Any = HERE, host: str = "localhost", **headers: str
) -> int:
    given = {"Authorization": f"Bearer {token}"} if token else {}
    asking = local_client(app, client, host)
    answer = asking.post(
        "/api/v1/score", json={"text": "a"}, headers={**given, **{k.replace("_", "-"): v for k, v in headers.items()}}
    )
    assert answer.status_code == 200 or answer.headers["content-type"] == "application/problem+json"
    return answer.status_code


def test_on_this_machine_no_token_is_needed(path: Path) -> None:
    app = app_with(path)
    assert status(app) == 200
    assert status(app, token="wrong") == 200
    assert status(app, client=("::1", 5)) == 200
    assert status(app, client=ELSEWHERE) == 401  # the address it was told to listen on is not the one it got


@pytest.mark.parametrize("settings", [{"host": "0.0.0.0"}, {"trusted_proxies": ("10.0.0.1",)}, {"require_token": True}])
def test_where_everybody_could_ask_it_does_not_start_without_a_token(settings: dict[str, Any], path: Path) -> None:
    with pytest.raises(InputError, match="serve tokens add"):
        app_with(path, **settings)


@pytest.mark.parametrize(
    "settings", [{"host": "0.0.0.0"}, {"trusted_proxies": ("127.0.0.1",)}, {"require_token": True}]
)
def test_a_token_is_needed_also_from_this_machine(settings: dict[str, Any], path: Path, token: str) -> None:
    app = app_with(path, **settings)
    assert status(app) == 401
    assert status(app, token=token[:-1]) == 401
    assert status(app, token=token) == 200
    assert status(app, x_api_key=token) == 200
    assert status(app, x_forwarded_for="127.0.0.1") == 401
    assert status(app, client=ELSEWHERE, token=token) == 200


@pytest.mark.parametrize("header", ["x_forwarded_for", "forwarded", "x_real_ip", "via", "x_forwarded_host"])
def test_what_came_through_a_proxy_is_not_of_this_machine(header: str, path: Path) -> None:
    assert status(app_with(path), **{header: "127.0.0.1"}) == 401


def test_a_scope_is_needed(path: Path, token: str) -> None:
    client = local_client(app_with(path, require_token=True))
    answer = client.get("/metrics", headers={"Authorization": f"Bearer {token}"})
    assert (answer.status_code, answer.json()["type"]) == (403, "urn:evenhand:problem:forbidden")
    assert 'scope="metrics"' in answer.headers["WWW-Authenticate"]
    assert client.get("/api/v1/models", headers={"Authorization": f"bearer {token}"}).status_code == 403
    assert client.get("/livez").status_code == client.get("/readyz").status_code == 200


def test_tokens_count_from_the_next_request_on(path: Path, token: str) -> None:
    app = app_with(path, require_token=True)
    assert status(app, token=token) == 200
    kept, other = read_tokens(path).issue("other", ["score"])
    write_tokens(kept.revoke("shop"), path)
    assert status(app, token=token) == 401
    assert status(app, token=other) == 200
    path.chmod(0o666)
    path.write_text("nonsense")
    assert status(app, token=other) == 401
    path.unlink()
    assert status(app, token=other) == 401


@pytest.mark.parametrize(
    ("host", "allowed", "expected"),
    [
        ("localhost:8717", (), 200),
        ("127.0.0.1:8717", (), 200),
        ("[::1]:8717", (), 200),
        ("LOCALHOST", (), 200),
        ("evil.example", (), 421),
        ("localhost.evil.example", (), 421),
        ("127.0.0.1.evil.example:8717", (), 421),
        ("192.168.1.5", (), 421),
        ("scores.example.org", ("Scores.example.org",), 200),
        ("localhost", ("scores.example.org",), 200),
    ],
)
def test_on_this_machine_only_its_own_names_are_answered(
    host: str, allowed: tuple[str, ...], expected: int, path: Path
) -> None:
    assert status(app_with(path, allowed_hosts=allowed), host=host) == expected


def test_elsewhere_any_name_is_answered_unless_some_are_allowed(path: Path, token: str) -> None:
    assert status(app_with(path, host="0.0.0.0"), host="any.example", token=token) == 200
    named = app_with(path, host="0.0.0.0", allowed_hosts=("a.example",))
    assert status(named, host="a.example:443", token=token) == 200
    assert status(named, host="any.example", token=token) == 421
    assert local_client(named, host="10.1.2.3").get("/readyz").status_code == 200


@pytest.mark.parametrize(
    ("peer", "forwarded", "client"),
    [
        ("192.0.2.7", "1.1.1.1", "192.0.2.7"),
        ("10.0.0.1", "1.1.1.1", "1.1.1.1"),
        ("10.0.0.1", "6.6.6.6, 1.1.1.1, 10.0.0.9", "1.1.1.1"),
        ("10.0.0.1", "10.0.0.7, 10.0.0.9", "10.0.0.7"),
        ("10.0.0.1", "1.1.1.1, nonsense", "10.0.0.1"),
        ("10.0.0.1", "", "10.0.0.1"),
    ],
)
def test_the_address_behind_trusted_proxies_and_no_other(peer: str, forwarded: str, client: str) -> None:
    access = Access(ServiceSettings(trusted_proxies=("10.0.0.0/8",)))
    assert access.client({"client": (peer, 1), "headers": [(b"x-forwarded-for", forwarded.encode())]}) == client
