"""Training of a linear model: every member on its own bag of the texts, by ridge-penalised logistic regression.

L-BFGS on the factored features. scikit-learn's solvers take neither a product of two matrices nor a penalty that
draws to something other than zero, and would need the product multiplied out: ten times the memory and time.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from threading import Lock
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import optimize, sparse, special

from evenhand.arrays import AnyFloats
from evenhand.classifiers.linear.features import Features, Featuriser
from evenhand.classifiers.linear.oversampling import check_oversampling, oversampled
from evenhand.classifiers.linear.settings import LinearSettings
from evenhand.classifiers.linear.words import hash_word
from evenhand.classifiers.protocol import LabelledTexts
from evenhand.errors import InputError
from evenhand.progress import Progress, silent

WORKERS = 2  # NumPy and SciPy let go of the interpreter while they multiply


@dataclass(frozen=True)
class TrainedCoefficients:
    """What training leaves: coefficients [buckets, members, classes], offsets [members, classes], weights of words."""

    coefficients: npt.NDArray[np.float32]
    offsets: npt.NDArray[np.float32]
    weight: npt.NDArray[np.float32]


def train_members(data: LabelledTexts, settings: LinearSettings, progress: Progress = silent) -> TrainedCoefficients:
    """Train all members; the same data and settings give the same bits."""
    _check_training_data(data, settings)
    progress("counting words", 0, 0)
    featuriser = Featuriser(settings)
    features = featuriser(data.texts)
    if not features.parts.nnz:
        raise InputError("no text contains a word: there is nothing to train on")
    weight = _word_weight(features, settings)
    features = Featuriser(settings, weight)(data.texts)
    scale = _scale(features, settings)
    features, truth = _scaled(features, scale), data.truth
    if settings.oversample == "smote":
        progress("oversampling", 0, 0)
        features, truth = oversampled(features, truth, settings)
    problem = _Regression(features, truth, data.targets.exclusive, settings)
    trained: dict[int, tuple[AnyFloats, AnyFloats]] = {}
    rounds = _RoundCounter(settings, progress)
    with ThreadPoolExecutor(max_workers=WORKERS) as pool:
        waiting = {pool.submit(problem.solve, member, rounds.one): member for member in range(settings.members)}
        for done in as_completed(waiting):
            trained[waiting[done]] = done.result()
            rounds.finished(waiting[done])
    members = [trained[member] for member in range(settings.members)]
    coefficients = np.stack([scale[:, None] * solved for solved, _ in members], axis=1)
    return TrainedCoefficients(
        coefficients.astype(np.float32), np.stack([o for _, o in members]).astype(np.float32), weight
    )


class _RoundCounter:
    """How far all members have come together, in rounds; one that needs fewer than it may have is done at once."""

    def __init__(self, settings: LinearSettings, progress: Progress) -> None:
        self._most, self._of, self._progress = settings.rounds, settings.rounds * settings.members, progress
        self._done = [0] * settings.members
        self._lock = Lock()  # members count from threads of their own
        progress("training", 0, self._of)

    def one(self, member: int) -> None:
        """A round of a member."""
        self._put(member, self._done[member] + 1)

    def finished(self, member: int) -> None:
        """All of them."""
        self._put(member, self._most)

    def _put(self, member: int, done: int) -> None:
        with self._lock:
            self._done[member] = min(done, self._most)
            self._progress("training", sum(self._done), self._of)


def _check_training_data(data: LabelledTexts, settings: LinearSettings) -> None:
    if len(data.texts) < max(10, settings.members):
        least = max(10, settings.members)
        raise InputError(f"{len(data.texts)} rows are too few to train on: at least {least} are needed")
    for name, column in zip(data.targets.classes, data.truth.T, strict=True):
        if column.min() == column.max():
            which = "every text is" if column.max() else "no text is"
            raise InputError(f"training needs texts with and without the class: {which} '{name}'")
    if settings.oversample == "smote":
        check_oversampling(data.truth, data.targets)


def _word_weight(features: Features, settings: LinearSettings) -> npt.NDArray[np.float32]:
    """Inverse document frequency by bucket, as scikit-learn smooths it; stop words weigh nothing."""
    texts = features.words.shape[0]
    holds = np.bincount(features.words.indices, minlength=features.words.shape[1])
    whole = features.parts.indices[features.parts.indptr[:-1]]  # the word itself stands first in its row
    frequency = np.bincount(whole, weights=holds[: len(whole)], minlength=settings.buckets)
    weight = (np.log((1.0 + texts) / (1.0 + np.minimum(frequency, texts))) + 1.0).astype(np.float16)
    if settings.stop_words:
        from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS  # type: ignore[import-untyped]

        weight[[hash_word(word) & (settings.buckets - 1) for word in sorted(ENGLISH_STOP_WORDS)]] = 0.0
    return weight.astype(np.float32)


def _scale(features: Features, settings: LinearSettings) -> AnyFloats:
    """How large each bucket may become: common parts of words stay small. One for a plain bag of words."""
    if not settings.characters:
        return np.ones(settings.buckets)
    texts = features.words.shape[0]
    holds = np.bincount(features.words.indices, minlength=features.words.shape[1]).astype(float)
    frequency = _ones(features.parts).T @ holds + np.bincount(features.pairs.indices, minlength=settings.buckets)
    scale = np.log((1.0 + texts) / (1.0 + np.minimum(frequency, texts))) + 1.0
    return np.asarray(scale / scale.mean(), dtype=np.float64)


def _ones(matrix: sparse.csr_matrix) -> sparse.csr_matrix:
    return sparse.csr_matrix((np.ones(matrix.nnz), matrix.indices, matrix.indptr), shape=matrix.shape)


def _scaled(features: Features, scale: AnyFloats) -> Features:
    by = sparse.diags(scale)
    return Features(features.words.astype(np.float64), (features.parts @ by).tocsr(), (features.pairs @ by).tocsr())


class _Regression:
    """The data of all members, and the loss of one."""

    def __init__(self, features: Features, truth: AnyFloats, exclusive: bool, settings: LinearSettings) -> None:
        used = np.bincount(np.concatenate([features.parts.indices, features.pairs.indices]), minlength=settings.buckets)
        self.used = np.flatnonzero(used)  # what occurs nowhere stays where it is drawn to
        features = Features(features.words, features.parts[:, self.used], features.pairs[:, self.used])
        self.features, self.truth, self.settings = features, truth.astype(np.float64), settings
        self.link = _softmax if exclusive else _sigmoid
        parts = (features.words, features.parts, features.pairs)
        self.words, self.parts, self.pairs = (matrix.T.tocsr() for matrix in parts)

    def solve(self, member: int, count: Callable[[int], None]) -> tuple[AnyFloats, AnyFloats]:
        """Coefficients and offsets of one member, which counts its rounds."""
        rng = np.random.default_rng([self.settings.seed, member])
        texts, classes = self.truth.shape
        several = self.settings.members > 1
        bag = rng.exponential(1.0, (texts, 1)) if several else np.ones((texts, 1))  # Rubin's Bayesian bootstrap
        shape = (self.settings.buckets, classes)
        spread = self.settings.anchor * np.sqrt(self.settings.strength) if several else 0.0
        anchor = np.zeros(shape)
        if spread:  # two members share one, with opposite signs: what they do not know cancels in the mean
            drawn = np.random.default_rng([self.settings.seed, member // 2, 1]).standard_normal(shape)
            anchor = spread * drawn * (1.0 if member % 2 else -1.0)
        own = anchor[self.used]
        base = self.features.times(own)
        share = np.clip((bag * self.truth).sum(axis=0) / bag.sum(), 1e-3, 1.0 - 1e-3)
        start = np.concatenate([np.zeros(own.size), np.log(share / (1.0 - share))])

        def loss(values: AnyFloats) -> tuple[float, AnyFloats]:
            change, offset = values[: own.size].reshape(own.shape), values[own.size :]
            lost, slope = self.link(base + self.features.times(change) + offset, self.truth)
            slope *= bag
            gradient = self.parts @ (self.words @ slope) + self.pairs @ slope + change / self.settings.strength
            penalty = 0.5 / self.settings.strength * np.vdot(change, change)
            return float((bag * lost).sum() + penalty), np.concatenate([gradient.ravel(), slope.sum(axis=0)])

        options = {"maxiter": self.settings.rounds, "maxcor": 8, "ftol": 1e-7, "gtol": 1e-3}
        solved: Any = optimize.minimize(  # type: ignore[call-overload]
            loss, start, jac=True, method="L-BFGS-B", options=options, callback=lambda _: count(member)
        )
        best: AnyFloats = solved.x
        anchor[self.used] += best[: own.size].reshape(own.shape)
        return anchor, best[own.size :]


def _sigmoid(logits: AnyFloats, truth: AnyFloats) -> tuple[AnyFloats, AnyFloats]:
    """Loss of each text and class, and its slope."""
    return np.logaddexp(0.0, logits) - truth * logits, special.expit(logits) - truth


def _softmax(logits: AnyFloats, truth: AnyFloats) -> tuple[AnyFloats, AnyFloats]:
    logs = special.log_softmax(logits, axis=1)
    return -truth * logs, np.exp(logs) * truth.sum(axis=1, keepdims=True) - truth
