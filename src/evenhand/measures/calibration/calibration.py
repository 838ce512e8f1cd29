"""Every calibration measure of one set of predictions, labels and weights, read from sums per bin and per class.

Sums may have an axis of draws in front: every measure then is one number per draw, all at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from evenhand.arrays import Floats
from evenhand.catalogue.calibration import ACE, MSECE, SCE
from evenhand.catalogue.measure import Measure
from evenhand.catalogue.shared import ECE
from evenhand.errors import Undefined
from evenhand.measures.binary_calibration import Reliability
from evenhand.measures.calibration import binned_errors
from evenhand.measures.calibration.binned_errors import BinnedSums, Bins


@dataclass(frozen=True)
class SumsOnDemand:
    """Sums of classes and of columns, counted when asked for: most are not, for most bins and groups."""

    classes: Callable[[], BinnedSums]
    widths: Callable[[], BinnedSums]
    masses: Callable[[], BinnedSums]

    @cached_property
    def by_class(self) -> BinnedSums:
        """The items of each class, by the confidence."""
        return self.classes()

    @cached_property
    def wide(self) -> BinnedSums:
        """In bins of equal width."""
        return self.widths()

    @cached_property
    def full(self) -> BinnedSums:
        """In bins of equal mass."""
        return self.masses()


CLASS_SUMS = ("confusion", "true_mass", "totals", "squares", "surprise")  # of a calibration, whatever the bins


@dataclass(frozen=True)
class Calibration:
    """Per class, that is the true one, and per column, that is a class whose probability is looked at.

    With an axis of draws in front, a number is NaN in draws where its class has no items.
    """

    bins: Bins
    overall: BinnedSums  # by the confidence, `bins`
    on_demand: SumsOnDemand
    confusion: Floats  # true × predicted class
    true_mass: Floats  # Σ w p of the true class, per class
    totals: Floats  # Σ w of all probabilities, per class
    squares: Floats  # Σ w p², per column
    surprise: Floats  # Σ −w log p of the true class, per class

    @classmethod
    def stacked(cls, draws: Sequence[Calibration]) -> Calibration:
        """Draws that were measured one by one, with the same bins."""
        return cls(
            bins=draws[0].bins,
            overall=BinnedSums.stacked([one.overall for one in draws]),
            on_demand=SumsOnDemand(
                lambda: BinnedSums.stacked([one.by_class for one in draws]),
                lambda: BinnedSums.stacked([one.wide for one in draws]),
                lambda: BinnedSums.stacked([one.full for one in draws]),
            ),
            **{name: np.stack([getattr(one, name) for one in draws]) for name in CLASS_SUMS},
        )

    @cached_property
    def sizes(self) -> Floats:
        """How many items each class has."""
        return np.asarray(self.confusion.sum(axis=-1))

    @cached_property
    def total(self) -> Any:
        """How many items there are."""
        return self.confusion.sum(axis=(-2, -1))

    @property
    def by_class(self) -> BinnedSums:
        """Items of each true class by the confidence, `bins`."""
        return self.on_demand.by_class

    @property
    def wide(self) -> BinnedSums:
        """Every item by the probability of each column, bins of equal width."""
        return self.on_demand.wide

    @property
    def full(self) -> BinnedSums:
        """The same in bins of equal mass."""
        return self.on_demand.full

    @property
    def present(self) -> npt.NDArray[np.intp]:
        """The classes that have items, in any draw: those that CECE, MSECE, WSECE and the variance are taken over."""
        return np.flatnonzero(self.sizes.reshape(-1, self.sizes.shape[-1]).any(axis=0))

    @property
    def ece(self) -> Any:
        """Σ (n_b / N) |accuracy − confidence| over bins of the confidence, the largest probability."""
        return self.overall.error[()]

    @property
    def sce(self) -> Any:
        """The same over bins of equal width of each column, accuracy being how often it is true; mean of columns."""
        return self.wide.error.mean(axis=-1)

    @property
    def ace(self) -> Any:
        """The same over bins of equal mass, whatever `bins` are."""
        return self.full.error.mean(axis=-1)

    def class_ece(self, number: int) -> Any:
        """The ECE of the items that truly are of a class. Not 0 for a calibrated model: that knows no true class."""
        return self._having(number, self.by_class.error[..., number][()])

    def class_ace(self, number: int) -> Any:
        """The ACE of the items that truly are of a class, whatever the bins.

        In a bin of theirs, all or none come true: of the class itself 1 − mean p is missing, of others mean p is too
        much. Bins of equal mass add up to the means over all, so that where rows sum to one this is 2 / K times the
        mean probability that was not given to the truth.
        """
        size, true = self.sizes[..., number], self.true_mass[..., number]
        missed = size - true + (self.totals[..., number] - true)
        return self._having(number, _ratio(missed, size) / self.sizes.shape[-1])

    @property
    def class_eces(self) -> Floats:
        """Of the classes that are `present`."""
        return np.asarray(self.by_class.error[..., self.present])

    @property
    def cece(self) -> Any:
        """Contraharmonic mean of the class ECEs."""
        return binned_errors.cece(self.class_eces)

    @property
    def msece(self) -> Any:
        """Plain mean of the class ECEs."""
        return self.class_eces.sum(axis=-1) / self._classes

    @property
    def wsece(self) -> Any:
        """Mean of the class ECEs by the size of the classes."""
        return (self.class_eces * self.sizes[..., self.present]).sum(axis=-1) / self.total

    @property
    def ece_variance(self) -> Any:
        """Mean of (class ECE − ECE)²."""
        apart = (self.class_eces - np.asarray(self.ece)[..., None]) ** 2
        return (apart * (self.sizes[..., self.present] > 0.0)).sum(axis=-1) / self._classes

    @property
    def _classes(self) -> Any:
        """How many classes have items."""
        return np.maximum((self.sizes > 0.0).sum(axis=-1), 1)

    def gaps(self, measure: Measure) -> Floats:
        """Gaps whose absolute values add up to a measure: what its interval is made from."""
        classes = self.sizes.shape[-1]
        if measure == ECE:
            return self.overall.gaps
        if measure in (SCE, ACE):
            return np.asarray(_flat((self.wide if measure == SCE else self.full).gaps) / classes)
        return self._class_gaps(self._classes if measure == MSECE else None)

    def _class_gaps(self, classes: Any) -> Floats:
        """Each class counting alike among so many, or by its size."""
        shares = (
            self.sizes / np.asarray(self.total)[..., None] if classes is None else 1.0 / np.asarray(classes)[..., None]
        )
        return _flat(self.by_class.gaps * np.broadcast_to(shares, self.sizes.shape)[..., None])

    @property
    def class_briers(self) -> Floats:
        """Per column the mean of ([y = k] − p_k)² over all items."""
        sums = np.maximum(self.squares - 2.0 * self.true_mass + self.sizes, 0.0)
        return np.asarray(sums / np.asarray(self.total)[..., None])

    @property
    def brier(self) -> Any:
        """The sum of these; of two classes, whose columns say the same, one of them."""
        share = 0.5 if self.sizes.shape[-1] == 2 else 1.0
        return share * self.class_briers.sum(axis=-1)

    @property
    def log_loss(self) -> Any:
        """The mean of −log p of the true class, p being no less than 2⁻⁵²."""
        return self.surprise.sum(axis=-1) / self.total

    @property
    def accuracy(self) -> Any:
        """The share of items whose class is predicted."""
        return np.trace(self.confusion, axis1=-2, axis2=-1) / self.total

    @property
    def weighted_f1(self) -> Any:
        """The mean of the F1 of the classes by their size."""
        hits, both = np.diagonal(self.confusion, axis1=-2, axis2=-1), self.sizes + self.confusion.sum(axis=-2)
        return (_ratio(2.0 * hits, both) * self.sizes).sum(axis=-1) / self.total

    def reliability(self, number: int | None = None) -> Reliability:
        """Confidence and accuracy per bin, of all items or of those that truly are of a class."""
        return self.overall.reliability if number is None else self._having(number, self.by_class[number]).reliability

    def column_reliability(self, column: int) -> Reliability:
        """The probability of a class, and how often it is true, per bin over all items."""
        return (self.wide if self.bins.by == "width" else self.full)[column].reliability

    def _having(self, number: int, value: Any) -> Any:
        """A value of a class: NaN in draws without items of it."""
        some = self.sizes[..., number] > 0.0
        if not some.any():
            raise Undefined("the class has no items")
        return value if some.all() else np.where(some, value, np.nan)


def _flat(gaps: Floats) -> Floats:
    """Classes and bins as one axis."""
    return gaps.reshape(*gaps.shape[:-2], -1)


def _ratio(part: Floats, whole: Floats) -> Any:
    return np.divide(part, whole, out=np.zeros_like(whole, dtype=np.float64), where=whole > 0.0)[()]
