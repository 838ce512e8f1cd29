"""An encoder with a head, for all members at once."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn

from evenhand.classifiers.encoder.heads import HEADS, Head
from evenhand.classifiers.encoder.settings import EncoderSettings
from evenhand.classifiers.encoder.stacked import Fold, stack, stackable


class Network(nn.Module):
    """Token ids [members · texts, length] and their mask to vectors [members, texts, width], and these to logits."""

    def __init__(self, encoder: Any, settings: EncoderSettings, *, numbers: Sequence[int], classes: int) -> None:
        super().__init__()
        self.members, self.pooling, self.fold = len(numbers), settings.pooling, Fold()
        width = int(encoder.config.get_text_config().hidden_size)
        _drop(encoder, settings.dropout)
        self.encoder = stack(encoder, len(numbers), self.fold) if stackable(encoder) else encoder
        self.head: Head = HEADS[settings.head](settings, [seed_of(settings.seed, n) for n in numbers], width, classes)

    def vectors(self, ids: Tensor, mask: Tensor) -> Tensor:
        """What the encoder makes of each text: the mean over its tokens, or that of the first."""
        self.fold.texts = len(ids) // self.members
        states = self.encoder(input_ids=ids, attention_mask=mask).last_hidden_state
        if self.pooling == "first":
            found = states[:, 0]
        else:
            share = mask.unsqueeze(1).to(states.dtype)
            total = torch.bmm(share, states).squeeze(1).float()
            found = total / mask.sum(dim=1, keepdim=True).clamp(min=1)
        shaped: Tensor = found.reshape(self.members, self.fold.texts, -1)
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


def seed_of(seed: int, member: int) -> int:
    """Of one member, whoever is trained beside it."""
    return seed * 10_007 + member


def _drop(encoder: nn.Module, chance: float) -> None:
    """The same dropout everywhere, also where an encoder keeps it as a number (attention)."""
    for layer in encoder.modules():
        if isinstance(layer, nn.Dropout):
            layer.p = chance


def probabilities(logits: Tensor, *, exclusive: bool) -> Tensor:
    """Of each class."""
    return torch.softmax(logits.float(), dim=-1) if exclusive else torch.sigmoid(logits.float())
