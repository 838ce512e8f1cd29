"""What scikit-learn expects of a fitted classifier, made from `score`: `classes_`, `predict_proba` and `predict`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from evenhand.arrays import AnyFloats
from evenhand.classifiers.protocol import Classifier, Targets, score_in_batches
from evenhand.errors import InputError

ClassArray = npt.NDArray[np.bool_] | npt.NDArray[np.str_]


class TextEstimator:
    """A classifier of texts for everything in scikit-learn that takes a fitted one: metrics, displays, inspection.

    A binary classifier has the classes False and True, one of several classes has their names. Where any of them may
    be true, `predict` gives one column of true and false for each.
    """

    _estimator_type = "classifier"

    @property
    def classes_(self: Classifier) -> ClassArray:
        """The classes, in the order of the columns of `predict_proba`."""
        return _class_array(self.targets)

    def predict_proba(self: Classifier, texts: Sequence[str]) -> AnyFloats:
        """The probability of each class, one row per text; NaN where a text could not be scored."""
        return _class_probabilities(self, texts)

    def predict(self: Classifier, texts: Sequence[str]) -> ClassArray:
        """The most probable class of each text; where any may be true, whether each has a probability of ½ or more."""
        p = _class_probabilities(self, texts)
        unscored = np.isnan(p).any(axis=1)
        if unscored.any():
            problem = f"text {int(unscored.argmax()) + 1} has no score, so no class can be predicted for it"
            raise InputError(problem, source=self.name, remedy="use predict_proba, which leaves it empty")
        if self.targets.exclusive:
            return np.asarray(_class_array(self.targets)[p.argmax(axis=1)])
        return np.asarray(p >= 0.5) if self.targets.kind == "multi-label" else np.asarray(p[:, 1] >= 0.5)

    def __repr__(self: Classifier) -> str:
        classes = ", ".join(self.targets.classes)
        return f"{type(self).__name__}({self.name!r}, version {self.version}, {self.targets.kind}: {classes})"

    def __sklearn_tags__(self: Classifier) -> object:
        from sklearn.utils import ClassifierTags, Tags, TargetTags  # type: ignore[import-untyped]

        kind = self.targets.kind
        classes = ClassifierTags(multi_class=kind != "binary", multi_label=kind == "multi-label")
        return Tags("classifier", TargetTags(required=True), classifier_tags=classes)


def _class_array(targets: Targets) -> ClassArray:
    return np.array([False, True]) if targets.kind == "binary" else np.array(targets.classes)


def _class_probabilities(model: Classifier, texts: Sequence[str]) -> AnyFloats:
    rows = list(texts)
    if not rows:
        return np.empty((0, len(_class_array(model.targets))))
    p = score_in_batches(model, rows).probabilities
    return np.column_stack([1.0 - p[:, 0], p[:, 0]]) if model.targets.kind == "binary" else p
