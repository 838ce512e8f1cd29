"""How sure a share is: Wilson's interval, with an effective number of items under a design."""

from __future__ import annotations

from evenhand.intervals.bounded import Bounded
from evenhand.tally import Amount

METHOD = "wilson"
DIFFERENCE = "newcombe"


def wilson(part: Amount, rest: Amount) -> Bounded:
    """The share of `part` in part and rest. Plain items: 1 / n. Under a design: the variance of the weighted share."""
    whole = part + rest
    share = part.weight / whole.weight
    variance = (part.spread * (1.0 - share) ** 2 + rest.spread * share**2) / whole.weight**2
    if 0.0 < share < 1.0:
        return Bounded(share, variance / (share * (1.0 - share)))
    return Bounded(share, whole.spread / whole.weight**2)
