"""Every loader, on small files in the published format; and what is said of files that are not."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from evenhand.errors import InputError
from evenhand.reproduce.corpora import CORPORA, CorpusFolder
from reproduce import tiny


def loaded(folder: Path, name: str):
    return CorpusFolder(folder).load(name)


@pytest.mark.parametrize("name", ["all_data.csv", "civil_comments.csv", "train.csv"])
def test_civil_comments_have_shares_and_empty_identities(tmp_path: Path, name: str) -> None:
    tiny.civil_comments(tmp_path, name=name)
    found = loaded(tmp_path, "civil_comments")
    assert len(found.frame) == 600
    assert found.frame["label"].is_between(0, 1).all()
    assert len(found.roles["groups"]) == 24
    assert found.frame["male"].null_count() == found.frame["white"].null_count() > 0  # nobody was asked
    assert set(found.frame["split"]) == {"train"}


def test_two_challenges_with_a_train_csv_are_told_apart(tmp_path: Path) -> None:
    tiny.challenge(tmp_path)
    corpora = CorpusFolder(tmp_path)
    assert corpora.has("wikipedia_talk")
    assert not corpora.has("civil_comments")
    tiny.civil_comments(tmp_path / "civil_comments", name="train.csv")
    assert corpora.has("civil_comments")


def test_rows_that_the_challenge_did_not_score_are_left_out(tmp_path: Path) -> None:
    tiny.challenge(tmp_path)
    frame = loaded(tmp_path, "wikipedia_talk").frame
    assert frame["split"].value_counts(sort=True).rows() == [("train", 600), ("test", 540)]
    assert set(frame["label"]) == {0, 1}
    (tmp_path / "test_labels.csv").unlink()
    assert set(loaded(tmp_path, "wikipedia_talk").frame["split"]) == {"train"}


def test_workers_of_the_figshare_file_vote(tmp_path: Path) -> None:
    tiny.figshare(tmp_path)
    frame = loaded(tmp_path, "wikipedia_talk").frame
    assert frame["label"].to_list() == [1] * 5 + [0] * 4  # half of four is enough
    assert frame["id"][0] == "10"
    assert frame["text"][0] == "a text\nof 0"
    assert set(frame["split"]) == {"train", "validation", "test"}


def test_the_publishers_archive_of_the_challenge(tmp_path: Path) -> None:
    tiny.challenge(tmp_path)
    for part in ("train", "test"):
        frame = pl.read_csv(tmp_path / "train.csv", schema_overrides={"id": pl.String})
        tiny.written(frame, tmp_path / "wikipedia_talk" / f"wikidata_{part}.csv")
    (tmp_path / "train.csv").unlink()
    assert loaded(tmp_path, "wikipedia_talk").frame["split"].value_counts()["count"].to_list() == [600, 600]


def test_sbic_gives_one_label_a_post_and_annotator(tmp_path: Path) -> None:
    tiny.sbic(tmp_path)
    found = loaded(tmp_path, "sbic")
    assert found.layout.name == "three splits"
    assert found.frame.select("item", "annotator").is_duplicated().sum() == 0
    assert set(found.frame["gender"]) == {"men", "women"}
    assert set(found.frame["ethnicity"]) == {"white", "non-white"}
    raw = pl.concat([pl.read_csv(tmp_path / f"SBIC.v2.{part}.csv") for part in ("trn", "dev", "tst")])
    pairs = raw.drop_nulls("offensiveYN").group_by("post", "WorkerId").agg(pl.col("offensiveYN").max())
    assert found.frame["label"].sum() == (pairs["offensiveYN"] >= 0.5).sum()  # a half is offensive
    assert found.frame["annotator"][0] == str(raw["WorkerId"][1])  # no digit is lost


def test_crehate_leaves_out_who_could_not_tell_and_second_labels(tmp_path: Path) -> None:
    tiny.crehate(tmp_path)
    frame = loaded(tmp_path, "crehate").frame
    raw = pl.read_csv(tmp_path / "CREHate_raw_annotations.csv")
    assert len(frame) == raw.filter(pl.col("annotation") < 2).select("ID", "annotator_id").n_unique()
    assert frame["text"].null_count() == 0
    assert set(frame["country"]) == {"United States", "Singapore"}


def test_md_agreement_has_five_labels_a_tweet(tmp_path: Path) -> None:
    tiny.md_agreement(tmp_path)
    frame = loaded(tmp_path, "md_agreement").frame
    assert len(frame) == 3 * 40 * 5
    assert set(frame.group_by("item").len()["len"]) == {5}
    assert frame["item"][0] == "train-1"


def test_east_asian_prejudice_has_four_classes(tmp_path: Path) -> None:
    tiny.east_asian(tmp_path)
    frame = loaded(tmp_path, "east_asian_prejudice").frame
    assert set(frame["label"]) == {"Neutral", "Criticism", "Hostility", "Discussion"}


def test_templates_and_hatecheck(tmp_path: Path) -> None:
    tiny.madlibs(tmp_path)
    tiny.hatecheck(tmp_path)
    corpora = CorpusFolder(tmp_path)
    assert corpora.load("perspective_madlibs").roles["score"] == ["toxicity_1", "toxicity_6"]
    assert corpora.load("madlibs_77k").frame["label"].is_in([0, 1]).all()
    assert corpora.load("hatecheck").frame["target"].null_count() == 10
    assert [source["corpus"] for source in corpora.sources] == ["perspective_madlibs", "madlibs_77k", "hatecheck"]
    assert all(len(file["sha256"]) == 64 for source in corpora.sources for file in source["files"])


def test_what_is_missing_is_named_with_where_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"a file is missing: CREHate.*https://github.com/nlee0212/CREHate"):
        CorpusFolder(tmp_path).load("crehate")
    with pytest.raises(InputError, match="there is no such folder"):
        CorpusFolder(tmp_path / "nowhere")


def test_files_that_are_not_as_published_are_refused_in_one_line(tmp_path: Path) -> None:
    path = tiny.east_asian(tmp_path)
    path.write_text(path.read_text().replace("entity_directed_hostility", "something_else", 1))
    with pytest.raises(InputError, match=r"row \d+: not East Asian.*one of five kinds"):
        loaded(tmp_path, "east_asian_prejudice")
    path.write_text("text\tlabel\na\tb\n")
    with pytest.raises(InputError, match="column 'expert': this column of East Asian"):
        loaded(tmp_path, "east_asian_prejudice")
    for content in ("[1]", "{", '{"1": {"text": "a"}}'):
        (tmp_path / "MD-Agreement_train.json").write_text(content)
        for part in ("dev", "test"):
            (tmp_path / f"MD-Agreement_{part}.json").write_text("{}")
        with pytest.raises(InputError, match="not the JSON of the task"):
            loaded(tmp_path, "md_agreement")


def test_every_corpus_says_where_it_is_from_and_under_what_licence() -> None:
    for corpus in CORPORA.values():
        assert corpus.page.startswith("http")
        assert corpus.licence
        for remote in corpus.remotes:
            assert remote.url.startswith("https://")
            assert (remote.sha256 is None) == (remote.size is None)


def test_the_real_files_are_what_the_papers_count(real_data: Path) -> None:
    corpora = CorpusFolder(real_data)
    assert corpora.load("crehate").frame["item"].n_unique() == 1580
    assert len(corpora.load("madlibs_77k").frame) == 76_564
    assert len(corpora.load("perspective_madlibs").frame) == 30_240
    assert len(corpora.load("md_agreement").frame) == 53_765
