"""Sentences that teach a model to look past who is spoken of: balanced, paired, and none of the template tests."""

from __future__ import annotations

import re

import numpy as np
import pytest

from evenhand.synthetic.balanced_sentences import (
    ABOUT_NOBODY,
    BENIGN,
    INSULTS,
    PEOPLE,
    PERSON,
    PLAIN,
    THINGS,
    VIOLATING,
    BalancedSentences,
    balanced_sentences,
)
from evenhand.synthetic.sentence_templates import TEMPLATES
from evenhand.synthetic.templates import Subject, templates
from evenhand.synthetic.terms import IDENTITIES

ROWS = 12_000
TERMS = sorted((identity.term for identity in IDENTITIES), key=len, reverse=True)
NAMED = re.compile(r"(?<![\w-])(" + "|".join(map(re.escape, TERMS)) + r")(?![\w-])")


@pytest.fixture(scope="module")
def sentences() -> BalancedSentences:
    return balanced_sentences(ROWS)


def named(text: str) -> set[str]:
    """Who is spoken of, by other code than put them in: people of both the term and the word behind it."""
    return set(NAMED.findall(text.lower()))


def every_filling() -> dict[str, set[str]]:
    """All that can ever be said, benign and violating, in lower case."""
    found = {}
    for kind, patterns in (("benign", BENIGN), ("violating", VIOLATING), ("plain", PLAIN), ("insults", INSULTS)):
        found[kind] = {
            pattern.format(adj=t, a=f"{Subject(t).article} {t}", people=many, person=one, thing=thing).lower()
            for pattern in patterns
            for t in (TERMS if "{a" in pattern else TERMS[:1])
            for many in (PEOPLE if "{people}" in pattern else PEOPLE[:1])
            for one in (PERSON if "{person}" in pattern else PERSON[:1])
            for thing in (THINGS if "{thing}" in pattern else THINGS[:1])
        }
    return found


def test_half_violates_by_turns(sentences: BalancedSentences) -> None:
    assert len(sentences.texts) == len(sentences.violating) == ROWS
    np.testing.assert_array_equal(sentences.violating, np.arange(ROWS) % 2 == 1)
    odd = balanced_sentences(7)
    assert (len(odd.texts), odd.violating.sum()) == (7, 3)
    assert odd.texts == sentences.texts[:7]
    assert balanced_sentences(0).texts == []


def test_every_sentence_is_of_its_kind(sentences: BalancedSentences) -> None:
    known = every_filling()
    benign, bad = known["benign"] | known["plain"], known["violating"] | known["insults"]
    assert not benign & bad
    for text, violates in zip(sentences.texts, sentences.violating, strict=True):
        assert text.lower() in (bad if violates else benign), text
        assert text[0] == text[0].upper()


def test_the_two_of_a_pair_name_the_same_people(sentences: BalancedSentences) -> None:
    """Unless both name nobody: strong words about a thing, and an insult."""
    things, insults = every_filling()["plain"], every_filling()["insults"]
    about_things = 0
    for benign, violating in zip(sentences.texts[::2], sentences.texts[1::2], strict=True):
        if benign.lower() in things:
            about_things += 1
            assert violating.lower() in insults
            continue
        one, other = named(benign), named(violating)
        assert one == other, (benign, violating)
        assert one
    pairs = ROWS // 2
    error = np.sqrt(ABOUT_NOBODY * (1 - ABOUT_NOBODY) / pairs)
    assert about_things / pairs == pytest.approx(ABOUT_NOBODY, abs=4 * error)


def test_every_group_is_named_as_often(sentences: BalancedSentences) -> None:
    """A χ² test of how often each is named in violating sentences, and in benign ones."""
    from scipy import stats

    for violates in (False, True):
        texts = [t for t, v in zip(sentences.texts, sentences.violating, strict=True) if v == violates]
        first = [match[1] for match in (NAMED.search(text.lower()) for text in texts) if match]
        counts = np.array([first.count(term) for term in TERMS])
        assert stats.chisquare(counts).pvalue > 1e-3
        assert counts.min() > 0


def test_no_sentence_is_one_of_the_template_tests(sentences: BalancedSentences) -> None:
    """Not one that was drawn, nor one that could be."""
    tested = {text.lower() for text in templates()["text"]}
    assert not tested & {text.lower() for text in sentences.texts}
    frames = {s.lower() for t in TEMPLATES for s in t.sentences()}
    for kind, said in every_filling().items():
        assert not tested & said, kind
        assert not frames & said, kind


def test_articles(sentences: BalancedSentences) -> None:
    wrong = r"\b[Aa]n (european|gay|muslim|heterosexual)\b|\b[Aa] (lgbt|asian|old|irish|elderly|intersex|arab)\b"
    assert not [text for text in sentences.texts if re.search(wrong, text)]
    assert any("an lgbt" in text for text in sentences.texts)
    assert not any("{" in text for text in sentences.texts)


def test_the_same_seed_gives_the_same_sentences(sentences: BalancedSentences) -> None:
    assert balanced_sentences(ROWS).texts == sentences.texts
    other = balanced_sentences(ROWS, seed=1).texts
    assert np.mean([one == two for one, two in zip(sentences.texts, other, strict=True)]) < 0.05
