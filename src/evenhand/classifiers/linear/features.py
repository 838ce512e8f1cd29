"""Words to features: each distinct word of a text counts once, as a whole and through its parts.

The features of a text are a product of two sparse matrices: which words it has, and which parts each word has. Words
recur, so the second is small, and neither scoring nor training ever multiplies the two out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from evenhand.arrays import AnyFloats
from evenhand.classifiers.linear.settings import LinearSettings
from evenhand.classifiers.linear.words import U, WordHashes, WordIndices, Words, hash_spans, mix_bits, shouted_hashes

NEUTRAL_WORD = U(0x5EED)  # what every word that describes people counts as


@dataclass(frozen=True)
class Features:
    """`words` [texts × distinct words], `parts` [distinct words × buckets], `pairs` [texts × buckets]."""

    words: sparse.csr_matrix
    parts: sparse.csr_matrix
    pairs: sparse.csr_matrix

    def times(self, coefficients: AnyFloats) -> AnyFloats:
        """The features of each text times a column or a matrix of coefficients."""
        product: AnyFloats = self.words @ (self.parts @ coefficients) + self.pairs @ coefficients
        return product


class Featuriser:
    """Makes features of texts. `weight` is how much each bucket of words counts (rarer words count more)."""

    def __init__(self, settings: LinearSettings, weight: AnyFloats | None = None) -> None:
        self.settings = settings
        self.weight = np.ones(settings.buckets, dtype=np.float32) if weight is None else weight.astype(np.float32)
        described = Words.from_texts(settings.neutral)
        plain = np.unique(described.distinct[described.word])
        self._neutral = np.concatenate([plain, shouted_hashes(plain)])

    def __call__(self, texts: Sequence[str]) -> Features:
        words = Words.from_texts(texts)
        neutral = np.isin(words.distinct, self._neutral)
        known = np.where(neutral, NEUTRAL_WORD, words.distinct)
        heft = np.where(neutral, 0.0, self.weight[self._bucket(known)]).astype(np.float32)
        matrix, norm = self._words(words, heft)
        return Features(matrix, self._parts(words, known), self._pairs(words, known, norm))

    def _words(self, words: Words, heft: AnyFloats) -> tuple[sparse.csr_matrix, AnyFloats]:
        """Each text's distinct words by their weight, scaled to length one; and the lengths."""
        count = max(1, len(words.distinct))
        text, word = words.with_shouts if self.settings.shouts else (words.text, words.word)
        cells = text * count + word
        if self.settings.counts:
            cells, times = np.unique(cells, return_counts=True)
        else:
            cells, times = _distinct(cells), None
        text, word = np.divmod(cells, count)
        value = heft[word] if times is None else heft[word] * times.astype(np.float32)
        norm = np.sqrt(np.bincount(text, weights=np.square(value), minlength=words.texts))
        norm = np.where(norm > 0.0, norm, 1.0).astype(np.float32)
        return _matrix(value / norm[text], word, text, (words.texts, count)), norm

    def _parts(self, words: Words, known: WordHashes) -> sparse.csr_matrix:
        """The whole word, and its n-grams scaled by the root of how many there are."""
        count = len(known)
        length = np.diff(words.ends, prepend=0)
        owner = np.repeat(np.arange(count), length)
        left = words.ends[owner] - np.arange(len(owner))  # bytes from here to the end of the word
        parts = [(np.arange(count), self._bucket(known))]
        for size in self.settings.characters:
            start = np.flatnonzero(left >= size)
            grams = hash_spans(words.letters, start, start + size)
            parts.append((owner[start], self._bucket(mix_bits(grams + U(size)))))
        rows, columns = (np.concatenate(part) for part in zip(*parts, strict=True))
        order = np.argsort(rows, kind="stable")
        rows, columns = rows[order], columns[order]
        whole = np.ones(len(rows), dtype=bool)
        whole[np.diff(rows, prepend=-1) == 0] = False  # the word itself stands first in its row
        each = 1.0 / np.sqrt(np.maximum(1, np.bincount(rows, minlength=count) - 1))
        value = np.where(whole, 1.0, each[rows]).astype(np.float32)
        return _matrix(value, columns, rows, (max(1, count), self.settings.buckets))

    def _pairs(self, words: Words, known: WordHashes, norm: AnyFloats) -> sparse.csr_matrix:
        """Two words in a row, each pair once; several words in a row that say who is spoken of count as one."""
        shape = (words.texts, self.settings.buckets)
        if not self.settings.pairs:
            none = np.empty(0, dtype=np.intp)
            return _matrix(none.astype(np.float32), none, none, shape)
        token, text = known[words.word], words.text
        again = np.zeros(len(token), dtype=bool)
        again[1:] = (token[1:] == NEUTRAL_WORD) & (token[:-1] == NEUTRAL_WORD) & (text[1:] == text[:-1])
        if again.any():
            token, text = token[~again], text[~again]
        inside = text[1:] == text[:-1]
        both = mix_bits(token[:-1] * U(3) + (token[1:] ^ U(0xABCDEF1234567)))[inside]
        cells = _distinct(text[:-1][inside] * self.settings.buckets + self._bucket(both))
        text, bucket = np.divmod(cells, self.settings.buckets)
        value = np.float32(self.settings.pairs) / norm[text]
        return _matrix(value, bucket, text, shape)

    def _bucket(self, hashed: WordHashes) -> WordIndices:
        return (hashed & U(self.settings.buckets - 1)).astype(np.intp)


def _distinct(cells: WordIndices) -> WordIndices:
    ordered = np.sort(cells)
    first: WordIndices = ordered[np.diff(ordered, prepend=-1) != 0]
    return first


def _matrix(value: AnyFloats, column: WordIndices, row: WordIndices, shape: tuple[int, int]) -> sparse.csr_matrix:
    """From cells that are ordered by row."""
    starts = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=shape[0]))])
    return sparse.csr_matrix((value, column.astype(np.int32), starts.astype(np.int32)), shape=shape)
