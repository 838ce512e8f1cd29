"""The linear model's words and features by their definition: one text, one byte, one feature at a time."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from itertools import groupby, pairwise
from math import sqrt

import numpy as np

from evenhand.classifiers.linear import LinearSettings
from evenhand.classifiers.linear.features import NEUTRAL_WORD
from evenhand.classifiers.linear.words import BASE, SHOUTED

ALIKE = {"‘": "'", "’": "'", "“": '"', "”": '"', "–": "-", "—": "-", "…": ".", "\xa0": " "}
MODULUS = 1 << 64


@dataclass(frozen=True)
class Word:
    """The bytes of a word, and whether all of them were capitals."""

    letters: bytes
    loud: bool


def words(text: str) -> list[Word]:
    """Lower case, no apostrophes, no letter, digit or ! more than twice in a row, pieces of 32 bytes."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", "".join(ALIKE.get(letter, letter) for letter in text))
    written: list[tuple[int, bool]] = []
    for ascii_, letters in groupby(text, str.isascii):
        if ascii_:
            written += [(ord(letter.lower()), letter.isupper()) for letter in letters if letter != "'"]
        else:
            written += [(byte, False) for byte in "".join(letters).lower().encode("utf-8", "replace")]
    kept = [one for byte, run in groupby(written, lambda pair: pair[0]) for one in limited(byte, list(run))]
    runs = [list(run) for kind, run in groupby(kept, lambda pair: kind_of(pair[0])) if kind]
    pieces = [run[start : start + 32] for run in runs for start in range(0, len(run), 32)]
    return [Word(bytes(b for b, _ in piece), len(piece) > 1 and all(loud for _, loud in piece)) for piece in pieces]


def kind_of(byte: int) -> str:
    """What a byte is part of; nothing where it stands between words."""
    if byte >= 128 or chr(byte) in "abcdefghijklmnopqrstuvwxyz0123456789":
        return "word"
    return "call" if byte == ord("!") else ""


def limited(byte: int, run: list[tuple[int, bool]]) -> list[tuple[int, bool]]:
    return run[:2] if byte < 128 and kind_of(byte) else run


def hashed(letters: bytes) -> int:
    """A polynomial of the bytes modulo 2⁶⁴, and their number, mixed."""
    total = sum((byte + 1) * pow(BASE, place, MODULUS) for place, byte in enumerate(letters))
    return mixed(total + len(letters))


def mixed(value: int) -> int:
    value %= MODULUS
    value ^= value >> 32
    for _ in range(2):
        value = value * 0xD6E8FEB86659FD93 % MODULUS
        value ^= value >> 32
    return value


def product(text: str, settings: LinearSettings, weight: np.ndarray, coefficients: np.ndarray) -> np.ndarray:
    """The features of one text times coefficients."""

    def of(feature: int) -> np.ndarray:
        return coefficients[feature % settings.buckets]

    neutral = {word.letters for term in settings.neutral for word in words(term)}
    found = words(text)
    times: dict[tuple[bytes, bool], int] = {}
    for word in found:
        for loud in (False, True) if word.loud and settings.shouts else (False,):
            times[word.letters, loud] = times.get((word.letters, loud), 0) + 1 if settings.counts else 1
    total, squares = np.zeros(coefficients.shape[1]), 0.0
    for (letters, loud), count in times.items():
        if letters in neutral:
            continue
        whole = mixed(hashed(letters) ^ int(SHOUTED)) if loud else hashed(letters)
        value = count * float(weight[whole % settings.buckets])
        squares += value**2
        total += value * (of(whole) + parts(letters, settings, of, coefficients.shape[1]))
    tokens = [None if word.letters in neutral else hashed(word.letters) for word in found]
    tokens = [token for place, token in enumerate(tokens) if token or not place or tokens[place - 1]]
    for one, two in set(pairwise(tokens)):
        first, second = (int(NEUTRAL_WORD) if token is None else token for token in (one, two))
        total += settings.pairs * of(mixed(first * 3 + (second ^ 0xABCDEF1234567))) if settings.pairs else 0.0
    return total / (sqrt(squares) or 1.0)


def parts(letters: bytes, settings: LinearSettings, of, columns: int) -> np.ndarray:
    """The n-grams of ^word$, scaled by the root of how many there are."""
    marked = b"^" + letters + b"$"
    grams = [marked[i : i + size] for size in settings.characters for i in range(len(marked) - size + 1)]
    total = np.zeros(columns)
    for gram in grams:
        total += of(mixed(hashed(gram) + len(gram)))
    return total / sqrt(len(grams) or 1)
