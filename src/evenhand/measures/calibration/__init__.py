"""Are the probabilities of a model honest, for all items and for each class (Obadinma, Guo and Zhu 2021)?

`Predictions` are made once from a table of rows × classes; `two_classes` makes one of a binary score. `measure` holds
them against labels and gives a `Calibration`, from which every number and curve is read.

To do so again and again, keep what does not change: `Predictions` for the draws of a bootstrap, which are weights;
`Weighed` for labels drawn from the probabilities, which show what a perfectly calibrated model would; `Judged` for
other bins.

    weighed = Weighed.of(predictions, weights)
    reference = Judged.of(weighed, predictions.redrawn(rng)).measure(bins)

Equal-width bins are (lo, hi], 0 in the first. Bins of equal mass hold exactly equally much: items of one value that
straddle an edge are split in proportion, so that neither the order of rows nor a row in place of many matters.
"""

from evenhand.measures.calibration.bins import Binned, Bins
from evenhand.measures.calibration.calibration import Calibration
from evenhand.measures.calibration.judged import CLIP, Judged, measure
from evenhand.measures.calibration.predictions import Predictions, predicted, two_classes
from evenhand.measures.calibration.summaries import cece, ece_variance, msece, wsece
from evenhand.measures.calibration.weighed import Weighed

__all__ = [
    "CLIP",
    "Binned",
    "Bins",
    "Calibration",
    "Judged",
    "Predictions",
    "Weighed",
    "cece",
    "ece_variance",
    "measure",
    "msece",
    "predicted",
    "two_classes",
    "wsece",
]
