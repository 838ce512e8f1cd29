"""A calibrator in a file: readable JSON with a hash, so that a file that was edited by hand is refused."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, TypeAlias

from evenhand.calibrators.calibrator import CalibrationMap, CalibrationMethod, Calibrator, find_method
from evenhand.documents import parse_json
from evenhand.errors import InputError
from evenhand.files import content_hash, read_text, write_text

FORMAT = 1
KEYS = {"format", "method", "classes", "passing", "parameters", "fitted_on", "options", "warnings", "seal"}
DEPTHS = {"float": 0, "tuple[float, ...]": 1, "NumberRows": 2}  # of lists, by what a curve says its numbers are
ABOUT = {"data", "columns", "scale", "items"}


def write(calibrator: Calibrator, path: str | Path) -> None:
    """Write a calibrator, whole or not at all.

    >>> p = np.array([[0.1, 0.9], [0.2, 0.8], [0.7, 0.3], [0.4, 0.6], [0.05, 0.95], [0.9, 0.1]])
    >>> labels = [1, 0, 0, 1, 1, 0]
    >>> eh.calibrators.write(eh.calibrators.fit(p, labels), "calibrator.json")
    """
    write_text(Path(path), calibrator_to_json(calibrator))


def read(path: str | Path, *, classes: Sequence[str] | None = None) -> Calibrator:
    """Read a calibrator; refuse one that is altered, of another version, or for other classes than these.

    >>> p = np.array([[0.1, 0.9], [0.2, 0.8], [0.7, 0.3], [0.4, 0.6], [0.05, 0.95], [0.9, 0.1]])
    >>> labels = [1, 0, 0, 1, 1, 0]
    >>> eh.calibrators.write(eh.calibrators.fit(p, labels), "calibrator.json")
    >>> eh.calibrators.read("calibrator.json").method
    'ts'
    """
    try:
        calibrator = calibrator_from_json(read_text(Path(path), "calibrator"))
        if classes is not None:
            calibrator.require(classes)
    except InputError as error:
        raise error.within(str(path)) from None
    return calibrator


def calibrator_to_json(calibrator: Calibrator) -> str:
    """The content of the file."""
    items = dict(zip(calibrator.classes, map(_short, calibrator.items), strict=True))
    content = {
        "format": FORMAT,
        "method": calibrator.method,
        "classes": list(calibrator.classes),
        "passing": list(calibrator.passing),
        "parameters": None if calibrator.curve is None else asdict(calibrator.curve),  # type: ignore[call-overload]
        "fitted_on": {
            "data": calibrator.data,
            "columns": list(calibrator.columns),
            "scale": calibrator.scale,
            "items": items,
        },
        "options": dict(calibrator.options),
        "warnings": list(calibrator.warnings),
    }
    return json.dumps({**content, "seal": content_hash(content)}, indent=1, ensure_ascii=False) + "\n"


def calibrator_from_json(text: str) -> Calibrator:
    """A calibrator from the content of its file."""
    content = _content(text)
    try:
        method = find_method(content["method"])
        about = content["fitted_on"]
        classes, passing = tuple(content["classes"]), tuple(content["passing"])
        if not set(passing) <= set(range(len(classes))):
            raise ValueError
        return Calibrator(
            method=method.name,
            classes=classes,
            curve=_read_map(method, content["parameters"], len(classes) - len(passing)),
            items=tuple(float(about["items"][name]) for name in classes),
            passing=passing,
            keeps_argmax=method.keeps_argmax,
            options=content["options"],
            data=about["data"],
            columns=tuple(about["columns"]),
            scale=about["scale"],
            warnings=tuple(content["warnings"]),
        )
    except (TypeError, ValueError, KeyError, AttributeError, OverflowError):
        raise InputError("the parameters do not fit together: fit the calibrator again") from None


def _content(text: str) -> dict[str, Any]:
    """What the file says, if it is whole and as it was written."""
    try:
        content = parse_json(text, parse_constant=_not_finite, parse_float=_finite)
    except ValueError:
        raise InputError("not a calibrator file: it is not JSON") from None
    if not isinstance(content, dict) or "format" not in content:
        raise InputError("not a calibrator file: give one that `evenhand calibrate fit` wrote")
    if content["format"] != FORMAT:
        problem = f"made by another version of Evenhand (format {content['format']}; this one reads {FORMAT})"
        raise InputError(f"{problem}: fit the calibrator again")
    lacking = sorted(KEYS - set(content))
    if isinstance(content.get("fitted_on"), dict):
        lacking += sorted(ABOUT - set(content["fitted_on"]))
    if lacking:
        raise InputError(f"the calibrator is not complete: {', '.join(lacking)} missing")
    if content.pop("seal") != content_hash(content):
        raise InputError("the calibrator was altered since it was written: fit it again")
    return content


def _read_map(method: CalibrationMethod, parameters: Mapping[str, Any] | None, width: int) -> CalibrationMap | None:
    if parameters is None and width == 0:
        return None
    if parameters is None or set(parameters) != {field.name for field in fields(method.curve)}:
        raise ValueError
    depths = {field.name: DEPTHS[str(field.type)] for field in fields(method.curve)}
    curve: CalibrationMap = method.curve(**{name: _numbers(value, depths[name]) for name, value in parameters.items()})
    if not curve.fits(width):
        raise ValueError
    return curve


NestedNumbers: TypeAlias = "float | tuple[NestedNumbers, ...]"


def _numbers(value: object, depth: int) -> NestedNumbers:
    """A number, a list of them, or a list of lists."""
    if isinstance(value, list) and depth:
        return tuple(_numbers(one, depth - 1) for one in value)
    if depth or isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ValueError
    return float(value)


def _short(count: float) -> int | float:
    return int(count) if count.is_integer() else count


def _finite(digits: str) -> float:
    number = float(digits)
    return number if math.isfinite(number) else _not_finite(digits)


def _not_finite(word: str) -> float:
    raise InputError(f"the calibrator holds a number that is not finite ({word}): fit it again")
