"""The heart: for one score, how much of each sample lies at each of its distinct values, in order.

Every measure that ranks or bins one score is a sum over a tally. `Rows` are items in memory; `PlacedRows` puts them on
the grid of distinct scores; a `Tally` is what is counted there and can be added to another; a `Split` is the view of a
tally that one group needs.
"""

from evenhand.tally.clusters import Clusters
from evenhand.tally.mass import Amount, Classes, Confusion, Mass, dot
from evenhand.tally.merged import joined_edges, merged, merged_edges, within_edges
from evenhand.tally.reviews import Reviews
from evenhand.tally.rows import Membership, PlacedRows, Rows, Weights
from evenhand.tally.split import GroupSample, Split
from evenhand.tally.tally import ClassView, GroupTally, Tally

__all__ = [
    "Amount",
    "ClassView",
    "Classes",
    "Clusters",
    "Confusion",
    "GroupSample",
    "GroupTally",
    "Mass",
    "Membership",
    "PlacedRows",
    "Reviews",
    "Rows",
    "Split",
    "Tally",
    "Weights",
    "dot",
    "joined_edges",
    "merged",
    "merged_edges",
    "within_edges",
]
