"""Monte-Carlo dropout: passes of one network, each with other parts of it switched off.

Which parts are switched off follows from the seed, the pass, the layer, the text and the place in it, by hashing, and
from nothing else: a text gets the same answer whatever it is scored with, and two passes differ through dropout alone.
Hidden states are dropped; weights of attention, which have no place of their own, are not.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import torch
from torch import Tensor, nn

ODD, MIX = -7046029254386353131, -4658895280553007687  # odd constants with well spread bits
DRAWS, STEPS = 4, 1 << 16  # of each hash of 64 bits, and how finely a chance is cut


@dataclass
class Passes:
    """The keys of the texts that are being scored: [passes · texts]."""

    keys: Tensor = field(default_factory=lambda: torch.zeros(1, dtype=torch.int64))


class HashedDropout(nn.Module):
    """Dropout whose chance is a hash."""

    def __init__(self, chance: float, layer: int, passes: Passes) -> None:
        super().__init__()
        self.chance, self.passes = chance, passes
        self.salt = (layer * MIX + (1 << 63)) % (1 << 64) - (1 << 63)  # wrapped around

    def forward(self, x: Tensor) -> Tensor:
        keys = self.passes.keys
        places = x.numel() // (len(keys) * x.shape[-1])
        along = torch.arange(places, device=x.device) * ODD
        rows = _mixed(keys.unsqueeze(1) + along + self.salt).reshape(*x.shape[:-1], 1)
        across = torch.arange(-(-x.shape[-1] // DRAWS), device=x.device) * ODD
        drawn = _mixed(rows + across).view(torch.int16)[..., : x.shape[-1]]
        dropped = drawn < round(self.chance * STEPS) - STEPS // 2
        return (x / (1.0 - self.chance)).masked_fill_(dropped, 0.0)


def install(network: nn.Module) -> Passes:
    """Every dropout layer of a network draws by hashes from now on."""
    for layer in network.modules():
        if isinstance(layer, HashedDropout):
            return layer.passes
    passes = Passes()
    layers = [
        (module, name)
        for module in network.modules()
        for name, child in module.named_children()
        if isinstance(child, nn.Dropout)
    ]
    for number, (module, name) in enumerate(layers):
        setattr(module, name, HashedDropout(float(getattr(module, name).p), number, passes))
    return passes


def keys_of(ids: Tensor, mask: Tensor, *, passes: int, seed: int) -> Tensor:
    """A key for each text in each pass, from its tokens: [passes · texts], pass after pass."""
    factor = _mixed(torch.arange(1, ids.shape[1] + 1, device=ids.device) * ODD)
    text = (_mixed(ids + 1) * factor * mask).sum(dim=1)
    turn = _mixed(torch.arange(1, passes + 1, device=ids.device) * MIX + seed)
    return _mixed(text + turn.unsqueeze(1)).reshape(-1)


def _mixed(x: Tensor) -> Tensor:
    """Every bit of the answer depends on every bit of the question; numbers wrap around."""
    x = (x ^ ((x >> 30) & (2**34 - 1))) * MIX
    x = (x ^ ((x >> 27) & (2**37 - 1))) * ODD
    return x ^ ((x >> 31) & (2**33 - 1))
