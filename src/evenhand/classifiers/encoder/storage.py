"""A fine-tuned encoder as files: weights as safetensors, the configuration and the tokenizer as JSON and text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch

from evenhand.classifiers.adapters.directory import Directory
from evenhand.classifiers.encoder.network import Network
from evenhand.classifiers.encoder.settings import EncoderSettings
from evenhand.classifiers.encoder.source import blank
from evenhand.errors import InputError

WEIGHTS = "weights-{}.safetensors"
EXACT = ("covariance",)  # kept in full: its entries cancel


def write(folder: Path, networks: Sequence[Network], config: Any, tokenizer: Any) -> None:
    """Everything that is needed to score, and nothing of where it came from."""
    from safetensors.torch import save_file

    with _as_os_error():
        config.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
    for number, network in enumerate(networks):
        tensors = {
            name: values.to("cpu", torch.float32 if name.endswith(EXACT) else torch.float16).contiguous()
            for name, values in network.weights().items()
        }
        with _as_os_error():
            save_file(tensors, folder / WEIGHTS.format(number), metadata={"members": str(network.members)})


@contextmanager
def _as_os_error() -> Iterator[None]:
    """A full disk, among others: safetensors and tokenizers have errors of their own for it."""
    try:
        yield
    except OSError:
        raise
    except Exception as error:
        raise OSError(0, str(error)) from None


def read(folder: Path, settings: EncoderSettings, classes: int) -> tuple[Network, ...]:
    """The networks again."""
    from safetensors import SafetensorError, safe_open

    found: list[Network] = []
    while sum(network.members for network in found) < settings.members:
        path = folder / WEIGHTS.format(len(found))
        first = sum(network.members for network in found)
        try:
            with safe_open(path, framework="pt") as file:
                members = int((file.metadata() or {})["members"])
                tensors = {name: file.get_tensor(name).float() for name in file.keys()}  # noqa: SIM118
            if not 1 <= members <= settings.members - first:
                raise ValueError
            numbers = range(first, first + members)
            network = Network(blank(Directory(folder)), settings, numbers=numbers, classes=classes)
            left = network.load_state_dict(tensors, strict=False)
            if left.unexpected_keys or any(not name.endswith("position_ids") for name in left.missing_keys):
                raise ValueError
        except (OSError, KeyError, ValueError, RuntimeError, SafetensorError) as error:
            problem = f"{path.name} cannot be read, or does not fit the settings ({type(error).__name__})"
            raise InputError(problem, source=str(folder)) from None
        found.append(network.eval())
    return tuple(found)
