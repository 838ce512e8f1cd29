"""Which items people label, how many it takes, and what follows from the draw.

Sizes come from a `Target` and a design. Strata part a population by score or by columns, an allocation spreads labels
over them, and a draw gives every item its inclusion probability. `ScoreDriven` is the default: it goes where labels are
least certain and learns from them, batch by batch. `Sequential` is for those who want to stop whenever they are sure
enough. A `Plan` keeps all that it takes to draw and to estimate, and is sealed. What labels say is in
`evenhand.intervals`: `survey`, `pools`, `clusters`, `annotators`, `anytime`.
"""

from evenhand.sampling.adaptive import ScoreDriven, next_batch
from evenhand.sampling.batches import Batch, Labelled
from evenhand.sampling.cells import Cells, Counting, Search
from evenhand.sampling.clusters import ClusterDraw, draw_clusters
from evenhand.sampling.designs import Adaptive, Done, Random
from evenhand.sampling.drawing import Draw, simple, stratified
from evenhand.sampling.effects import (
    NO_OVERLAP,
    USUAL,
    Change,
    NoOverlap,
    Power,
    chance_of_alarm,
    compare,
    detectable,
    size_for_effect,
)
from evenhand.sampling.estimation import difference_of_batches, of_batches, of_draw, row_weights
from evenhand.sampling.frame import Frame
from evenhand.sampling.plan import Plan
from evenhand.sampling.sequential import Answered, Draws, Sequential, bets, next_draws
from evenhand.sampling.sizes import Parts, Size, efficiency, random_size, range_within, stratified_size
from evenhand.sampling.storage import read_plan, write_plan
from evenhand.sampling.strata import Strata, by_columns, cross, equal_width, oracle, quantile
from evenhand.sampling.stratifying import Stratified
from evenhand.sampling.targets import Below, Target, Variation, Width, Within

__all__ = [
    "NO_OVERLAP",
    "USUAL",
    "Adaptive",
    "Answered",
    "Batch",
    "Below",
    "Cells",
    "Change",
    "ClusterDraw",
    "Counting",
    "Done",
    "Draw",
    "Draws",
    "Frame",
    "Labelled",
    "NoOverlap",
    "Parts",
    "Plan",
    "Power",
    "Random",
    "ScoreDriven",
    "Search",
    "Sequential",
    "Size",
    "Strata",
    "Stratified",
    "Target",
    "Variation",
    "Width",
    "Within",
    "bets",
    "by_columns",
    "chance_of_alarm",
    "compare",
    "cross",
    "detectable",
    "difference_of_batches",
    "draw_clusters",
    "efficiency",
    "equal_width",
    "next_batch",
    "next_draws",
    "of_batches",
    "of_draw",
    "oracle",
    "quantile",
    "random_size",
    "range_within",
    "read_plan",
    "row_weights",
    "simple",
    "size_for_effect",
    "stratified",
    "stratified_size",
    "write_plan",
]
