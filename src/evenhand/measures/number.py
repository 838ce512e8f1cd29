"""A number that is read from sums: one formula for the data itself and for every draw of a bootstrap.

A bootstrap counts the same sums again with other weights. A formula that works along leading axes reads one table or
two hundred, and what has no value is told apart in one place.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evenhand.errors import Undefined
from evenhand.tally import FloatArray


@dataclass(frozen=True)
class Number:
    """`formula` goes from sums (… × the axes it needs) to values (…); `why` is the reason where there is none."""

    name: str
    formula: Callable[[FloatArray], FloatArray]
    why: str

    def of(self, sums: npt.ArrayLike) -> float:
        """The number itself."""
        value = float(self.formula(np.asarray(sums, dtype=np.float64)))
        if not np.isfinite(value):
            raise Undefined(self.why)
        return value

    def drawn(self, sums: npt.ArrayLike) -> FloatArray:
        """The number for many draws; those in which it has no value are left out."""
        values = self.formula(np.asarray(sums, dtype=np.float64))
        return values[np.isfinite(values)]


def ratio(part: FloatArray, whole: FloatArray) -> FloatArray:
    """A quotient; infinite where the whole is nothing, which a `Number` takes for undefined."""
    part, whole = np.broadcast_arrays(part, whole)
    return np.asarray(np.divide(part, whole, out=np.full(part.shape, np.inf), where=whole != 0.0))
