"""Changes that keep a file nearly sound: a value of a nest, a member of an archive. Bytes alone get hardly far."""

from __future__ import annotations

import copy
import gzip
import io
import json
import math
import random
import tomllib
import zipfile
from collections.abc import Callable
from typing import Any

Bytes = Callable[[bytes], bytes]  # changes of plain bytes, however the fuzzer makes them
ODD: tuple[Any, ...] = (
    *(
        None,
        True,
        False,
        "",
        " ",
        "x",
        "\u2028",
        "NaN",
        "é",
        "a\nb",
        "\x00",
        "\ud800",
        0,
        1,
        -1,
        2,
        2**31,
        2**63,
        2**70,
    ),
    *(0.5, -0.5, 1e308, 1e-320, math.nan, math.inf, -math.inf, [], {}, [[]], [None], {"a": 1}, [1, 2, 3], ["x"]),
    *("1e999", "../x", "^.*$", [0.5] * 50, "y" * 3000, 10**400),
)
DEEP = 3000


def changed_json(content: bytes, plain: Bytes, rng: random.Random) -> bytes:
    """Another value in a JSON text."""
    try:
        tree = json.loads(content)
    except (ValueError, RecursionError):
        return plain(content)
    if rng.random() < 0.002:
        return b"[" * DEEP * 40
    return json.dumps(changed(tree, rng)).encode("utf-8", "surrogatepass")


def changed_lines(content: bytes, plain: Bytes, rng: random.Random) -> bytes:
    """Another value in one of many lines of JSON."""
    lines = content.split(b"\n")
    at = rng.randrange(len(lines))
    return b"\n".join([*lines[:at], changed_json(lines[at], plain, rng), *lines[at + 1 :]])


def changed_toml(content: bytes, plain: Bytes, rng: random.Random) -> bytes:
    """Another value in a TOML file."""
    try:
        tree = tomllib.loads(content.decode())
    except (ValueError, RecursionError):
        return plain(content)
    found = changed(tree, rng)
    if not isinstance(found, dict):
        return plain(content)
    return "".join(f"{json.dumps(str(key))} = {_toml(value)}\n" for key, value in found.items()).encode(
        "utf-8", "replace"
    )


def changed_zip(content: bytes, plain: Bytes, rng: random.Random) -> bytes:
    """Another member of an archive, or one of them altered, gone or twice; sums are right again."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as file:
            members = [(name, file.read(name)) for name in file.namelist()]
    except Exception:
        return plain(content)
    if not members:
        return plain(content)
    at = rng.randrange(len(members))
    name, inside = members[at]
    how = rng.randrange(8)
    members[at] = (name, plain(inside) if how else b"")
    if how == 1:
        del members[at]
    if how == 2:
        members[at] = (rng.choice(["x", "../x", name.upper(), name + "x"]), inside)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        for name, inside in members:
            file.writestr(name, inside)
    return out.getvalue()


def changed_gzip(content: bytes, plain: Bytes, _rng: random.Random) -> bytes:
    """What is inside, altered."""
    try:
        return gzip.compress(plain(gzip.decompress(content)), 1)
    except Exception:
        return plain(content)


def changed_tensors(content: bytes, plain: Bytes, rng: random.Random) -> bytes:
    """The header of a safetensors file, altered; its length is right again."""
    size = int.from_bytes(content[:8], "little")
    header, data = content[8 : 8 + size], content[8 + size :]
    fresh = changed_json(header, plain, rng)
    return len(fresh).to_bytes(8, "little") + fresh + data


def changed_text(content: bytes, _plain: Bytes, rng: random.Random) -> bytes:
    """Another field, a line more or less."""
    lines = content.split(b"\n")
    at = rng.randrange(len(lines))
    separator = b"\t" if b"\t" in lines[0] else b","
    fields = lines[at].split(separator)
    value = rng.choice(ODD)
    fields[rng.randrange(len(fields))] = str(value).encode("utf-8", "replace")
    how = rng.randrange(6)
    fresh = [separator.join(fields)] if how else [lines[at], lines[at]]
    return b"\n".join([*lines[:at], *(fresh if how != 1 else []), *lines[at + 1 :]])


def changed(tree: Any, rng: random.Random) -> Any:
    """A nest of lists and tables with something in it otherwise."""
    tree = copy.deepcopy(tree)
    places = list(_places(tree))
    if not places:
        return rng.choice(ODD)
    for _ in range(rng.choice((1, 1, 1, 2))):
        holder, key = rng.choice(places)
        how = rng.randrange(8)
        if isinstance(holder, list) and not -len(holder) <= key < len(holder):
            continue
        if isinstance(holder, dict) and key not in holder:
            continue
        if how == 0:
            del holder[key]
        elif how == 1 and isinstance(holder, dict):
            holder[rng.choice(["x", "", *(key for _, key in places if isinstance(key, str))])] = rng.choice(ODD)
        elif how == 1:
            holder.append(copy.deepcopy(holder[key]))
        elif how == 2:
            other, at = rng.choice(places)
            try:
                holder[key] = copy.deepcopy(other[at])
            except (KeyError, IndexError, RecursionError):
                continue
        elif how == 3 and isinstance(holder[key], (int, float)) and not isinstance(holder[key], bool):
            few = holder[key] if abs(holder[key]) < 2**60 else 1
            holder[key] = few * rng.choice((-1, 2, 0.5, 1000)) + rng.choice((0, 1, -1, 0.1))
        else:
            holder[key] = rng.choice(ODD)
    return tree


def _places(tree: Any) -> Any:
    todo = [tree]
    while todo:
        one = todo.pop()
        if isinstance(one, dict):
            yield from ((one, key) for key in one)
            todo += one.values()
        elif isinstance(one, list):
            yield from ((one, key) for key in range(len(one)))
            todo += one


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(str(key))} = {_toml(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    if isinstance(value, bool) or value is None:
        return "true" if value else "false"
    if isinstance(value, float):
        return str(value).replace("inf", "inf") if not value.is_integer() or abs(value) > 1e15 else f"{value:.1f}"
    return json.dumps(value) if isinstance(value, (str, int)) else str(value)
