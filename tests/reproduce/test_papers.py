"""Papers on the nearest data, and on data that lack something: what is left is reproduced, and the rest is said."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from evenhand.errors import InputError
from evenhand.estimate import Estimate
from evenhand.finding import Finding, Measured
from evenhand.reproduce import reproduce
from evenhand.reproduce.accuracy import paper
from evenhand.reproduce.accuracy.runs import _train_and_sample, simulate_rare
from evenhand.reproduce.bias.comments import _as_percent
from evenhand.reproduce.bias.runs import DEFAULT_MODEL, comment_models, score_comments
from evenhand.reproduce.bias.template_scores import _figures
from evenhand.reproduce.corpora import CorpusFolder
from evenhand.reproduce.perspective.runs import _training_rows
from evenhand.reproduce.rendering import markdown_document
from evenhand.reproduce.result import PaperResult, ReproducedCell, ReproducedTable, judge_claim
from evenhand.reproduce.workspace import Workspace
from reproduce import tiny
from reproduce.about import ABOUT


@pytest.mark.parametrize(
    ("splits", "own", "learnt", "sampled"),
    [
        (["train", "test"], True, {"test"}, {"train"}),  # as the paper: trained on the small part
        (["train", "test"], False, {"train"}, {"test"}),
        (["train"], True, {"train"}, {"train"}),
    ],
)
def test_what_is_learnt_from_is_not_sampled_from(splits: list[str], own: bool, learnt: set, sampled: set) -> None:
    frame = pl.DataFrame({"split": splits * 50, "row": range(50 * len(splits))})
    small, rest = _train_and_sample(frame, own)
    assert (set(small["split"]), set(rest["split"])) == (learnt, sampled)
    assert sorted([*small["row"], *rest["row"]]) == frame["row"].to_list()


@pytest.fixture(scope="module")
def rare(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("context")
    rng = np.random.default_rng(3)
    bad = rng.random(3000) < 0.04
    score = 1.0 / (1.0 + np.exp(-(3.0 * bad - 3.0 + rng.normal(size=3000))))
    columns = {"id": [str(n) for n in range(3000)], "text": ["a text"] * 3000, "label": bad.astype(int), "api": score}
    pl.DataFrame(columns).write_parquet(folder / "wikipedia_context_gc.parquet")
    return simulate_rare(Workspace(folder, light=True))


@pytest.mark.verify
def test_rare_violations_of_the_nearest_set(rare: Any) -> None:
    assert rare.on.startswith("nearest real data: 3,000 Wikipedia comments")
    assert not rare.same
    assert rare.prevalence == pytest.approx(0.04, abs=0.01)
    (figure,) = paper._pilot_figures(rare)
    assert figure.name == "figure_2"
    told = list(paper._rare_claims(rare))
    assert told
    assert all(one.why for one in told)


@pytest.mark.verify
def test_calibration_on_the_nearest_corpus(tmp_path: Path) -> None:
    made = pl.read_csv(tiny.east_asian(tmp_path, 250), separator="\t")
    kinds = {"none_of_the_above": "Neutral", "entity_directed_hostility": "IdentityDirectedAbuse"}
    label = pl.col("expert").replace_strict(kinds, default="CounterSpeech")
    frame = made.select(
        "text",
        id=pl.col("tweet_id").cast(pl.String),
        labels=pl.when(label == "Neutral").then(label).otherwise(label + ",PersonDirectedAbuse"),
        label=(label != "Neutral").cast(pl.Int64),
        split=pl.lit("train"),
    )
    frame.write_parquet(tmp_path / "reddit_cad.parquet")
    next(tmp_path.glob("*.tsv")).unlink()
    result = reproduce("calibration", tmp_path, light=True).result
    found = {table.name: table for table in result.tables}
    assert "IdentityDirectedAbuse (paper: Hostility)" in found["table_1_reddit_cad"].columns
    assert "Criticism (paper only)" in found["table_1_reddit_cad"].columns
    assert any("not in the folder" in omission.why for omission in result.omissions)
    assert not found["table_1_reddit_cad"].same


def test_a_page_without_figures_and_notes() -> None:
    table = ReproducedTable(
        "t", "Table 9", "row", ("a",), (("x", (ReproducedCell(None, 0.25),)),), on="made up", digits=2
    )
    text = markdown_document(
        PaperResult((table,), (judge_claim("so", True, "1", interval="0 to 2"),), notes=("Read this first.",)),
        ABOUT,
        {},
    )
    assert "Read this first.\n" in text
    assert "## Table 9" in text
    assert "## Figures" not in text
    assert "\n- " not in text.split("## Table 9")[1].split("##")[0]


def test_comments_with_a_split_of_their_own(tmp_path: Path) -> None:
    path = tiny.civil_comments(tmp_path)
    frame = pl.read_csv(path, schema_overrides={"id": pl.String})
    halves = pl.when(pl.int_range(pl.len()) % 2 == 0).then(pl.lit("train")).otherwise(pl.lit("test"))
    frame.with_columns(split=halves).write_csv(path)
    assert set(CorpusFolder(tmp_path).load("civil_comments").frame["split"]) == {"train", "test"}


def test_a_corpus_without_rows(tmp_path: Path) -> None:
    path = tiny.hatecheck(tmp_path)
    pl.read_csv(path).clear().write_csv(path)
    with pytest.raises(InputError, match="there are no rows of HateCheck"):
        CorpusFolder(tmp_path).load("hatecheck")


def test_without_anything_to_learn_from_there_is_the_default_model_alone(tmp_path: Path) -> None:
    assert list(comment_models(Workspace(tmp_path))) == [DEFAULT_MODEL]


def test_comments_of_the_train_split_alone(tmp_path: Path) -> None:
    tiny.challenge(tmp_path)
    (tmp_path / "test_labels.csv").unlink()
    place = Workspace(tmp_path)
    with pytest.raises(InputError, match="no comments are left beside the train split"):
        score_comments(place, {})
    assert len(_training_rows(place, "wikipedia_talk")) == 600


def test_numbers_without_a_value_stay_so() -> None:
    nothing = Estimate.undefined("no items", level=0.95, n=0)
    assert _as_percent(nothing) is nothing
    assert _as_percent(None) is None
    assert _figures(Finding("bias", "?", (Measured("bpsn_auc", {"group": "women"}, nothing),), (), {})) == ()
