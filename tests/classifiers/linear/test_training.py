"""Training a linear model: the optimum, the members, and what is kept of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import special, stats
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from classifiers.made_up import OTHERS, WORDS, labelled, vocabulary
from evenhand.classifiers.linear import UNIGRAM, LinearClassifier, LinearSettings
from evenhand.classifiers.linear import classifier as model_module
from evenhand.classifiers.linear import training as training_module
from evenhand.classifiers.linear.classifier import StoredCoefficients
from evenhand.classifiers.linear.features import Featuriser
from evenhand.classifiers.linear.training import TrainedCoefficients, train_members
from evenhand.classifiers.protocol import LabelledTexts, TargetKind, Targets
from evenhand.errors import InputError

PLAIN = LinearSettings(bits=12, characters=(), pairs=0.0, shouts=False, neutral=(), members=1, strength=2.0, rounds=500)
SMALL = LinearSettings(bits=13, members=8, rounds=25)
KINDS: list[TargetKind] = ["binary", "multi-class", "multi-label"]


@pytest.fixture(scope="module")
def trained() -> LinearClassifier:
    return LinearClassifier.train(labelled(texts=700), SMALL)


def dense(data: LabelledTexts, settings: LinearSettings, weight: np.ndarray) -> np.ndarray:
    """The features with the two matrices multiplied out."""
    found = Featuriser(settings, weight)(data.texts)
    return (found.words @ found.parts + found.pairs).toarray().astype(np.float64)


def loss(x: np.ndarray, data: LabelledTexts, strength: float, coefficients: np.ndarray, offsets: np.ndarray) -> float:
    """Ridge-penalised logistic loss by its definition; the offsets are free."""
    logits, truth = x @ coefficients + offsets, data.truth.astype(float)
    if data.targets.exclusive:
        each = special.logsumexp(logits, axis=1) - (truth * logits).sum(axis=1)
    else:
        each = -np.log(np.where(truth == 1, special.expit(logits), special.expit(-logits))).sum(axis=1)
    return float(each.sum() + np.square(coefficients).sum() / (2 * strength))


def by_scikit_learn(x: np.ndarray, data: LabelledTexts, strength: float) -> tuple[np.ndarray, np.ndarray]:
    used = x.any(axis=0)  # all other coefficients are zero

    def fit(y: np.ndarray) -> Any:
        return LogisticRegression(C=strength, tol=1e-8, max_iter=10_000).fit(x[:, used], y)

    each = [fit(data.truth.argmax(axis=1))] if data.targets.exclusive else [fit(column) for column in data.truth.T]
    coefficients = np.zeros((x.shape[1], data.truth.shape[1]))
    coefficients[used] = np.concatenate([one.coef_ for one in each]).T
    return coefficients, np.concatenate([one.intercept_ for one in each])


def answers(logits: np.ndarray, data: LabelledTexts) -> np.ndarray:
    return special.softmax(logits, axis=1) if data.targets.exclusive else special.expit(logits)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("counts", [False, True])
def test_the_optimum_is_that_of_scikit_learn(kind: TargetKind, counts: bool) -> None:
    data, settings = labelled(kind), replace(PLAIN, counts=counts)
    found = train_members(data, settings)
    x = dense(data, settings, found.weight)
    ours = found.coefficients[:, 0].astype(float), found.offsets[0].astype(float)
    theirs = by_scikit_learn(x, data, settings.strength)
    least = loss(x, data, settings.strength, *theirs)
    assert loss(x, data, settings.strength, *ours) == pytest.approx(least, rel=2e-6)
    assert loss(x, data, settings.strength, ours[0] * 1.02, ours[1]) > least * (1 + 2e-5)
    p, q = (answers(x @ coefficients + offsets, data) for coefficients, offsets in (ours, theirs))
    np.testing.assert_allclose(p, q, atol=3e-3)
    scored = LinearClassifier(data.targets, settings, StoredCoefficients.rounded(found)).score(data.texts).probabilities
    np.testing.assert_allclose(scored, q, atol=0.02)
    assert q.std(axis=0).min() > 0.1


def test_the_optimum_with_parts_of_words_and_pairs() -> None:
    """The penalty is on coefficients in units of their scale: by scikit-learn, that is ridge on scaled features."""
    data, settings = labelled(), replace(PLAIN, bits=14, characters=(3, 4), pairs=1.5, shouts=True)
    found = train_members(data, settings)
    x = dense(data, settings, found.weight)
    holds = np.zeros(settings.buckets)
    make = Featuriser(settings)
    for text in data.texts:
        one = make([text])
        np.add.at(holds, one.parts.indices, 1)
        np.add.at(holds, one.pairs.indices, 1)
    scale = np.log((1 + len(data.texts)) / (1 + np.minimum(holds, len(data.texts)))) + 1
    scale /= scale.mean()
    theirs = by_scikit_learn(x * scale, data, settings.strength)
    ours = found.coefficients[:, 0].astype(float) / scale[:, None], found.offsets[0].astype(float)
    least = loss(x * scale, data, settings.strength, *theirs)
    assert loss(x * scale, data, settings.strength, *ours) == pytest.approx(least, rel=1e-5)
    p, q = (answers(x * scale @ coefficients + offsets, data) for coefficients, offsets in (ours, theirs))
    np.testing.assert_allclose(p, q, atol=5e-3)


def test_unigram_is_the_bag_of_words_of_scikit_learn() -> None:
    stop = ["the", "and", "of", "you", "never"]
    data = labelled(texts=900, words=[*WORDS[:40], *stop, *WORDS[40:]])
    new = labelled(texts=300, words=[*WORDS[:40], *stop, *WORDS[40:]], seed=1)
    found = LinearClassifier.train(data, UNIGRAM).score(new.texts)
    theirs = make_pipeline(TfidfVectorizer(stop_words="english"), LogisticRegression(C=1.0, tol=1e-8, max_iter=10_000))
    expected = theirs.fit(data.texts, data.truth[:, 0]).predict_proba(new.texts)[:, 1]
    np.testing.assert_allclose(found.probabilities[:, 0], expected, atol=0.01)
    assert stats.spearmanr(found.probabilities[:, 0], expected).statistic > 0.9995
    assert found.variance is None
    assert expected.std() > 0.1


def same(one: StoredCoefficients, other: StoredCoefficients) -> bool:
    names = ("steps", "largest", "offsets", "weight")
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in names)


def test_seeds(monkeypatch: pytest.MonkeyPatch) -> None:
    data, settings = labelled(), replace(SMALL, bits=12, members=4)
    first = LinearClassifier.train(data, settings).stored
    monkeypatch.setattr(training_module, "WORKERS", 1)
    assert same(first, LinearClassifier.train(data, settings).stored)
    other = LinearClassifier.train(data, replace(settings, seed=1)).stored
    assert (first.steps != other.steps).mean() > 0.5
    for one in range(4):
        for two in range(one):
            assert (first.steps[:, one] != first.steps[:, two]).mean() > 0.5


def test_every_round_is_told() -> None:
    told: list[tuple[str, int, int]] = []
    settings = replace(SMALL, members=3, rounds=12)
    train_members(labelled(), settings, lambda *one: told.append(one))
    rounds = [(done, of) for what, done, of in told if what == "training"]
    assert (rounds[0], rounds[-1]) == ((0, 36), (36, 36))
    assert rounds == sorted(rounds)
    assert len(rounds) > 2 * 3  # more often than when a member is done


@pytest.mark.parametrize("kind", KINDS)
def test_members_differ_only_where_they_are_told_to(kind: TargetKind) -> None:
    """Without anchors, coefficients of buckets that no text has are zero: bags alone tell members apart."""
    found = train_members(labelled(kind), replace(PLAIN, members=3, anchor=0.0, rounds=20))
    used = np.unique(Featuriser(PLAIN)(labelled(kind).texts).parts.indices)
    unused = np.setdiff1d(np.arange(PLAIN.buckets), used)
    assert len(unused) > 1000
    assert not found.coefficients[unused].any()
    assert all(
        np.abs(found.coefficients[used, a] - found.coefficients[used, b]).max() > 0.1 for a, b in [(0, 1), (1, 2)]
    )


def unseen(data: LabelledTexts, settings: LinearSettings) -> list[str]:
    """Texts of words no part of which shares a bucket with a text that was learnt from."""
    make = Featuriser(settings)
    seen = make(data.texts)
    used = set(seen.parts.indices) | set(seen.pairs.indices)
    alone = [word for word in OTHERS if not used & set(make([word]).parts.indices)]
    texts = [f"{one} {two}" for one, two in zip(alone[::2], alone[1::2], strict=False)]
    return [text for text in texts if not used & set(make([text]).pairs.indices)]


@pytest.mark.parametrize("kind", ["binary", "multi-class"])
def test_on_unseen_words_two_members_cancel(kind: TargetKind) -> None:
    """Members are drawn to opposite sides: each says something of what it does not know, a pair of them nothing."""
    data, settings = labelled(kind), replace(SMALL, bits=16, members=4, anchor=0.5, characters=(4,), rounds=6)
    found, texts = train_members(data, settings), unseen(data, settings)
    assert len(texts) > 40
    features = Featuriser(settings, found.weight)(texts)
    logits = np.stack([features.times(found.coefficients[:, member].astype(float)) for member in range(4)], axis=1)
    assert logits.std(axis=0).min() > 0.3
    np.testing.assert_allclose(logits[:, ::2], -logits[:, 1::2], atol=1e-5)
    assert np.abs(np.corrcoef(logits[:, 0, 0], logits[:, 2, 0])[0, 1]) < 0.5


def test_anchors_are_as_wide_as_told() -> None:
    """The spread of the coefficients that nothing is learnt about: the anchor, in units of the penalty."""
    data, settings = labelled(), replace(PLAIN, members=2, anchor=0.4)
    used = np.unique(Featuriser(PLAIN)(data.texts).parts.indices)
    free = np.delete(train_members(data, settings).coefficients[:, 0, 0], used)
    error = 1 / np.sqrt(2 * len(free))
    assert free.std() == pytest.approx(0.4 * np.sqrt(settings.strength), rel=4 * error)
    assert stats.kstest(free / free.std(), "norm").pvalue > 1e-3


def test_the_model_is_least_sure_of_what_it_has_not_seen(trained: LinearClassifier) -> None:
    rng = np.random.default_rng(3)
    like = labelled(texts=300, seed=4).texts
    strange = {
        "other words": labelled(texts=300, words=OTHERS, seed=4).texts,
        "another alphabet": labelled(texts=300, words=vocabulary(300, "абвгдежзиклм"), seed=4).texts,
        "shuffled": ["".join(rng.permutation(list(text))) for text in like],
    }
    known = trained.score(like).model_uncertainty
    assert known is not None
    for what, texts in strange.items():
        spread = trained.score(texts).model_uncertainty
        assert spread is not None
        assert np.median(spread) > 1.5 * np.median(known), what


def test_what_rounding_costs(trained: LinearClassifier) -> None:
    """A root is rounded to the nearest of 127 steps: by at most half a step, which is finest near zero."""
    rng = np.random.default_rng(0)
    exact = (rng.standard_t(2, size=(4096, 3, 2)) * [[0.01, 5.0]]).astype(np.float32)
    exact[:5] = [[[0.0]], [[-0.0]], [[1e-12]], [[-1e-12]], [[1e-4]]]
    offsets, weight = rng.normal(size=(3, 2)).astype(np.float32), rng.random(4096).astype(np.float16)
    stored = StoredCoefficients.rounded(TrainedCoefficients(exact, offsets, weight.astype(np.float32)))
    largest = np.abs(exact).max(axis=0)
    step = np.sqrt(np.abs(exact) / largest) * 127
    bound = largest * (step + 0.25) / 127**2
    error = np.abs(stored.coefficients() - exact)
    assert (error <= bound * (1 + 1e-4)).all()
    assert error.max() > 0.5 * bound.max()
    at = np.abs(exact).argmax(axis=0), *np.indices((3, 2))
    np.testing.assert_allclose(stored.coefficients()[at], exact[at], rtol=1e-6)
    np.testing.assert_array_equal(stored.weight, weight)
    np.testing.assert_array_equal(stored.offsets, offsets)
    assert (
        not StoredCoefficients.rounded(TrainedCoefficients(np.zeros_like(exact), offsets, weight.astype(np.float32)))
        .coefficients()
        .any()
    )


@pytest.mark.parametrize("kind", KINDS)
def test_a_model_says_the_same_before_and_after_it_was_saved(kind: TargetKind, tmp_path: Path) -> None:
    data, settings = labelled(kind), replace(SMALL, bits=12, members=2, rounds=8)
    before = LinearClassifier.train(data, settings)
    before.write(tmp_path)
    after = LinearClassifier.read(tmp_path, data.targets, settings)
    one, other = before.score(data.texts), after.score(data.texts)
    np.testing.assert_array_equal(one.probabilities, other.probabilities)
    np.testing.assert_array_equal(one.variance, other.variance)
    for wrong in (replace(settings, members=3), replace(settings, bits=13)):
        with pytest.raises(InputError, match="does not fit the settings"):
            LinearClassifier.read(tmp_path, data.targets, wrong)
    (tmp_path / "weights.npz").write_bytes((tmp_path / "weights.npz").read_bytes()[:-40])
    with pytest.raises(InputError, match="cannot be read"):
        LinearClassifier.read(tmp_path, data.targets, settings)


@pytest.mark.parametrize(("at_once", "letters", "workers"), [(1, 10**6, 1), (7, 10**6, 4), (10**4, 300, 3), (64, 1, 2)])
def test_an_answer_is_the_same_in_any_company(
    trained: LinearClassifier, monkeypatch: pytest.MonkeyPatch, at_once: int, letters: int, workers: int
) -> None:
    texts = [*labelled(texts=150, seed=8).texts, "", "?!", "OLD people", "x" * 5000, "漢字 🙂", *OTHERS[:20]]
    whole = trained.score(texts)
    monkeypatch.setattr(model_module, "AT_ONCE", at_once)
    monkeypatch.setattr(model_module, "LETTERS_AT_ONCE", letters)
    monkeypatch.setattr(model_module, "WORKERS", workers)
    order = np.random.default_rng(at_once).permutation(len(texts))
    found = trained.score([texts[i] for i in order])
    np.testing.assert_array_equal(found.probabilities, whole.probabilities[order])
    np.testing.assert_array_equal(found.variance, whole.variance[order])  # type: ignore[index]


@pytest.mark.parametrize("kind", KINDS)
def test_one_text_alone_is_answered_as_among_others(kind: TargetKind) -> None:
    """Bit for bit, for eight members: sums of eight are where NumPy begins to add in another order."""
    data = labelled(kind, texts=60)
    model = LinearClassifier.train(data, replace(SMALL, bits=10, rounds=5))
    whole, alone = model.score(data.texts), [model.score([text]) for text in data.texts]
    np.testing.assert_array_equal(np.concatenate([one.probabilities for one in alone]), whole.probabilities)
    np.testing.assert_array_equal(np.concatenate([one.variance for one in alone]), whole.variance)


def test_no_texts_and_texts_without_words(trained: LinearClassifier) -> None:
    assert trained.score([]).probabilities.shape == (0, 1)
    found = trained.score(["", "...", "\x00", "old people"]).probabilities
    expected = special.expit(trained.stored.offsets.astype(float)).mean()
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_data_that_nothing_can_be_learnt_from() -> None:
    data = labelled(texts=30)
    for settings, least in ((SMALL, 10), (replace(SMALL, members=12), 12)):
        few = LabelledTexts(data.texts[: least - 1], data.truth[: least - 1], data.targets)
        with pytest.raises(InputError, match=f"{least - 1} rows are too few to train on: at least {least} are needed"):
            train_members(few, settings)
    for value, says in ((0.0, "no text is 'toxic'"), (1.0, "every text is 'toxic'")):
        with pytest.raises(InputError, match=says):
            train_members(LabelledTexts(data.texts, np.full_like(data.truth, value), data.targets), SMALL)
    two = np.column_stack([data.truth[:, 0], np.zeros(30)]).astype(np.float32)
    with pytest.raises(InputError, match="no text is 'threat'"):
        train_members(LabelledTexts(data.texts, two, Targets("multi-label", ("rude", "threat"))), SMALL)
    with pytest.raises(InputError, match="no text contains a word"):
        train_members(LabelledTexts(["...", "?", ""] * 10, data.truth, data.targets), SMALL)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"bits": 9}, "bits is 9"),
        ({"bits": 25}, "bits is 25"),
        ({"members": 0}, "members is 0"),
        ({"members": 101}, "members is 101"),
        ({"strength": 0.0}, "strength must be above 0"),
        ({"strength": float("nan")}, "strength must be above 0"),
        ({"strength": float("inf")}, "strength must be above 0"),
        ({"anchor": -0.1}, "0 or more"),
        ({"anchor": float("nan")}, "0 or more"),
        ({"pairs": -1.0}, "0 or more"),
        ({"pairs": float("inf")}, "0 or more"),
        ({"characters": (0,)}, "1 to 8"),
        ({"characters": (3, 9)}, "1 to 8"),
        ({"rounds": 0}, "rounds must be 1 or more"),
        ({"seed": -1}, "seed 0 or more"),
    ],
)
def test_settings_that_cannot_be(changes: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError, match=says):
        replace(SMALL, **changes)
