"""SMOTE (Chawla et al. 2002): additional items of the rare classes, each between two similar ones, before training.

A synthetic item lies on the line from an item to one of its nearest neighbours of the same class. Features are a
product of two matrices, and the line goes through the first alone: the parts of words stay what they are.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import sparse

from evenhand.arrays import AnyFloats, Ints
from evenhand.classifiers.linear.features import Features
from evenhand.classifiers.linear.settings import LinearSettings
from evenhand.classifiers.protocol import Targets
from evenhand.errors import InputError

CANDIDATES = 5000  # of a larger class, neighbours are looked for among so many, drawn at random
AT_ONCE = 256


def check_oversampling(truth: AnyFloats, targets: Targets) -> None:
    """Refuse what has no rare class, or a class without two items to lie between."""
    if targets.kind == "multi-label":
        raise InputError("oversampling needs one class for each text: with several label columns it cannot be done")
    for name, rows in zip(_names(targets), _classes(truth), strict=True):
        if len(rows) < 2:
            raise InputError(f"only one text is {name}: oversampling makes items between two, so it needs another")


def oversampled(features: Features, truth: AnyFloats, settings: LinearSettings) -> tuple[Features, AnyFloats]:
    """The items, and after them the synthetic ones: each class up to a share of the largest."""
    classes = _classes(truth)
    largest = max(map(len, classes))
    wanted = [max(0, round(settings.oversample_share * largest) - len(rows)) for rows in classes]
    lines = [
        _lines(features, rows, many, settings, k) for k, (rows, many) in enumerate(zip(classes, wanted, strict=True))
    ]
    between = sparse.vstack(lines, format="csr")
    made = [np.repeat(truth[rows[:1]], many, axis=0) for rows, many in zip(classes, wanted, strict=True)]
    words, pairs = (sparse.vstack([m, between @ m], format="csr") for m in (features.words, features.pairs))
    return Features(words, features.parts, pairs), np.concatenate([truth, *made])


def _lines(features: Features, rows: Ints, many: int, settings: LinearSettings, number: int) -> sparse.csr_matrix:
    """Each synthetic item as a mixture of two: [synthetic, items], every item of the class being used equally often."""
    shape = (many, features.words.shape[0])
    if not many:
        return sparse.csr_matrix(shape)
    rng = np.random.default_rng([settings.seed, number, 2])
    start = np.resize(rng.permutation(len(rows)), many)
    near = _nearest(features, rows, np.unique(start), settings.oversample_neighbours, rng)
    column = rng.integers(0, near.shape[1], many)
    end = near[np.searchsorted(np.unique(start), start), column]
    along = rng.random(many)
    cells = (np.concatenate([1.0 - along, along]), (np.tile(np.arange(many), 2), rows[np.concatenate([start, end])]))
    return sparse.csr_matrix(cells, shape=shape)


def _nearest(features: Features, rows: Ints, queries: Ints, count: int, rng: np.random.Generator) -> Ints:
    """For each item that is asked for, as a place in `rows`, the places of its nearest neighbours, never itself."""
    others = np.sort(rng.permutation(len(rows))[:CANDIDATES])
    known = _multiplied(features, rows[others])
    length = np.asarray(known.multiply(known).sum(axis=1)).ravel()
    count = min(count, len(rows) - 1)
    neighbours = np.empty((len(queries), count), dtype=np.int64)
    for first in range(0, len(queries), AT_ONCE):
        part = queries[first : first + AT_ONCE]
        far = length - 2.0 * (_multiplied(features, rows[part]) @ known.T).toarray()  # less what is the same for all
        far[part[:, None] == others] = np.inf
        neighbours[first : first + AT_ONCE] = others[np.argsort(far, axis=1, kind="stable")[:, :count]]
    return neighbours


def _multiplied(features: Features, rows: Ints) -> sparse.csr_matrix:
    return sparse.csr_matrix(features.words[rows] @ features.parts + features.pairs[rows])


def _classes(truth: AnyFloats) -> list[Ints]:
    """Rows of each class: of one column those that are not, then those that are."""
    which, many = (truth[:, 0].astype(int), 2) if truth.shape[1] == 1 else (truth.argmax(axis=1), truth.shape[1])
    return [np.flatnonzero(which == k) for k in range(many)]


def _names(targets: Targets) -> Sequence[str]:
    names = [f"'{name}'" for name in targets.classes]
    return [f"not {names[0]}", *names] if targets.kind == "binary" else names
