"""The paper `perspective`, end to end on made-up labels in the published formats."""

from __future__ import annotations

import polars as pl
import pytest

from evenhand.reproduce import reproduce
from evenhand.reproduce.workspace import published_tables
from reproduce import tiny


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory):
    made = tmp_path_factory.mktemp("labels")
    tiny.crehate(made, texts=50, people=40)
    tiny.md_agreement(made, texts=30)
    return made


@pytest.fixture(scope="module")
def made(folder):
    return reproduce("perspective", folder, light=True)


def tables(made) -> dict:
    return {table.name: table for table in made.result.tables}


def test_our_models_stand_above_the_papers(made) -> None:
    rows = dict(tables(made)["table_1_crehate"].rows)
    names = list(rows)
    assert names[:3] == ["default model (Wikipedia)", "bag of words (tweets)", "parts of words (tweets)"]
    assert names[3:] == [f"paper: {model}" for model in published_tables("perspective")["table_1_f1"]]
    assert rows["paper: Olmo-7B"][0].published == 0.55
    assert all(cell.ours is not None for cell in rows[names[0]])


def test_the_facts_of_the_corpus_are_counted(made, folder) -> None:
    raw = pl.read_csv(folder / "CREHate_raw_annotations.csv").filter(pl.col("annotation") < 2)
    texts, labels, share = dict(tables(made)["corpora"].rows)["CREHate"]
    assert texts.ours.value == raw["ID"].n_unique()
    assert labels.ours.value == raw.select("ID", "annotator_id").n_unique()
    assert (texts.published, labels.published, share.published) == (1580, 42546, 0.097)


def test_agreement_is_the_same_in_both_orders(made) -> None:
    rows = tables(made)["kappa_crehate"].rows
    for first, (_, cells) in enumerate(rows):
        for second, cell in enumerate(cells):
            assert cell.ours == rows[second][1][first].ours


def test_what_is_missing_is_said(made) -> None:
    told = [omission.what for omission in made.result.omissions]
    assert "Tables 1 and 2 on sbic" in told
    assert "The paper's eleven models" in told
    assert {"figure_1_crehate", "figure_2_crehate", "figure_3_crehate"} <= {f.name for f in made.result.figures}


def test_every_claim_has_numbers(made) -> None:
    assert all(claim.data and claim.interval for claim in made.result.claims)
    assert len(made.result.claims) == 6
    assert all(claim.why for claim in made.result.claims)
