"""The demo: a store of its own, with people to sign in as."""

from __future__ import annotations

from pathlib import Path

import pytest

from evenhand.desk import demo
from evenhand.errors import InputError
from evenhand.service.settings import ServiceSettings


def test_the_demo_takes_no_store_of_the_user() -> None:
    with pytest.raises(InputError, match="leave out `store`"), demo.open_demo(ServiceSettings(store="mine.db")):
        pass


def test_it_says_how_to_enter_and_leaves_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    small = demo.DemoSize(weeks=1, items_per_day=5, reviews_per_shift=2, gold=1, waiting=2)
    fill = demo.fill_demo
    monkeypatch.setattr(demo, "fill_demo", lambda folder: fill(folder, size=small))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with demo.open_demo(ServiceSettings()) as (desk, lines):
        assert [line.split(":")[0] for line in lines if "/invitation/" in line and line.startswith("as ")] == [
            "as a moderator (ana)",
            "as a lead (lena)",
            "as an auditor (aud)",
        ]
        assert list(tmp_path.iterdir())
        assert desk.state.store.name.startswith(str(tmp_path))
    assert not list(tmp_path.iterdir())
