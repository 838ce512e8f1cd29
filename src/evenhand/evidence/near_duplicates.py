"""Near-duplicate texts: copies with a word changed, a link added or another spelling (MinHash, Broder 1997).

A text is the set of its runs of five letters. The least of a random numbering over the set is the same for two texts as
often as the sets overlap (Jaccard). So 48 such numberings are taken of each text; texts that agree in four neighbouring
ones are compared, and are near-duplicates where at least 0.7 of the numberings agree. What is linked by a chain of such
pairs is one cluster.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import polars as pl

from evenhand.arrays import Ints

RUN = 5  # bytes
NUMBERINGS, BAND = 48, 4
ALIKE = 0.7
CHUNK = 4_000_000  # bytes at once
UInt64s = npt.NDArray[np.uint64]


def near_duplicate_codes(texts: pl.Series) -> Ints:
    """A number per text, the same for near-duplicates; a text without letters or digits is alone."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    plain = texts.str.replace_all(r"[^\p{L}\p{N}]+", " ").str.strip_chars()
    signatures = np.concatenate([_signatures(chunk) for chunk in _chunks(plain)])
    some = np.flatnonzero((plain.str.len_bytes() > 0).to_numpy())
    pairs = np.concatenate([_candidates(signatures, some, band) for band in range(0, NUMBERINGS, BAND)])
    near = pairs[(signatures[pairs[:, 0]] == signatures[pairs[:, 1]]).mean(axis=1) >= ALIKE]
    links = coo_matrix((np.ones(len(near), dtype=bool), (near[:, 0], near[:, 1])), shape=(len(plain), len(plain)))
    return np.asarray(connected_components(links, directed=False)[1], dtype=np.int64)


def _chunks(texts: pl.Series) -> Iterator[pl.Series]:
    """Pieces of a limited number of bytes."""
    ends = np.cumsum(texts.str.len_bytes().to_numpy().astype(np.int64) + RUN)
    for number in range(int(ends[-1] // CHUNK) + 1):
        low, high = np.searchsorted(ends, [number * CHUNK, (number + 1) * CHUNK])
        yield texts.slice(int(low), int(high - low))


def _signatures(texts: pl.Series) -> npt.NDArray[np.uint32]:
    """The least of each numbering over the runs of each text, which is padded to one run."""
    if not len(texts):
        return np.empty((0, NUMBERINGS), dtype=np.uint32)
    padded = [text.encode().ljust(RUN) for text in texts.to_list()]
    lengths = np.array([len(text) for text in padded])
    letters = np.frombuffer(b"".join(padded), dtype=np.uint8).astype(np.uint64)
    runs = np.zeros(len(letters) - RUN + 1, dtype=np.uint64)
    for place in range(RUN):
        runs = (runs << np.uint64(8)) | letters[place : len(runs) + place]
    starts = np.cumsum(lengths) - lengths
    inside = np.ones(len(letters), dtype=bool)
    inside[(starts + lengths)[:, None] - np.arange(1, RUN)] = False  # runs that go on into the next text
    whole_runs, firsts = runs[inside[: len(runs)]], np.cumsum(lengths - RUN + 1) - (lengths - RUN + 1)
    return np.stack([np.minimum.reduceat(_numbered(whole_runs, seed), firsts) for seed in range(NUMBERINGS)], axis=1)


def _numbered(runs: UInt64s, seed: int) -> npt.NDArray[np.uint32]:
    """A pseudo-random number for each run: multiply and shift, with odd factors that are the same on every machine."""
    factors = np.random.default_rng(seed).integers(0, 2**63, 2, dtype=np.uint64) | np.uint64(1)
    mixed = runs * factors[0]
    mixed ^= mixed >> np.uint64(29)
    mixed *= factors[1]
    numbers: npt.NDArray[np.uint32] = (mixed >> np.uint64(32)).astype(np.uint32)
    return numbers


def _candidates(signatures: npt.NDArray[np.uint32], rows: Ints, band: int) -> Ints:
    """Neighbours among texts that agree in one band, sorted by it."""
    part = np.ascontiguousarray(signatures[rows, band : band + BAND]).view(np.dtype((np.void, 4 * BAND))).ravel()
    order = np.argsort(part, kind="stable")
    same = part[order][1:] == part[order][:-1]
    return np.stack([rows[order[:-1][same]], rows[order[1:][same]]], axis=1)
