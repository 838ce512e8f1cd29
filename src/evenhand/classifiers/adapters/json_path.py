"""Where a number is in a JSON answer, in the usual notation: `results[].scores[label=toxic].value`.

A name is a key, `[2]` an element, `["a.b"]` a key that contains dots, `[label=toxic]` the element whose `label` is
`toxic`, and `[]` every element: one for each text of a batch, in their order.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from evenhand.errors import InputError

JsonValue: TypeAlias = "bool | int | float | str | Sequence[JsonValue] | Mapping[str, JsonValue] | None"

EACH_ELEMENT = "[]"
STEP = re.compile(r"""\.?(?P<name>[^.\[\]"]+)|\[(?P<inside>"[^"]*"|[^\[\]"]*)\]""")


class PathNotFound(Exception):  # noqa: N818 (reported by the caller, who knows the text)
    """The answer has nothing at this path; the message says where the path ends."""


@dataclass(frozen=True, slots=True)
class JsonPath:
    """A path, parsed once and followed many times."""

    written: str
    steps: tuple[str, ...]

    @classmethod
    def parse(cls, written: str) -> JsonPath:
        """Parse a path; the error shows the part that cannot be read."""
        steps, at = [], 0
        while at < len(written):
            step = STEP.match(written, at)
            if not step or (at == 0 and written[0] == "."):
                raise InputError(f"the path '{written}' cannot be read from '{written[at:]}' on")
            steps.append(step["name"] if step["name"] is not None else f"[{step['inside']}]")
            at = step.end()
        if not steps or steps.count(EACH_ELEMENT) > 1:
            raise InputError(f"the path '{written}' must lead to one number for each text")
        return cls(written, tuple(steps))

    @property
    def many(self) -> bool:
        """Leads to a list, one value per text."""
        return EACH_ELEMENT in self.steps

    def find(self, answer: JsonValue) -> list[JsonValue]:
        """The values, of which a path without `[]` has one."""
        if not self.many:
            return [_follow(answer, self.steps)]
        cut = self.steps.index(EACH_ELEMENT)
        elements = _follow(answer, self.steps[:cut])
        if not isinstance(elements, list):
            raise PathNotFound(f"no list at '{_joined(self.steps[:cut])}'")
        return [_follow(element, self.steps[cut + 1 :]) for element in elements]


def _follow(value: JsonValue, steps: tuple[str, ...]) -> JsonValue:
    for number, step in enumerate(steps):
        try:
            value = _step(value, step)
        except (KeyError, IndexError, TypeError, StopIteration):
            raise PathNotFound(f"nothing at '{_joined(steps[: number + 1])}'") from None
    return value


def _step(value: JsonValue, step: str) -> JsonValue:
    inside = step[1:-1] if step.startswith("[") else None
    if inside is None:
        return _key(value, step)
    if inside.startswith('"'):
        return _key(value, inside[1:-1])
    if "=" in inside:
        key, _, wanted = inside.partition("=")
        return next(one for one in _list(value) if isinstance(one, dict) and str(one.get(key)) == wanted)
    return _list(value)[int(inside)] if re.fullmatch(r"-?\d+", inside) else _key(value, inside)


def _key(value: JsonValue, key: str) -> JsonValue:
    if not isinstance(value, dict):
        raise TypeError
    member: JsonValue = value[key]
    return member


def _list(value: JsonValue) -> list[JsonValue]:
    if not isinstance(value, list):
        raise TypeError
    return value


def _joined(steps: tuple[str, ...]) -> str:
    return "".join(step if step.startswith("[") else f".{step}" for step in steps).lstrip(".")
