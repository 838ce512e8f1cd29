"""Oversampling: what is made up lies between neighbours of one class, and models made without it stay what they are."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest

from classifiers.made import cards, comments
from classifiers.made_up import labelled
from evenhand.classifiers import fingerprint, model_folder
from evenhand.classifiers.linear import LinearClassifier, LinearSettings
from evenhand.classifiers.linear import oversampling as module
from evenhand.classifiers.linear import training as training_module
from evenhand.classifiers.linear.features import Features, Featuriser
from evenhand.classifiers.linear.oversampling import oversampled
from evenhand.classifiers.linear.training import train_members
from evenhand.classifiers.methods import recorded_settings, restore_settings
from evenhand.classifiers.models import open_model
from evenhand.classifiers.protocol import LabelledTexts, TargetKind
from evenhand.errors import InputError
from marks import smoke

SMOTE = LinearSettings(bits=12, members=2, rounds=20, oversample="smote")
EXCLUSIVE: list[TargetKind] = ["binary", "multi-class"]


def imbalanced(kind: TargetKind = "binary", *, rare: int = 25, texts: int = 300, seed: int = 0) -> LabelledTexts:
    """All of the first kind of text, and a few of the others."""
    whole = labelled(kind, texts=texts, seed=seed)
    which = whole.truth[:, 0] if kind == "binary" else whole.truth.argmax(axis=1)
    kept = np.sort(np.concatenate([np.flatnonzero(which == k)[: None if k == 0 else rare] for k in np.unique(which)]))
    return LabelledTexts([whole.texts[row] for row in kept], whole.truth[kept], whole.targets)


def dense(features: Features) -> np.ndarray:
    return (features.words @ features.parts + features.pairs).toarray().astype(np.float64)


def which(truth: np.ndarray) -> np.ndarray:
    return truth[:, 0].astype(int) if truth.shape[1] == 1 else truth.argmax(axis=1)


def between(row: np.ndarray, start: np.ndarray, end: np.ndarray) -> bool:
    along = (row - start) @ (end - start) / max((end - start) @ (end - start), 1e-30)
    return -1e-9 <= along <= 1.0 + 1e-9 and np.abs(row - start - along * (end - start)).max() < 1e-6


@pytest.mark.verify
@pytest.mark.parametrize("kind", EXCLUSIVE)
@pytest.mark.parametrize("neighbours", smoke([5, 1, 100]))
def test_what_is_made_up_lies_between_neighbours_of_one_class(kind, neighbours) -> None:
    data, settings = imbalanced(kind), replace(SMOTE, oversample_neighbours=neighbours)
    features = Featuriser(settings)(data.texts)
    more, truth = oversampled(features, data.truth, settings)
    x, made, classes = dense(features), dense(more)[len(data.texts) :], which(truth)
    np.testing.assert_allclose(dense(more)[: len(data.texts)], x, atol=1e-6)
    np.testing.assert_array_equal(truth[: len(data.texts)], data.truth)
    assert len(set(np.bincount(classes))) == 1
    assert len(made) > 50
    for row, label in zip(made, classes[len(data.texts) :], strict=True):
        own = np.flatnonzero(which(data.truth) == label)
        lines = []
        for start in own:
            far = [(np.square(x[start] - x[end]).sum(), end) for end in own if end != start]
            reach = sorted(far)[min(neighbours, len(far)) - 1][0]
            lines += [(start, end) for distance, end in far if distance <= reach + 1e-6]
        assert any(between(row, x[start], x[end]) for start, end in lines)


def test_every_item_is_a_start_equally_often(monkeypatch: pytest.MonkeyPatch) -> None:
    """With all of the line at its start, the made-up items are copies."""

    class AtStart(np.random.Generator):
        def random(self, size):
            return np.zeros(size)

    data = imbalanced(rare=20)
    features = Featuriser(SMOTE)(data.texts)
    monkeypatch.setattr(module.np.random, "default_rng", lambda seed: AtStart(np.random.PCG64(3)))
    more, _ = oversampled(features, data.truth, SMOTE)
    x, made = dense(features)[data.truth[:, 0] == 1], dense(more)[len(data.texts) :]
    nearest = [int(np.abs(x - row).sum(axis=1).argmin()) for row in made]
    assert np.ptp(np.bincount(nearest, minlength=20)) <= 1


def test_a_share_of_the_largest_class() -> None:
    data = imbalanced()
    features = Featuriser(SMOTE)(data.texts)
    benign = int((data.truth == 0).sum())
    for share, expected in ((0.5, round(0.5 * benign)), (1.0, benign), (0.05, 25)):
        _, truth = oversampled(features, data.truth, replace(SMOTE, oversample_share=share))
        assert (truth == 1).sum() == expected
        assert (truth == 0).sum() == benign


def test_neighbours_in_large_classes_come_from_some_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    data = imbalanced()
    features = Featuriser(SMOTE)(data.texts)
    monkeypatch.setattr(module, "CANDIDATES", 7)
    monkeypatch.setattr(module, "AT_ONCE", 4)
    rows = np.flatnonzero(data.truth[:, 0] == 1)
    near = module._nearest(features, rows, np.arange(len(rows)), 3, np.random.default_rng(0))
    assert len(np.unique(near)) <= 7
    assert not (near == np.arange(len(rows))[:, None]).any()
    x = dense(features)[rows]
    candidates = np.unique(near)
    for item, found in enumerate(near):
        far = np.square(x[candidates] - x[item]).sum(axis=1)
        far[candidates == item] = np.inf
        assert np.square(x[found[0]] - x[item]).sum() <= far.min() + 1e-6


@pytest.mark.parametrize("kind", EXCLUSIVE)
def test_seeds(kind, monkeypatch: pytest.MonkeyPatch) -> None:
    data = imbalanced(kind)
    first = train_members(data, SMOTE).coefficients
    monkeypatch.setattr(training_module, "WORKERS", 1)
    np.testing.assert_array_equal(first, train_members(data, SMOTE).coefficients)
    assert not np.array_equal(first, train_members(data, replace(SMOTE, seed=1)).coefficients)


@pytest.mark.parametrize("kind", EXCLUSIVE)
def test_rare_classes_are_found_more_often(kind) -> None:
    data, new = imbalanced(kind, texts=1200, rare=40), labelled(kind, texts=600, seed=5)
    plain, more = (
        LinearClassifier.train(data, replace(SMOTE, oversample=how, members=1)).score(new.texts).probabilities
        for how in ("none", "smote")
    )
    rare = which(new.truth) > 0
    found = [p[:, 0] if kind == "binary" else 1.0 - p[:, 0] for p in (plain, more)]
    assert found[1][rare].mean() > found[0][rare].mean() + 0.05


def test_what_cannot_be_oversampled() -> None:
    with pytest.raises(InputError, match="one class for each text"):
        train_members(labelled("multi-label"), SMOTE)
    with pytest.raises(InputError, match="only one text is 'toxic'"):
        train_members(imbalanced(rare=1), SMOTE)
    with pytest.raises(InputError, match="only one text is 'rude'"):
        train_members(imbalanced("multi-class", rare=1), SMOTE)
    data = imbalanced(rare=1)
    with pytest.raises(InputError, match="only one text is not 'toxic'"):
        train_members(LabelledTexts(data.texts, 1.0 - data.truth, data.targets), SMOTE)
    assert train_members(imbalanced(rare=2), SMOTE).offsets.shape == (2, 1)
    for wrong in ({"oversample_neighbours": 0}, {"oversample_share": 0.0}, {"oversample_share": 1.5}):
        with pytest.raises(InputError, match="oversample_neighbours"):
            replace(SMOTE, **wrong)


def test_models_without_it_are_what_they_were() -> None:
    """The shipped model was made before there was such a setting."""
    model = open_model("default")
    settings = recorded_settings(model.settings)
    assert not [name for name in settings if name.startswith("oversample")]
    shipped = Path(model_folder.__file__).parent / "shipped" / "default"
    assert fingerprint.fingerprint_files([shipped / "weights.npz"], model_folder._about(model)) == model.version
    assert recorded_settings(SMOTE) == asdict(SMOTE)
    for chosen in (LinearSettings(), SMOTE):
        as_saved = {name: list(v) if isinstance(v, tuple) else v for name, v in recorded_settings(chosen).items()}
        assert restore_settings("linear", as_saved) == chosen


def test_a_model_remembers_how_it_was_made(tmp_path: Path) -> None:
    trained = LinearClassifier.train(imbalanced(), SMOTE)
    saved = model_folder.save_model(trained, tmp_path / "model", name="rare", cards=cards)
    assert model_folder.load_model(tmp_path / "model").settings == SMOTE
    again = replace(trained, settings=replace(SMOTE, oversample="none"))
    assert model_folder.save_model(again, tmp_path / "other", name="rare", cards=cards).version != saved.version


@pytest.mark.verify
def test_the_command(program) -> None:
    comments().write_csv("comments.csv")
    small = ("--set", "bits=12", "--set", "members=2", "--set", "rounds=6")
    run = ("train", "comments.csv", "-o", "model", *small)
    assert program(*run, "--label", "toxic", "--oversample", "smote").code == 0
    assert model_folder.load_model(Path("model")).settings.oversample == "smote"
    for label, how, says in (("toxic", "smoke", "'none' or 'smote'"), ("toxic,glad", "smote", "several label columns")):
        wrong = program(*run, "--label", label, "--oversample", how)
        assert wrong.code == 2
        assert says in wrong.err
        assert len(wrong.err.strip().splitlines()) == 1
