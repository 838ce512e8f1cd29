"""The files of a directory as transformers saves it, looked at before transformers reads any of them.

None of them may ask for code, lead to other files, or be larger than what goes with its kind. What config.json asks for
is held against the weights, which cannot be claimed: a layer has tensors, and a dimension has elements.
"""

from __future__ import annotations

import math
import os
import re
import struct
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evenhand import limits
from evenhand.classifiers.bounded_files import check_size, is_plain_name, parse_json, read_bounded
from evenhand.errors import InputError
from evenhand.files import regular_file

MODEL_FILES = ("*.json", "*.safetensors", "*.txt", "*.model", "*.tiktoken", "*.jinja")  # what a model is made of
VOCABULARY_FILES = ("tokenizer.json", "vocab.json", "*.txt", "*.model", "*.tiktoken")
MOST_ADDED_TOKENS = 20_000
WEIGHTS, INDEX = "model.safetensors", "model.safetensors.index.json"
CODE_WORDS = ("attn_implementation", "experts_implementation")  # their values may name code on the hub
REPEATED = re.compile(r"layer|block|expert|stage|depth|group")  # in the name of a number of parts of a network
FREE_PARTS, FREE_PRODUCT, FREE_LABELS, FREE_NUMBER = 1000, 20_000, 100_000, 1 << 24


@dataclass(frozen=True)
class StoredTensors:
    """What the headers of weights say that is in them."""

    tensors: int
    elements: int


def check_files(folder: Path) -> None:
    """Every file that transformers may read, apart from the weights."""
    if (folder / "adapter_config.json").exists():
        raise InputError("this is an adapter of another model", remedy="merge the two and save the whole model")
    vocabulary = {file for pattern in VOCABULARY_FILES for file in folder.glob(pattern)}
    for file in sorted({file for pattern in MODEL_FILES for file in folder.glob(pattern)}):
        if file in vocabulary:
            check_size(file.name, regular_file(file).stat().st_size, limits.VOCABULARY_BYTES)
        elif file.suffix != ".safetensors" and not file.name.endswith(".index.json"):
            _refuse_code(file.name, _read_settings(file, limits.TRANSFORMERS_SETTINGS_BYTES))
    _check_tokenizer(folder / "tokenizer.json")
    weights = sum(regular_file(file).stat().st_size for file in folder.glob("*.safetensors"))
    check_size("the model", weights, memory_size())


def _read_settings(file: Path, most: int) -> Any:
    """What a JSON file says; nothing where it says nothing, which transformers will find too."""
    content = read_bounded(file, most)
    try:
        return parse_json(content)
    except ValueError:
        return None


def _refuse_code(name: str, settings: object) -> None:
    for key, value in _settings(settings):
        if (key == "auto_map" and value) or (key in CODE_WORDS and "/" in str(value)):
            problem = f"{name} asks to run code that comes with the model or from the hub ({key}), and none is ever run"
            raise InputError(problem, remedy="take a model whose class is part of transformers")


def _settings(settings: object) -> Iterator[tuple[str, object]]:
    """Every key of every table in a nest, and its value."""
    waiting = list[object]([settings])
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            yield from value.items()
        waiting += value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()


def _check_tokenizer(file: Path) -> None:
    if not file.exists():
        return
    vocabulary = _read_settings(file, limits.VOCABULARY_BYTES)
    if not isinstance(vocabulary, dict):
        raise InputError(f"{file.name} cannot be read")
    added = vocabulary.get("added_tokens")
    if isinstance(added, list) and len(added) > MOST_ADDED_TOKENS:
        raise InputError(f"{file.name} adds {len(added):,} tokens, and at most {MOST_ADDED_TOKENS:,} are read")


def stored_weights(folder: Path) -> list[Path]:
    """The safetensors files that transformers would read; none where there are none."""
    if (folder / WEIGHTS).exists() or not (folder / INDEX).exists():
        return [folder / WEIGHTS] if (folder / WEIGHTS).exists() else []
    index = _read_settings(folder / INDEX, limits.WEIGHTS_INDEX_BYTES)
    named = index.get("weight_map") if isinstance(index, dict) else None
    names = set(named.values()) if isinstance(named, dict) and all(isinstance(v, str) for v in named.values()) else None
    if not names or not all(is_plain_name(name) and name.endswith(".safetensors") for name in names):
        raise InputError(f"{INDEX} does not name the files of the weights")
    return [folder / name for name in sorted(names)]


def read_headers(files: Iterable[Path]) -> StoredTensors:
    """What is in some files of weights, by their headers alone; each is as long as its header says."""
    tensors = [shape for file in files for shape in _tensors(file)]
    return StoredTensors(len(tensors), sum(tensors))


def _tensors(file: Path) -> Iterator[int]:
    """The number of elements of each tensor."""
    size = regular_file(file).stat().st_size
    try:
        with file.open("rb") as opened:
            (length,) = struct.unpack("<Q", opened.read(8))
            if length > min(size - 8, limits.WEIGHTS_INDEX_BYTES):
                raise ValueError
            header = parse_json(opened.read(length))
        header.pop("__metadata__", None)
        for tensor in header.values():
            start, end = tensor["data_offsets"]
            elements = math.prod(tensor["shape"])
            if not 0 <= start <= end <= size - 8 - length or not 0 <= elements <= 2 * (
                end - start
            ):  # four bits or more
                raise ValueError
            yield elements
    except (ValueError, TypeError, KeyError, AttributeError, struct.error):
        raise InputError(f"{file.name} is damaged: its header does not fit the file") from None


def memory_size() -> int:
    """Of the machine; more than any where that is not known."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 1 << 50


def check_numbers(config: Mapping[str, Any], stored: StoredTensors) -> None:
    """No number in config.json asks for more parts or a larger part than the weights can hold."""
    parts: dict[str, int] = {}
    for key, value in _settings(config):
        if isinstance(value, bool) or not isinstance(value, int):
            continue
        counted = REPEATED.search(key)
        most = max(stored.tensors, FREE_PARTS) if counted else max(stored.elements, FREE_NUMBER)
        if abs(value) > (FREE_LABELS if key.endswith("num_labels") else most):
            raise _too_large(key, value)
        if counted:
            word = "expert" if "expert" in key else "layer"
            parts[word] = max(value, parts.get(word, 1))
    if math.prod(parts.values()) > max(stored.tensors, FREE_PRODUCT):
        raise _too_large("the number of experts", math.prod(parts.values()))


def check_network(size: int, stored: StoredTensors) -> None:
    """A network of so many numbers can be filled from the weights."""
    if size > 2 * stored.elements + FREE_NUMBER:
        raise _too_large("the number of weights", size)
    check_size("the model", 4 * size, memory_size())


def _too_large(key: str, value: int) -> InputError:
    return InputError(f"config.json asks for more than its weights can hold: {key} is {value:,}")
