"""The template test set: only the term differs between groups, and half of what is said violates."""

from __future__ import annotations

import re

import polars as pl
import pytest

import evenhand as eh
from evenhand.synthetic.sentence_templates import FILLERS, TEMPLATES
from evenhand.synthetic.templates import Subject, templates
from evenhand.synthetic.terms import IDENTITIES

WORDS = [word for identity in IDENTITIES for word in identity.words]
ABOUT = {word: identity.about for identity in IDENTITIES for word in identity.words}


@pytest.fixture(scope="module")
def table() -> pl.DataFrame:
    return templates()


@pytest.fixture(scope="module")
def crossed() -> pl.DataFrame:
    return templates(intersections=True)


def frame_of(table: pl.DataFrame, term: str) -> set[tuple[str, str, bool]]:
    """The sentences about one term, with the term cut out again by other code than put it in."""
    rows = table.filter(pl.col("term") == term).iter_rows(named=True)
    hole = re.compile(rf"(?:\b([Aa])n? )?(?<!\w){re.escape(term)}(?!\w)")
    return {(row["template"], hole.sub(r"\1 _", row["text"], count=1), row["label"]) for row in rows}


def test_columns_and_size(table: pl.DataFrame) -> None:
    assert table.columns == ["id", "text", "label", "template", "term", "second"]
    assert table.schema["label"] == pl.Boolean
    assert 75_000 <= len(table) <= 80_000
    assert table["term"].n_unique() == len(IDENTITIES) >= 50
    assert table["id"].n_unique() == table["text"].n_unique() == len(table)
    assert table["second"].null_count() == len(table)


def test_every_template_gives_as_many_sentences() -> None:
    assert {len(set(template.sentences())) for template in TEMPLATES} == {FILLERS}
    assert sum(template.violates for template in TEMPLATES) * 2 == len(TEMPLATES)
    assert len({template.name for template in TEMPLATES}) == len(TEMPLATES)


@pytest.mark.parametrize(
    "options", [{}, {"rows": 5000}, {"intersections": True}, {"intersections": True, "rows": 9000}]
)
def test_half_violates_for_every_term_and_pair(options) -> None:
    table = templates(**options)
    balance = table.group_by("term", "second").agg(pl.col("label").sum().alias("bad"), pl.len())
    assert (balance["bad"] * 2 == balance["len"]).all()
    assert balance.filter(pl.col("second").is_null())["len"].n_unique() == 1
    assert len(table) <= options.get("rows", len(table))


def test_every_term_meets_the_same_sentences(table: pl.DataFrame) -> None:
    first = frame_of(table, "gay")
    assert len(first) == len(TEMPLATES) * FILLERS
    for term in ("muslim", "african american", "elderly", "mixed-race", "european"):
        assert frame_of(table, term) == first, term
    some = templates(rows=7000, seed=4)
    assert frame_of(some, "gay") == frame_of(some, "old")


def test_a_term_is_in_its_sentences_as_a_word_and_no_other_is(table: pl.DataFrame) -> None:
    for term, part in table.filter(pl.col("term").is_in(["old", "man", "roma", "deaf", "asian"])).group_by("term"):
        assert part["text"].str.contains(rf"(^|\W){term[0]}(\W|$)").all()
    mentions = re.compile(r"(?<!\w)(" + "|".join(map(re.escape, sorted(WORDS, key=len, reverse=True))) + r")(?!\w)")
    for template in TEMPLATES:
        for sentence in template.sentences():
            assert sentence.count("{term}") == 1
            assert not mentions.search(sentence.lower().replace("{term}", "")), sentence


def test_articles(table: pl.DataFrame) -> None:
    for term, article in (
        *(("asian", "an"), ("lgbt", "an"), ("old", "an"), ("european", "a"), ("muslim", "a"), ("indigenous", "an")),
        *(("homosexual", "a"), ("unemployed", "an"), ("united", "a"), ("hour-long", "an"), ("Ukrainian", "a")),
    ):
        assert Subject(term).article == article, term
    assert Subject("old", "muslim").article == "an"
    wrong = r"\b[Aa] (asian|african|arab|indian|irish|italian|elderly|autistic|old)\b|\b[Aa]n (european|gay|muslim)\b"
    assert not table["text"].str.contains(wrong).any()
    assert table["text"].str.contains("^An asian").any()
    assert not table["text"].str.contains(r"[{}]").any()


def test_intersections_are_about_different_things(crossed: pl.DataFrame) -> None:
    pairs = crossed.filter(pl.col("second").is_not_null())
    assert len(crossed) - len(pairs) == len(templates())
    named = pairs.select("term", "second").unique().rows()
    assert all(ABOUT[one] != ABOUT[two] for one, two in named)
    expected = {frozenset((a.term, b.term)) for a in IDENTITIES for b in IDENTITIES if a.about != b.about}
    assert {frozenset(pair) for pair in named} == expected
    assert all(f"{one} {two}" in text for text, one, two in pairs.select("text", "term", "second").iter_rows())
    assert ("deaf", "muslim") in named


def test_the_same_seed_gives_the_same_rows() -> None:
    assert templates(rows=4000, seed=3).equals(templates(rows=4000, seed=3))
    assert not templates(rows=4000, seed=3).equals(templates(rows=4000, seed=4))
    assert templates(rows=4000)["template"].n_unique() == len(TEMPLATES)


def test_own_terms() -> None:
    table = templates(terms=["unemployed", "left-handed"], rows=100)
    assert len(table) == 100
    assert table["term"].unique().sort().to_list() == ["left-handed", "unemployed"]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"terms": []}, "at least one"),
        ({"terms": ["gay", "Gay"]}, "given twice"),
        ({"terms": ["gay", " "]}, "invalid term: ''"),
        ({"terms": ["a\x1bb"]}, "invalid term"),
        ({"rows": 10}, "10 rows are too few"),
        ({"seed": -1}, "invalid `seed`: -1"),
        ({"terms": ["gay", "left-handed"], "intersections": True}, "the category of the term 'left-handed'"),
        ({"terms": ["gay", "lesbian"], "intersections": True}, "terms of at least two categories"),
    ],
)
def test_bad_input(options, says: str) -> None:
    with pytest.raises(eh.InputError, match=says):
        templates(**options)


def test_a_model_that_dislikes_a_word_is_found_out(table: pl.DataFrame) -> None:
    """Scores that are right except that one term adds to them: the audit names that term and no other."""
    scored = table.with_columns(
        (
            0.2 + 0.4 * pl.col("label") + 0.25 * (pl.col("term") == "gay") + pl.col("template").hash() % 100 / 1000.0
        ).alias("p")
    )
    found = eh.audit(scored, score="p", label="label", group_by="term", audits="bias").findings[0]
    marked = {m.slice["group"] for m in found if m.measure == "negative_aeg" and "stands_out" in m.estimate.flags}
    assert marked == {"gay"}
