"""Where in a JSON answer a number stands, written as people write it: `results[].scores[label=toxic].value`.

A name is a key, `[2]` an element, `["a.b"]` a key with dots in it, `[label=toxic]` the element whose `label` is
`toxic`, and `[]` every element: one for each text of a batch, in their order.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from evenhand.errors import InputError

EACH = "[]"
STEP = re.compile(r"""\.?(?P<name>[^.\[\]"]+)|\[(?P<inside>"[^"]*"|[^\[\]"]*)\]""")


class Missing(Exception):  # noqa: N818 (told to a caller who knows what was asked)
    """The answer has nothing at this path; the message is how far it went."""


@dataclass(frozen=True, slots=True)
class Path:
    """A path, read once and followed many times."""

    written: str
    steps: tuple[str, ...]

    @classmethod
    def of(cls, written: str) -> Path:
        """Read a path; a misspelt one is refused with the place where it cannot be read."""
        steps, at = [], 0
        while at < len(written):
            found = STEP.match(written, at)
            if not found or (at == 0 and written[0] == "."):
                raise InputError(f"the path '{written}' cannot be read from '{written[at:]}' on")
            steps.append(found["name"] if found["name"] is not None else f"[{found['inside']}]")
            at = found.end()
        if not steps or steps.count(EACH) > 1:
            raise InputError(f"the path '{written}' must lead to one number for each text")
        return cls(written, tuple(steps))

    @property
    def many(self) -> bool:
        """Leads to a list, one value per text."""
        return EACH in self.steps

    def find(self, answer: Any) -> list[Any]:
        """The values, of which a path without `[]` has one."""
        if not self.many:
            return [_follow(answer, self.steps)]
        cut = self.steps.index(EACH)
        several = _follow(answer, self.steps[:cut])
        if not isinstance(several, list):
            raise Missing(f"no list at '{_joined(self.steps[:cut])}'")
        return [_follow(one, self.steps[cut + 1 :]) for one in several]


def _follow(value: Any, steps: tuple[str, ...]) -> Any:
    for number, step in enumerate(steps):
        try:
            value = _step(value, step)
        except (KeyError, IndexError, TypeError, StopIteration):
            raise Missing(f"nothing at '{_joined(steps[: number + 1])}'") from None
    return value


def _step(value: Any, step: str) -> Any:
    inside = step[1:-1] if step.startswith("[") else None
    if inside is None:
        return _key(value, step)
    if inside.startswith('"'):
        return _key(value, inside[1:-1])
    if "=" in inside:
        key, _, wanted = inside.partition("=")
        return next(one for one in _list(value) if isinstance(one, dict) and str(one.get(key)) == wanted)
    return _list(value)[int(inside)] if re.fullmatch(r"-?\d+", inside) else _key(value, inside)


def _key(value: Any, key: str) -> Any:
    if not isinstance(value, dict):
        raise TypeError
    return value[key]


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError
    return value


def _joined(steps: tuple[str, ...]) -> str:
    return "".join(step if step.startswith("[") else f".{step}" for step in steps).lstrip(".")
