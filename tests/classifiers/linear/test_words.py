"""Texts to words: all texts at once on bytes says what one letter after another says."""

from __future__ import annotations

from math import exp, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from classifiers import plain
from evenhand.classifiers.linear.words import Words, hash_word

TEXTS = [
    "",
    " ",
    "... --- (?) ;",
    "Don't SHOUT at me!!!!! SOOOO LOUD",
    "HE'LL go, won’t he? ‘No’",
    "a'aa aa'a 'a'a'a' !!'!",
    "R2D2 A I OK Ok oK 1000000 11'1",
    "snake_case e-mail @you #tag a.b.c",
    "🙂🙂🙂🙂 nice 👩‍👩‍👧 ok",
    "ÉTÉ été ÜBER Straße ẞ İstanbul ΣΑΣ aΣ ΑΣ",
    "ＦＵＬＬ　ＷＩＤＴＨ！！！ ﬃ ½ ² \u212a\u212a\u212a",
    "漢字かな交じり文、句読点。" * 5,
    "\ud800 a\udfffb \ud83d",
    "nul\x00byte\x00\x00 \x7f\x80\xff",
    "tab\tnew\nline\r\n\u2028x\u00a0y…z–w—v",
    "x" * 100 + "ab" * 40,
    "AB" * 20 + "a",
    "e\u0301 e\u0301\u0301 a\u0300" * 9,
]
LETTERS = st.one_of(st.sampled_from("aabbAB!!''’ 1.-éÉ漢🙂\x00\ud800ＡİΣ"), st.characters())


def spelt(texts: list[str]) -> list[tuple[list[bytes], list[bytes]]]:
    """For each text its words and what is shouted, as bytes."""
    found = Words.from_texts(texts)
    starts = [0, *found.ends][:-1]
    marked = [bytes(found.letters[a:b]) for a, b in zip(starts, found.ends, strict=True)]
    assert all(word.startswith(b"^") and word.endswith(b"$") for word in marked)
    assert len(marked) == len(found.distinct)
    answer: list[tuple[list[bytes], list[bytes]]] = [([], []) for _ in texts]
    for place, (text, word) in enumerate([(found.text, found.word), found.shouts]):
        for number, which in zip(text, word, strict=True):
            answer[number][place].append(marked[which][1:-1])
    return answer


def expected(text: str) -> tuple[list[bytes], list[bytes]]:
    found = plain.words(text)
    return [word.letters for word in found], [word.letters for word in found if word.loud]


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_words_by_hand_written_texts(text: str) -> None:
    assert spelt([text]) == [expected(text)]


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.lists(st.text(LETTERS, max_size=80), max_size=4))
def test_words_of_any_texts(texts: list[str]) -> None:
    assert spelt(texts) == [expected(text) for text in texts]


def test_what_is_meant_by_it() -> None:
    """The definition itself, in examples that do not depend on any code."""
    assert spelt(["Don't SHOUT, noooo!!!!"]) == [([b"dont", b"shout", b"noo", b"!!"], [b"shout"])]
    assert spelt(["a'aa A I OK"]) == [([b"aa", b"a", b"i", b"ok"], [b"ok"])]
    assert spelt(["Été ＡＢＣ"]) == [(["été".encode(), b"abc"], [b"abc"])]
    assert spelt(["漢" * 11]) == [(["漢".encode() * 10 + "漢".encode()[:2], "漢".encode()[2:]], [])]
    assert spelt(["\x00\ud800?"]) == spelt([""]) == [([], [])]
    assert spelt([]) == []


def test_a_megabyte_without_a_space() -> None:
    rng = np.random.default_rng(0)
    long = bytes(rng.choice(list(b"abcdefghXYZ"), 1_000_000).astype(np.uint8)).decode()
    assert spelt(["before", long, "a" * 1_000_000, "after"]) == [expected(t) for t in ("before", long, "aa", "after")]


def test_hashes_by_their_definition() -> None:
    found = Words.from_texts(TEXTS)
    every = {plain.hashed(word.letters) for text in TEXTS for word in plain.words(text)}
    loud = {plain.hashed(word.letters) for text in TEXTS for word in plain.words(text) if word.loud}
    shouted = {plain.mixed(value ^ 0x5D0C) for value in loud}
    assert set(found.distinct.tolist()) == every | shouted
    assert (np.diff(found.distinct.astype(object)) > 0).all()


def test_the_hash_of_a_word_does_not_depend_on_how_it_is_written() -> None:
    for word in ("lgbt", "nasa", "abc", "don't", "été", "a"):
        assert (
            hash_word(word)
            == hash_word(word.upper())
            == hash_word(f" {word.title()}. ")
            == Words.from_texts([word]).distinct[0]
        )


def made_up(count: int) -> list[str]:
    """Different words: numbers, short ones that share most of their letters, long ones at random."""
    rng, letters = np.random.default_rng(1), "abcdefghijklmnopqrstuvwxyz"
    found = {str(number) for number in range(20_000)}
    found |= {a + b + c + d for a in letters for b in letters for c in letters for d in "aei"}
    while len(found) < 2 * count:
        found.add("".join(rng.choice(list(letters), size=rng.integers(5, 12))))
    kept = sorted(word for word in found if not any(word[i] * 3 in word for i in range(len(word))))
    return [str(word) for word in rng.choice(kept, size=count, replace=False)]


@pytest.mark.verify
def test_different_words_have_different_hashes_and_spread_evenly() -> None:
    """As many buckets are filled as by throwing at random: within five standard deviations, from either end."""
    listed = made_up(100_000)
    found = Words.from_texts([" ".join(listed)])
    assert len(found.word) == len(found.distinct) == len(listed)
    bins, load = 1 << 17, len(listed) / (1 << 17)
    mean, deviation = bins * (1 - exp(-load)), sqrt(bins * exp(-load) * (1 - (1 + load) * exp(-load)))
    for shift in (0, 20, 47):
        filled = len(np.unique(found.distinct >> np.uint64(shift) & np.uint64(bins - 1)))
        assert abs(filled - mean) < 5 * deviation


def test_a_text_has_the_same_words_whatever_stands_beside_it() -> None:
    def by_hash(texts: list[str]) -> list[tuple[list[int], list[int]]]:
        found = Words.from_texts(texts)
        loud_text, loud = found.shouts
        return [
            (found.distinct[found.word[found.text == t]].tolist(), found.distinct[loud[loud_text == t]].tolist())
            for t in range(len(texts))
        ]

    order = np.random.default_rng(2).permutation(len(TEXTS))
    whole, shuffled = by_hash(TEXTS), by_hash([TEXTS[i] for i in order])
    assert [whole[i] for i in order] == shuffled
    assert whole == [by_hash([text])[0] for text in TEXTS]
