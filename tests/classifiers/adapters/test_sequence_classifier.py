"""A transformers directory against the same model asked one text at a time, and what is refused before it is loaded."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from classifiers.tiny import TEXTS, saved, sequence_model, tokenizer
from evenhand.classifiers.adapters import open_transformers
from evenhand.classifiers.adapters import pretrained as directory_module
from evenhand.errors import InputError

THREE = ["acceptable", "offensive", "violent"]


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return saved(tmp_path_factory.mktemp("bert"), sequence_model("bert", THREE), tokenizer())


def one_by_one(model: Any, tokens: Any, sigmoid: bool, longest: int = 64) -> np.ndarray:
    """A second opinion: no batches, no padding, none of our code."""
    rows = []
    for text in TEXTS:
        ids = tokens(text, truncation=True, max_length=longest, return_tensors="pt")["input_ids"]
        with torch.no_grad():
            logits = model.eval()(input_ids=ids, attention_mask=torch.ones_like(ids)).logits[0]
        rows.append((torch.sigmoid(logits) if sigmoid else torch.softmax(logits, -1)).numpy())
    return np.array(rows)


def altered(source: Path, folder: Path, **changes: Any) -> Path:
    folder.mkdir()
    for file in source.iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    told = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**told, **changes}))
    return folder


@pytest.mark.parametrize("kind", ["bert", "roberta", "gpt2"])
@pytest.mark.parametrize(
    ("labels", "problem", "expected"),
    [
        (["toxic"], None, "binary"),
        (THREE, None, "multi-class"),
        (THREE, "multi_label_classification", "multi-label"),
    ],
)
def test_batches_answer_as_single_texts_do(
    kind: str, labels: list[str], problem: str | None, expected: str, tmp_path: Path
) -> None:
    model, tokens = sequence_model(kind, labels, problem), tokenizer()
    found = open_transformers(saved(tmp_path / "m", model, tokens), batch=3)
    scores = found.score(TEXTS)
    assert found.targets.kind == expected
    assert found.targets.classes == tuple(labels)
    reference = one_by_one(model, tokens, sigmoid=expected != "multi-class")
    np.testing.assert_allclose(scores.probabilities, reference, atol=1e-5)
    assert reference.std(axis=0).min() > 1e-3  # the texts are told apart, so that their order is tested too


def test_without_a_padding_token_texts_are_asked_alone(tmp_path: Path) -> None:
    model, tokens = sequence_model("gpt2", THREE, pad=None), tokenizer()
    tokens.padding_side = "left"
    found = open_transformers(saved(tmp_path / "m", model, tokens))
    np.testing.assert_allclose(found.score(TEXTS).probabilities, one_by_one(model, tokens, sigmoid=False), atol=1e-5)


def test_a_model_that_pads_on_the_left_sees_no_padding(tmp_path: Path) -> None:
    model, tokens = sequence_model("gpt2", THREE), tokenizer()
    tokens.padding_side = "left"
    found = open_transformers(saved(tmp_path / "m", model, tokens), batch=4)
    again = np.tile(found.score(TEXTS).probabilities, (2, 1))
    np.testing.assert_allclose(found.score(TEXTS * 2).probabilities, again, atol=1e-6)
    np.testing.assert_allclose(again[: len(TEXTS)], one_by_one(model, tokens, sigmoid=False), atol=1e-5)


def test_positions_of_roberta_begin_after_the_padding(tmp_path: Path) -> None:
    """66 positions of which one is padding's and one is never used: without a stated length a long text would fail."""
    model, tokens = sequence_model("roberta", THREE, pad=1), tokenizer(longest=10**30)
    found = open_transformers(saved(tmp_path / "m", model, tokens))
    assert found.longest == 64
    assert np.isfinite(found.score(["the " * 500]).probabilities).all()


def test_labels_that_count_as_violating_are_added_up(bert: Path) -> None:
    whole, some = open_transformers(bert), open_transformers(bert, positive=["offensive", "violent"])
    assert some.targets.classes == ("offensive or violent",)
    expected = whole.score(TEXTS).probabilities[:, 1:].sum(axis=1)
    np.testing.assert_allclose(some.score(TEXTS).probabilities[:, 0], expected)
    assert some.version != whole.version


def test_of_two_labels_it_must_be_said_which_is_violating(tmp_path: Path) -> None:
    folder = saved(tmp_path / "m", sequence_model("bert", ["LABEL_0", "LABEL_1"]), tokenizer())
    with pytest.raises(InputError, match=r"label that counts as violating.*'LABEL_0'.*'LABEL_1'"):
        open_transformers(folder)
    with pytest.raises(InputError, match="no label 'LABEL_2'; did you mean"):
        open_transformers(folder, positive="LABEL_2")
    first, second = (open_transformers(folder, positive=f"LABEL_{k}").score(TEXTS).probabilities for k in (0, 1))
    np.testing.assert_allclose(first + second, 1.0)


def test_half_a_character_does_not_stop_the_work(bert: Path) -> None:
    broken, mended = open_transformers(bert).score(["so \ud83d", "so \ufffd"]).probabilities
    np.testing.assert_allclose(broken, mended, atol=1e-6)


def test_no_texts(bert: Path) -> None:
    assert open_transformers(bert).score([]).probabilities.shape == (0, 3)


def test_the_version_changes_with_weights_and_options(bert: Path, tmp_path: Path) -> None:
    same = open_transformers(bert).version
    assert open_transformers(bert, batch=1).version == same
    assert open_transformers(bert, max_length=8).version != same
    other = sequence_model("bert", THREE)
    torch.nn.init.zeros_(other.classifier.bias)
    other.classifier.bias.data += 1
    assert open_transformers(saved(tmp_path / "m", other, tokenizer())).version != same


def test_what_is_not_there(bert: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no such directory.*download = true"):
        open_transformers(tmp_path / "none")
    with pytest.raises(InputError, match="this is a file"):
        open_transformers(bert / "config.json")
    with pytest.raises(InputError, match="no tokenizer"):
        open_transformers(saved(tmp_path / "untold", sequence_model("bert", THREE), None))
    folder = altered(bert, tmp_path / "no-config")
    (folder / "config.json").unlink()
    with pytest.raises(InputError, match=r"config.json is missing"):
        open_transformers(folder)
    (folder / "config.json").write_text("{")
    with pytest.raises(InputError, match=r"config.json cannot be read"):
        open_transformers(folder)


def test_pickled_weights_are_refused(bert: Path, tmp_path: Path) -> None:
    folder = altered(bert, tmp_path / "m")
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    with pytest.raises(InputError, match=r"pickle.*save_pretrained"):
        open_transformers(folder)
    (folder / "pytorch_model.bin").unlink()
    with pytest.raises(InputError, match="no weights"):
        open_transformers(folder)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"architectures": ["BertModel"]}, "declares BertModel"),
        ({"architectures": None}, "declares nothing"),
        ({"problem_type": "regression"}, "not a probability"),
        ({"id2label": {"0": "a", "1": "b", "2": "c", "3": "d"}}, "the model cannot be loaded"),
        ({"num_hidden_layers": 3}, "weights are missing, such as bert"),
        ({"vocab_size": 9}, "the model cannot be loaded"),
        ({"model_type": "nothing-of-the-kind"}, "cannot be loaded"),
    ],
)
def test_an_altered_configuration_is_refused(bert: Path, tmp_path: Path, changes: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        open_transformers(altered(bert, tmp_path / "m", **changes))


def test_a_tokenizer_of_another_model_is_refused(tmp_path: Path) -> None:
    tokens = tokenizer()
    tokens.add_tokens([f"word{number}" for number in range(500)])
    with pytest.raises(InputError, match="are not of the same model"):
        open_transformers(saved(tmp_path / "m", sequence_model("bert", THREE), tokens))


def test_kind_and_configuration_must_agree(bert: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="name those that count as violating in positive"):
        open_transformers(bert, task="binary")
    assert open_transformers(bert, task="multi-label").targets.kind == "multi-label"
    for problem, kind in (("multi_label", "multi-class"), ("single_label", "multi-label")):
        folder = altered(bert, tmp_path / kind, problem_type=f"{problem}_classification")
        with pytest.raises(InputError, match=f"task cannot be {kind}"):
            open_transformers(folder, task=kind)


def test_the_hub_is_asked_only_when_told(bert: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import huggingface_hub

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path))

    asked = []

    def fetch(name: str, *, revision: str | None, allow_patterns: list[str]) -> str:
        asked.append((name, allow_patterns))
        return str(bert)

    monkeypatch.setattr(huggingface_hub, "snapshot_download", fetch)
    assert open_transformers("somebody/a-model", download=True).name == "a-model"
    ((name, patterns),) = asked
    assert name == "somebody/a-model"
    assert not any(pattern.endswith((".bin", ".py", "*")) for pattern in patterns)

    def refuse(name: str, **_: Any) -> str:
        raise OSError("no network")

    monkeypatch.setattr(huggingface_hub, "snapshot_download", refuse)
    with pytest.raises(InputError, match="cannot be fetched from the hub: no network"):
        open_transformers("somebody/another", download=True)


def test_a_missing_library_is_asked_for_by_its_extra(bert: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def none(module: str) -> Any:
        raise ModuleNotFoundError(name=module)

    monkeypatch.setattr("evenhand.classifiers.adapters.pretrained.importlib.import_module", none)
    with pytest.raises(InputError, match=r"needs transformers: pip install 'evenhand\[train\]'"):
        directory_module.PretrainedDirectory.at(bert).tokenizer()


def test_labels_that_are_not_numbered_from_0(tmp_path: Path) -> None:
    folder = saved(tmp_path / "m", sequence_model("bert", ["a", "b", "c"]), tokenizer())
    config = json.loads((folder / "config.json").read_text())
    config["id2label"] = {"1": "a", "2": "b", "3": "c"}
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(InputError, match="does not number the labels from 0"):
        open_transformers(folder)
