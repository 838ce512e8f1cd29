"""A scikit-learn model that somebody already has: anything with `predict_proba` over raw texts.

Vectoriser and model belong into one `Pipeline`, so that what is asked here is what is asked in production.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from evenhand.classifiers.adapters.labels import Labels
from evenhand.classifiers.protocol import Floats, Kind, Scores, Targets
from evenhand.errors import InputError

BATCH = 1024


@dataclass(frozen=True)
class PipelineClassifier:
    """Asks `predict_proba` and reads its columns by `labels`."""

    model: Any
    labels: Labels
    name: str
    version: str
    batch: int = BATCH

    @property
    def targets(self) -> Targets:
        """What the model tells apart."""
        return self.labels.targets

    def score(self, texts: Sequence[str]) -> Scores:
        """One row per text, in their order."""
        if not len(texts):
            return Scores(self.targets, np.empty((0, len(self.targets.classes))))
        try:
            given = self.model.predict_proba(list(texts))
        except (ValueError, TypeError, AttributeError) as error:
            kind = type(error).__name__
            problem = f"the model does not take texts ({kind}): put its vectoriser before it in one Pipeline"
            raise InputError(problem, source=self.name) from error
        try:
            columns = _columns(given)
            if len(columns) != len(texts):
                raise InputError(f"the model gives {len(columns)} rows for {len(texts)} texts")
            return Scores(self.targets, self.labels.classes(columns))
        except InputError as error:
            raise error.within(self.name) from None


def adapt(
    model: Any,
    *,
    name: str,
    version: str,
    positive: str | Sequence[str] | None = None,
    task: Kind | None = None,
    classes: Sequence[str] | None = None,
    batch: int = BATCH,
) -> PipelineClassifier:
    """A fitted scikit-learn object as a classifier.

    Of two classes the second one is the positive one unless `positive` names it, as everywhere in scikit-learn.
    `classes` renames the columns, in their order; `task` says "multi-label" where the object does not say so itself.
    """
    if not hasattr(model, "predict_proba"):
        problem = f"a {type(model).__name__} has no predict_proba: CalibratedClassifierCV can give it one"
        raise InputError(problem, source=name)
    if not version:
        raise InputError("say which version of the model this is: findings name it", source=name)
    try:
        return PipelineClassifier(model, _labels(model, positive, task, classes), name, version, batch)
    except InputError as error:
        raise error.within(name) from None


def _labels(
    model: Any, positive: str | Sequence[str] | None, task: Kind | None, classes: Sequence[str] | None
) -> Labels:
    several, known = _known(model)
    if task == "binary" and (several or len(known) != 2) and not positive:
        raise InputError(f"the model has {len(known)} classes: say which count as violating with positive")
    names = [str(name) for name in (classes if classes is not None else known)]
    if len(names) != len(known):
        raise InputError(f"{len(names)} names for the {len(known)} classes of the model")
    if several and task == "multi-class":
        raise InputError("any of the classes of this model may be true: task cannot be multi-class")
    if task == "multi-label" or several:
        return Labels.of(names, exclusive=False, positive=positive)
    return Labels.of(names, exclusive=True, positive=positive or (names[1] if len(names) == 2 else None))


def _known(model: Any) -> tuple[bool, Sequence[Any]]:
    """Whether any of the classes may be true at once, and what the model calls them."""
    last = model[-1] if hasattr(model, "steps") else model
    classes = getattr(model, "classes_", None)
    if classes is None:
        raise InputError("the model has no classes_: fit it first")
    if isinstance(classes, list):  # several outputs, each with classes of its own: true or not
        for number, of_one in enumerate(classes):
            if len(of_one) != 2:
                raise InputError(f"output {number} of the model has {len(of_one)} classes: it must be true or not")
        return True, [f"output_{number}" for number in range(len(classes))]
    return bool(getattr(last, "multilabel_", False)), list(classes)


def _columns(given: Any) -> Floats:
    """One column per class: several outputs come as a list of two-column tables, of which the second is 'true'."""
    if isinstance(given, list):
        return np.column_stack([np.asarray(of_one, dtype=np.float64)[:, 1] for of_one in given])
    return np.asarray(given, dtype=np.float64)
