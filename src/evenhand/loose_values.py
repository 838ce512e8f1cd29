"""Values that come loosely typed, from a TOML file, a command line or a notebook, held against the type that is wanted.

`fits` says whether a value has a type, `typed` makes it one, and both know types as annotations write them.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

from evenhand.errors import InputError

TypeWords = Mapping[type, str]  # what a type is called in errors
TYPE_WORDS: TypeWords = {bool: "true or false", int: "a whole number", float: "a number", str: "a word"}


def fits(value: object, hint: Any) -> bool:
    """Whether a value is of a type: a whole number is a number, true and false are not, and a list holds one type."""
    origin, inner = get_origin(hint), get_args(hint)
    if hint is Any:
        return True
    if origin in (Union, UnionType):
        return any(fits(value, one) for one in inner)
    if origin is Literal:
        return value in inner
    if origin is not None and issubclass(origin, Mapping):
        return isinstance(value, dict) and all(fits(one, inner[1]) for one in value.values())
    if origin is not None:
        return isinstance(value, list) and all(fits(one, inner[0]) for one in value)
    if hint is float:
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    return isinstance(value, hint) and (hint is bool or not isinstance(value, bool))


def in_words(hint: Any, words: TypeWords = TYPE_WORDS) -> str:
    """What would have been right."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return " or ".join(dict.fromkeys(in_words(one, words) for one in inner if one is not NoneType))
    if origin is Literal:
        return " or ".join(f"'{one}'" for one in inner)
    if origin is not None and issubclass(origin, Mapping):
        return "a table"
    return "a list" if origin is not None else words.get(hint, words[str])


def one_or_several(value: object) -> tuple[Any, ...]:
    """What was given for a list: one value alone is a list of one."""
    if isinstance(value, (str, Mapping)) or not isinstance(value, Iterable):
        return (value,)
    return tuple(value)


def typed(name: str, hint: Any, value: Any) -> Any:
    """A value of the type, whole numbers made floats where those are wanted; of a tuple each part, or one alone."""
    if get_origin(hint) is tuple:
        return tuple(typed(name, get_args(hint)[0], part) for part in one_or_several(value))
    if not fits(value, hint):
        raise InputError(f"{name} must be {in_words(hint)}, not {value!r}")
    if hint is not float and float not in get_args(hint):
        return value
    if abs(value) > sys.float_info.max and isinstance(value, int):
        raise InputError(f"{name} is larger than any number can be")
    return float(value)
