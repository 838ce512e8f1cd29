"""From the calibration errors of the classes to one number (Obadinma, Guo and Zhu 2021)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from evenhand.errors import Undefined


def cece(errors: npt.ArrayLike) -> float:
    """Contraharmonic: Σ e² / Σ e, which leans towards the worst class; 0 when no class has an error."""
    found = _errors(errors)
    total = float(found.sum())
    return float(np.dot(found, found)) / total if total else 0.0


def msece(errors: npt.ArrayLike) -> float:
    """Macro: the plain mean, every class alike."""
    return float(_errors(errors).mean())


def wsece(errors: npt.ArrayLike, sizes: npt.ArrayLike) -> float:
    """Weighted: the mean by the size of each class."""
    found, shares = _errors(errors), np.asarray(sizes, dtype=np.float64)
    if not shares.sum() > 0.0:
        raise Undefined("there are no items")
    return float(np.dot(found, shares) / shares.sum())


def ece_variance(errors: npt.ArrayLike, overall: float) -> float:
    """The mean of (e − overall)²: high where errors of classes cancel out in the overall one."""
    return float(((_errors(errors) - overall) ** 2).mean())


def _errors(errors: npt.ArrayLike) -> npt.NDArray[np.float64]:
    found = np.asarray(errors, dtype=np.float64)
    if not found.size:
        raise Undefined("no class has items")
    return found
