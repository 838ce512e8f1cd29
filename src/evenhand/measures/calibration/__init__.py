"""Are the probabilities of a model calibrated, for all items and for each class (Obadinma, Guo and Zhu 2021)?

`ModelPredictions` are made once from a table of rows × classes; `two_class_probabilities` makes one of a binary score.
`measure_calibration` compares them with labels and gives a `Calibration`, from which every number and curve is read.

To do so again and again, keep what does not change: `ModelPredictions` for the draws of a bootstrap, which are weights;
`WeightedPredictions` for labels drawn from the probabilities, which show what a perfectly calibrated model would;
`JudgedPredictions` for other bins.

    weighted = WeightedPredictions.from_predictions(predictions, weights)
    reference = JudgedPredictions.from_labels(weighted, predictions.redrawn(rng)).measure(bins)

Equal-width bins are (lo, hi], 0 in the first. Bins of equal mass hold exactly equally much: items of one value that
straddle an edge are split in proportion, so that neither the order of rows nor a row in place of many matters.
"""

from evenhand.measures.calibration.binned_errors import BinnedSums, Bins, cece, ece_variance, msece, wsece
from evenhand.measures.calibration.calibration import Calibration
from evenhand.measures.calibration.labelled_predictions import LEAST_PROBABILITY, JudgedPredictions, measure_calibration
from evenhand.measures.calibration.predictions import (
    ModelPredictions,
    WeightedPredictions,
    predicted_classes,
    two_class_probabilities,
)

__all__ = [
    "LEAST_PROBABILITY",
    "BinnedSums",
    "Bins",
    "Calibration",
    "JudgedPredictions",
    "ModelPredictions",
    "WeightedPredictions",
    "cece",
    "ece_variance",
    "measure_calibration",
    "msece",
    "predicted_classes",
    "two_class_probabilities",
    "wsece",
]
