"""A calibrator in a file: readable JSON with a seal, so that one that was edited by hand is refused."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from evenhand.calibrators.calibrator import Calibrator, Curve
from evenhand.calibrators.methods import Method, named
from evenhand.errors import InputError
from evenhand.files import read_text, write_text
from evenhand.seal import hash_of

FORMAT = 1
KEYS = {"format", "method", "classes", "passing", "parameters", "fitted_on", "options", "warnings", "seal"}
DEPTHS = {"float": 0, "tuple[float, ...]": 1, "Rows": 2}  # of lists, by what a curve says its numbers are
ABOUT = {"data", "columns", "scale", "items"}


def write(calibrator: Calibrator, path: str | Path) -> None:
    """Write a calibrator, whole or not at all."""
    write_text(Path(path), as_json(calibrator))


def read(path: str | Path, *, classes: Sequence[str] | None = None) -> Calibrator:
    """Read a calibrator; refuse one that is altered, of another version, or for other classes than these."""
    try:
        found = from_json(read_text(Path(path), "calibrator"))
        if classes is not None:
            found.require(classes)
    except InputError as error:
        raise error.within(str(path)) from None
    return found


def as_json(calibrator: Calibrator) -> str:
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
    return json.dumps({**content, "seal": hash_of(content)}, indent=1, ensure_ascii=False) + "\n"


def from_json(text: str) -> Calibrator:
    """A calibrator from the content of its file."""
    content = _content(text)
    try:
        method = named(content["method"])
        about = content["fitted_on"]
        classes, passing = tuple(content["classes"]), tuple(content["passing"])
        if not set(passing) <= set(range(len(classes))):
            raise ValueError
        return Calibrator(
            method=method.name,
            classes=classes,
            curve=_curve(method, content["parameters"], len(classes) - len(passing)),
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
        content = json.loads(text, parse_constant=_not_finite, parse_float=_finite)
    except (ValueError, RecursionError):
        raise InputError("this is not JSON, so no calibrator") from None
    if not isinstance(content, dict) or "format" not in content:
        raise InputError("this is no calibrator: it does not say its format")
    if content["format"] != FORMAT:
        problem = f"made by another version of Evenhand (format {content['format']}; this one reads {FORMAT})"
        raise InputError(f"{problem}: fit the calibrator again")
    lacking = sorted(KEYS - set(content))
    if isinstance(content.get("fitted_on"), dict):
        lacking += sorted(ABOUT - set(content["fitted_on"]))
    if lacking:
        raise InputError(f"the calibrator is not complete: {', '.join(lacking)} missing")
    if content.pop("seal") != hash_of(content):
        raise InputError("the calibrator was altered since it was written: fit it again")
    return content


def _curve(method: Method, parameters: Mapping[str, Any] | None, width: int) -> Curve | None:
    if parameters is None and width == 0:
        return None
    if parameters is None or set(parameters) != {field.name for field in fields(method.curve)}:
        raise ValueError
    depths = {field.name: DEPTHS[str(field.type)] for field in fields(method.curve)}
    curve: Curve = method.curve(**{name: _numbers(value, depths[name]) for name, value in parameters.items()})
    if not curve.fits(width):
        raise ValueError
    return curve


def _numbers(value: Any, depth: int) -> Any:
    """A number, a list of them, or a list of lists."""
    if isinstance(value, list) and depth:
        return tuple(_numbers(one, depth - 1) for one in value)
    if depth or isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ValueError
    return float(value)


def _short(count: float) -> int | float:
    return int(count) if count.is_integer() else count


def _finite(digits: str) -> float:
    found = float(digits)
    return found if math.isfinite(found) else _not_finite(digits)


def _not_finite(word: str) -> float:
    raise InputError(f"the calibrator holds a number that is not finite ({word}): fit it again")
