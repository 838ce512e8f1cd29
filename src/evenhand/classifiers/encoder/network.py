"""An encoder with a head, for all members at once; the head and the spectral bound make the method.

The dense head is one layer. The Gaussian process head is that of SNGP (Liu et al. 2020): random cosine features of
the encoder's vector, one layer of weights, and after training the Laplace approximation of their posterior. Far from
all training texts its variance is large and draws the probability towards one half.

Spectral normalisation keeps every hidden layer from stretching a vector by more than a bound. Distances between texts
then survive the encoder, so that a text unlike all training texts stays far from them. Weights are scaled down after
each step; the largest singular value is tracked by power iteration, one round a step, and computed exactly at the
end.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol

import torch
from torch import Tensor, nn
from torch.nn import functional

from evenhand.classifiers.encoder.settings import EncoderSettings
from evenhand.classifiers.encoder.stacked_layers import MemberFold, StackedLinear, stack, stackable

FIRST_ROUNDS = 30  # rounds before the first step


class SpectralBound:
    """Keeps the weights of some layers within a bound."""

    def __init__(self, weights: Iterable[Tensor], bound: float) -> None:
        self.weights, self.bound = list(weights), bound
        self.left = [_start_vector(_member_weights(weight)) for weight in self.weights]
        for _ in range(FIRST_ROUNDS):
            self.norms()

    @torch.no_grad()
    def norms(self) -> list[Tensor]:
        """The largest singular value of each layer and member, after one more round."""
        norms = []
        for weight, left in zip(self.weights, self.left, strict=True):
            whole = _member_weights(weight)
            right = functional.normalize(torch.bmm(whole.transpose(1, 2), left), dim=1)
            image = torch.bmm(whole, right)
            norms.append(torch.linalg.vector_norm(image, dim=(1, 2)))
            left.copy_(functional.normalize(image, dim=1))
        return norms

    @torch.no_grad()
    def keep(self) -> None:
        """Scale down what is beyond the bound."""
        for weight, norm in zip(self.weights, self.norms(), strict=True):
            _member_weights(weight).mul_((self.bound / norm).clamp(max=1.0).reshape(-1, 1, 1))

    @torch.no_grad()
    def settle(self) -> None:
        """The same, exactly."""
        for weight in self.weights:
            norm = torch.linalg.matrix_norm(_member_weights(weight).double(), 2)
            factor = (self.bound / norm).clamp(max=1.0)
            _member_weights(weight).mul_(factor.to(weight.dtype).reshape(-1, 1, 1))


def _member_weights(weight: Tensor) -> Tensor:
    return weight if weight.dim() == 3 else weight.unsqueeze(0)


def _start_vector(weight: Tensor) -> Tensor:
    """A direction to begin with, the same in every run and whatever else is drawn."""
    rows = torch.arange(1, weight.shape[1] + 1, dtype=torch.float32, device=weight.device)
    return functional.normalize(torch.cos(rows * 1.618), dim=0).reshape(1, -1, 1).repeat(len(weight), 1, 1)


class Head(Protocol):
    """Vectors [members, texts, width] to logits [members, texts, classes] and their variances, which may be absent."""

    def __call__(self, vectors: Tensor) -> Tensor: ...

    def variances(self, vectors: Tensor) -> Tensor | None: ...


class DenseHead(nn.Module):
    """Dropout and one layer."""

    def __init__(self, settings: EncoderSettings, seeds: Sequence[int], width: int, classes: int) -> None:
        super().__init__()
        self.dropout = nn.Dropout(settings.dropout)
        self.layer = StackedLinear(_draw_normal(seeds, classes, width) * 0.02, torch.zeros(len(seeds), classes))

    def forward(self, vectors: Tensor) -> Tensor:
        logits: Tensor = self.layer(self.dropout(vectors))
        return logits

    def variances(self, vectors: Tensor) -> Tensor | None:
        """It has none."""
        return None


class GaussianProcessHead(nn.Module):
    """A Gaussian process by random features; `covariance` [members, classes, features, features] comes after training.

    Vectors are brought to unit variance first, so that `spread` has the same meaning for every encoder.
    """

    directions: Tensor
    phases: Tensor
    covariance: Tensor

    def __init__(self, settings: EncoderSettings, seeds: Sequence[int], width: int, classes: int) -> None:
        super().__init__()
        members, features = len(seeds), settings.features
        drawn = _draw_normal(
            seeds, features, width + classes + 1
        )  # directions, phases and first weights of each member
        self.ridge, self.width = settings.ridge, width
        self.scale = math.sqrt(features)  # so that the layer learns as fast as one on plain vectors
        self.register_buffer("directions", drawn[:, :, :width] * math.sqrt(2.0 / width) / settings.spread)
        self.register_buffer("phases", torch.special.ndtr(drawn[:, :, width].unsqueeze(1)) * (2.0 * math.pi))
        self.register_buffer("covariance", torch.zeros(members, classes, features, features))
        first = drawn[:, :, width + 1 :].transpose(1, 2) * 0.02
        self.layer = StackedLinear(first.contiguous(), torch.zeros(members, classes))

    def forward(self, vectors: Tensor) -> Tensor:
        logits: Tensor = self.layer(self.random_features(vectors) * self.scale)
        return logits

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


def _draw_normal(seeds: Sequence[int], rows: int, columns: int) -> Tensor:
    """Normal numbers [members, rows, columns], those of a member the same whoever is trained beside it."""
    made = [torch.Generator().manual_seed(seed) for seed in seeds]
    return torch.stack([torch.randn(rows, columns, generator=one) for one in made])


HEADS: dict[str, Callable[..., Head]] = {"dense": DenseHead, "gp": GaussianProcessHead}


class Network(nn.Module):
    """Token ids [members · texts, length] and their mask to vectors [members, texts, width], and these to logits."""

    def __init__(self, encoder: Any, settings: EncoderSettings, *, numbers: Sequence[int], classes: int) -> None:
        super().__init__()
        self.members, self.pooling, self.fold = len(numbers), settings.pooling, MemberFold()
        width = int(encoder.config.get_text_config().hidden_size)
        _set_dropout(encoder, settings.dropout)
        self.encoder = stack(encoder, len(numbers), self.fold) if stackable(encoder) else encoder
        self.head: Head = HEADS[settings.head](
            settings, [member_seed(settings.seed, n) for n in numbers], width, classes
        )

    def vectors(self, ids: Tensor, mask: Tensor) -> Tensor:
        """What the encoder makes of each text: the mean over its tokens, or that of the first."""
        self.fold.texts = len(ids) // self.members
        states = self.encoder(input_ids=ids, attention_mask=mask).last_hidden_state
        if self.pooling == "first":
            pooled = states[:, 0]
        else:
            share = mask.unsqueeze(1).to(states.dtype)
            total = torch.bmm(share, states).squeeze(1).float()
            pooled = total / mask.sum(dim=1, keepdim=True).clamp(min=1)
        shaped: Tensor = pooled.reshape(self.members, self.fold.texts, -1)
        return shaped

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """Logits [members, texts, classes]."""
        logits: Tensor = self.head(self.vectors(ids, mask))
        return logits

    def only(self, member: int) -> Network:
        """One member as a network of its own."""
        alone = copy.deepcopy(self)
        for values in (*alone.parameters(), *alone.buffers()):
            if values.is_floating_point() and len(values) == self.members:
                values.data = values.data[member : member + 1].clone()
        alone.members = 1
        return alone

    def weights(self) -> dict[str, Tensor]:
        """Everything that was learnt, by name."""
        return {
            name: values.detach() for name, values in self.state_dict().items() if not name.endswith("position_ids")
        }


def member_seed(seed: int, member: int) -> int:
    """Of one member, whoever is trained beside it."""
    return seed * 10_007 + member


def _set_dropout(encoder: nn.Module, chance: float) -> None:
    """The same dropout everywhere, also where an encoder keeps it as a number (attention)."""
    for layer in encoder.modules():
        if isinstance(layer, nn.Dropout):
            layer.p = chance


def class_probabilities(logits: Tensor, *, exclusive: bool) -> Tensor:
    """Of each class."""
    return torch.softmax(logits.float(), dim=-1) if exclusive else torch.sigmoid(logits.float())
