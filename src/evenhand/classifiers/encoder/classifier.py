"""A fine-tuned encoder as a classifier: probabilities and their uncertainty, from members and samples.

Samples are Monte-Carlo dropout: passes of one network with different parts switched off. Which parts follows by
hashing from the seed, the pass, the layer, the text and the position alone: a text gets the same score whatever it is
scored with, and two passes differ through dropout alone. Hidden states are dropped; attention weights, which have no
position of their own, are not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from evenhand.classifiers.encoder import storage
from evenhand.classifiers.encoder.batches import DeviceTokens, Tokens
from evenhand.classifiers.encoder.network import Network
from evenhand.classifiers.encoder.settings import EncoderSettings
from evenhand.classifiers.estimator import TextEstimator
from evenhand.classifiers.protocol import Scores, Targets

ODD_FACTOR, MIX_FACTOR = -7046029254386353131, -4658895280553007687  # odd constants with well spread bits
DRAWS, STEPS = 4, 1 << 16  # of each hash of 64 bits, and how finely a chance is cut


@dataclass
class DropoutPasses:
    """The keys of the texts that are being scored: [passes · texts]."""

    keys: Tensor = field(default_factory=lambda: torch.zeros(1, dtype=torch.int64))


class HashedDropout(nn.Module):
    """Dropout whose chance is a hash."""

    def __init__(self, chance: float, layer: int, passes: DropoutPasses) -> None:
        super().__init__()
        self.chance, self.passes = chance, passes
        self.salt = (layer * MIX_FACTOR + (1 << 63)) % (1 << 64) - (1 << 63)  # wrapped around

    def forward(self, x: Tensor) -> Tensor:
        keys = self.passes.keys
        places = x.numel() // (len(keys) * x.shape[-1])
        along = torch.arange(places, device=x.device) * ODD_FACTOR
        rows = _mix_bits(keys.unsqueeze(1) + along + self.salt).reshape(*x.shape[:-1], 1)
        across = torch.arange(-(-x.shape[-1] // DRAWS), device=x.device) * ODD_FACTOR
        drawn = _mix_bits(rows + across).view(torch.int16)[..., : x.shape[-1]]
        dropped = drawn < round(self.chance * STEPS) - STEPS // 2
        return (x / (1.0 - self.chance)).masked_fill_(dropped, 0.0)


def install_hashed_dropout(network: nn.Module) -> DropoutPasses:
    """Every dropout layer of a network draws by hashes from now on."""
    for layer in network.modules():
        if isinstance(layer, HashedDropout):
            return layer.passes
    passes = DropoutPasses()
    layers = [
        (module, name)
        for module in network.modules()
        for name, child in module.named_children()
        if isinstance(child, nn.Dropout)
    ]
    for number, (module, name) in enumerate(layers):
        setattr(module, name, HashedDropout(float(getattr(module, name).p), number, passes))
    return passes


def text_keys(ids: Tensor, mask: Tensor, *, passes: int, seed: int) -> Tensor:
    """A key for each text in each pass, from its tokens: [passes · texts], pass after pass."""
    factor = _mix_bits(torch.arange(1, ids.shape[1] + 1, device=ids.device) * ODD_FACTOR)
    text = (_mix_bits(ids + 1) * factor * mask).sum(dim=1)
    turn = _mix_bits(torch.arange(1, passes + 1, device=ids.device) * MIX_FACTOR + seed)
    return _mix_bits(text + turn.unsqueeze(1)).reshape(-1)


def _mix_bits(x: Tensor) -> Tensor:
    """Every bit of the answer depends on every bit of the question; numbers wrap around."""
    x = (x ^ ((x >> 30) & (2**34 - 1))) * MIX_FACTOR
    x = (x ^ ((x >> 27) & (2**37 - 1))) * ODD_FACTOR
    return x ^ ((x >> 31) & (2**33 - 1))


QUADRATURE_POINTS = 16  # of the quadrature: exact to many digits for a function as smooth as the logistic one


def probability_moments(logits: Tensor, variances: Tensor, *, exclusive: bool, factor: float) -> tuple[Tensor, Tensor]:
    """Mean and variance [texts, classes] of p over members and over what each is unsure of: [members, texts, classes].

    A member's probability is that of its logit, drawn towards zero by the mean-field factor 1 / √(1 + factor · σ²). The
    variance is that between members and the mean of that within them, and never above p(1 − p), which none can exceed.
    """
    drawn = logits / torch.sqrt(1.0 + factor * variances)
    each = torch.softmax(drawn, dim=-1) if exclusive else torch.sigmoid(drawn)
    mean = each.mean(dim=0)
    between = (each - mean).square().mean(dim=0)
    within = (
        _variance_within(logits, variances, each, exclusive=exclusive).mean(dim=0)
        if bool((variances > 0).any())
        else 0.0
    )
    return mean, torch.minimum(between + within, mean * (1.0 - mean))


def _variance_within(logits: Tensor, variances: Tensor, each: Tensor, *, exclusive: bool) -> Tensor:
    """The variance of p where the logit is normal; of several classes to first order."""
    if exclusive:
        slope = each * (1.0 - each)
        return slope.square() * variances + each.square() * (
            (each.square() * variances).sum(dim=-1, keepdim=True) - each.square() * variances
        )
    points, weights = np.polynomial.hermite_e.hermegauss(QUADRATURE_POINTS)
    first, second = torch.zeros_like(logits), torch.zeros_like(logits)
    for point, weight in zip(points.tolist(), (weights / weights.sum()).tolist(), strict=True):
        p = torch.sigmoid(logits + point * variances.sqrt())
        first, second = first + weight * p, second + weight * p.square()
    return (second - first.square()).clamp(min=0.0)


TOKENS_AT_ONCE = {"cpu": 8_192, "cuda": 131_072}  # tokens in one pass, over all members


@dataclass(frozen=True, repr=False)
class EncoderClassifier(TextEstimator):
    """Networks of one or more members each, the tokenizer, and the device they are on."""

    targets: Targets
    settings: EncoderSettings
    networks: tuple[Network, ...]
    tokenizer: Any
    config: Any
    longest: int
    device: torch.device = field(default_factory=lambda: torch.device("cpu"))
    name: str = "encoder"
    version: str = "unsaved"
    kind: str = "encoder"

    @property
    def batch(self) -> int:
        """How many texts are best scored at a time: enough to group them by length."""
        return 65_536 if self.device.type == "cuda" else 2_048

    def write(self, folder: Path) -> None:
        """The weights, the configuration and the tokenizer."""
        storage.write_networks(folder, self.networks, self.config, self.tokenizer)

    def score(self, texts: Sequence[str]) -> Scores:
        """One row per text, in their order; what is longer than the model reads is cut at its end."""
        return self.score_tokens(Tokens.from_texts(texts, self.tokenizer, self.longest))

    @torch.inference_mode()
    def score_tokens(self, tokens: Tokens) -> Scores:
        """The same, of texts whose words were read before."""
        classes = len(self.targets.classes)
        mean, spread = np.empty((len(tokens.lengths), classes)), np.zeros((len(tokens.lengths), classes))
        shelf = DeviceTokens(tokens, self.device, self._padding)
        batches = []
        for rows in self._portions(tokens):
            ids, mask = shelf.take(torch.from_numpy(rows).to(self.device), int(tokens.lengths[rows].max()))
            batches.append((rows, *self._ask(ids, mask)))
        for rows, p, variance in batches:  # fetched at the end: fetching waits for the device
            mean[rows], spread[rows] = p.cpu().numpy(), variance.cpu().numpy()
        return Scores(self.targets, mean, spread if self._spreads else None)

    def _ask(self, ids: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Mean and variance [texts, classes] of the probabilities."""
        logits, variances = [], []
        for network in self._ready:
            passes = self.settings.samples
            times = network.members * passes
            if passes > 1:
                install_hashed_dropout(network).keys = text_keys(ids, mask, passes=passes, seed=self.settings.seed)
            vectors = network.vectors(ids.repeat(times, 1), mask.repeat(times, 1)).float()
            shape = (times, len(ids), len(self.targets.classes))
            logits.append(network.head(vectors).double().reshape(shape))
            doubt = network.head.variances(vectors)
            variances.append(torch.zeros(shape, device=ids.device) if doubt is None else doubt.reshape(shape))
        return probability_moments(
            torch.cat(logits),
            torch.cat(variances).double(),
            exclusive=self.targets.exclusive,
            factor=self.settings.mean_field,
        )

    @property
    def _spreads(self) -> bool:
        """Whether it knows of model uncertainty."""
        return self.settings.members > 1 or self.settings.samples > 1 or self.settings.head == "gp"

    @property
    def _padding(self) -> int:
        return int(self.tokenizer.pad_token_id or 0)

    @cached_property
    def _ready(self) -> tuple[Network, ...]:
        for network in self.networks:
            network.to(self.device).eval()
            if self.device.type == "cuda":  # as it was rounded: the head stays in full precision
                network.encoder.half()
        return self.networks

    def _portions(self, tokens: Tokens) -> Iterator[npt.NDArray[np.int64]]:
        """Rows of like length, longest first: if memory is short, that shows at once."""
        order = np.argsort(-tokens.lengths, kind="stable")
        each = TOKENS_AT_ONCE.get(self.device.type, TOKENS_AT_ONCE["cpu"]) // max(
            self.settings.samples, *(network.members for network in self.networks)
        )
        start = 0
        while start < len(order):
            many = max(1, each // max(1, int(tokens.lengths[order[start]])))
            yield order[start : start + many]
            start += many
