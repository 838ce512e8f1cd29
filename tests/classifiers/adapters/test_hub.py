"""Models of the hub: what is fetched first is written down, and what is fetched later must be the same."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from evenhand.classifiers.adapters.hub import LOCK_FILE, fetch_model
from evenhand.errors import InputError

FIRST, SECOND = "1" * 40, "2" * 40


class Hub:
    """A hub with one model, of which each revision is a folder of the cache."""

    def __init__(self, cache: Path) -> None:
        self.constants = SimpleNamespace(HF_HUB_CACHE=str(cache))
        self.cache, self.main, self.asked = cache, FIRST, list[tuple[str, Any]]()

    def snapshot_download(self, name: str, *, revision: str | None, allow_patterns: list[str]) -> str:
        self.asked.append((name, revision))
        assert "*.bin" not in allow_patterns
        folder = self.cache / "snapshots" / (revision or self.main)
        folder.mkdir(parents=True, exist_ok=True)
        if not (folder / "config.json").exists():
            (folder / "config.json").write_text(folder.name)
        return str(folder)


@pytest.fixture
def hub(tmp_path: Path) -> Hub:
    return Hub(tmp_path / "cache")


def test_a_later_fetch_asks_for_the_revision_of_the_first(hub: Hub) -> None:
    assert fetch_model(hub, "somebody/model", ["*.json"]).name == FIRST
    hub.main = SECOND
    assert fetch_model(hub, "somebody/model", ["*.json"]).name == FIRST
    assert hub.asked == [("somebody/model", None), ("somebody/model", FIRST)]
    assert fetch_model(hub, "somebody/other", ["*.json"]).name == SECOND
    lock = json.loads((hub.cache / LOCK_FILE).read_text())
    assert lock["somebody/model"]["revision"] == FIRST
    assert len(lock["somebody/model"]["files"]["config.json"]) == 64


def test_a_revision_may_be_asked_for(hub: Hub) -> None:
    assert fetch_model(hub, f"somebody/model@{SECOND}", ["*.json"]).name == SECOND
    assert hub.asked == [("somebody/model", SECOND)]


def test_files_that_changed_are_refused(hub: Hub) -> None:
    folder = fetch_model(hub, "somebody/model", ["*.json"])
    (folder / "config.json").write_text("something else")
    with pytest.raises(InputError, match="somebody/model: the files are not those that were fetched before"):
        fetch_model(hub, "somebody/model", ["*.json"])


@pytest.mark.parametrize("content", ["{", "[]", "3"])
def test_a_lock_that_is_none(hub: Hub, content: str) -> None:
    hub.cache.mkdir()
    (hub.cache / LOCK_FILE).write_text(content)
    with pytest.raises(InputError, match="this lock file cannot be read: remove it"):
        fetch_model(hub, "somebody/model", ["*.json"])
