"""A calibrator as a scikit-learn estimator: for pipelines, cross-validation and `clone`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin  # type: ignore[import-untyped]
from sklearn.utils.validation import check_is_fitted  # type: ignore[import-untyped]

from evenhand.arrays import Floats
from evenhand.calibrators.calibrator import TEMPERATURE, find_method, fit
from evenhand.errors import InputError


class ProbabilityCalibrator(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """From the probabilities of a model to calibrated ones.

    `X` is one column per class, or one probability per item (of the second of two classes). `classes` are the labels in
    the order of the columns; without it those in `y`, sorted. `bins` is for the method "histogram".

    >>> p = [0.9, 0.8, 0.3, 0.6, 0.95, 0.1]
    >>> ProbabilityCalibrator("ts").fit(p, [1, 0, 0, 1, 1, 0]).predict_proba([0.9]).shape
    (1, 2)
    """

    def __init__(
        self, method: str = TEMPERATURE, *, classes: Sequence[object] | None = None, bins: int | None = None
    ) -> None:
        self.method, self.classes, self.bins = method, classes, bins

    def fit(self, X: npt.ArrayLike, y: npt.ArrayLike, sample_weight: npt.ArrayLike | None = None) -> Self:  # noqa: N803 (as scikit-learn calls it)
        """Fit on items that the model was not trained on."""
        columns, labels = _class_columns(X), np.asarray(y)
        self.classes_ = np.unique(labels) if self.classes is None else np.asarray(self.classes)
        if len(self.classes_) != columns.shape[1]:
            raise InputError(
                f"there are {columns.shape[1]} columns and {len(self.classes_)} classes: name them with `classes`"
            )
        place = {label: number for number, label in enumerate(self.classes_.tolist())}
        unknown = next((label for label in labels.tolist() if label not in place), None)
        if unknown is not None:
            raise InputError(f"the label {unknown!r} is not one of the classes")
        numbers = [place[label] for label in labels.tolist()]
        options: dict[str, Any] = (
            {"bins": self.bins} if self.bins is not None and "bins" in find_method(self.method).options else {}
        )
        self.calibrator_ = fit(
            columns, numbers, sample_weight, method=self.method, classes=[str(c) for c in self.classes_], **options
        )
        return self

    def predict_proba(self, X: npt.ArrayLike) -> Floats:  # noqa: N803 (as scikit-learn calls it)
        """Calibrated probabilities, one column per class."""
        check_is_fitted(self, "calibrator_")
        return self.calibrator_.apply(_class_columns(X))

    def predict(self, X: npt.ArrayLike) -> npt.NDArray[np.generic]:  # noqa: N803 (as scikit-learn calls it)
        """The most likely class of each item."""
        chosen: npt.NDArray[np.generic] = self.classes_[self.predict_proba(X).argmax(axis=1)]
        return chosen


def _class_columns(probabilities: npt.ArrayLike) -> Floats:
    """Rows × classes; a flat array, or a table of one column, is the probability of the second of two classes."""
    table = np.asarray(probabilities, dtype=np.float64)
    flat = table.ravel() if table.ndim == 1 or (table.ndim == 2 and table.shape[1] == 1) else None
    return table if flat is None else np.stack([1.0 - flat, flat], axis=1)
