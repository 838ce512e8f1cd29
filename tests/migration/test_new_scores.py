"""Scoring with the new model: it may do what is allowed, and nothing else."""

from __future__ import annotations

from pathlib import Path

import httpx
import polars as pl
import pytest

from evenhand.errors import InputError
from evenhand.migration.request import MigrationRequest

ENDPOINT = (
    'kind = "endpoint"\nurl = "https://api.example.com"\nresponse = "p"\nbody = {text = "{text}", key = "${KEY}"}\n'
)


def test_a_model_may_do_what_is_allowed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of an endpoint: get the texts, and with them a variable."""
    sent: list[httpx.Request] = []

    def handle(_: object, request: httpx.Request) -> httpx.Response:
        sent.append(request)
        return httpx.Response(200, json={"p": len(sent) / 100})

    monkeypatch.setattr(httpx.HTTPTransport, "handle_request", handle)
    monkeypatch.setenv("KEY", "s3cr3t")
    (tmp_path / "remote.toml").write_text(ENDPOINT)
    table = pl.DataFrame({"text": [f"text {k}" for k in range(60)], "old": [k / 60 for k in range(60)]})
    asked = {"old_score": "old", "text": "text", "model": tmp_path / "remote.toml"}
    with pytest.raises(InputError, match=r"`send_to` https://api\.example\.com `secrets` KEY"):
        MigrationRequest.from_options(asked).open(table)
    assert sent == []
    MigrationRequest.from_options({**asked, "send_to": "https://api.example.com", "secrets": ["KEY"]}).open(table)
    assert len(sent) == 60
