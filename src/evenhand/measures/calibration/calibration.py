"""Every calibration number of one set of predictions, labels and weights, read off sums per bin and per class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evenhand.errors import Undefined
from evenhand.measures.calibration import summaries
from evenhand.measures.calibration.bins import Binned, Bins
from evenhand.measures.probability import Reliability
from evenhand.tally import FloatArray


@dataclass(frozen=True)
class Calibration:
    """Per class, that is the true one, and per column, that is a class whose probability is looked at."""

    bins: Bins
    overall: Binned  # by the confidence, `bins`
    by_class: Binned  # items of each true class by the confidence, `bins`
    wide: Binned  # every item by the probability of each column, bins of equal width
    full: Binned  # the same in bins of equal mass
    confusion: FloatArray  # true × predicted class
    given: FloatArray  # Σ w p of the true class, per class
    totals: FloatArray  # Σ w of all probabilities, per class
    squares: FloatArray  # Σ w p², per column
    surprise: FloatArray  # Σ −w log p of the true class, per class

    @property
    def sizes(self) -> FloatArray:
        """How many items each class has."""
        return np.asarray(self.confusion.sum(axis=1))

    @property
    def total(self) -> float:
        """How many items there are."""
        return float(self.confusion.sum())

    @property
    def present(self) -> npt.NDArray[np.intp]:
        """The classes that have items: those that CECE, MSECE, WSECE and the variance are taken over."""
        return np.flatnonzero(self.sizes)

    @property
    def ece(self) -> float:
        """Σ (n_b / N) |accuracy − confidence| over bins of the confidence, the largest probability."""
        return float(self.overall.error)

    @property
    def sce(self) -> float:
        """The same over bins of equal width of each column, accuracy being how often it is true; mean of columns."""
        return float(self.wide.error.mean())

    @property
    def ace(self) -> float:
        """The same over bins of equal mass, whatever `bins` are."""
        return float(self.full.error.mean())

    def class_ece(self, number: int) -> float:
        """The ECE of the items that truly are of a class. Not 0 for a calibrated model: that knows no true class."""
        return float(self.by_class.error[self._having(number)])

    def class_ace(self, number: int) -> float:
        """The ACE of the items that truly are of a class, whatever the bins.

        In a bin of theirs, all or none come true: of the class itself 1 − mean p is missing, of others mean p is too
        much. Bins of equal mass add up to the means over all, so that where rows sum to one this is 2 / K times the
        mean probability that was not given to the truth.
        """
        others = self.totals[number] - self.given[number]
        missed = self.sizes[self._having(number)] - self.given[number] + others
        return float(missed / self.sizes[number] / len(self.sizes))

    @property
    def class_eces(self) -> FloatArray:
        """Of the classes that are `present`."""
        return np.asarray(self.by_class.error[self.present])

    @property
    def cece(self) -> float:
        """Contraharmonic mean of the class ECEs."""
        return summaries.cece(self.class_eces)

    @property
    def msece(self) -> float:
        """Plain mean of the class ECEs."""
        return summaries.msece(self.class_eces)

    @property
    def wsece(self) -> float:
        """Mean of the class ECEs by the size of the classes."""
        return summaries.wsece(self.class_eces, self.sizes[self.present])

    @property
    def ece_variance(self) -> float:
        """Mean of (class ECE − ECE)²."""
        return summaries.ece_variance(self.class_eces, self.ece)

    @property
    def gaps(self) -> dict[str, FloatArray]:
        """By measure, gaps whose absolute values add up to it: what its interval is made from."""
        shares, classes = self.sizes[:, None] / self.total, len(self.sizes)
        return {
            "ece": self.overall.gaps,
            "sce": self.wide.gaps.ravel() / classes,
            "ace": self.full.gaps.ravel() / classes,
            "msece": self.by_class.gaps.ravel() / len(self.present),
            "wsece": (self.by_class.gaps * shares).ravel(),
        }

    @property
    def class_briers(self) -> FloatArray:
        """Per column the mean of ([y = k] − p_k)² over all items."""
        return np.maximum(self.squares - 2.0 * self.given + self.sizes, 0.0) / self.total

    @property
    def brier(self) -> float:
        """The sum of these; of two classes, whose columns say the same, one of them."""
        share = 0.5 if len(self.sizes) == 2 else 1.0
        return share * float(self.class_briers.sum())

    @property
    def log_loss(self) -> float:
        """The mean of −log p of the true class, p being no less than 2⁻⁵²."""
        return float(self.surprise.sum()) / self.total

    @property
    def accuracy(self) -> float:
        """The share of items whose class is predicted."""
        return float(np.trace(self.confusion)) / self.total

    @property
    def weighted_f1(self) -> float:
        """The mean of the F1 of the classes by their size."""
        hits, both = np.diag(self.confusion), self.sizes + self.confusion.sum(axis=0)
        f1 = np.divide(2.0 * hits, both, out=np.zeros_like(both), where=both > 0.0)
        return float(np.dot(f1, self.sizes)) / self.total

    def reliability(self, number: int | None = None) -> Reliability:
        """Confidence and accuracy per bin, of all items or of those that truly are of a class."""
        return self.overall.reliability if number is None else self.by_class[self._having(number)].reliability

    def column_reliability(self, column: int) -> Reliability:
        """The probability of a class, and how often it is true, per bin over all items."""
        return (self.wide if self.bins.by == "width" else self.full)[column].reliability

    def _having(self, number: int) -> int:
        if not self.sizes[number] > 0.0:
            raise Undefined("the class has no items")
        return number
