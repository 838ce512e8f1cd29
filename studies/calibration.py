"""Do the intervals of calibration errors hold the truth, also where a model is calibrated and classes are rare?

Logits are normal around those of the class shares; labels are drawn from their softmax, and the model shows the softmax
of the logits times `sharpened`: 1 is calibrated, 1.3 mildly and 2.5 strongly too sure. The truth is the same number, in
the same bins, of a large population in which each item has every label with its probability. Beside ours: percentiles
of the draws; those turned round (`basic`) or moved by the mean of the draws (`shifted`); the `envelope` of the first
two; and the triangle inequality for every gap with the upper percentile (`triangle`). Means, whose method is
`poisson_bootstrap`, have percentiles alone.
"""

from __future__ import annotations

import itertools
from functools import cache
from typing import Any

import numpy as np

from evenhand.intervals import bootstrap
from evenhand.intervals.bootstrap import DIRECTIONAL_BOOTSTRAP, CalibrationErrors, combined_error_interval
from evenhand.measures.calibration import Calibration, ModelPredictions, cece, ece_variance, measure_calibration
from evenhand.measures.score_cells import TIED
from studies.study import Row, Study

LEVEL, TAILS = 0.95, (0.025, 0.975)
BINS, REPLICATES, POPULATION = 15, 200, 400_000
LOGITS = {2: (2.0, -2.0), 4: (0.0, -1.95, -3.3, -3.5)}
SPREAD = 1.5
MANY = 20_000  # items from which on half the draws are made
CHUNK = 100  # rows; the numbers of items are multiples
EDGES = np.arange(1, BINS) / BINS + TIED
OTHERS = ("percentile", "basic", "shifted", "envelope", "triangle")
METHODS = {"ours": ("coverage", "width"), **{name: (name, f"{name}_width") for name in OTHERS}}
Found = dict[str, Any]


def cells() -> list[Row]:
    return [
        {"classes": classes, "items": items, "sharpened": sharpened}
        for items, classes, sharpened in itertools.product((300, 2000, 20_000), LOGITS, (1.0, 1.3, 2.5))
    ]


def softmax(logits: np.ndarray) -> np.ndarray:
    p = np.exp(logits - logits.max(axis=1, keepdims=True))
    return p / p.sum(axis=1, keepdims=True)


def drawn(items: int, classes: int, sharpened: float, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """True probabilities and those of the model."""
    logits = np.array(LOGITS[classes]) + SPREAD * rng.standard_normal((items, classes))
    return softmax(logits), softmax(sharpened * logits)


@cache
def truth(classes: int, sharpened: float) -> Calibration:
    true, p = drawn(POPULATION, classes, sharpened, np.random.default_rng(0))
    every = np.repeat(np.arange(classes), POPULATION)
    return measure_calibration(ModelPredictions.from_probabilities(np.tile(p, (classes, 1))), every, true.T.ravel())


def redrawn(p: np.ndarray, label: np.ndarray, times: np.ndarray) -> Found:
    """Gaps and means of the sample under each row of weights, all at once; as `Calibration` has them."""
    rows, classes = p.shape
    every, truly = np.arange(rows), label[:, None] == np.arange(classes)
    sizes, total = times @ truly.astype(np.float32), times.sum(axis=1, keepdims=True)
    confidence = p.max(axis=1)
    top = np.zeros((rows, classes * BINS), dtype=np.float32)
    top[every, label * BINS + np.searchsorted(EDGES, confidence)] = (p.argmax(axis=1) == label) - confidence
    wide = np.zeros((rows, classes, BINS), dtype=np.float32)
    for k in range(classes):
        wide[every, k, np.searchsorted(EDGES, p[:, k])] = truly[:, k] - p[:, k]
    found = (times @ top).reshape(-1, classes, BINS).astype(np.float64)
    full = [equal_mass(p[:, k], truly[:, k] - p[:, k], times) for k in range(classes)]
    given = p[every, label]
    per_class = found / np.maximum(sizes, 1.0)[:, :, None]
    return {
        "sizes": sizes,
        "classes": per_class,
        "ece": found.sum(axis=1) / total,
        "sce": (times @ wide.reshape(rows, -1)).astype(np.float64) / total / classes,
        "ace": np.concatenate(full, axis=1) / total / classes,
        "msece": per_class.reshape(len(times), -1) / classes,
        "wsece": found.reshape(len(times), -1) / total,
        "class_ace": 2.0 / classes * (1.0 - times @ (truly * given[:, None]) / np.maximum(sizes, 1.0)),
        "brier": times @ ((truly - p) ** 2).sum(axis=1) / total[:, 0] / (2.0 if classes == 2 else 1.0),
        "log_loss": times @ -np.log(given) / total[:, 0],
    }


def equal_mass(values: np.ndarray, amounts: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Sums of amounts over bins of values, distinct ones, that hold equally much: by chunks, then row by row in one."""
    order, draws = np.argsort(values), np.arange(len(times))[:, None]
    weights, own = times[:, order].reshape(len(times), -1, CHUNK), amounts[order].reshape(-1, CHUNK)
    sums = np.matmul(weights.transpose(1, 0, 2), own[:, :, None].astype(np.float32))[:, :, 0].T
    mass, sums = (np.pad(np.cumsum(x, axis=1, dtype=np.float64), ((0, 0), (1, 0))) for x in (weights.sum(axis=2), sums))
    targets = mass[:, -1:] * np.arange(1, BINS) / BINS
    chunk = (mass[:, 1:, None] < targets[:, None, :]).sum(axis=1)
    inside = weights[draws, chunk].astype(np.float64)
    missing = (targets - mass[draws, chunk])[:, :, None] - (np.cumsum(inside, axis=2) - inside)
    upto = sums[draws, chunk] + (np.clip(missing, 0.0, inside) * own[chunk]).sum(axis=2)
    return np.diff(np.concatenate((sums[:, :1], upto, sums[:, -1:]), axis=1), axis=1)


def intervals(found: Found) -> dict[tuple[str, int | str], dict[str, tuple[float, float]]]:
    """By measure and class, of each method."""
    keep = (found["sizes"] > 0).all(axis=1)
    found = {name: values[keep] for name, values in found.items()}
    errors = {
        name: CalibrationErrors.from_draws(found[name][0], found[name][1:])
        for name in ("ece", "sce", "ace", "msece", "wsece")
    }
    results: dict[tuple[str, int | str], dict] = {}
    for name, error in errors.items():
        results[name, ""] = {"ours": error.interval(LEVEL), **others(found[name])}
    for k in range(found["sizes"].shape[1]):
        own = found["classes"][:, k]
        results["class_ece", k] = {"ours": CalibrationErrors.from_draws(own[0], own[1:]).interval(LEVEL), **others(own)}
        results["class_ace", k] = mean(found["class_ace"][:, k])
    for name in ("brier", "log_loss"):
        results[name, ""] = mean(found[name])
    classes = CalibrationErrors.from_draws(found["classes"][0], found["classes"][1:])
    each, overall = (np.abs(found[name]).sum(axis=-1) for name in ("classes", "ece"))
    for name, ours, values in (
        ("cece", combined_error_interval(cece, classes, level=LEVEL), [cece(e) for e in each]),
        (
            "ece_variance",
            combined_error_interval(ece_variance, classes, errors["ece"], level=LEVEL),
            [ece_variance(e, o) for e, o in zip(each, overall, strict=True)],
        ),
    ):
        results[name, ""] = {"ours": ours, **usual(values[0], np.array(values[1:]))}
    return results


def others(gaps: np.ndarray) -> dict[str, tuple[float, float]]:
    """Of a sum of absolute gaps; the sample comes first."""
    values = np.abs(gaps).sum(axis=1)
    known = usual(values[0], values[1:])
    reach = np.quantile(np.abs(gaps[1:] - gaps[0]).sum(axis=1), TAILS[1])
    return {**known, "triangle": holding(values[0], values[0] - reach, known["percentile"][1])}


def usual(value: float, draws: np.ndarray) -> dict[str, tuple[float, float]]:
    low, high = np.quantile(draws, TAILS)
    bias = draws.mean() - value
    return {
        "percentile": holding(value, low, high),
        "basic": holding(value, 2 * value - high, 2 * value - low),
        "shifted": holding(value, low - bias, high - bias),
        "envelope": holding(value, min(low, 2 * value - high), max(high, 2 * value - low)),
    }


def mean(values: np.ndarray) -> dict[str, tuple[float, float]]:
    found = bootstrap.percentile_interval(values[1:].tolist(), float(values[0]), LEVEL)
    assert found
    return {"ours": found}


def holding(value: float, low: float, high: float) -> tuple[float, float]:
    return max(min(low, value), 0.0), max(high, value)


def run(cell: Row, draws: int, rng: np.random.Generator) -> list[Row]:
    true, items, classes = truth(cell["classes"], cell["sharpened"]), cell["items"], cell["classes"]
    times = rng.poisson(1.0, (1 + REPLICATES, items)).astype(np.float32)  # the same for all: independent of the data
    times[0] = 1.0
    held: dict[tuple, list[tuple[bool, float]]] = {}
    for _ in range(draws // 2 if items >= MANY else draws):
        honest, p = drawn(items, classes, cell["sharpened"], rng)
        label = (rng.random((items, 1)) > np.cumsum(honest, axis=1)[:, :-1]).sum(axis=1)
        for (name, k), known in intervals(redrawn(p, label, times)).items():
            value = _value(true, name, k)
            for method, (low, high) in known.items():
                inside = low - 1e-7 <= value <= high + 1e-7  # single precision
                held.setdefault((name, k, method), []).append((inside, high - low))
    return [_row(true, items, key, held) for key in dict.fromkeys((name, k) for name, k, _ in held)]


def _value(true: Calibration, name: str, k: int | str) -> float:
    return float(getattr(true, name) if k == "" else getattr(true, name)(k))


def _row(true: Calibration, items: int, key: tuple[str, int | str], held: dict) -> Row:
    """How often each method held the truth, and how wide it was."""
    name, k = key
    share = 1.0 if k == "" else true.sizes[k] / true.total
    row: Row = {"measure": name, "class": k, "truth": _value(true, name, k), "rests_on": float(share * items)}
    row["method"] = DIRECTIONAL_BOOTSTRAP if (*key, "percentile") in held else bootstrap.POISSON_BOOTSTRAP
    for method, columns in METHODS.items():
        pair = np.mean(held[(*key, method)], axis=0) if (*key, method) in held else (np.nan, np.nan)
        row |= {column: float(number) for column, number in zip(columns, pair, strict=True)}
    return row


STUDY = Study("calibration", cells(), run, draws=400)
