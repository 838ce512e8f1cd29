"""Options from a TOML file, checked against the function that takes them: its signature is the only list of them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, get_type_hints

from evenhand.errors import InputError, nearest
from evenhand.loose_values import TYPE_WORDS, TypeWords, fits, in_words

OPTION_WORDS: TypeWords = {**TYPE_WORDS, str: "a text", list: "a list", dict: "a table"}


def check_options(function: Callable[..., object], options: Mapping[str, object]) -> dict[str, Any]:
    """What a TOML file gives, as the keyword arguments of a function: none unknown, none missing, each of its type."""
    known = inspect.signature(function).parameters
    hints = get_type_hints(function)
    for name in options:
        if name not in known:
            raise InputError(f"there is no setting '{name}'; {nearest(name, known)}")
    for name, parameter in known.items():
        if parameter.default is inspect.Parameter.empty and name not in options:
            raise InputError(f"the setting '{name}' is missing")
    for name, value in options.items():
        if not fits(value, hints[name]):
            raise InputError(f"{name} must be {in_words(hints[name], OPTION_WORDS)}, not {_shown(value)}")
    return {
        name: tuple(value) if isinstance(value, list) and name != "body" else value for name, value in options.items()
    }


def _shown(value: object) -> str:
    """The kind of thing it is: what stands in the file may be a key."""
    return next((word for kind, word in OPTION_WORDS.items() if type(value) is kind), type(value).__name__)
