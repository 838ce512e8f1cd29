"""Labelled texts made on the spot: words of a small made-up language, some of which make a text violate."""

from __future__ import annotations

import numpy as np

from evenhand.classifiers.protocol import LabelledTexts, TargetKind, Targets

CLASSES: dict[TargetKind, tuple[str, ...]] = {
    "binary": ("toxic",),
    "multi-class": ("fine", "rude", "violent"),
    "multi-label": ("rude", "threat"),
}


def vocabulary(size: int, letters: str, seed: int = 0) -> list[str]:
    """Different words of four to nine letters, none of them three times in a row."""
    rng, found = np.random.default_rng([seed, 77]), {}
    while len(found) < size:
        word = "".join(rng.choice(list(letters), size=rng.integers(4, 10)))
        if not any(letter * 3 in word for letter in letters):
            found[word] = None
    return list(found)


WORDS = vocabulary(300, "abcdefghijklm")
OTHERS = vocabulary(300, "nopqrstuvwxyz", seed=1)


def labelled(
    kind: TargetKind = "binary", *, texts: int = 400, words: list[str] | None = None, seed: int = 0
) -> LabelledTexts:
    """Common and rare words; the label is drawn by what the words add up to."""
    rng, known = np.random.default_rng(seed), words or WORDS
    share = 1.0 / np.arange(3, len(known) + 3)
    classes = len(CLASSES[kind])
    pull = np.random.default_rng(99).normal(scale=1.6, size=(len(known), classes))
    drawn = [rng.choice(len(known), size=rng.integers(4, 20), p=share / share.sum()) for _ in range(texts)]
    said = np.array([pull[words].sum(axis=0) for words in drawn])
    if kind == "multi-class":
        best = np.argmax(said + rng.gumbel(size=said.shape), axis=1)
        truth = np.eye(classes)[best]
    else:
        truth = (said + rng.logistic(size=said.shape) > 0.8).astype(float)
    listed = [" ".join(known[word] for word in words) for words in drawn]
    return LabelledTexts(listed, truth.astype(np.float32), Targets(kind, CLASSES[kind]))
