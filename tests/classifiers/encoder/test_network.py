"""The Gaussian process and what follows from it, against closed forms and numerical integrals."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import torch
from scipy import integrate

from classifiers.encoder.made import settings
from evenhand.classifiers.encoder.classifier import probability_moments
from evenhand.classifiers.encoder.network import GaussianProcessHead


def head(features: int = 48, classes: int = 2, width: int = 6, **changes: Any) -> GaussianProcessHead:
    return GaussianProcessHead(settings("", features=features, **changes), [3, 4], width, classes)


def test_random_features_approximate_the_gaussian_kernel() -> None:
    torch.manual_seed(0)
    width = 6
    vectors = torch.randn(2, 12, width) * 3 + 1
    for spread in (0.7, 2.0):
        known = head(3_000, classes=1, spread=spread).random_features(vectors)
        plain = torch.nn.functional.layer_norm(vectors, (width,))
        far = torch.cdist(plain, plain).square()
        expected = torch.exp(-far / (width * spread**2))  # a length scale of `spread` where unrelated texts are 2 apart
        assert torch.allclose(known @ known.transpose(1, 2), expected, atol=0.07)
        assert expected.min() < 0.8


def test_the_covariance_is_the_closed_form() -> None:
    torch.manual_seed(1)
    process = head(ridge=0.3)
    vectors = torch.randn(2, 30, 6)
    p = torch.rand(2, 30, 2)
    process.learn(process.information(vectors[:, :10], p[:, :10]) + process.information(vectors[:, 10:], p[:, 10:]))
    phi = process.random_features(vectors).double().numpy()
    asked = torch.randn(2, 5, 6)
    phi_asked = process.random_features(asked).double().numpy()
    for member in range(2):
        for kind in range(2):
            precision = 0.3 * np.eye(48)
            for text in range(30):
                chance = float(p[member, text, kind])
                precision += chance * (1 - chance) * np.outer(phi[member, text], phi[member, text])
            covariance = np.linalg.inv(precision)
            assert np.allclose(process.covariance[member, kind].numpy(), covariance, atol=1e-5)
            expected = [vector @ covariance @ vector for vector in phi_asked[member]]
            assert np.allclose(process.variances(asked)[member, :, kind].numpy(), expected, atol=1e-5)


def test_the_variance_falls_where_texts_were_seen() -> None:
    torch.manual_seed(2)
    process = head(256, classes=1, width=8, spread=0.7)
    near, far = torch.randn(2, 40, 8) + torch.arange(8) * 2.0, torch.randn(2, 40, 8) - torch.arange(8) * 2.0
    process.learn(process.information(near, torch.full((2, 40, 1), 0.5)))
    assert process.variances(near).mean() < 0.5 * process.variances(far).mean()


def test_members_draw_features_of_their_own_whoever_is_beside_them() -> None:
    together, alone = head(), GaussianProcessHead(settings("", features=48), [4], 6, 2)
    assert torch.equal(together.directions[1], alone.directions[0])
    assert torch.equal(together.layer.weight[1], alone.layer.weight[0])
    assert not torch.equal(together.directions[0], together.directions[1])
    assert 0.0 <= together.phases.min() <= together.phases.max() <= 2 * math.pi


def normal_moments(mean: float, variance: float) -> tuple[float, float]:
    """Mean and variance of the logistic function of a normal number, by adaptive integration."""
    sd = math.sqrt(variance)

    def average(power: int) -> float:
        def part(z: float) -> float:
            return (1 / (1 + math.exp(-(mean + sd * z)))) ** power * math.exp(-z * z / 2) / math.sqrt(2 * math.pi)

        return float(integrate.quad(part, -12, 12, epsabs=1e-12, limit=200)[0])

    return average(1), average(2) - average(1) ** 2


@pytest.mark.parametrize("logit", [-3.0, -0.4, 0.0, 2.0])
@pytest.mark.parametrize("variance", [1e-4, 0.1, 1.0, 2.0])
def test_mean_field_and_quadrature_against_integration(logit: float, variance: float) -> None:
    given = torch.tensor([[[logit]]], dtype=torch.float64), torch.tensor([[[variance]]], dtype=torch.float64)
    mean, spread = probability_moments(*given, exclusive=False, factor=math.pi / 8)
    exact_mean, exact_spread = normal_moments(logit, variance)
    assert mean.item() == pytest.approx(exact_mean, abs=0.01), "the mean-field approximation"
    assert spread.item() == pytest.approx(exact_spread, rel=1e-3), "the quadrature"


def test_without_variances_it_is_the_mean_and_spread_of_members() -> None:
    torch.manual_seed(3)
    logits = torch.randn(5, 7, 3, dtype=torch.float64)
    for exclusive in (True, False):
        each = (torch.softmax(logits, -1) if exclusive else torch.sigmoid(logits)).numpy()
        mean, spread = probability_moments(logits, torch.zeros_like(logits), exclusive=exclusive, factor=0.4)
        assert np.allclose(mean.numpy(), each.mean(0))
        assert np.allclose(spread.numpy(), each.var(0))


def test_total_variance_is_that_between_and_that_within() -> None:
    logits = torch.tensor([[[0.5]], [[-1.0]]], dtype=torch.float64)
    variances = torch.tensor([[[0.3]], [[1.2]]], dtype=torch.float64)
    mean, spread = probability_moments(logits, variances, exclusive=False, factor=0.0)
    within = [normal_moments(0.5, 0.3)[1], normal_moments(-1.0, 1.2)[1]]
    p = 1 / (1 + np.exp(-np.array([0.5, -1.0])))
    assert mean.item() == pytest.approx(p.mean())
    assert spread.item() == pytest.approx(p.var() + np.mean(within), rel=1e-3)


def test_several_classes_against_simulation_to_first_order() -> None:
    rng = np.random.default_rng(4)
    logits, variances = np.array([0.5, -0.3, 1.0]), np.array([0.02, 0.05, 0.01])
    drawn = logits + rng.normal(size=(400_000, 3)) * np.sqrt(variances)
    p = np.exp(drawn) / np.exp(drawn).sum(1, keepdims=True)
    given = torch.tensor(logits[None, None]), torch.tensor(variances[None, None])
    mean, spread = probability_moments(*given, exclusive=True, factor=math.pi / 8)
    assert mean.sum().item() == pytest.approx(1.0)
    assert np.allclose(spread.numpy()[0], p.var(0), rtol=0.06)


@pytest.mark.parametrize("exclusive", [True, False])
def test_model_uncertainty_is_never_above_all_uncertainty(exclusive: bool) -> None:
    torch.manual_seed(5)
    logits = torch.randn(3, 200, 3, dtype=torch.float64) * 6
    variances = torch.rand(3, 200, 3, dtype=torch.float64) * 500
    mean, spread = probability_moments(logits, variances, exclusive=exclusive, factor=math.pi / 8)
    assert (spread >= 0).all()
    assert (spread <= mean * (1 - mean) + 1e-12).all()


def test_variance_draws_towards_a_half() -> None:
    logits = torch.full((1, 3, 1), 2.0, dtype=torch.float64)
    variances = torch.tensor([[[0.0], [1.0], [100.0]]], dtype=torch.float64)
    mean, _ = probability_moments(logits, variances, exclusive=False, factor=math.pi / 8)
    p = mean[:, 0].tolist()
    assert p[0] > p[1] > p[2] > 0.5
