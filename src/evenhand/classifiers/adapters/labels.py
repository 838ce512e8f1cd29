"""From the labels of a model to the classes of a classifier: which count as violating is declared, not guessed.

A model with two exclusive labels is a binary classifier once it is known which of them is the positive one. One with
several can be used as it is, or as a binary classifier of some of its labels together ("offensive" or "violent").
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evenhand.arrays import AnyFloats
from evenhand.classifiers.adapters.score_scales import SUM_TOLERANCE
from evenhand.classifiers.protocol import TargetKind, Targets
from evenhand.errors import InputError, nearest


@dataclass(frozen=True)
class ModelLabels:
    """The columns a model gives, and how they become the classes of `targets`.

    `positive` are those whose probabilities together are that of a binary classifier; none: all columns as they are.
    """

    names: tuple[str, ...]
    exclusive: bool
    positive: tuple[str, ...] = ()

    @classmethod
    def from_names(
        cls, names: Sequence[str], *, exclusive: bool, positive: str | Sequence[str] | None = None
    ) -> ModelLabels:
        """Names and choices that fit together: of two exclusive labels `positive` must name one."""
        chosen = (positive,) if isinstance(positive, str) else tuple(positive or ())
        for name in chosen:
            if name not in names:
                raise InputError(f"the model has no label '{name}'; {nearest(name, names)}")
        if len(chosen) > 1 and not exclusive:
            raise InputError("labels that do not exclude one another cannot be added up: name one positive label")
        if len(chosen) == len(names) > 1:
            raise InputError("every label is positive: name those that count as violating")
        if exclusive and len(names) == 2 and not chosen:
            first, second = names
            raise InputError(f"set positive to the label that counts as violating: '{first}' or '{second}'")
        return cls(tuple(names), exclusive, chosen)

    @property
    def targets(self) -> Targets:
        """The classes of the classifier."""
        if self.positive or len(self.names) == 1:
            return Targets("binary", (" or ".join(self.positive or self.names),))
        kind: TargetKind = "multi-class" if self.exclusive else "multi-label"
        return Targets(kind, self.names)

    def classes(self, columns: AnyFloats) -> AnyFloats:
        """The probabilities of the targets from those of the labels, one row per text."""
        if columns.ndim != 2 or columns.shape[1] != len(self.names):
            raise InputError(f"the model gives {columns.shape[-1]} probabilities for {len(self.names)} labels")
        if not np.all((columns >= 0.0) & (columns <= 1.0)):
            raise InputError("the model gives probabilities outside 0 to 1")
        if self.exclusive and not np.allclose(columns.sum(axis=1), 1.0, atol=SUM_TOLERANCE):
            problem = "the probabilities of a text do not sum to one"
            raise InputError(f"{problem}: set task = 'multi-label' if several classes can be true at once")
        if not self.positive:
            return columns
        together = columns[:, [self.names.index(name) for name in self.positive]].sum(axis=1, keepdims=True)
        return np.asarray(np.minimum(together, 1.0))
