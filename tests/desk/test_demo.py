"""The demo: a store of its own, with people to sign in as."""

from __future__ import annotations

from pathlib import Path

import pytest

from evenhand.desk import demo
from evenhand.desk.study_overview import study_overview
from evenhand.errors import InputError
from evenhand.service.settings import ServiceSettings
from evenhand.store import open_store, rebuild


def test_the_demo_takes_no_store_of_the_user() -> None:
    with pytest.raises(InputError, match="leave out `store`"), demo.open_demo(ServiceSettings(store="mine.db")):
        pass


def test_it_says_how_to_enter_and_leaves_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    small = demo.DemoSize(weeks=1, items_per_day=5, reviews_per_shift=2, gold=1, waiting=2, study_batches=0)
    fill = demo.fill_demo
    monkeypatch.setattr(demo, "fill_demo", lambda folder: fill(folder, size=small))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with demo.open_demo(ServiceSettings()) as (desk, lines):
        assert [line.split(":")[0] for line in lines if "/invitation/" in line and line.startswith("as ")] == [
            "as a moderator (ana)",
            "as a lead (lena)",
            "as an annotator (noor)",
            "as an auditor (aud)",
        ]
        assert list(tmp_path.iterdir())
        assert desk.state.store.name.startswith(str(tmp_path))
    assert not list(tmp_path.iterdir())


@pytest.mark.verify
def test_a_study_is_under_way(tmp_path: Path) -> None:
    path, key = demo.fill_demo(tmp_path)
    with open_store(str(path), key=key) as store:
        view = study_overview(store, "1")
        assert rebuild(store).same
    assert (view.case.complete, view.case.study.batches, view.may_stop) == (2, 3, False)
    first, last = (view.estimate(outcome) for outcome in view.outcomes)
    assert last.high - last.low < first.high - first.low  # type: ignore[operator]
    assert view.more
    assert all(one.waiting for one in view.people if one.purpose == "label")
