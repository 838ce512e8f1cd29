"""Hostile skops files: types that run code when they are built or asked, and TOML files that trust them."""

from __future__ import annotations

import io
import json
import os
import zipfile
from functools import cache, partial
from typing import Any

from hostile.corpus.archives import Packed, archive, repeated
from hostile.corpus.registry import hostile
from hostile.corpus.rows import rows
from hostile.site import Site

TRUSTED = [
    "os.system",
    "posix.system",
    "os.mkdir",
    "posix.mkdir",
    "functools.partial",
    "builtins.exec",
    "builtins.eval",
]
SKOPS = ("skops.io", "sklearn.pipeline", "sklearn.feature_extraction.text", "sklearn.linear_model")


def pipeline(**vectoriser: Any) -> Any:
    """A fitted pipeline over texts."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    table = rows()
    fitted = make_pipeline(TfidfVectorizer(), LogisticRegression()).fit(
        [r["text"] for r in table], [r["y"] for r in table]
    )
    fitted[0].set_params(**vectoriser)
    return fitted


@cache
def _plain() -> bytes:
    import skops.io

    return bytes(skops.io.dumps(pipeline()))


def rewritten(change: Any = None, array: bytes | Packed | None = None) -> bytes:
    """A skops file with its schema changed, or its first array."""
    with zipfile.ZipFile(io.BytesIO(_plain())) as old:
        members: dict[str, bytes | Packed] = {name: old.read(name) for name in old.namelist() if name != "schema.json"}
        schema = json.loads(old.read("schema.json"))
    if array is not None:
        members[next(iter(members))] = array
    return archive({**members, "schema.json": json.dumps(change(schema) if change else schema).encode()})


def described(site: Site, content: bytes, trusted: list[str] | None = None) -> str:
    site.write("model.skops", content)
    trust = f"trusted = {json.dumps(trusted)}\n" if trusted else ""
    return site.write("in.toml", f'kind = "skops"\npath = "model.skops"\n{trust}').name


def called(name: str, module: str, argument: str) -> dict[str, Any]:
    """A node that calls a function while the file is read."""
    told = {"__class__": "str", "__module__": "builtins", "__loader__": "JsonNode", "content": json.dumps(argument)}
    inner = {
        "__class__": "tuple",
        "__module__": "builtins",
        "__loader__": "TupleNode",
        "content": [{**told, "is_json": True}],
    }
    none = {"__class__": "str", "__module__": "builtins", "__loader__": "JsonNode", "content": "null", "is_json": True}
    return {
        "__class__": name,
        "__module__": module,
        "__loader__": "LossNode",
        "__reduce__": {"args": {**inner, "__id__": 3}},
        "content": {**none, "__id__": 4},
        "__id__": 2,
    }


def calling_a_shell(site: Site) -> bytes:
    def change(schema: dict[str, Any]) -> dict[str, Any]:
        return {
            **called("system", "os", f"touch {site.canary}"),
            **{k: schema[k] for k in ("protocol", "_skops_version")},
        }

    return rewritten(change)


@hostile("model", imports=SKOPS, refused=True)
def skops_that_calls_a_shell(site: Site) -> str:
    site.write("in.skops", calling_a_shell(site))
    return "in.skops"


@hostile("model", imports=SKOPS, refused=True)
def skops_trusted_to_call_a_shell(site: Site) -> str:
    return described(site, calling_a_shell(site), TRUSTED)


def _makes_folders() -> bytes:
    import skops.io

    return bytes(skops.io.dumps(pipeline(preprocessor=os.mkdir)))


@hostile("model", imports=SKOPS, refused=True)
def skops_that_makes_folders(site: Site) -> str:
    site.write("in.skops", _makes_folders())
    return "in.skops"


@hostile("model", imports=SKOPS, refused=True)
def skops_trusted_to_make_folders(site: Site) -> str:
    return described(site, _makes_folders(), TRUSTED)


@hostile("model", imports=SKOPS, refused=True)
def skops_trusted_with_a_part_of_a_function(site: Site) -> str:
    import skops.io

    return described(site, bytes(skops.io.dumps(pipeline(preprocessor=partial(os.mkdir)))), TRUSTED)


@hostile("model", imports=SKOPS, refused=True)
def skops_trusted_with_everything(site: Site) -> str:
    """What the file holds is found out by its author, who names it all."""
    content = _makes_folders()
    return described(site, content, [*TRUSTED, "nt.mkdir", "builtins.builtin_function_or_method", "*", ".*"])


@hostile("model", imports=SKOPS, refused=True)
def skops_with_pickled_arrays(site: Site) -> str:
    import numpy as np

    target = io.BytesIO()
    np.save(target, np.array([{"a": 1}], dtype=object), allow_pickle=True)
    site.write("in.skops", rewritten(array=target.getvalue()))
    return "in.skops"


@hostile("model", imports=SKOPS, refused=True)
def skops_zip_bomb(site: Site) -> str:
    head = b"\x93NUMPY\x01\x00v\x00{'descr': '<f8', 'fortran_order': False, 'shape': (400000000,), }"
    site.write("in.skops", rewritten(array=repeated(head.ljust(127) + b"\n", bytes(32_000_000), 100)))
    return "in.skops"


@hostile("model", imports=SKOPS, refused=True)
def skops_with_a_shape_that_is_not_there(site: Site) -> str:
    head = b"\x93NUMPY\x01\x00v\x00{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999,), }"
    site.write("in.skops", rewritten(array=head.ljust(127) + b"\n"))
    return "in.skops"


@hostile("model", imports=SKOPS, refused=True)
def skops_nested_deep(site: Site) -> str:
    schema = '{"content": ' * 100_000 + "1" + "}" * 100_000
    site.write("in.skops", archive({"schema.json": schema.encode()}))
    return "in.skops"


@hostile("model", imports=SKOPS)
def skops_with_a_slow_pattern(site: Site) -> str:
    """A pattern over texts that takes for ever on a text of thirty letters."""

    def change(schema: dict[str, Any]) -> dict[str, Any]:
        text = json.dumps(schema).replace(
            json.dumps(json.dumps(r"(?u)\b\w\w+\b"))[1:-1], json.dumps("(\\\\w+)+!")[1:-1]
        )
        return dict(json.loads(text))

    site.write("in.skops", rewritten(change))
    return "in.skops"


@hostile("model", refused=True)
def pickle_by_another_name(site: Site) -> str:
    import pickle

    class Code:
        def __reduce__(self) -> tuple[Any, tuple[str]]:
            return exec, (site.code,)

    site.write("in.skops", pickle.dumps(Code()))
    return "in.skops"


@hostile("model", refused=True)
def pickle_by_its_name(site: Site) -> str:
    site.write("model.joblib", f"cbuiltins\nexec\n(S{site.code!r}\ntR.".encode())
    return site.write("in.toml", 'kind = "skops"\npath = "model.joblib"\n').name
