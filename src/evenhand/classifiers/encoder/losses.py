"""What training makes small: functions from logits and truth to the loss of each text.

Focal loss (Lin et al. 2017) is cross-entropy times (1 − p)^focus, p the probability of what is true: texts that the
model already gets right count less.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn import functional

Loss = Callable[[Tensor, Tensor], Tensor]


def loss_of(*, exclusive: bool, focus: float) -> Loss:
    """[…, classes] logits and truth to […]; a focus of 0 is cross-entropy."""
    logarithms = _exclusive if exclusive else _each

    def loss(logits: Tensor, truth: Tensor) -> Tensor:
        log_p = logarithms(logits.float(), truth)
        lost = -log_p if focus == 0.0 else -((1.0 - log_p.exp()) ** focus) * log_p
        return lost.mean(dim=-1)

    return loss


def _exclusive(logits: Tensor, truth: Tensor) -> Tensor:
    """Of the true class."""
    return (functional.log_softmax(logits, dim=-1) * truth).sum(dim=-1, keepdim=True)


def _each(logits: Tensor, truth: Tensor) -> Tensor:
    """Of what is true of each class."""
    return functional.logsigmoid(torch.where(truth > 0.5, logits, -logits))
