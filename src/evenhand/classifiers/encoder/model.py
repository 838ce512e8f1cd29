"""A fine-tuned encoder that can be asked: probabilities, and how far to trust them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from evenhand.classifiers.encoder import storage
from evenhand.classifiers.encoder.batches import Shelf
from evenhand.classifiers.encoder.moments import moments
from evenhand.classifiers.encoder.network import Network
from evenhand.classifiers.encoder.sampling import install, keys_of
from evenhand.classifiers.encoder.settings import EncoderSettings
from evenhand.classifiers.encoder.tokens import Tokens
from evenhand.classifiers.protocol import Scores, Targets

Floats = npt.NDArray[np.floating[Any]]
AT_ONCE = {"cpu": 8_192, "cuda": 131_072}  # tokens in one pass, over all members


@dataclass(frozen=True)
class EncoderClassifier:
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
        """How many texts it likes to be given: enough for texts of like length to find one another."""
        return 65_536 if self.device.type == "cuda" else 2_048

    def write(self, folder: Path) -> None:
        """The weights, the configuration and the tokenizer."""
        storage.write(folder, self.networks, self.config, self.tokenizer)

    def score(self, texts: Sequence[str]) -> Scores:
        """One row per text, in their order; what is longer than the model reads is cut at its end."""
        return self.score_tokens(Tokens.of(texts, self.tokenizer, self.longest))

    @torch.inference_mode()
    def score_tokens(self, tokens: Tokens) -> Scores:
        """The same, of texts whose words were read before."""
        classes = len(self.targets.classes)
        mean, spread = np.empty((len(tokens.lengths), classes)), np.zeros((len(tokens.lengths), classes))
        shelf = Shelf(tokens, self.device, self._padding)
        found = []
        for rows in self._portions(tokens):
            ids, mask = shelf.take(torch.from_numpy(rows).to(self.device), int(tokens.lengths[rows].max()))
            found.append((rows, *self._ask(ids, mask)))
        for rows, p, variance in found:  # fetched at the end: fetching waits for the device
            mean[rows], spread[rows] = p.cpu().numpy(), variance.cpu().numpy()
        return Scores(self.targets, mean, spread if self._spreads else None)

    def _ask(self, ids: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Mean and variance [texts, classes] of the probabilities."""
        logits, variances = [], []
        for network in self._ready:
            passes = self.settings.samples
            times = network.members * passes
            if passes > 1:
                install(network).keys = keys_of(ids, mask, passes=passes, seed=self.settings.seed)
            vectors = network.vectors(ids.repeat(times, 1), mask.repeat(times, 1)).float()
            shape = (times, len(ids), len(self.targets.classes))
            logits.append(network.head(vectors).double().reshape(shape))
            doubt = network.head.variances(vectors)
            variances.append(torch.zeros(shape, device=ids.device) if doubt is None else doubt.reshape(shape))
        return moments(
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
        each = AT_ONCE.get(self.device.type, AT_ONCE["cpu"]) // max(
            self.settings.samples, *(network.members for network in self.networks)
        )
        start = 0
        while start < len(order):
            many = max(1, each // max(1, int(tokens.lengths[order[start]])))
            yield order[start : start + many]
            start += many
