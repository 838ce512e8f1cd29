"""Words to features: the product of sparse matrices says what adding up one feature after another says."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from classifiers import plain
from evenhand.classifiers.linear import UNIGRAM, LinearSettings
from evenhand.classifiers.linear.features import Featuriser
from evenhand.synthetic.terms import IDENTITIES, PEOPLE

BITS = 20
WHOLE = LinearSettings(bits=BITS)
VARIANTS = {
    "default": WHOLE,
    "counts": replace(WHOLE, counts=True),
    "quiet": replace(WHOLE, shouts=False),
    "no pairs": replace(WHOLE, pairs=0.0),
    "no parts": replace(WHOLE, characters=()),
    "long and short parts": replace(WHOLE, characters=(1, 8), pairs=0.5),
    "nobody neutral": replace(WHOLE, neutral=()),
    "own neutral terms": replace(WHOLE, neutral=("Middle-Aged", "NASA", "d'accord")),
    "unigram": replace(UNIGRAM, bits=BITS),
}
TEXTS = [
    "",
    "?! ...",
    "The quick brown fox jumps over the lazy dog, the lazy dog sleeps",
    "You are STUPID, STUPID, stupid!!! banana bananas",
    "Some BLACK people and some white people and some young old folks agree",
    "old",
    "people people women",
    "african american families, African-American men; MIDDLE-AGED women of NASA, d'accord?",
    "x yy zzz " * 20 + "wwww",
    "éèê 漢字漢字 🙂🙂 ok \x00 \ud800",
    "ab" * 60,
]
SAID = ("the", "fool", "FOOL", "old", "OLD", "women", "WOMEN", "you", "aa'a", "!!", ",", "é")
RNG = np.random.default_rng(5)
COEFFICIENTS = RNG.normal(size=(1 << BITS, 3))
WEIGHT = RNG.uniform(0.5, 9.0, size=1 << BITS).astype(np.float32)


def check(texts: list[str], settings: LinearSettings) -> None:
    found = Featuriser(settings, WEIGHT)(texts).times(COEFFICIENTS)
    reference = np.array([plain.product(text, settings, WEIGHT, COEFFICIENTS) for text in texts]).reshape(-1, 3)
    np.testing.assert_allclose(found, reference, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("variant", VARIANTS)
def test_features_by_their_definition(variant: str) -> None:
    check(TEXTS, VARIANTS[variant])


@examples(max_examples=60, deadline=None, derandomize=True)
@given(
    st.lists(st.lists(st.sampled_from(SAID), max_size=12).map(" ".join), max_size=3),
    st.sampled_from(sorted(VARIANTS)),
)
def test_features_of_any_texts(texts: list[str], variant: str) -> None:
    check(texts, VARIANTS[variant])


def test_without_weights_every_word_counts_the_same() -> None:
    ones = np.ones(1 << BITS)
    found = Featuriser(WHOLE)(TEXTS).times(COEFFICIENTS)
    reference = [plain.product(text, WHOLE, ones, COEFFICIENTS) for text in TEXTS]
    np.testing.assert_allclose(found, reference, rtol=1e-5, atol=1e-5)


def test_the_words_of_a_text_have_length_one_or_none() -> None:
    for settings in VARIANTS.values():
        length = np.sqrt(Featuriser(settings, WEIGHT)(TEXTS).words.power(2).sum(axis=1)).A1
        np.testing.assert_allclose(length[[2, 3, 8]], 1.0, rtol=1e-5)
        assert length[0] == 0.0
    assert np.sqrt(Featuriser(WHOLE, WEIGHT)(TEXTS).words.power(2).sum(axis=1)).A1[[5, 6]].tolist() == [0.0, 0.0]


FRAMES = ["I hate {} neighbours.", "{}!", "as {} as it gets, {} or not, {}", "{} {} people", "Who is {}? Nobody."]
TERMS = sorted({word for identity in IDENTITIES for word in identity.words} | set(PEOPLE))


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("written", [str.lower, str.title, str.upper])
def test_texts_that_differ_only_in_who_is_spoken_of_are_alike(frame: str, written) -> None:
    """Bit for bit, in one word or several, in capitals too."""
    texts = [frame.replace("{}", written(term)) for term in TERMS]
    assert {"middle-aged", "african american", "gay", "women"} < set(TERMS)
    found = Featuriser(WHOLE, WEIGHT)(texts).times(COEFFICIENTS)
    np.testing.assert_array_equal(found, np.broadcast_to(found[0], found.shape))
    if frame != "{}!":
        others = Featuriser(WHOLE, WEIGHT)([frame.replace("{}", word) for word in ("brick", "left handed")])
        assert (np.abs(others.times(COEFFICIENTS) - found[:2]) > 1e-3).all()


def test_words_that_weigh_nothing_do_not_blow_up_their_pairs() -> None:
    """A text of stop words alone has no length to be scaled by."""
    found = Featuriser(replace(WHOLE, stop_words=True), np.zeros(1 << BITS))(["the of the and"])
    assert np.abs(found.pairs.data).max() == WHOLE.pairs
    assert found.words.data.max() == 0.0


def test_features_do_not_depend_on_what_stands_beside_them() -> None:
    make = Featuriser(WHOLE, WEIGHT)
    whole = make(TEXTS).times(COEFFICIENTS)
    order = np.random.default_rng(6).permutation(len(TEXTS))
    np.testing.assert_array_equal(make([TEXTS[i] for i in order]).times(COEFFICIENTS), whole[order])
    np.testing.assert_array_equal(np.concatenate([make([text]).times(COEFFICIENTS) for text in TEXTS]), whole)
    assert make([]).times(COEFFICIENTS).shape == (0, 3)
