"""Encoders as a family of models: where they are trained, and how they are read back."""

from __future__ import annotations

from pathlib import Path

import pytest

from classifiers import tiny
from classifiers.encoder.made import encoder, tokenizer, trained
from evenhand.classifiers.encoder import EncoderFamily, family
from evenhand.errors import InputError


def test_devices_that_encoders_are_not_trained_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(family, "best_device", lambda asked: asked)
    with pytest.raises(InputError, match="encoders run on cpu or cuda, not on 'mps'"):
        family.usable_device("mps")


@pytest.mark.parametrize("spoilt", ["members", "names"])
def test_weights_that_do_not_fit(tmp_path: Path, spoilt: str) -> None:
    from safetensors.torch import load_file, save_file

    model = trained(tiny.saved(tmp_path / "bert", encoder(), tokenizer()), rows=40, epochs=1)
    model.write(tmp_path)
    tensors, members = load_file(tmp_path / "weights-0.safetensors"), "1"
    if spoilt == "members":
        members = "4"
    else:
        tensors["other"] = tensors.pop(next(iter(tensors)))
    save_file(tensors, tmp_path / "weights-0.safetensors", metadata={"members": members})
    with pytest.raises(InputError, match=r"weights-0\.safetensors cannot be read, or does not fit the settings"):
        EncoderFamily.read(tmp_path, model.targets, model.settings)
