"""Options from a file, checked against the function that takes them: its signature is the only list of them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from evenhand.errors import InputError, nearest

WORDS = {str: "a text", bool: "true or false", int: "a whole number", float: "a number", list: "a list"}
WORDS |= {dict: "a table"}


def checked(function: Callable[..., Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """What a TOML file gives, as the keyword arguments of a function: none unknown, none missing, each of its type."""
    known = inspect.signature(function).parameters
    hints = get_type_hints(function)
    for name in given:
        if name not in known:
            raise InputError(f"there is no option '{name}'; {nearest(name, known)}")
    for name, parameter in known.items():
        if parameter.default is inspect.Parameter.empty and name not in given:
            raise InputError(f"the option '{name}' is missing")
    for name, value in given.items():
        if not _fits(value, hints[name]):
            raise InputError(f"{name} must be {_words(hints[name])}, not {_shown(value)}")
    return {
        name: tuple(value) if isinstance(value, list) and name != "body" else value for name, value in given.items()
    }


def _fits(value: Any, hint: Any) -> bool:
    origin, inner = get_origin(hint), get_args(hint)
    if hint is Any:
        return True
    if origin in (Union, UnionType):
        return any(_fits(value, one) for one in inner)
    if origin is Literal:
        return value in inner
    if origin is not None and issubclass(origin, Mapping):
        return isinstance(value, dict) and all(_fits(one, inner[1]) for one in value.values())
    if origin is not None:
        return isinstance(value, list) and all(_fits(one, inner[0]) for one in value)
    if hint is float:
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    return isinstance(value, hint) and (hint is bool or not isinstance(value, bool))


def _words(hint: Any) -> str:
    """What would have been right, in the words of the file."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return " or ".join(dict.fromkeys(_words(one) for one in inner if one is not NoneType))
    if origin is Literal:
        return " or ".join(f"'{one}'" for one in inner)
    if origin is not None and issubclass(origin, Mapping):
        return "a table"
    return "a list" if origin is not None else WORDS.get(hint, "a text")


def _shown(value: Any) -> str:
    """The kind of thing it is: what stands in the file may be a key."""
    return next((word for kind, word in WORDS.items() if type(value) is kind), type(value).__name__)
