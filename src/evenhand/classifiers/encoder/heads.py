"""From what an encoder makes of a text to logits: a method is a head.

The dense head is one layer. The Gaussian process is the head of SNGP (Liu et al. 2020): random cosine features of the
encoder's vector, one layer of weights, and after training the Laplace approximation of their posterior. Far from all
texts that were learnt from, its variance is large, and draws the probability towards a half.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Protocol

import torch
from torch import Tensor, nn

from evenhand.classifiers.encoder.settings import EncoderSettings
from evenhand.classifiers.encoder.stacked import StackedLinear


class Head(Protocol):
    """Vectors [members, texts, width] to logits [members, texts, classes] and their variances, which may be absent."""

    def __call__(self, vectors: Tensor) -> Tensor: ...

    def variances(self, vectors: Tensor) -> Tensor | None: ...


class DenseHead(nn.Module):
    """Dropout and one layer."""

    def __init__(self, settings: EncoderSettings, seeds: Sequence[int], width: int, classes: int) -> None:
        super().__init__()
        self.dropout = nn.Dropout(settings.dropout)
        self.layer = StackedLinear(_drawn(seeds, classes, width) * 0.02, torch.zeros(len(seeds), classes))

    def forward(self, vectors: Tensor) -> Tensor:
        found: Tensor = self.layer(self.dropout(vectors))
        return found

    def variances(self, vectors: Tensor) -> Tensor | None:
        """It has none."""
        return None


class ProcessHead(nn.Module):
    """A Gaussian process by random features; `covariance` [members, classes, features, features] comes after training.

    Vectors are brought to unit variance first, so that `spread` has the same meaning for every encoder.
    """

    directions: Tensor
    phases: Tensor
    covariance: Tensor

    def __init__(self, settings: EncoderSettings, seeds: Sequence[int], width: int, classes: int) -> None:
        super().__init__()
        members, features = len(seeds), settings.features
        drawn = _drawn(seeds, features, width + classes + 1)  # directions, phases and first weights of each member
        self.ridge, self.width = settings.ridge, width
        self.scale = math.sqrt(features)  # so that the layer learns as fast as one on plain vectors
        self.register_buffer("directions", drawn[:, :, :width] * math.sqrt(2.0 / width) / settings.spread)
        self.register_buffer("phases", torch.special.ndtr(drawn[:, :, width].unsqueeze(1)) * (2.0 * math.pi))
        self.register_buffer("covariance", torch.zeros(members, classes, features, features))
        first = drawn[:, :, width + 1 :].transpose(1, 2) * 0.02
        self.layer = StackedLinear(first.contiguous(), torch.zeros(members, classes))

    def forward(self, vectors: Tensor) -> Tensor:
        found: Tensor = self.layer(self.random_features(vectors) * self.scale)
        return found

    def random_features(self, vectors: Tensor) -> Tensor:
        """[members, texts, features], in full precision: a phase must not be rounded."""
        with torch.autocast(vectors.device.type, enabled=False):
            plain = nn.functional.layer_norm(vectors.float(), (self.width,))
            angles = torch.baddbmm(self.phases, plain, self.directions.transpose(1, 2))
            return torch.cos(angles) * math.sqrt(2.0 / self.phases.shape[-1])

    @torch.no_grad()
    def information(self, vectors: Tensor, probabilities: Tensor) -> Tensor:
        """What some texts add to the posterior's precision: Σ p(1 − p) φφᵀ for each member and class."""
        known = self.random_features(vectors)
        weight = (probabilities * (1.0 - probabilities)).transpose(1, 2)  # [members, classes, texts]
        return torch.einsum("ect,etf,etg->ecfg", weight.float(), known, known)

    @torch.no_grad()
    def learn(self, information: Tensor) -> None:
        """The covariance: the inverse of ridge · I and all that was learnt."""
        identity = torch.eye(information.shape[-1], dtype=torch.float64, device=information.device)
        precision = information.double() + self.ridge * identity
        self.covariance = torch.cholesky_inverse(torch.linalg.cholesky(precision)).float()

    @torch.no_grad()
    def variances(self, vectors: Tensor) -> Tensor | None:
        """Of the logits."""
        known = self.random_features(vectors)
        return torch.einsum("etf,ecfg,etg->etc", known, self.covariance, known).clamp(min=0.0)


def _drawn(seeds: Sequence[int], rows: int, columns: int) -> Tensor:
    """Normal numbers [members, rows, columns], those of a member the same whoever is trained beside it."""
    made = [torch.Generator().manual_seed(seed) for seed in seeds]
    return torch.stack([torch.randn(rows, columns, generator=one) for one in made])


HEADS: dict[str, Callable[..., Head]] = {"dense": DenseHead, "gp": ProcessHead}
