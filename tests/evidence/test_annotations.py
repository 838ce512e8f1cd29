"""Who labelled what: from one table or three, with many spellings, ties of ids and what is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import evenhand as eh
from evenhand.evidence import AnnotatedEvidence, Declaration, open_evidence

ROLES = {"item": "text_id", "annotator": "who", "label": "offensive", "score": "p", "annotator_groups": "gender"}


def labels(**columns: object) -> pl.DataFrame:
    base: dict[str, object] = {
        "text_id": ["a", "a", "a", "b", "b", "c"],
        "who": ["x", "y", "z", "x", "y", "x"],
        "offensive": [1, 0, 1, 0, 0, 1],
    }
    return pl.DataFrame({**base, **columns}, strict=False)


PEOPLE = pl.DataFrame({"who": ["x", "y", "z"], "gender": ["Woman", " man", "f"], "ethnicity": ["White", "Thai", None]})
ITEMS = pl.DataFrame({"text_id": ["c", "a", "b"], "p": [0.9, 0.8, 0.1], "q": [0.5, 0.6, 0.7]})
SPELLINGS = {"gender": {"women": ["woman", "f"], "men": "man"}, "ethnicity": {"white": "White", "other": "*"}}


def opened(frame: pl.DataFrame, *, tables: dict[str, object] | None = None, **roles: object) -> AnnotatedEvidence:
    given = {"items": ITEMS, "annotators": PEOPLE} if tables is None else tables
    found = open_evidence(frame, Declaration.of({**ROLES, **roles}), **given)
    assert isinstance(found, AnnotatedEvidence)
    return found


def refused(frame: pl.DataFrame, *says: str, tables: dict[str, object] | None = None, **roles: object) -> None:
    with pytest.raises(eh.InputError) as error:
        opened(frame, tables=tables, **roles)
    for words in says:
        assert words in str(error.value), str(error.value)


def test_three_tables_and_one_are_the_same() -> None:
    three = opened(labels(), score=["p", "q"], spellings={"gender": SPELLINGS["gender"]})
    long = labels().join(PEOPLE, on="who").join(ITEMS, on="text_id")
    one = opened(long, tables={}, score=["p", "q"], spellings={"gender": SPELLINGS["gender"]})
    for evidence in (three, one):
        assert evidence.annotators.names == ("men", "women")
        told = [evidence.annotators.names[g] for g in evidence.annotators.group[evidence.annotator]]
        assert told == ["women", "men", "women", "women", "men", "women"]
        assert evidence.label.tolist() == [1, 0, 1, 0, 0, 1]
        assert evidence.classes == ("benign", "violating")
        assert np.allclose(evidence.probabilities["p"][evidence.item, 1], [0.8, 0.8, 0.8, 0.1, 0.1, 0.9])
        assert np.allclose(evidence.probabilities["q"][evidence.item, 1], [0.6, 0.6, 0.6, 0.7, 0.7, 0.5])
        assert evidence.items == 3
        assert evidence.size == 6
        assert len(evidence.annotators) == 3


def test_groups_are_intersections_and_what_is_not_said_is_its_own() -> None:
    evidence = opened(labels(), annotator_groups=["gender", "ethnicity"], spellings=SPELLINGS)
    assert evidence.annotators.names == ("men × other", "women × white", "not stated")
    assert "1 of 3 annotators is not described: that one is" in " ".join(evidence.notes)
    unknown = opened(
        labels(), tables={"items": ITEMS, "annotators": PEOPLE[:2]}, spellings={"gender": SPELLINGS["gender"]}
    )
    assert unknown.annotators.names == ("men", "women", "not stated")
    plain = opened(labels())
    assert plain.annotators.names == ("Woman", "f", "man")


def test_a_spelling_that_nobody_uses_is_noted() -> None:
    evidence = opened(labels(), spellings={"gender": {"women": ["woman", "f", "femal"], "men": "man"}})
    assert "Nobody wrote 'femal' in 'gender'" in " ".join(evidence.notes)


def test_labels_that_are_no_judgement_are_skipped_and_counted() -> None:
    evidence = opened(labels(offensive=[1, 2, 1, 0, 2, 1]), skip="2")
    assert evidence.label.tolist() == [1, 1, 0, 1]
    assert "2 labels of 6 are '2' and were left out" in evidence.notes[0]
    refused(labels(), "no label is '7'", skip="7")
    refused(labels(offensive=[1, 2, 1, 0, 2, 1]), "row 2", "neither 0, 1")


def test_half_offensive_counts_as_offensive() -> None:
    assert opened(labels(offensive=[1, 0.5, 0, 0, 0, 0])).label.tolist() == [1, 1, 0, 0, 0, 0]


def test_several_classes() -> None:
    items = pl.DataFrame({"text_id": ["a", "b", "c"], "p_calm": [0.5, 0.2, 0.1], "p_rude": [0.5, 0.8, 0.9]})
    named = labels(offensive=["calm", "rude", "calm", "rude", "rude", "calm"])
    evidence = opened(
        named, tables={"items": items, "annotators": PEOPLE}, score=None, probabilities=["p_calm", "p_rude"]
    )
    assert evidence.classes == ("calm", "rude")
    assert evidence.label.tolist() == [0, 1, 0, 1, 1, 0]
    assert np.allclose(evidence.probabilities["probabilities"][0], [0.5, 0.5])


def test_the_same_label_twice_counts_once_and_two_different_ones_are_asked_about() -> None:
    again = pl.concat([labels(), labels()[:1]])
    assert opened(again).size == 6
    assert "1 labels that somebody gave an item again" in " ".join(opened(again).notes)
    conflict = pl.concat([labels(), labels()[:1].with_columns(offensive=pl.lit(0, dtype=pl.Int64))])
    refused(conflict, "'who', row 1", "two different labels", "`duplicates`")
    assert opened(conflict, duplicates="first").label.tolist() == [1, 0, 1, 0, 0, 1]
    assert opened(conflict, duplicates="last").label.tolist() == [0, 0, 1, 0, 0, 1]
    assert opened(conflict, duplicates="drop").label.tolist() == [0, 1, 0, 0, 1]


def test_items_without_a_prediction_are_counted_and_left_out() -> None:
    evidence = opened(labels(), tables={"items": ITEMS.filter(pl.col("text_id") != "a"), "annotators": PEOPLE})
    assert evidence.label.tolist() == [0, 0, 1]
    assert "3 labels of 1 items without a prediction were left out" in " ".join(evidence.notes)
    assert len(evidence.annotators) == 2
    other = ITEMS.with_columns(text_id=pl.col("text_id") + "0")
    refused(labels(), "no item of the labels is in it", "'a'", tables={"items": other, "annotators": PEOPLE})


def test_what_else_is_refused() -> None:
    people = {"items": ITEMS, "annotators": PEOPLE}
    refused(labels(), "every annotator is 'women'", spellings={"gender": {"women": ["woman", "man", "f"]}})
    refused(labels(), "declared", within="race", spellings={"ethnicity": {"white": "White"}})
    refused(labels(who=["x", None, "z", "x", "y", "x"]), "'who', row 2", "empty")
    refused(labels(), "occurs twice", tables=people | {"items": pl.concat([ITEMS, ITEMS[:1]])})
    refused(labels(), "occurs twice", tables=people | {"annotators": pl.concat([PEOPLE, PEOPLE[:1]])})
    refused(labels(), "'gander'", annotator_groups="gander")
    long = labels().join(PEOPLE, on="who").join(ITEMS, on="text_id")
    refused(
        long.with_columns(p=pl.Series([0.1, 0.2, 0.1, 0.1, 0.1, 0.1])), "'p', row 2", "another prediction", tables={}
    )
    mixed = long.with_columns(gender=pl.Series(["f", "m", "f", "m", "m", "f"]))
    differing = opened(mixed, tables={})
    assert "1 annotator is described in more than one way in 'gender'" in " ".join(differing.notes)
    assert [differing.annotators.names[g] for g in differing.annotators.group] == ["f", "m", "f"]


@pytest.mark.parametrize(
    ("roles", "says"),
    [
        ({"annotator": None}, "go together"),
        ({"duplicates": "frist"}, "did you mean 'first'"),
        ({"spellings": {"gender": {"a": "x", "b": "X"}}}, "a spelling of 'a' and of 'b'"),
        ({"spellings": {"gender": "x"}}, "are a table"),
        ({"spellings": ["gender"]}, "are tables"),
        ({"spellings": {"gender": {"a": []}}}, "must be words"),
    ],
)
def test_declarations_that_cannot_be_meant(roles: dict[str, object], says: str) -> None:
    with pytest.raises(eh.InputError, match=says):
        Declaration.of({**ROLES, **roles})


def test_other_audits_are_not_of_labels() -> None:
    with pytest.raises(eh.InputError, match="is of items"):
        eh.audit(labels(), audits="calibration", items=ITEMS, annotators=PEOPLE, **ROLES)
    with pytest.raises(eh.InputError, match="needs labels by annotators"):
        eh.audit(labels(), items=ITEMS, score="p", label="offensive")


def test_the_corpora_of_the_paper(real_data: Path) -> None:
    texts = pl.read_parquet(real_data / "crehate_texts.parquet").select("ID").with_columns(p=pl.lit(0.5))
    roles = {"item": "ID", "annotator": "annotator_id", "label": "annotation", "score": "p", "skip": "2"}
    spellings = {"ethnicity": {"white": "White", "non-white": "*"}}
    declaration = {**roles, "annotator_groups": ["gender", "ethnicity"], "spellings": spellings, "duplicates": "drop"}
    crehate = open_evidence(
        real_data / "crehate_annotations.parquet", Declaration.of({**declaration, "within": "nationality"}), items=texts
    )
    assert isinstance(crehate, AnnotatedEvidence)
    assert crehate.items == 1580
    assert len(crehate.annotators) == 1062  # two of 1,064 could not tell of any
    assert {"male × white", "female × non-white", "not stated"} <= set(crehate.annotators.names)
    assert crehate.annotators.within is not None
    assert len(np.unique(crehate.annotators.within)) >= 5
