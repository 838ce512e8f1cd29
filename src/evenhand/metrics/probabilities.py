"""Whether probabilities are right: calibration errors and scores of one probability, or of a table of classes.

`probabilities` is one number per item (the probability that it violates), or rows × classes. `labels` are 0 and 1, or
the number of the true class, counted from 0. Intervals come from a seeded bootstrap.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from evenhand import arrays
from evenhand.audits.calibration.quantities import (
    OVERALL_MEASURES,
    CalibrationMeasure,
    CalibrationProbe,
    class_measure,
    draw_replicates,
    measure_probe,
)
from evenhand.audits.calibration.sample import ClassedSample
from evenhand.audits.calibration.settings import CalibrationSettings
from evenhand.catalogue.calibration import (
    ACE,
    CECE,
    CLASS_ACE,
    CLASS_BRIER,
    CLASS_ECE,
    ECE_VARIANCE,
    MSECE,
    SCE,
    WSECE,
)
from evenhand.catalogue.measure import Measure
from evenhand.catalogue.shared import BRIER, ECE, LOG_LOSS
from evenhand.errors import InputError
from evenhand.estimate import Estimate
from evenhand.evidence import ClassedRows
from evenhand.measures.calibration import two_class_probabilities

Array = npt.ArrayLike


def ece(probabilities: Array, labels: Array, *, bins: int = 15, level: float = 0.95, seed: int = 0) -> Estimate:
    """Expected calibration error: the mean distance of confidence from accuracy, over bins of equal width.

    >>> ece([0.0, 1.0, 1.0], [0, 1, 1], bins=2).value
    0.0
    """
    return _overall(ECE, probabilities, labels, bins=bins, level=level, seed=seed)


def ace(probabilities: Array, labels: Array, *, bins: int = 15, level: float = 0.95, seed: int = 0) -> Estimate:
    """Average calibration error: the mean over bins, however many items each holds.

    >>> ace([0.0, 1.0, 1.0], [0, 1, 1], bins=2).value
    0.0
    """
    return _overall(ACE, probabilities, labels, bins=bins, level=level, seed=seed)


def sce(probabilities: Array, labels: Array, *, bins: int = 15, level: float = 0.95, seed: int = 0) -> Estimate:
    """Static calibration error: the calibration error of every class's probability, averaged over classes.

    >>> sce([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], [0, 1, 2], bins=2).value
    0.0
    """
    return _overall(SCE, probabilities, labels, bins=bins, level=level, seed=seed)


def cece(probabilities: Array, labels: Array, *, bins: int = 15, level: float = 0.95, seed: int = 0) -> Estimate:
    """The mean over true classes of the calibration error within each.

    >>> cece([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], [0, 1, 2], bins=2).value
    0.0
    """
    return _overall(CECE, probabilities, labels, bins=bins, level=level, seed=seed)


def class_ece(
    probabilities: Array, labels: Array, true_class: int, *, bins: int = 15, level: float = 0.95, seed: int = 0
) -> Estimate:
    """Expected calibration error of the items of one true class.

    >>> class_ece([[0.9, 0.1], [0.1, 0.9], [0.2, 0.8]], [0, 1, 1], 1, bins=2).n
    2
    """
    return _of_class(CLASS_ECE, probabilities, labels, true_class, bins=bins, level=level, seed=seed)


def class_ace(
    probabilities: Array, labels: Array, true_class: int, *, bins: int = 15, level: float = 0.95, seed: int = 0
) -> Estimate:
    """Average calibration error of the items of one true class.

    >>> class_ace([[0.9, 0.1], [0.1, 0.9], [0.2, 0.8]], [0, 1, 1], 1, bins=2).n
    2
    """
    return _of_class(CLASS_ACE, probabilities, labels, true_class, bins=bins, level=level, seed=seed)


def class_brier(
    probabilities: Array, labels: Array, true_class: int, *, level: float = 0.95, seed: int = 0
) -> Estimate:
    """The mean squared error of the probability of one class, over all items.

    >>> class_brier([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]], [0, 1, 1], 1).value
    0.0
    """
    return _of_class(CLASS_BRIER, probabilities, labels, true_class, bins=1, level=level, seed=seed)


def msece(probabilities: Array, labels: Array, *, bins: int = 15, level: float = 0.95, seed: int = 0) -> Estimate:
    """Macro subset calibration error: the unweighted mean of the errors within each true class.

    >>> msece([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], [0, 1, 2], bins=2).value
    0.0
    """
    return _overall(MSECE, probabilities, labels, bins=bins, level=level, seed=seed)


def wsece(probabilities: Array, labels: Array, *, bins: int = 15, level: float = 0.95, seed: int = 0) -> Estimate:
    """Weighted subset calibration error: the same, each class weighted by its size.

    >>> wsece([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], [0, 1, 2], bins=2).value
    0.0
    """
    return _overall(WSECE, probabilities, labels, bins=bins, level=level, seed=seed)


def ece_variance(
    probabilities: Array, labels: Array, *, bins: int = 15, level: float = 0.95, seed: int = 0
) -> Estimate:
    """The mean squared difference between the errors of the classes and the overall one.

    >>> ece_variance([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], [0, 1, 2], bins=2).value
    0.0
    """
    return _overall(ECE_VARIANCE, probabilities, labels, bins=bins, level=level, seed=seed)


def brier(probabilities: Array, labels: Array, *, level: float = 0.95, seed: int = 0) -> Estimate:
    """The Brier score as the calibration audit takes it: the mean squared error, summed over classes.

    >>> brier([0.0, 1.0, 1.0], [0, 1, 1]).value
    0.0
    """
    return _overall(BRIER, probabilities, labels, bins=1, level=level, seed=seed)


def log_loss(probabilities: Array, labels: Array, *, level: float = 0.95, seed: int = 0) -> Estimate:
    """The mean negative logarithm of the probability of the true class.

    >>> round(log_loss([0.5, 0.5, 0.5], [0, 1, 1]).value, 3)
    0.693
    """
    return _overall(LOG_LOSS, probabilities, labels, bins=1, level=level, seed=seed)


def _overall(measure: str, probabilities: Array, labels: Array, *, bins: int, level: float, seed: int) -> Estimate:
    number = next(number for number in OVERALL_MEASURES if number.measure == measure)
    return _measured(number, _sample(probabilities, labels), bins=bins, level=level, seed=seed)


def _of_class(
    measure: Measure, probabilities: Array, labels: Array, true_class: int, *, bins: int, level: float, seed: int
) -> Estimate:
    sample = _sample(probabilities, labels)
    if not 0 <= true_class < len(sample.classed.classes):
        classes = len(sample.classed.classes)
        raise InputError(f"class {true_class} does not exist: classes are counted from 0 to {classes - 1}")
    return _measured(class_measure(measure, true_class), sample, bins=bins, level=level, seed=seed)


def _measured(number: CalibrationMeasure, sample: ClassedSample, *, bins: int, level: float, seed: int) -> Estimate:
    settings = CalibrationSettings(bins=bins, level=level, seed=seed)
    settings.require_items(sample.items, "probabilities")
    probe = CalibrationProbe(number, settings.sorting(), {})
    replicates = draw_replicates(sample, [probe.bins], settings, lambda _done, _total: None)
    return measure_probe(sample, replicates, probe, level).estimate


def _sample(probabilities: Array, labels: Array) -> ClassedSample:
    table = np.asarray(probabilities)
    if table.ndim == 1:
        table = two_class_probabilities(arrays.probabilities(table, "probabilities"))
    p = np.asarray(arrays.class_probabilities(table), dtype=np.float64)
    label = _class_numbers(labels, rows=p.shape[0], classes=p.shape[1])
    names = tuple(str(number) for number in range(p.shape[1]))
    return ClassedSample(ClassedRows("probabilities", names, p, label, None, {}))


def _class_numbers(labels: Array, *, rows: int, classes: int) -> arrays.Int32s:
    numbers = arrays.numbers(labels, "labels", size=rows)
    unknown = (numbers != np.floor(numbers)) | (numbers < 0) | (numbers >= classes)
    arrays.refuse(unknown, f"a label is the number of a class, from 0 to {classes - 1}", "labels")
    return numbers.astype(np.int32)
