"""Which items people label, how many it takes, and what follows from the draw.

Sample sizes come from a target precision and a design. Strata divide a population by score or by columns, an allocation
spreads labels over them, and a draw gives every item its inclusion probability. The score-driven design is the default:
it goes where labels are least certain and learns from them, batch by batch. The sequential one is for those who want to
stop as soon as the interval is narrow enough; `DESIGNS` is the table of all. Changes between two periods are judged by
`EIGHTY_PERCENT_POWER` or `NO_OVERLAP`. Intervals are in `evenhand.intervals`:
`survey`, `survey_estimators`, `pools`, `confidence_sequence`. A campaign from plan to estimate is
`evenhand.measurement`.
"""

from evenhand.sampling.batches import LabelledBatch, SampleBatch
from evenhand.sampling.clusters import ClusterDesign, ClusterDraw, draw_clusters
from evenhand.sampling.design import DrawnSoFar, SamplingDesign
from evenhand.sampling.designs import DESIGNS, design_named
from evenhand.sampling.drawing import StratifiedDraw, draw_simple, draw_stratified
from evenhand.sampling.effects import (
    EIGHTY_PERCENT_POWER,
    NO_OVERLAP,
    EstimateChange,
    NoOverlap,
    Power,
    chance_of_alarm,
    compare_estimates,
    detectable_effect,
    size_for_effect,
)
from evenhand.sampling.estimation import estimate_batches, estimate_by_difference, estimate_draw, row_weights
from evenhand.sampling.frame import CellCounter, CellCounts, PlaceSearch, SamplingFrame
from evenhand.sampling.score_driven import ScoreDrivenDesign, ScoreDrivenSettings, next_batch
from evenhand.sampling.sequential import (
    LabelledDraws,
    SequentialDesign,
    SequentialDraws,
    combined_bets,
    next_sequential_draws,
)
from evenhand.sampling.simple_random import RandomDesign
from evenhand.sampling.sizes import (
    Below,
    SampleSize,
    StrataShares,
    Target,
    Variation,
    Width,
    Within,
    efficiency,
    random_size,
    range_within,
    stratified_size,
)
from evenhand.sampling.strata import (
    Strata,
    column_strata,
    cross_strata,
    equal_width_strata,
    oracle_strata,
    quantile_strata,
)
from evenhand.sampling.stratified import StratifiedDesign

__all__ = [
    "DESIGNS",
    "EIGHTY_PERCENT_POWER",
    "NO_OVERLAP",
    "Below",
    "CellCounter",
    "CellCounts",
    "ClusterDesign",
    "ClusterDraw",
    "DrawnSoFar",
    "EstimateChange",
    "LabelledBatch",
    "LabelledDraws",
    "NoOverlap",
    "PlaceSearch",
    "Power",
    "RandomDesign",
    "SampleBatch",
    "SampleSize",
    "SamplingDesign",
    "SamplingFrame",
    "ScoreDrivenDesign",
    "ScoreDrivenSettings",
    "SequentialDesign",
    "SequentialDraws",
    "Strata",
    "StrataShares",
    "StratifiedDesign",
    "StratifiedDraw",
    "Target",
    "Variation",
    "Width",
    "Within",
    "chance_of_alarm",
    "column_strata",
    "combined_bets",
    "compare_estimates",
    "cross_strata",
    "design_named",
    "detectable_effect",
    "draw_clusters",
    "draw_simple",
    "draw_stratified",
    "efficiency",
    "equal_width_strata",
    "estimate_batches",
    "estimate_by_difference",
    "estimate_draw",
    "next_batch",
    "next_sequential_draws",
    "oracle_strata",
    "quantile_strata",
    "random_size",
    "range_within",
    "row_weights",
    "size_for_effect",
    "stratified_size",
]


def __dir__() -> list[str]:
    """The public names, for tab completion."""
    return sorted(__all__)
