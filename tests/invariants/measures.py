"""The table of measures that must keep the invariants. A new measure joins by a row.

`take` reads the number off a tally. `monotone`: it depends on the order of scores alone. `mirrored`: what it becomes
when violating and benign are exchanged and the score is turned round. `even`: it treats both classes alike, and stays
the same when they are exchanged and the probability p becomes 1 − p.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from evenhand.measures import bias, binary_calibration, rates
from evenhand.measures.collaboration import COLLABORATIVE_MEASURES as COLLABORATIVE
from evenhand.measures.collaboration import Capacity, Collaboration, ReviewStage, toxicity_score, uncertainty_score
from evenhand.measures.ranking import auprc_interpolated, auroc, average_precision
from evenhand.measures.score_cells import ScoreCells
from evenhand.tally import Tally

CUT = 0.5
EVEN = ("oc_accuracy", "oc_auroc", "review_efficiency", "review_effectiveness")
Take = Callable[[Tally], float]


@dataclass(frozen=True)
class Row:
    name: str
    take: Take
    monotone: bool = True
    mirrored: Take | None = None
    even: bool = False


def compared(comparison: bias.AucComparison) -> Take:
    return lambda tally: comparison(tally.split("g"))


def negated(comparison: bias.AucComparison) -> Take:
    return lambda tally: -comparison(tally.split("g"))


def rate(share: Callable) -> Take:
    return lambda tally: share(tally.confusion(CUT, "g")).value


def summary(power: float) -> Take:
    return lambda tally: bias.power_mean([bias.bpsn_auc(tally.split(name)) for name in ("g", "h")], power)


def together(measure: str, *strategies: Callable, capacity: float = 0.13) -> Take:
    """A collaborative measure of the members of a group; several strategies share the capacity evenly."""

    def take(tally: Tally) -> float:
        cells = ScoreCells.from_tally(tally, "g")
        stages = [ReviewStage(strategy(cells.scores), 1.0 / len(strategies)) for strategy in strategies]
        collaboration = Collaboration.from_stages(cells, *stages, threshold=CUT)
        return COLLABORATIVE[measure](collaboration.at(Capacity.fraction(capacity)))

    return take


def probable(measure: Callable, *arguments: Callable) -> Take:
    def take(tally: Tally) -> float:
        cells = ScoreCells.from_tally(tally, "g")
        return measure(cells, *(argument(cells.scores) for argument in arguments))

    return take


MEASURES = [
    Row("auroc", lambda t: auroc(t.everyone), mirrored=lambda t: auroc(t.everyone)),
    Row("average_precision", lambda t: average_precision(t.everyone)),
    Row("subgroup_auc", compared(bias.subgroup_auc), mirrored=compared(bias.subgroup_auc)),
    Row("bpsn_auc", compared(bias.bpsn_auc), mirrored=compared(bias.bnsp_auc)),
    Row("bnsp_auc", compared(bias.bnsp_auc), mirrored=compared(bias.bpsn_auc)),
    Row("negative_aeg", compared(bias.negative_aeg), mirrored=negated(bias.positive_aeg)),
    Row("positive_aeg", compared(bias.positive_aeg), mirrored=negated(bias.negative_aeg)),
    Row("power_mean", summary(bias.JIGSAW_POWER)),
    Row(
        "rank_spread",
        lambda t: bias.rank_spread(t.split("g"), violating=True),
        mirrored=lambda t: bias.rank_spread(t.split("g"), violating=False),
    ),
    Row("tpr", rate(rates.tpr), monotone=False),
    Row("fpr", rate(rates.fpr), monotone=False),
    Row("precision", rate(rates.precision), monotone=False),
    Row(
        "positive_share",
        lambda t: rates.positive_share(t.groups["g"].inside).value,
        mirrored=lambda t: 1.0 - rates.positive_share(t.groups["g"].inside).value,
    ),
    Row("auprc_interpolated", lambda t: auprc_interpolated(t.everyone)),
    Row("accuracy", rate(rates.accuracy), monotone=False, even=True),
    Row("f1", lambda t: rates.f1(t.confusion(CUT, "g")), monotone=False),
    Row("brier", probable(binary_calibration.brier), monotone=False, even=True),
    Row("ece", probable(binary_calibration.ece), monotone=False, even=True),
    Row(
        "calibration_auroc",
        probable(binary_calibration.calibration_auroc, uncertainty_score),
        monotone=False,
        even=True,
    ),
    Row(
        "calibration_auprc",
        probable(binary_calibration.calibration_auprc, uncertainty_score),
        monotone=False,
        even=True,
    ),
    *(
        Row(
            f"{measure} {'+'.join(strategy.__name__ for strategy in strategies)}",
            take,
            monotone=False,
            even=strategies == (uncertainty_score,) and measure in EVEN,
        )
        for strategies in ((uncertainty_score,), (toxicity_score,), (toxicity_score, uncertainty_score))
        for measure in COLLABORATIVE
        for take in (together(measure, *strategies),)
    ),
]
