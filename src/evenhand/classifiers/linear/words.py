"""Texts to hashed words, for all texts at once.

Everything is done on one array of bytes with NumPy: scikit-learn's hashing of character n-grams, which walks the
texts in Python, takes fifteen times as long. Hashes are polynomials of the bytes modulo 2⁶⁴, so that the hash of any
span is a difference of two prefix sums.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

U = np.uint64
Bytes = npt.NDArray[np.uint8]
WordHashes = npt.NDArray[np.uint64]
WordIndices = npt.NDArray[np.intp]

BASE = 0x9E3779B97F4A7C15  # odd, so that it has an inverse modulo 2⁶⁴
TEXT_END = 255  # between two texts; no UTF-8 text holds this byte
LONGEST_WORD = 32  # longer runs of letters (no spaces between words, or noise) are cut into pieces of so many bytes
APOSTROPHE = ord("'")
LETTER, EXCLAMATION = 1, 2  # what words are made of: letters and digits, or exclamation marks
KIND = np.zeros(256, dtype=np.int8)
KIND[list(b"abcdefghijklmnopqrstuvwxyz0123456789")] = LETTER
KIND[128:TEXT_END] = LETTER
KIND[ord("!")] = EXCLAMATION
LOWER = np.arange(256, dtype=np.uint8)
LOWER[65:91] += 32
FOREIGN = re.compile(r"[^\x00-\x7f]+")
SHOUTED = U(0x5D0C)
SAME_LETTERS = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "–": "-", "—": "-", "…": ".", "\u00a0": " "})


@dataclass(frozen=True)
class Words:
    """The words of some texts: for each word in turn the text it is in and which of the distinct words it is.

    A word in capitals counts twice: as the word, and again, in `shouts`, as that word shouted.
    """

    texts: int
    text: WordIndices
    word: WordIndices
    shouts: tuple[WordIndices, WordIndices]
    distinct: WordHashes
    letters: Bytes  # of the distinct words one after another, each as ^word$
    ends: WordIndices  # where each of them ends in `letters`

    @classmethod
    def from_texts(cls, texts: Sequence[str]) -> Words:
        """Split into words: lower case, without apostrophes, no letter more than twice in a row."""
        letters, capital = _letters(texts)
        start, end = _runs(letters)
        text = np.searchsorted(np.flatnonzero(letters == TEXT_END), start)
        hashed = hash_spans(letters, start, end)
        loud = np.flatnonzero(_shouted(capital, start, end))
        order = np.concatenate([np.arange(len(start)), loud])
        every = np.concatenate([hashed, shouted_hashes(hashed[loud])])
        distinct, first, word = np.unique(every, return_index=True, return_inverse=True)
        spelt, ends = _spelt(letters, start[order[first]], end[order[first]])
        count = len(start)
        return cls(len(texts), text, word[:count], (text[loud], word[count:]), distinct, spelt, ends)

    @property
    def with_shouts(self) -> tuple[WordIndices, WordIndices]:
        """All of them."""
        return np.concatenate([self.text, self.shouts[0]]), np.concatenate([self.word, self.shouts[1]])


def hash_word(word: str) -> int:
    """The hash of one word, however it is written."""
    words = Words.from_texts([word])
    return int(words.distinct[words.word[0]])


def hash_spans(letters: Bytes, start: WordIndices, end: WordIndices) -> WordHashes:
    """The hash of each stretch of the bytes."""
    power, inverse = _powers(_room(len(letters)))
    prefix = np.zeros(len(letters) + 1, dtype=U)
    np.cumsum((letters.astype(U) + U(1)) * power[: len(letters)], out=prefix[1:])
    return mix_bits((prefix[end] - prefix[start]) * inverse[start] + (end - start).astype(U))


def shouted_hashes(hashed: WordHashes) -> WordHashes:
    """The hash of each word when it is shouted."""
    return mix_bits(hashed ^ SHOUTED)


def mix_bits(values: WordHashes) -> WordHashes:
    """Every bit of the result depends on every bit of the value."""
    values = values ^ (values >> U(32))
    for _ in range(2):
        values = values * U(0xD6E8FEB86659FD93)
        values ^= values >> U(32)
    return values


def _letters(texts: Sequence[str]) -> tuple[Bytes, npt.NDArray[np.bool_]]:
    """The bytes of all texts in lower case, each followed by END; and which were capitals."""
    plain = [text if text.isascii() else _normalise(text) for text in texts]
    written = np.frombuffer(b"".join([text.encode("utf-8", "replace") + b"\xff" for text in plain]), dtype=np.uint8)
    written = written[written != APOSTROPHE]
    letters = LOWER[written]
    same = letters[1:] == letters[:-1]
    keep = np.ones(len(letters), dtype=bool)
    keep[2:] = ~(same[1:] & same[:-1] & (letters[2:] < 128) & (KIND[letters[2:]] > 0))
    return letters[keep], (letters != written)[keep]


def _normalise(text: str) -> str:
    """One form for letters that look the same; those beyond ASCII in lower case."""
    normal = unicodedata.normalize("NFKC", text.translate(SAME_LETTERS))
    return FOREIGN.sub(lambda match: match[0].lower(), normal)


def _shouted(capital: npt.NDArray[np.bool_], start: WordIndices, end: WordIndices) -> npt.NDArray[np.bool_]:
    """Words of two letters or more, all of them capitals."""
    before = np.concatenate([[0], np.cumsum(capital)])
    shouted: npt.NDArray[np.bool_] = (end - start > 1) & (before[end] - before[start] == end - start)
    return shouted


def _runs(letters: Bytes) -> tuple[WordIndices, WordIndices]:
    """Where each word starts and ends."""
    kind = KIND[letters]
    change = np.diff(kind, prepend=0, append=0) != 0
    start = np.flatnonzero(change[:-1] & (kind > 0))
    end = np.flatnonzero(change[1:] & (kind > 0)) + 1
    pieces = -(-(end - start) // LONGEST_WORD)
    if len(pieces) and pieces.max() > 1:
        piece = np.arange(pieces.sum()) - np.repeat(np.cumsum(pieces) - pieces, pieces)
        start, end = np.repeat(start, pieces) + piece * LONGEST_WORD, np.repeat(end, pieces)
        end = np.minimum(end, start + LONGEST_WORD)
    return start, end


def _spelt(letters: Bytes, start: WordIndices, end: WordIndices) -> tuple[Bytes, WordIndices]:
    """Some words one after another, each between two marks."""
    length = end - start + 2
    ends = np.cumsum(length)
    place = np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - length, length)
    source = np.repeat(start, length) + place - 1
    spelt = letters[np.clip(source, 0, len(letters) - 1)]
    spelt[(ends - length)] = ord("^")
    spelt[ends - 1] = ord("$")
    return spelt, ends


def _room(size: int) -> int:
    return 1 << max(16, size.bit_length())


@lru_cache(maxsize=2)
def _powers(size: int) -> tuple[WordHashes, WordHashes]:
    """Powers of the base and of its inverse."""
    powers = []
    for base in (BASE, pow(BASE, -1, 1 << 64)):
        factors = np.full(size, U(base))
        factors[0] = 1
        powers.append(np.cumprod(factors, dtype=U))
    return powers[0], powers[1]
