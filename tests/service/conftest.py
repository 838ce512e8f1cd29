"""A service in this process: the shipped model, asked from this machine, which has no tokens."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from evenhand.service.app import create_app
from evenhand.service.settings import ServiceSettings
from service.fakes import local_client


@pytest.fixture(autouse=True)
def no_tokens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    settings = ServiceSettings(token_file=tmp_path_factory.mktemp("tokens") / "none.json")
    with local_client(create_app(settings)) as client:
        yield client
