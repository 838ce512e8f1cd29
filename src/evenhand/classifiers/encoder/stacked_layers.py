"""Several models in one: every layer holds the weights of all members, and the batch holds each member's own texts.

Members are folded into the batch, one after another, so that whatever has no weights (attention, activations,
dropout) needs no change; a layer with weights unfolds, multiplies each member by its own, and folds again. Ten small
models then cost ten times the arithmetic but no more launches than one.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from evenhand.errors import InputError


class StackedLinear(nn.Module):
    """A linear layer for each member."""

    def __init__(self, weight: Tensor, bias: Tensor | None) -> None:
        super().__init__()
        self.weight = nn.Parameter(weight)  # [members, out, in]
        self.bias = nn.Parameter(bias) if bias is not None else None

    def forward(self, x: Tensor) -> Tensor:
        members, out, width = self.weight.shape
        if members == 1:
            return nn.functional.linear(x, self.weight[0], self.bias[0] if self.bias is not None else None)
        rows = x.reshape(members, -1, width)
        if self.bias is None:
            product = torch.bmm(rows, self.weight.transpose(1, 2))
        else:
            product = torch.baddbmm(self.bias.unsqueeze(1), rows, self.weight.transpose(1, 2))
        return product.reshape(*x.shape[:-1], out)


class StackedNorm(nn.Module):
    """Layer normalisation with a scale and a shift for each member."""

    def __init__(self, weight: Tensor, bias: Tensor, eps: float) -> None:
        super().__init__()
        self.weight, self.bias, self.eps = nn.Parameter(weight), nn.Parameter(bias), eps

    def forward(self, x: Tensor) -> Tensor:
        members, width = self.weight.shape
        with torch.autocast(x.device.type, enabled=False):  # half the memory to move; it adds up in full all the same
            if members == 1:
                return nn.functional.layer_norm(
                    x, (width,), self.weight[0].to(x.dtype), self.bias[0].to(x.dtype), self.eps
                )
            plain = nn.functional.layer_norm(x, (width,), eps=self.eps).reshape(members, -1, width)
            scale, shift = (values.to(x.dtype).unsqueeze(1) for values in (self.weight, self.bias))
            return torch.addcmul(shift, plain, scale).reshape(x.shape)


@dataclass
class MemberFold:
    """How a batch is folded just now: so many texts of each member."""

    texts: int = 1


class StackedEmbedding(nn.Module):
    """A table of vectors for each member. What is looked up once for all texts (positions) is spread over them."""

    def __init__(self, weight: Tensor, fold: MemberFold, padding_idx: int | None) -> None:
        super().__init__()
        self.weight, self.fold = nn.Parameter(weight), fold  # [members, entries, width]
        self.num_embeddings, self.padding_idx = weight.shape[1], padding_idx  # how far positions are counted

    def forward(self, ids: Tensor) -> Tensor:
        members, entries, width = self.weight.shape
        every = ids.expand(members * self.fold.texts, *ids.shape[1:])
        start = torch.arange(members, device=ids.device).mul_(entries).repeat_interleave(self.fold.texts)
        places = every + start.reshape(-1, *[1] * (every.dim() - 1))
        return nn.functional.embedding(places, self.weight.reshape(members * entries, width))


def stack(module: nn.Module, members: int, fold: MemberFold) -> nn.Module:
    """The same model so many times; to begin with all members are equal."""
    for name, child in list(module.named_children()):
        setattr(module, name, _stacked_layer(child, members, fold))
    return module


@torch.no_grad()
def stackable(encoder: Any) -> bool:
    """Whether two members side by side say what one alone says, and share no weight.

    Some encoders use weights in ways of their own.
    """
    ids = torch.tensor([[1, 2, 3], [3, 1, 0]])
    mask = torch.tensor([[1, 1, 1], [1, 1, 0]])
    training, fold = encoder.training, MemberFold(texts=2)
    try:
        alone = encoder.eval()(input_ids=ids, attention_mask=mask).last_hidden_state
        pair = stack(copy.deepcopy(encoder), 2, fold)
        if _shares_weights(pair):
            return False
        beside = pair(input_ids=ids.repeat(2, 1), attention_mask=mask.repeat(2, 1)).last_hidden_state
        return bool(torch.allclose(alone.repeat(2, 1, 1)[[0, 2]], beside[[0, 2]], atol=1e-4))
    except (RuntimeError, TypeError, ValueError, IndexError, AttributeError, InputError):
        return False
    finally:
        encoder.train(training)


def _shares_weights(stacked: nn.Module) -> bool:
    """Whether a weight belongs to a layer that was not unfolded, so that all members would pull at it."""
    own = (StackedLinear, StackedNorm, StackedEmbedding)
    layers = (layer for layer in stacked.modules() if not isinstance(layer, own))
    return any(True for layer in layers for _ in layer.parameters(recurse=False))


def linear_weights(module: nn.Module) -> Iterator[Tensor]:
    """Of all linear layers, in order."""
    return (layer.weight for layer in module.modules() if isinstance(layer, (StackedLinear, nn.Linear)))


def _stacked_layer(layer: nn.Module, members: int, fold: MemberFold) -> nn.Module:
    def copies(values: Tensor) -> Tensor:
        return values.detach().unsqueeze(0).repeat(members, *[1] * values.dim())

    if isinstance(layer, nn.Linear):
        return StackedLinear(copies(layer.weight), copies(layer.bias) if layer.bias is not None else None)
    if isinstance(layer, nn.LayerNorm):
        if layer.weight is None or len(layer.normalized_shape) != 1:
            raise InputError("this encoder normalises in a way that is not known here: choose another")
        bias = layer.bias if layer.bias is not None else torch.zeros_like(layer.weight)
        return StackedNorm(copies(layer.weight), copies(bias), layer.eps)
    if isinstance(layer, nn.Embedding):
        return StackedEmbedding(copies(layer.weight), fold, layer.padding_idx)
    return stack(layer, members, fold)
