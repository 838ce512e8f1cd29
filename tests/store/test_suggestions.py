"""Suggested scores are kept with their source, can be erased, and are read by nothing else."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from evenhand.errors import InputError
from evenhand.store import audit_store
from evenhand.store.erasure import DAY, erase_by_age
from evenhand.store.exporting import export
from evenhand.store.suggestions import keep_suggestion
from store.desks import Desk, check, sqlite_desk

SECRET = "a comment that nobody else wrote 3114"
SCORES = [
    {"attribute": "TOXICITY", "model": "default@1", "value": 0.9, "score_type": "RAW"},
    {"attribute": "TOXICITY", "model": "default@1", "value": 0.7, "score_type": "RAW", "begin": 0, "end": 4},
]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    made = sqlite_desk(tmp_path)
    for text in (SECRET, SECRET, "a\0b"):
        with made.store.write() as ledger:
            keep_suggestion(ledger, text, SCORES, languages=["en"], community="games", caller="bot")
    return made


def exported(desk: Desk, folder: Path, *, texts: bool = True) -> pl.DataFrame:
    export(desk.store, folder, texts=texts)
    return pl.read_parquet(folder / "suggestions.parquet")


def test_every_suggestion_is_kept_with_its_source(desk: Desk, tmp_path: Path) -> None:
    check(desk.store)
    rows = exported(desk, tmp_path / "out")
    assert rows["text"].to_list() == [SECRET] * 4 + ["a\ufffdb"] * 2
    assert rows["suggestion_id"].n_unique() == 3
    assert rows["value"].to_list() == [0.9, 0.7] * 3
    assert rows["begin"].to_list() == [None, 0] * 3
    assert set(rows.select("attribute", "model", "languages", "community", "caller").rows()) == {
        ("TOXICITY", "default@1", "en", "games", "bot")
    }
    assert exported(desk, tmp_path / "bare", texts=False)["text"].null_count() == 6


def test_no_audit_reads_them(desk: Desk, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no item has been routed yet"):
        audit_store(desk.store)
    exported(desk, tmp_path / "out")
    for name in ("judgements", "items", "labels", "decisions"):
        assert len(pl.read_parquet(tmp_path / "out" / f"{name}.parquet")) == 0


def test_texts_are_erased_by_age(desk: Desk, tmp_path: Path) -> None:
    desk.clock.at += 200 * DAY
    with desk.store.write() as ledger:
        keep_suggestion(ledger, "a new one", SCORES)
    with desk.store.write() as ledger:
        assert erase_by_age(ledger, 183) == 3
    check(desk.store)
    assert exported(desk, tmp_path / "out")["text"].to_list() == [None] * 6 + ["a new one"] * 2
