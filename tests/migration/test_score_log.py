"""Reading a log: flat tables, stored answers, texts to be scored, groups; and what is refused in one line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import evenhand as eh
from evenhand.classifiers.protocol import Scores, Targets
from evenhand.errors import InputError
from migration.logs import ROLES, frame, moved, opened


class Fake:
    """A model that gives longer texts a higher score, and none to one that asks for none."""

    name, version, batch = "fake", "1", 40

    def __init__(self, *classes: str) -> None:
        self.targets = Targets("multi-label" if len(classes) > 1 else "binary", classes or ("toxic",))

    def score(self, texts: Any) -> Scores:
        found = [np.nan if "nothing" in text else len(text) / 100.0 for text in texts]
        columns = [np.array(found) / (place + 1) for place in range(len(self.targets.classes))]
        return Scores(self.targets, np.column_stack(columns))


def texts(rows: int = 120) -> pl.DataFrame:
    rng = np.random.default_rng(2)
    return pl.DataFrame({"text": ["x" * int(n) for n in rng.integers(1, 99, rows)], "old": rng.random(rows)})


def test_columns_are_taken_as_they_are() -> None:
    table = frame(100)
    log = opened(table, label="toxic", groups=["women"], slices=["language"])
    assert (log.old == table["perspective"].to_numpy()).all()
    assert (log.new == table["ours"].to_numpy()).all()
    assert (log.label == table["toxic"].to_numpy()).all()
    assert dict(log.groups[0].slice) == {"group": "women"}
    assert {group.slice.get("language") for group in log.groups} == {None, "de", "en"}
    for group in log.groups:
        column, value = ("women", True) if "group" in group.slice else ("language", group.slice["language"])
        assert group.rows.tolist() == np.flatnonzero(table[column].to_numpy() == value).tolist()


def test_scores_may_be_per_cent_or_logits_and_be_missing() -> None:
    table = frame(100)
    percent = table.with_columns(pl.col("perspective") * 100, pl.col("ours") * 100)
    np.testing.assert_allclose(opened(percent, scale="percent").old, table["perspective"].to_numpy())
    odds = table.with_columns((pl.col("ours") / (1 - pl.col("ours"))).log())
    np.testing.assert_allclose(opened(odds, scale=["probability", "logit"]).new, table["ours"].to_numpy())
    lacking = table.with_columns(pl.when(pl.int_range(100) < 5).then(None).otherwise("ours").alias("ours"))
    log = opened(lacking, skip_unscored=True)
    assert (log.comments, log.notes[0]) == (95, "5 of 100 rows have no score and are left out.")


def test_groups_are_named_by_what_is_known_of_them() -> None:
    table = frame(100)
    said = {
        "comments in the group 'women'": opened(table, groups=["women"]),
        "comments with language 'en'": opened(table, group_by="language"),
        "comments that mention 'women'": opened(table, text="text", terms={"women": ["she"]}),
    }
    for words, log in said.items():
        assert words in [group.comments for group in log.groups]
    mentioned = said["comments that mention 'women'"].groups[0].rows
    assert mentioned.tolist() == np.flatnonzero(table["women"].to_numpy()).tolist()


def test_texts_are_scored_with_a_model() -> None:
    table = texts()
    log = opened(table, old_score="old", new_score=None, model=Fake())
    assert log.new.tolist() == pytest.approx([len(text) / 100.0 for text in table["text"]])
    assert log.origin["new"] == {"model": "fake", "version": "1"}
    assert log.notes == ()


def test_texts_without_an_answer_are_left_out_and_said() -> None:
    table = texts().with_columns(text=pl.when(pl.int_range(120) < 7).then(pl.lit("nothing")).otherwise("text"))
    table = table.with_columns(text=pl.when(pl.int_range(120) == 50).then(None).otherwise("text"))
    log = opened(table, old_score="old", new_score=None, model=Fake())
    assert log.comments == 112
    assert log.old.tolist() == table["old"].gather([*range(7, 50), *range(51, 120)]).to_list()
    assert "no text or no new score: 8." in log.notes[0]


def test_only_rows_that_are_kept_are_scored() -> None:
    table = texts().with_columns(kept=pl.int_range(120) % 2 == 0)
    log = opened(table, old_score="old", new_score=None, model=Fake(), where="kept")
    assert log.comments == 60
    assert log.new.tolist() == pytest.approx([len(text) / 100.0 for text in table["text"].gather_every(2)])


def test_a_column_that_is_called_like_the_model_is_another() -> None:
    log = opened(texts().rename({"old": "fake 1"}), old_score="fake 1", new_score=None, model=Fake())
    assert (log.old != log.new).any()


def test_of_several_classes_the_attribute_is_taken() -> None:
    model = Fake("insult", "toxicity")
    log = opened(texts(), old_score="old", new_score=None, model=model)
    assert log.new.max() <= 0.5
    first = opened(texts(), old_score="old", new_score=None, model=model, attribute="INSULT")
    assert first.new.tolist() == pytest.approx((2.0 * log.new).tolist())
    with pytest.raises(InputError, match=r"several classes .insult, toxicity.: .*`attribute`"):
        opened(texts(), old_score="old", new_score=None, model=model, attribute="THREAT")


def answers(path: Path, rows: int = 90, *, wrapped: bool = False) -> list[float]:
    """A log as a service would keep it."""
    rng = np.random.default_rng(7)
    old = rng.random(rows).round(4).tolist()
    with path.open("w") as file:
        for n, score in enumerate(old):
            answer = {
                "attributeScores": {
                    "TOXICITY": {"summaryScore": {"value": score, "type": "PROBABILITY"}},
                    "THREAT": {"summaryScore": {"value": score / 2, "type": "PROBABILITY"}},
                },
                "languages": ["en"],
            }
            text = "x" * (1 + n)
            line = {"request": {"comment": {"text": text}}, "response": answer} if wrapped else {"text": text, **answer}
            file.write(json.dumps(line) + "\n")
    return old


@pytest.mark.parametrize("wrapped", [False, True])
def test_stored_answers(tmp_path: Path, wrapped: bool) -> None:
    old = answers(tmp_path / "log.jsonl", wrapped=wrapped)
    log = opened(str(tmp_path / "log.jsonl"), old_score=None, new_score=None, model=Fake())
    assert log.old.tolist() == old
    assert log.new.tolist() == pytest.approx([(1 + n) / 100.0 for n in range(90)])
    assert log.origin["old"] == "TOXICITY"
    threat = opened(str(tmp_path / "log.jsonl"), old_score=None, new_score=None, model=Fake(), attribute="THREAT")
    assert threat.old.tolist() == pytest.approx([score / 2 for score in old])


def test_answers_that_failed_can_be_left_out(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    answers(path)
    with path.open("a") as file:
        file.write(json.dumps({"text": "une phrase", "error": {"code": 400}}) + "\n")
    with pytest.raises(InputError, match=r"column 'TOXICITY', row 91: the score is empty; .*`skip_unscored`"):
        opened(str(path), old_score=None, new_score=None, model=Fake())
    log = opened(str(path), old_score=None, new_score=None, model=Fake(), where='"TOXICITY" IS NOT NULL')
    assert log.comments == 90


def test_unknown_attributes_and_flat_tables(tmp_path: Path) -> None:
    answers(tmp_path / "log.jsonl")
    with pytest.raises(InputError, match=r"no attribute 'TOXIC'; did you mean 'TOXICITY'"):
        opened(str(tmp_path / "log.jsonl"), old_score=None, new_score=None, model=Fake(), attribute="TOXIC")
    with pytest.raises(InputError, match=r"name the column of old scores with `old_score`"):
        opened(frame(100), old_score=None)
    with pytest.raises(InputError, match=r"no column contains Perspective responses"):
        opened(frame(100), old_score=None, attribute="TOXICITY")


def test_a_broken_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    answers(path)
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines[:40], '{"attributeScores": ', *lines[40:]]) + "\n")
    with pytest.raises(InputError, match=r"log.jsonl: row 41: not valid JSON"):
        opened(str(path), old_score=None, new_score=None, model=Fake())


BAD = {
    "per cent": (
        {"perspective": pl.col("perspective") * 100},
        r"column 'perspective', row 1: the score .* outside 0 to 1; set `scale` to percent",
    ),
    "below": ({"ours": pl.col("ours") - 1.0}, r"column 'ours', row 1: the score -.* is outside 0 to 1"),
    "empty": ({"perspective": pl.lit(None, dtype=pl.Float64)}, r"column 'perspective', row 1: the score is empty"),
    "not finite": ({"ours": pl.lit(float("nan"))}, r"column 'ours', row 1: the score is NaN"),
    "words": ({"ours": pl.lit("high")}, r"column 'ours', row 1: scores must be numbers, not 'high'"),
    "constant": (
        {"perspective": pl.lit(0.2)},
        r"column 'perspective': all scores are 0.2, so thresholds cannot be matched",
    ),
    "constant new": ({"ours": pl.lit(0.4)}, r"column 'ours': all scores are 0.4, so thresholds cannot be matched"),
    "one class": ({"toxic": pl.lit(False)}, r"column 'toxic': every item is benign: both classes are needed"),
}


@pytest.mark.parametrize("kind", BAD)
def test_bad_columns_are_refused(kind: str) -> None:
    columns, says = BAD[kind]
    with pytest.raises(InputError, match=says):
        opened(frame(100).with_columns(**columns), label="toxic")


def test_too_few_comments_are_refused() -> None:
    assert opened(frame(50)).comments == 50
    with pytest.raises(InputError, match="49 comments are too few"):
        opened(frame(49))


REFUSED = {
    "no new scores": ({"new_score": None}, r"`new_score` names a column, or `model`"),
    "both": ({"model": Fake()}, r"`new_score` names a column, or `model`"),
    "no such column": ({"new_score": "our"}, r"there is no column 'our'; did you mean 'ours'"),
    "the same column": ({"new_score": "perspective"}, "named twice"),
    "threshold in per cent": ({"thresholds": [80]}, "invalid old threshold: 80"),
    "threshold of nothing": ({"thresholds": [0.0]}, "invalid old threshold: 0"),
    "threshold twice": ({"thresholds": [0.8, 0.8]}, "once"),
    "no threshold": ({"thresholds": []}, "at least one"),
    "tolerance": ({"tolerance": 0.8}, "ratio above 1"),
    "precision loss": ({"precision_loss": -0.1}, "a share"),
    "an option of audits": ({"score": "p"}, "no option 'score'"),
    "level": ({"level": 0.2}, "level"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_bad_options_are_refused(kind: str) -> None:
    options, says = REFUSED[kind]
    with pytest.raises(InputError, match=says):
        opened(frame(100), **options)


def test_one_threshold_alone_is_a_list_of_one() -> None:
    assert moved(frame(200), thresholds=0.6).values("threshold") == ("0.6",)


def test_the_front_door_takes_any_frame() -> None:
    table = frame(120)
    polars, pandas = (eh.migrate_perspective(one, **ROLES) for one in (table, table.to_pandas()))
    assert [m.estimate for m in polars.findings[0]] == [m.estimate for m in pandas.findings[0]]
