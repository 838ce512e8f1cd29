"""Spectral normalisation: no hidden layer may stretch a vector by more than a bound.

Distances between texts then survive the encoder, so that a text unlike all that were learnt from stays far from them
(Liu et al. 2020). The bound is kept by scaling weights down after each step. The largest singular value is tracked by
power iteration, one round a step; at the end it is taken exactly.
"""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import Tensor
from torch.nn import functional

FIRST = 30  # rounds before the first step


class Spectral:
    """Keeps the weights of some layers within a bound."""

    def __init__(self, weights: Iterable[Tensor], bound: float) -> None:
        self.weights, self.bound = list(weights), bound
        self.left = [_start(_members(weight)) for weight in self.weights]
        for _ in range(FIRST):
            self.norms()

    @torch.no_grad()
    def norms(self) -> list[Tensor]:
        """The largest singular value of each layer and member, after one more round."""
        found = []
        for weight, left in zip(self.weights, self.left, strict=True):
            whole = _members(weight)
            right = functional.normalize(torch.bmm(whole.transpose(1, 2), left), dim=1)
            image = torch.bmm(whole, right)
            found.append(torch.linalg.vector_norm(image, dim=(1, 2)))
            left.copy_(functional.normalize(image, dim=1))
        return found

    @torch.no_grad()
    def keep(self) -> None:
        """Scale down what is beyond the bound."""
        for weight, norm in zip(self.weights, self.norms(), strict=True):
            _members(weight).mul_((self.bound / norm).clamp(max=1.0).reshape(-1, 1, 1))

    @torch.no_grad()
    def settle(self) -> None:
        """The same, exactly."""
        for weight in self.weights:
            norm = torch.linalg.matrix_norm(_members(weight).double(), 2)
            factor = (self.bound / norm).clamp(max=1.0)
            _members(weight).mul_(factor.to(weight.dtype).reshape(-1, 1, 1))


def _members(weight: Tensor) -> Tensor:
    return weight if weight.dim() == 3 else weight.unsqueeze(0)


def _start(weight: Tensor) -> Tensor:
    """A direction to begin with, the same in every run and whatever else is drawn."""
    rows = torch.arange(1, weight.shape[1] + 1, dtype=torch.float32, device=weight.device)
    return functional.normalize(torch.cos(rows * 1.618), dim=0).reshape(1, -1, 1).repeat(len(weight), 1, 1)
