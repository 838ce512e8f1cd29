"""Published data sets as presets: the roles of their columns are known, and added scores stay with their rows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import evenhand as eh
from cli.program import Program, ran
from evenhand.errors import InputError
from evenhand.reproduce.corpora.presets import AUDIT_PRESETS, load_preset
from reproduce import tiny

MAKERS = {
    "civil-comments": tiny.civil_comments,
    "sbic": tiny.sbic,
    "crehate": tiny.crehate,
    "md-agreement": tiny.md_agreement,
    "hatecheck": tiny.hatecheck,
    "jigsaw-wikipedia": tiny.challenge,
}


@pytest.mark.parametrize("name", AUDIT_PRESETS)
def test_every_preset_declares_its_columns(tmp_path: Path, name: str) -> None:
    MAKERS[name](tmp_path)
    loaded = load_preset(name, tmp_path)
    assert loaded.roles["label"] == "label"
    named = [c for role in loaded.roles.values() for c in ([role] if isinstance(role, str) else role)]
    assert set(named) <= set(loaded.frame.columns)


def scored(path: Path) -> Path:
    frame = pl.read_csv(path)
    score = np.random.default_rng(0).random(len(frame))
    frame.with_columns(p=pl.Series(score)).write_csv(path.with_name("mine.csv"))
    return path.with_name("mine.csv")


def test_added_scores_stay_beside_their_rows(tmp_path: Path) -> None:
    path = scored(tiny.civil_comments(tmp_path))
    loaded = load_preset("civil-comments", path, added=["p"])
    before = dict(pl.read_csv(path).select(pl.col("id").cast(pl.String), "p").iter_rows())
    assert dict(loaded.frame.select("id", "p").iter_rows()) == before


def test_a_preset_is_audited_like_the_declared_columns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = scored(tiny.civil_comments(tmp_path))
    program = Program(monkeypatch, capsys)
    said = ran(program, "audit", path, "--preset", "civil-comments", "--score", "p", "--audits", "bias", "--json")
    loaded = load_preset("civil-comments", path, added=["p"])
    assert said == eh.audit(loaded.frame, score="p", audits="bias", **loaded.roles).json()


def test_labels_of_items_take_scores_from_a_table(tmp_path: Path) -> None:
    tiny.md_agreement(tmp_path)
    with pytest.raises(InputError, match="give the scores of items as a table"):
        load_preset("md-agreement", tmp_path, added=["p"])


def test_another_file_and_another_name_are_refused(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("a,b\n1,2\n")
    with pytest.raises(InputError, match="not a file of this data set; CivilComments"):
        load_preset("civil-comments", tmp_path / "x.csv")
    with pytest.raises(InputError, match="did you mean 'hatecheck'"):
        load_preset("hate-check", tmp_path)
