"""What a skops file would build, looked at before anything is built: how large it is, and of which types.

skops itself refuses types that are not trusted. Here only parts of models can be trusted at all, so that naming a type
never runs a command.
"""

from __future__ import annotations

import io
import sys
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.abc import MetaPathFinder
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from evenhand import limits
from evenhand.classifiers.adapters.json_path import JsonValue
from evenhand.classifiers.adapters.pretrained import require_library
from evenhand.classifiers.bounded_files import check_size, list_archive, parse_json
from evenhand.errors import InputError

MOST_NODES, MOST_OBJECTS = 1_000_000, 100_000  # values in all, and of these whatever is neither a plain one nor a type
TORCH_SUPPORT = "sklearn.externals.array_api_compat.torch"


def _largest_content(size: int) -> int:
    """Bytes that this many may unpack to."""
    return min(limits.SKOPS_UNPACKED, limits.SKOPS_UNPACKED_FREE + limits.SKOPS_UNPACKED_RATIO * size)


PLAIN_NODES = ("JsonNode", "TypeNode")
FUNCTIONS_IN = {"feature_extraction", "feature_selection", "metrics", "preprocessing"}
MODELS_IN = FUNCTIONS_IN | {
    *("_loss", "calibration", "cluster", "compose", "decomposition", "discriminant_analysis", "dummy", "ensemble"),
    *("gaussian_process", "impute", "isotonic", "kernel_approximation", "linear_model", "mixture", "multiclass"),
    *("multioutput", "naive_bayes", "neighbors", "neural_network", "pipeline", "random_projection", "svm", "tree"),
}  # packages of scikit-learn


class _SkippedModule(MetaPathFinder):
    """Makes one module count as not installed."""

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None) -> None:
        if fullname == TORCH_SUPPORT:
            raise ModuleNotFoundError(name=fullname)


@contextmanager
def torch_not_imported() -> Iterator[None]:
    """Import skops within it: that imports every package of scikit-learn, and one of them all of torch, for nothing."""
    skipped = _SkippedModule()
    sys.meta_path.insert(0, skipped)
    try:
        yield
    finally:
        sys.meta_path.remove(skipped)


def check_content(file: Path) -> None:
    """Neither the archive nor what it describes is larger, deeper or more entangled than a model."""
    with file.open("rb") as raw:
        entries = {entry.filename: entry.file_size for entry in list_archive(raw)}
    room = _largest_content(file.stat().st_size)
    check_size("what is packed in it", sum(entries.values()), room)
    with zipfile.ZipFile(file) as archive:
        nodes = _nodes(parse_json(archive.read("schema.json"), limits.SKOPS_SCHEMA_MEMORY))
        objects = [node for node in nodes if node.get("__loader__") not in PLAIN_NODES]
        if len(nodes) > MOST_NODES or len(objects) > MOST_OBJECTS:
            raise _refusal("the file describes more objects than any model has")
        check_size("what it reads", sum(entries[node["file"]] for node in objects if "file" in node), room)
        for node in objects:
            if node["__loader__"] == "SparseMatrixNode":
                _check_sparse(archive.read(node["file"]))


def _nodes(schema: JsonValue) -> list[dict[str, Any]]:
    """Every object that is described, once.

    Where an object occurs twice skops writes it twice, in full. One that is only referred to the second time was not
    written by skops: such references can multiply without end.
    """
    tables, parents = _tables(schema)
    sizes = [1] * len(tables)
    for at in range(len(tables) - 1, 0, -1):
        sizes[parents[at]] += sizes[at]
    known: dict[object, int] = {}
    nodes = []
    for table, size in zip(tables, sizes, strict=True):
        number = table.get("__id__")
        named = bool(number) and not isinstance(number, (list, dict))
        first = known.get(number) if named else None
        if named:
            known[number] = size
        if first not in (None, size):
            raise _refusal("the file refers to objects in a way that skops never writes")
        if "__loader__" in table and first is None:
            nodes.append(table)
    return nodes


def _tables(schema: JsonValue) -> tuple[list[dict[str, Any]], list[int]]:
    """Every table in a nest, each after the one that it is in, and the place of that one."""
    tables, parents = list[dict[str, Any]](), list[int]()
    waiting: list[tuple[dict[str, Any] | list[Any], int]] = [([schema], 0)]
    while waiting:
        value, parent = waiting.pop()
        if isinstance(value, dict):
            tables.append(value)
            parents.append(parent)
            parent = len(tables) - 1
        inner = value.values() if isinstance(value, dict) else value
        for one in inner:
            if isinstance(one, (dict, list)):
                waiting.append((one, parent))
    return tables, parents


def _check_sparse(content: bytes) -> None:
    """A matrix is an archive in the archive; its indices lead into memory, and SciPy does not look at all of them."""
    size = sum(entry.file_size for entry in list_archive(io.BytesIO(content)))
    check_size("a matrix in it", size, _largest_content(len(content)))
    matrix = require_library("scipy.sparse").load_npz(io.BytesIO(content))
    if hasattr(matrix, "check_format"):
        matrix.check_format(full_check=True)


def check_types(types: Sequence[str], trust: Sequence[str]) -> None:
    """All types beyond what skops knows as harmless are named in `trust`, and all can be part of a model."""
    for name in types:
        if name.split(".")[0] in (*sys.stdlib_module_names, "__main__"):
            raise _refusal(f"the file would use '{name}', which is not part of a model and could run a command")
    unknown = [name for name in types if name not in trust]
    if unknown:
        allowing = " ".join(f"`trust` {name}" for name in unknown)
        problem = f"the file uses types that are not trusted ({', '.join(unknown)})"
        raise InputError(problem, remedy=f"read their code, then allow them with {allowing}")
    estimators = {name.split(".")[0] for name in types if _is_estimator(_imported(name))}
    for name in types:
        if not _can_be_trusted(name, _imported(name), estimators):
            problem = f"'{name}' cannot be trusted: only estimators can, subclasses of scikit-learn's BaseEstimator"
            raise InputError(problem, remedy="put a function into a transformer of your own")


def _refusal(problem: str) -> InputError:
    return InputError(problem, remedy="do not use it")


def _can_be_trusted(name: str, value: object, estimators: set[str]) -> bool:
    """An estimator, a class of a package that has one here, or what scikit-learn makes models of."""
    package, part = (*name.split("."), "")[:2]
    if package == "sklearn":
        return part in MODELS_IN if isinstance(value, type) else part in FUNCTIONS_IN and callable(value)
    return isinstance(value, type) and (package in estimators or (package, part) == ("scipy", "sparse"))


def _is_estimator(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, require_library("sklearn.base").BaseEstimator)


def _imported(name: str) -> object:
    """What is defined under this name, and not only known there under it."""
    module, _, own = name.rpartition(".")
    try:
        value = getattr(import_module(module), own)
        defined = (value.__module__, value.__name__)
    except Exception as error:  # an import may run into anything
        problem = f"'{name}' cannot be imported here ({type(error).__name__})"
        raise InputError(problem, remedy="install the package that defines it") from None
    if defined != (module, own):
        raise _refusal(f"'{name}' is another name of '{'.'.join(map(str, defined))}'")
    return value


TEXTS_AS_FILES = ("file", "filename")


def check_model(model: object, processors: int) -> None:
    """A model may not take texts for names of files, and starts no more workers than there are processors."""
    waiting, seen = list[object]([model]), set[int]()
    while waiting:
        value = waiting.pop()
        if id(value) in seen or isinstance(value, (str, bytes, int, float, type(None))):
            continue
        seen.add(id(value))
        if isinstance(value, dict):
            waiting += value.values()
        elif isinstance(value, (list, tuple, set)):
            waiting += value
        elif isinstance(value, np.ndarray):
            waiting += value.ravel().tolist() if value.dtype == object else []
        elif isinstance(attributes := getattr(value, "__dict__", None), dict):
            waiting += attributes.values()
            _check_attributes(attributes, processors)


def _check_attributes(attributes: dict[str, Any], processors: int) -> None:
    if str(attributes.get("input")) in TEXTS_AS_FILES:
        raise _refusal("the model takes texts for the names of files to open")
    jobs = attributes.get("n_jobs")
    if isinstance(jobs, (int, float, np.number)) and jobs > processors:
        attributes["n_jobs"] = processors
