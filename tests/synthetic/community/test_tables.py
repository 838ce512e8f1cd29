"""The made-up community: the same for the same seed, whole, consistent, and of words that mean what they should."""

from __future__ import annotations

import json
import re

import numpy as np
import polars as pl
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

import evenhand as eh
from evenhand.synthetic.community import GROUPS, Community, community
from evenhand.synthetic.community.parameters import KINDS, LANGUAGES, PLACES
from evenhand.synthetic.community.tables import COLUMNS, community_readme
from evenhand.synthetic.community.texts import PHRASEBOOKS


@pytest.fixture(scope="module")
def made() -> Community:
    return community(100_000, seed=8)


def test_the_same_seed_gives_the_same_community() -> None:
    one, two, other = community(3000, seed=4), community(3000, seed=4), community(3000, seed=5)
    for name in COLUMNS:
        assert getattr(one, name).equals(getattr(two, name), null_equal=True), name
        assert not getattr(one, name).equals(getattr(other, name)), name
    assert json.dumps(one.truth) == json.dumps(two.truth) != json.dumps(other.truth)


def test_every_column_is_named_and_explained(made: Community) -> None:
    for name, columns in COLUMNS.items():
        assert set(getattr(made, name).columns) == set(columns), name
        assert all(f"| `{column}` |" in community_readme(made.truth) for column in columns)


def test_items(made: Community) -> None:
    items = made.items
    assert len(items) == 100_000
    assert items["id"].n_unique() == len(items)
    assert items["created"].is_sorted()
    assert set(items["language"].unique()) == set(LANGUAGES)
    assert set(items["community"].unique()) == set(PLACES)
    assert set(items["period"].unique()) == {"2026-H1", "2026-H2"}
    split = items.with_columns(half=pl.col("created") >= pl.datetime(2026, 7, 1))
    assert split.select((pl.col("half") == (pl.col("period") == "2026-H2")).all()).item()
    assert (items["language"] == "en").mean() == pytest.approx(LANGUAGES["en"], abs=0.03)
    rare = (items["kind"] == "threat").mean()
    assert 0.005 <= rare <= 0.01
    assert set(items["kind"].unique()) == set(KINDS)
    assert set((items["toxicity"] * 10).unique()) <= set(range(11))
    nulls = {items[group].null_count() for group in GROUPS}
    assert len(nulls) == 1
    assert nulls.pop() / len(items) == pytest.approx(0.25, abs=0.01)
    total = items.select(pl.sum_horizontal(f"p_{kind}" for kind in KINDS)).to_series()
    assert np.allclose(total, 1.0, atol=1e-12)


def test_texts_are_varied_short_and_long(made: Community) -> None:
    english = made.items.filter(pl.col("language") == "en")["text"]
    length = made.items["text"].str.len_chars()
    assert english.n_unique() / len(english) > 0.5
    assert length.min() >= 10
    assert length.max() <= 600
    assert 0.25 < (length < 100).mean() < 0.6
    assert not made.items["text"].str.contains(r"[{}\x00]|  ").any()


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_text_names_the_groups_it_is_about_and_no_others(made: Community, language: str) -> None:
    table = made.items.select("text", "language").hstack(made.truths.drop("id")).filter(pl.col("language") == language)
    for group, names in PHRASEBOOKS[language].groups.items():
        words = "|".join(re.escape(name.lower()) for name in names)
        named = table["text"].str.to_lowercase().str.contains(rf"(?:^|\W)(?:{words})(?:\W|$)")
        assert (named == table[f"is_{group}"]).all(), group


def test_every_language_has_every_role() -> None:
    roles = [role for role, _ in PHRASEBOOKS["en"].roles()]
    for book in PHRASEBOOKS.values():
        assert sorted(role for role, _ in book.roles()) == sorted(roles)
        for role, patterns in book.roles():
            holed = role in ("mention", "defended") or role.endswith("hate")
            assert all(pattern.count("{group}") == holed for pattern in patterns), role
            assert all(len(book.sentences(pattern)) >= 1 for pattern in patterns)


def test_texts_carry_a_signal_that_is_not_the_whole_truth(made: Community) -> None:
    """Words alone find most of what violates in comments they were not learnt from."""
    table = (
        made.items.select("text", "language").hstack(made.truths.select("violates")).filter(pl.col("language") == "en")
    )
    learn, judge = table[:20_000], table[40_000:55_000]
    vectors = TfidfVectorizer()
    model = LogisticRegression(max_iter=500).fit(vectors.fit_transform(learn["text"]), learn["violates"])
    assert roc_auc_score(judge["violates"], model.decision_function(vectors.transform(judge["text"]))) > 0.95


@pytest.mark.verify
def test_a_model_of_real_comments_finds_most_of_it(made: Community, real_data) -> None:
    """Trained on real comments it is neither blind here nor perfect."""
    real = pl.read_parquet(real_data / "wikipedia_talk.parquet").filter(pl.col("split") == "train")
    vectors = TfidfVectorizer(min_df=3, sublinear_tf=True)
    model = LogisticRegression(C=3, max_iter=500).fit(vectors.fit_transform(real["text"]), real["label"])
    english = made.items["language"] == "en"
    score = model.decision_function(vectors.transform(made.items.filter(english)["text"]))
    assert 0.80 < roc_auc_score(made.truths.filter(english)["violates"], score) < 0.95


def test_history_is_what_the_columns_say(made: Community) -> None:
    events, items = made.history, made.items
    assert events["at"].is_sorted()
    counts = events.group_by("item", "event").len().pivot("event", index="item", values="len").fill_null(0)
    table = items.join(counts.rename({"item": "id"}), on="id", suffix="_events")
    assert (table["posted"] == 1).all()
    assert (table["reports"] == table["reported"]).all()
    assert ((table["decision"] == "removed") == (table["removed"] == 1)).all()
    assert (table["appealed"] == (table["appealed_events"] == 1)).all()
    assert (table["reinstated"] == (table["reinstated_events"] == 1)).all()
    assert (table["appealed_events"] == table["upheld"] + table["reinstated_events"]).all()
    looked = table["kept"] + table["removed"]
    assert (table["decided_by"].is_not_null() == (looked == 1)).all()
    stage = {"posted": 0, "reported": 1, "removed": 2, "kept": 2, "appealed": 3, "upheld": 4, "reinstated": 4}
    order = events.select("item", pl.col("event").replace_strict(stage).alias("stage"))
    assert (
        order.group_by("item", maintain_order=True)
        .agg(pl.col("stage").diff().min())
        .select((pl.col("stage").fill_null(0) >= 0).all())
        .item()
    )


def test_truth_is_the_realised_one(made: Community) -> None:
    """Counted again, row by row, from the truths and the decisions."""
    said = made.truth["realised"]
    violates, visible = made.truths["violates"].to_list(), made.truths["visible"].to_list()
    removed = [decision == "removed" for decision in made.items["decision"]]
    assert said["prevalence"]["everything"]["all"] == pytest.approx(sum(violates) / len(violates), abs=1e-15)
    up = [v for v, seen in zip(violates, visible, strict=True) if seen]
    assert said["prevalence"]["visible"]["all"] == pytest.approx(sum(up) / len(up), abs=1e-15)
    later = [v for v, when in zip(violates, made.items["period"], strict=True) if when == "2026-H2"]
    assert said["prevalence"]["everything"]["period"]["2026-H2"] == pytest.approx(sum(later) / len(later), abs=1e-15)
    kept = [half["by_decision"]["benign_kept"] for half in said["moderation"]["period"].values()]
    assert sum(kept) == sum(not v and not r for v, r in zip(violates, removed, strict=True))
    hits = sum(v and r for v, r in zip(violates, removed, strict=True))
    by_decision = said["moderation"]["everything"]["by_decision"]
    assert by_decision["recall"] == hits / sum(violates)
    assert by_decision["precision"] == hits / sum(removed)
    down = [not seen for seen in visible]
    assert said["moderation"]["everything"]["after_appeals"]["benign_removed"] == sum(
        d and not v for d, v in zip(down, violates, strict=True)
    )
    back = made.items["reinstated"].to_list()
    assert visible == [not r or b for r, b in zip(removed, back, strict=True)]
    assert json.loads(json.dumps(made.truth)) == made.truth


def test_panels(made: Community) -> None:
    said = made.annotations
    assert said["item"].n_unique() == 20_000
    assert len(said) == said.select("item", "annotator").n_unique() == 100_000
    assert set(said["label"].unique()) == {0, 1}
    each = said.group_by("annotator").len()["len"]
    assert (each < 20).sum() >= 10
    assert (each >= 20).sum() >= 500
    assert set(said["annotator"]) <= set(made.annotators["id"])
    few = community(500, seed=1)
    assert few.annotations["item"].n_unique() == 500
    assert 200 <= len(few.annotators) <= len(made.annotators) <= 1000


@pytest.mark.parametrize(
    ("items", "seed", "says"), [(99, 0, "`items`: 99 "), (-1, 0, "`items`: -1"), (500, -1, "`seed`: -1")]
)
def test_bad_input(items: int, seed: int, says: str) -> None:
    with pytest.raises(eh.InputError, match=says):
        community(items, seed=seed)


def test_a_small_one_is_whole() -> None:
    made = community(100, seed=2)
    assert len(made.items) == len(made.truths) == 100
    assert made.items["text"].null_count() == 0
