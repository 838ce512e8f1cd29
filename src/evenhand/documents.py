"""JSON and TOML that somebody else may have written: read within limits, so that a small file stays a small thing.

What is no JSON or TOML raises `ValueError` with the reason, what is beyond a limit an `InputError` that names it.
"""

from __future__ import annotations

import json
import re
import tomllib
from typing import Any

from evenhand import limits
from evenhand.errors import InputError

CONTAINER, ELEMENT, ESCAPE = 200, 60, 100  # bytes in memory of a list or table in JSON, of what is in it, of a \
TOML_TOKEN = re.compile(
    r"""(?P<part>"{3}(?:[^\\]|\\.)*?(?:"{3,5}|\Z) | '{3}.*?(?:'{3,5}|\Z) | "(?:[^"\\\n]|\\.)*"? | '[^'\n]*'? | [\w-]+)
    | (?P<dot>\.) | (?P<blank>[ \t]+) | \#[^\n]* | .""",
    re.DOTALL | re.VERBOSE,
)


def parse_json(text: str, **hooks: Any) -> Any:
    """What a JSON text holds; `hooks` are those of `json.loads`."""
    _check_number(text.count("[") + text.count("{"), limits.JSON_LISTS, "lists and objects")
    _check_number(text.count(","), limits.JSON_VALUES, "values")
    try:
        content = json.loads(text, **hooks)
    except RecursionError:
        raise _too_deep() from None
    _check_depth(content)
    return content


def parse_json_within(content: bytes, memory: int = limits.GIB) -> Any:
    """The same of bytes; `ValueError` also where what they hold would take more memory than so many bytes."""
    letters = 3 if content.isascii() and b"\\u" not in content else 9  # as bytes, as text and as parts of it
    containers = content.count(b"{") + content.count(b"[")
    elements = content.count(b",") + content.count(b":")
    escapes = content.count(b"\\")
    if CONTAINER * containers + ELEMENT * elements + ESCAPE * escapes + letters * len(content) > memory:
        raise ValueError("it holds too many values")
    try:
        return json.loads(content)
    except RecursionError:
        raise ValueError("it is nested too deep") from None


def parse_toml(text: str) -> dict[str, Any]:
    """What a TOML text holds."""
    _check_number(len(text.encode("utf-8", "replace")), limits.TOML_BYTES, "bytes")
    if text.count(".") > limits.NESTING and _longest_key(text) > limits.NESTING:  # a.a.a…: quadratic memory
        raise _too_deep()
    try:
        content = tomllib.loads(text)
    except RecursionError:
        raise _too_deep() from None
    _check_depth(content)
    return content


def _longest_key(text: str) -> int:
    """The most dots in one dotted key, or in a word like it."""
    longest = dots = 0
    for match in TOML_TOKEN.finditer(text):
        dots = dots + 1 if match.lastgroup == "dot" else dots if match.lastgroup else 0
        longest = max(longest, dots)
    return longest


def _check_number(number: int, most: int, what: str) -> None:
    if number > most:
        raise InputError(f"the file has {number:,} {what}, and at most {most:,} are read")


def _check_depth(content: object) -> None:
    level = [content]
    for _ in range(limits.NESTING + 1):
        level = [one for many in level for one in _inside(many)]
        if not level:
            return
    raise _too_deep()


def _inside(value: object) -> list[object]:
    several = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [one for one in several if isinstance(one, (dict, list))]


def _too_deep() -> InputError:
    return InputError(f"the file has more than {limits.NESTING} levels within one another")
