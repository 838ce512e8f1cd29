"""How far these annotators agree beyond chance: two numbers of labels that are yes or no, with intervals over items.

The annotators are those of one measurement and nobody else is meant, so only items are drawn: the interval is the
jackknife's, from the number without each item in turn. Two annotators are enough. Where all labels of every item are
alike, the interval allows for the share of items that could still have differed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evenhand.arrays import Floats
from evenhand.errors import Undefined
from evenhand.estimate import Estimate
from evenhand.intervals.significance import student_quantile
from evenhand.intervals.survey import clopper_pearson_interval

ITEM_JACKKNIFE = "item_jackknife"
FEWEST_ITEMS = 2


@dataclass(frozen=True)
class ItemAgreement:
    """Of each item with two labels or more: how many labels there are, and how many of them say yes."""

    labels: Floats
    marked: Floats

    @classmethod
    def of(cls, labels: npt.ArrayLike, marked: npt.ArrayLike) -> ItemAgreement:
        """From counts; items with one label say nothing of agreement."""
        counts, yes = (np.asarray(column, dtype=np.float64) for column in (labels, marked))
        several = counts >= 2.0
        return cls(counts[several], yes[several])

    @property
    def alike(self) -> int:
        """Items whose labels are all the same."""
        return int(np.sum((self.marked == 0.0) | (self.marked == self.labels)))

    def alpha(self, level: float) -> Estimate:
        """Krippendorff's alpha."""
        sums = np.column_stack((self._differing() * self.labels, self.labels, self.marked))

        def formula(total: Floats) -> Floats:
            differing, labels, marked = np.moveaxis(total, -1, 0)
            expected = 2.0 * marked * (labels - marked) / (labels - 1.0)
            return 1.0 - _ratio(differing, expected)

        return self._estimate(sums, formula, level)

    def ac1(self, level: float) -> Estimate:
        """Gwet's AC1, which stays meaningful where nearly all labels are alike."""
        sums = np.column_stack((self._differing(), np.ones(len(self.labels)), self.marked / self.labels))

        def formula(total: Floats) -> Floats:
            differing, items, marked = np.moveaxis(total, -1, 0)
            share = marked / items
            return 1.0 - _ratio(differing / items, 1.0 - 2.0 * share * (1.0 - share))

        return self._estimate(sums, formula, level)

    def _differing(self) -> Floats:
        """Of each item, the share of its pairs of labels that differ."""
        pairs: Floats = 2.0 * self.marked * (self.labels - self.marked) / (self.labels * (self.labels - 1.0))
        return pairs

    def _estimate(self, sums: Floats, formula: Callable[[Floats], Floats], level: float) -> Estimate:
        n, total = len(self.labels), sums.sum(axis=0)
        value = float(formula(total)) if n else float("nan")
        if n < FEWEST_ITEMS or not np.isfinite(value):
            return Estimate.undefined("all labels are alike, so nothing is said of agreement", level=level, n=n)
        if self.alike == n:
            total[0] = clopper_pearson_interval(0.0, n, level)[1] * sums[:, 1].sum()
            return Estimate(value, min(float(formula(total)), value), value, level, ITEM_JACKKNIFE, n)
        without = formula(total - sums)
        if not np.isfinite(without).all():
            raise Undefined("without one of the items the number has no value")
        reach = student_quantile(level, n - 1.0) * float(
            np.sqrt((n - 1.0) / n * np.sum((without - without.mean()) ** 2))
        )
        return Estimate(value, max(-1.0, value - reach), min(1.0, value + reach), level, ITEM_JACKKNIFE, n)


def _ratio(part: Floats, whole: Floats) -> Floats:
    """Undefined where there is nothing to divide by."""
    ratio: Floats = np.divide(part, whole, out=np.full(np.shape(part), np.nan), where=whole > 0.0)
    return ratio
