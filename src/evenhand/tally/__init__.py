"""The heart: for one score, how much of each sample lies at each of its distinct values, in order.

Every measure that ranks or bins one score is a sum over a tally. `Rows` are items in memory; `Placed` puts them on the
grid of distinct scores; a `Tally` is what is counted there and can be added to another; a `Split` is the view of a
tally that one group needs.
"""

from evenhand.tally.mass import Amount, Classes, Confusion, FloatArray, IntArray, Mass, dot
from evenhand.tally.rows import Membership, Placed, Rows, Weights
from evenhand.tally.split import Sample, Split
from evenhand.tally.tally import Base, Members, Tally

__all__ = [
    "Amount",
    "Base",
    "Classes",
    "Confusion",
    "FloatArray",
    "IntArray",
    "Mass",
    "Members",
    "Membership",
    "Placed",
    "Rows",
    "Sample",
    "Split",
    "Tally",
    "Weights",
    "dot",
]
