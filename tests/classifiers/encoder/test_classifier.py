"""Monte-Carlo dropout: chance depends on text, pass and seed alone. SNGP: unsure of texts unlike all it learnt."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from sklearn.metrics import roc_auc_score

from classifiers.encoder.made import labelled, trained
from evenhand.classifiers.encoder.classifier import DropoutPasses, HashedDropout, install_hashed_dropout, text_keys


def dropped(chance: float, keys: torch.Tensor, shape: tuple[int, ...], layer: int = 0) -> torch.Tensor:
    return HashedDropout(chance, layer, DropoutPasses(keys))(torch.ones(len(keys), *shape))


@pytest.mark.parametrize("chance", [0.1, 0.5])
def test_the_share_dropped_is_the_chance(chance: float) -> None:
    keys = torch.randint(-(2**62), 2**62, (40,), generator=torch.Generator().manual_seed(1))
    found = dropped(chance, keys, (50, 100))
    share = (found == 0).double()
    assert share.mean().item() == pytest.approx(chance, abs=0.005)
    assert torch.allclose(found[found > 0], torch.tensor(1 / (1 - chance)))
    for along in (0, 1, 2):  # in every text, place and unit as well
        each = share.mean(dim=[d for d in range(3) if d != along])
        assert (each - chance).abs().max() < 0.06
    flat = share.reshape(40, -1) - chance
    assert (torch.corrcoef(flat) - torch.eye(40)).abs().max() < 0.08, "texts are independent"


def test_no_chance_drops_nothing() -> None:
    keys = torch.arange(6)
    assert torch.equal(dropped(0.0, keys, (5, 8)), torch.ones(6, 5, 8))


def test_keys_follow_from_text_pass_and_seed_alone() -> None:
    ids = torch.tensor([[2, 5, 6, 3], [2, 6, 5, 3], [2, 5, 3, 0]])
    mask = (ids > 0).long()
    keys = text_keys(ids, mask, passes=3, seed=0).reshape(3, 3)
    assert len(set(keys.flatten().tolist())) == 9
    wider = text_keys(torch.nn.functional.pad(ids, (0, 7)), torch.nn.functional.pad(mask, (0, 7)), passes=3, seed=0)
    assert torch.equal(wider.reshape(3, 3), keys)
    assert torch.equal(text_keys(ids[1:2], mask[1:2], passes=3, seed=0), keys[:, 1])
    assert not torch.equal(text_keys(ids, mask, passes=3, seed=1).reshape(3, 3), keys)


@pytest.mark.verify
def test_passes_differ_through_dropout_alone(bert: Path) -> None:
    model = trained(bert, rows=60, samples=6, dropout=0.2)
    texts = labelled().texts[:20]
    assert (model.score(texts).variance > 1e-6).all()
    assert np.array_equal(model.score(texts).probabilities, model.score(texts).probabilities)
    other = replace(model, settings=replace(model.settings, seed=7))
    assert not np.allclose(other.score(texts).probabilities, model.score(texts).probabilities, atol=1e-4)
    for layer in model.networks[0].modules():
        if isinstance(layer, HashedDropout):
            layer.chance = 0.0
    still = model.score(texts)
    assert np.allclose(still.variance, 0.0, atol=1e-12), "with no dropout all passes agree"
    plain = trained(bert, rows=60, dropout=0.2)
    assert np.allclose(still.probabilities, plain.score(texts).probabilities, atol=1e-6), "and say what one pass says"


def test_hashing_is_installed_once(bert: Path) -> None:
    (network,) = trained(bert, rows=40, epochs=1, samples=2).networks
    assert install_hashed_dropout(network) is install_hashed_dropout(network)
    assert not any(isinstance(layer, torch.nn.Dropout) for layer in network.modules())


@pytest.mark.verify
def test_sngp_is_less_sure_of_texts_far_from_all_it_learnt(bert: Path) -> None:
    """Far texts are made of words that none of the texts to learn from has."""
    rng = np.random.default_rng(3)
    far = [" ".join(f"w{word}" for word in rng.choice([50, 51, 52, 53, 54, 56, 58, 59], 12)) for _ in range(200)]
    near = labelled(rows=200, seed=5).texts
    outside = np.r_[np.zeros(200), np.ones(200)]
    found = {}
    for name, changes in {"deterministic": {}, "sngp": {"head": "gp", "features": 256}}.items():
        model = trained(bert, rows=300, epochs=9, **changes)
        scores = model.score([*near, *far])
        unsure = scores.uncertainty if scores.variance is None else scores.variance
        found[name] = roc_auc_score(outside, unsure[:, 0])
    assert found["sngp"] > 0.7
    assert found["sngp"] > found["deterministic"]
