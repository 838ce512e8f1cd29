"""All methods and heads from texts to scores: what they learn, that seeds and broken-off runs end alike, and files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from sklearn.metrics import roc_auc_score

from classifiers.encoder import made
from classifiers.encoder.made import labelled, settings, trained, weights
from evenhand.classifiers.encoder import EncoderFamily, training
from evenhand.classifiers.encoder.batches import Tokens
from evenhand.classifiers.encoder.classifier import TOKENS_AT_ONCE
from evenhand.classifiers.protocol import Runtime, TargetKind
from evenhand.errors import InputError
from marks import smoke

METHODS: dict[str, dict[str, Any]] = {
    "deterministic": {},
    "mc-dropout": {"samples": 4},
    "ensemble": {"members": 3},
    "sngp": {"head": "gp"},
    "sngp-ensemble": {"head": "gp", "members": 2},
}
OTHERS: dict[str, dict[str, Any]] = {
    "smote": {"oversample": "smote"},
    "balanced": {"weigh": "balanced", "negatives": 2.0},
    "focal": {"loss": "focal"},
}


@pytest.fixture(scope="module", params=smoke([*METHODS, *OTHERS]))
def model(request: pytest.FixtureRequest, bert: Path) -> Any:
    return trained(bert, rows=300, epochs=9, **(METHODS | OTHERS)[request.param])


def test_it_learns_and_scores(model: Any) -> None:
    unseen = labelled(rows=200, seed=9)
    scores = model.score(unseen.texts)
    assert roc_auc_score(unseen.truth[:, 0], scores.probabilities[:, 0]) > 0.9
    several = model.settings.members > 1 or model.settings.samples > 1 or model.settings.head == "gp"
    assert (scores.variance is not None) == several
    if scores.variance is not None:
        assert (scores.variance > 0).all()
        assert (scores.variance <= scores.uncertainty + 1e-9).all()
        assert "model_uncertainty" in scores.columns()


def test_scores_do_not_depend_on_what_is_scored_beside(model: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [*labelled().texts[:30], "", "w3 " * 300, "unknown words only"]
    whole = model.score(texts)
    back = model.score(texts[::-1])
    single = [model.score([text]) for text in texts]
    monkeypatch.setitem(TOKENS_AT_ONCE, "cpu", 200)
    small = model.score(texts)
    for part in ("probabilities", "variance"):
        expected = getattr(whole, part)
        if expected is None:
            continue
        assert np.allclose(getattr(back, part)[::-1], expected, atol=1e-5)
        assert np.allclose(np.concatenate([getattr(one, part) for one in single]), expected, atol=1e-5)
        assert np.allclose(getattr(small, part), expected, atol=1e-5)


def test_saved_and_read_again(model: Any, tmp_path: Path) -> None:
    model.write(tmp_path)
    again = EncoderFamily.read(tmp_path, model.targets, model.settings)
    texts = labelled(rows=60, seed=4).texts
    first, second = model.score(texts), again.score(texts)
    assert np.allclose(first.probabilities, second.probabilities, atol=1e-6)
    if first.variance is not None:
        assert np.allclose(first.variance, second.variance, atol=1e-6)
    assert not [path.name for path in tmp_path.iterdir() if path.suffix in (".bin", ".pt", ".pkl", ".py")]


def test_no_text_at_all(model: Any) -> None:
    assert model.score([]).probabilities.shape == (0, 1)


@pytest.mark.verify
@pytest.mark.parametrize("kind", ["multi-class", "multi-label"])
@pytest.mark.parametrize("changes", [{}, {"head": "gp", "members": 2, "loss": "focal"}], ids=["plain", "sngp-ensemble"])
def test_several_classes(bert: Path, kind: TargetKind, changes: dict[str, Any], tmp_path: Path) -> None:
    model = trained(bert, kind, rows=600, epochs=7, head_rate=1e-2, **changes)
    unseen = labelled(kind, rows=200, seed=9)
    scores = model.score(unseen.texts)
    for number, name in enumerate(model.targets.classes):
        assert roc_auc_score(unseen.truth[:, number], scores.probabilities[:, number]) > 0.8, name
    if kind == "multi-class":
        assert np.allclose(scores.probabilities.sum(axis=1), 1.0)
    model.write(tmp_path)
    again = EncoderFamily.read(tmp_path, model.targets, model.settings).score(unseen.texts)
    assert np.allclose(again.probabilities, scores.probabilities, atol=1e-6)


def test_members_differ(bert: Path) -> None:
    model = trained(bert, rows=60, members=3)
    for name, values in model.networks[0].encoder.named_parameters():
        if "pooler" not in name:  # which nobody asks, so that nobody teaches it
            assert not torch.equal(values[0], values[1]), name
    assert torch.equal(*(model.networks[0].encoder.pooler.dense.weight[k] for k in (0, 1)))
    ids = Tokens.from_texts(labelled().texts[:8], model.tokenizer, 24)
    each = [replace(model, settings=settings(bert), networks=(model.networks[0].only(k),)) for k in range(3)]
    p = np.stack([one.score_tokens(ids).probabilities for one in each])
    assert np.abs(p[0] - p[1]).max() > 1e-3
    whole = model.score_tokens(ids)
    assert np.allclose(whole.probabilities, p.mean(axis=0), atol=1e-5)
    assert np.allclose(whole.variance, p.var(axis=0), atol=1e-5)


@pytest.mark.verify
@pytest.mark.parametrize("changes", [{}, {"head": "gp", "members": 2, "oversample": "smote"}], ids=["plain", "sngp"])
def test_seeds_reproduce_bit_by_bit(bert: Path, changes: dict[str, Any]) -> None:
    first, second = (weights(trained(bert, rows=60, **changes)) for _ in range(2))
    assert all(torch.equal(values, second[name]) for name, values in first.items())
    other = weights(trained(bert, rows=60, seed=1, **changes))
    assert any(not torch.equal(values, other[name]) for name, values in first.items())


class Killed(BaseException):
    """As if somebody pulled the plug."""


def killed_at(step: int) -> Any:
    def progress(what: str, done: int, of: int) -> None:
        if what == "training" and done == step:
            raise Killed

    return progress


RESUMED: dict[str, dict[str, Any]] = {
    "plain": {},
    "second group": {"members": 2},
    "sngp": {"head": "gp", "spectral_bound": 1.5},
    "oversampled focal ensemble": {"members": 2, "oversample": "smote", "loss": "focal"},
}


@pytest.mark.verify
@pytest.mark.parametrize(
    ("name", "step"), smoke([*((name, step) for name in RESUMED for step in (1, 6)), ("second group", 16)])
)
def test_a_killed_run_ends_with_the_same_weights(
    name: str, step: int, bert: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen, data = settings(bert, **RESUMED[name]), labelled(rows=60)
    if name == "second group":
        monkeypatch.setattr(training, "CPU_BYTES", 1.0)
    whole = EncoderFamily.train(data, chosen)
    monkeypatch.setattr(training, "CHECKPOINT_SECONDS", 0.0)
    place = Runtime(keep=tmp_path / "kept")
    with pytest.raises(Killed):
        EncoderFamily.train(data, chosen, killed_at(step), place)
    seen: list[int] = []
    again = EncoderFamily.train(
        data, chosen, lambda what, done, _: seen.append(done) if what == "training" else None, place
    )
    assert seen[0] == step, "it goes on where it stopped"
    expected = weights(whole)
    assert weights(again).keys() == expected.keys()
    for key, values in weights(again).items():
        assert torch.equal(values, expected[key]), key
    seen.clear()
    done = EncoderFamily.train(
        data, chosen, lambda what, done, _: seen.append(done) if what == "training" else None, place
    )
    assert seen == [], "what is done is not done again"
    assert all(torch.equal(values, expected[key]) for key, values in weights(done).items())


@pytest.mark.verify
def test_a_checkpoint_of_another_run_is_ignored(bert: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "CHECKPOINT_SECONDS", 0.0)
    data, place = labelled(rows=60), Runtime(keep=tmp_path)
    with pytest.raises(Killed):
        EncoderFamily.train(data, settings(bert), killed_at(5), place)
    (kept,) = tmp_path.iterdir()
    whole = kept.read_bytes()

    def first_step(chosen: Any, rows: Any = data) -> int:
        seen: list[int] = []
        EncoderFamily.train(
            rows, chosen, lambda what, done, _: seen.append(done) if what == "training" else None, place
        )
        return seen[0]

    assert first_step(settings(bert, rate=1e-3)) == 0
    for content in (b"", whole[:100], b"\xff" * 500):
        kept.write_bytes(content)
        assert first_step(settings(bert)) == 0
    kept.write_bytes(whole)
    assert first_step(settings(bert), labelled(rows=60, seed=2)) == 0
    kept.write_bytes(whole)
    assert first_step(settings(bert)) == 5


def test_a_checkpoint_that_began_with_other_weights_is_ignored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "CHECKPOINT_SECONDS", 0.0)
    folder, data, place = made.directory(tmp_path / "encoder"), labelled(rows=60), Runtime(keep=tmp_path / "kept")
    with pytest.raises(Killed):
        EncoderFamily.train(data, settings(folder), killed_at(5), place)
    made.encoder(seed=1).save_pretrained(folder)
    with pytest.raises(Killed):
        EncoderFamily.train(data, settings(folder), killed_at(0), place)


@pytest.mark.verify
def test_a_checkpoint_of_other_groups_is_ignored(bert: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Less memory than before: other members are trained side by side."""
    monkeypatch.setattr(training, "CHECKPOINT_SECONDS", 0.0)
    data, place, chosen = labelled(rows=60), Runtime(keep=tmp_path), settings(bert, members=2)
    with pytest.raises(Killed):
        EncoderFamily.train(data, chosen, killed_at(5), place)
    monkeypatch.setattr(training, "CPU_BYTES", 1.0)
    assert len(EncoderFamily.train(data, chosen, place=place).networks) == 2


def test_a_full_disk_for_checkpoints(bert: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import safetensors.torch

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(training, "CHECKPOINT_SECONDS", 0.0)
    monkeypatch.setattr(safetensors.torch, "save_file", full)
    with pytest.raises(InputError, match=r"training progress cannot be saved: .*No space left"):
        EncoderFamily.train(labelled(rows=60), settings(bert), place=Runtime(keep=tmp_path))
    assert list(tmp_path.iterdir()) == []


def test_a_loss_that_is_no_number(bert: Path) -> None:
    with pytest.raises(InputError, match="training diverged"):
        trained(bert, rows=60, rate=1e30, head_rate=1e30, clip=1e30)


def test_positions_of_a_stacked_roberta_are_counted_as_before(tmp_path: Path) -> None:
    folder = made.directory(tmp_path / "roberta", "roberta")
    endless = made.tokenizer(longest=10**30)
    endless.save_pretrained(folder)
    model = trained(folder, rows=40, epochs=1)
    long = ["w1 " * 500]
    before = model.score(long).probabilities
    model.write(tmp_path)
    again = EncoderFamily.read(tmp_path, model.targets, model.settings)
    assert again.longest == model.longest == 65
    assert np.allclose(again.score(long).probabilities, before, atol=1e-6)


@pytest.mark.parametrize("members", smoke([1, 2]))
def test_portions_of_a_batch_are_learnt_as_the_whole(bert: Path, monkeypatch: pytest.MonkeyPatch, members: int) -> None:
    whole = trained(bert, rows=48, epochs=1, dropout=0.0, members=members)
    monkeypatch.setattr("evenhand.classifiers.encoder.training_step.TOKENS_AT_ONCE", 60)
    in_portions = trained(bert, rows=48, epochs=1, dropout=0.0, members=members)
    texts = labelled(rows=60, seed=9).texts
    assert in_portions.score(texts).probabilities == pytest.approx(whole.score(texts).probabilities, abs=2e-3)
