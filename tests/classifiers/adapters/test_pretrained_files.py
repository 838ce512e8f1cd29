"""Directories of transformers made by strangers: no code is run, no host is asked, and nothing grows without bound."""

from __future__ import annotations

import ast
import builtins
import json
import os
import shutil
import socket
import struct
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from classifiers import hostile
from classifiers.encoder.made import encoder, trained
from classifiers.encoder.made import tokenizer as words
from classifiers.hostile import MEMORY, within
from classifiers.made import cards
from classifiers.tiny import causal_model, saved, sequence_model, tokenizer
from cli.program import Program, fails
from evenhand import limits
from evenhand.classifiers import model_folder
from evenhand.classifiers.adapters import open_prompt, open_transformers, pretrained_files
from evenhand.classifiers.encoder.storage import encoder_directory, pretrained_encoder
from evenhand.classifiers.models import open_model
from evenhand.errors import InputError

LABELS = ["fine", "rude", "worse"]


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return saved(tmp_path_factory.mktemp("bert"), sequence_model("bert", LABELS), tokenizer())


@pytest.fixture(scope="module")
def encoder_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A saved encoder of ours."""
    folder = tmp_path_factory.mktemp("encoder")
    model = trained(saved(folder / "bert", encoder(), words()), rows=40, epochs=1)
    model_folder.save_model(model, folder / "model", name="m", cards=cards)
    return folder / "model"


@pytest.fixture
def copy(sound: Path, tmp_path: Path) -> Path:
    return shutil.copytree(sound, tmp_path / "m")


def change(file: Path, **changes: Any) -> None:
    told = json.loads(file.read_text()) if file.exists() else {}
    file.write_text(json.dumps({**told, **changes}))


def refused(folder: Path, says: str) -> None:
    with within(), pytest.raises(InputError, match=says) as caught:
        open_transformers(folder)
    assert str(folder) in str(caught.value)


def planted(folder: Path, mark: Path) -> dict[str, Any]:
    """Code that leaves a mark, and what asks for it."""
    (folder / "evil.py").write_text(f"open({str(mark)!r}, 'w')\nclass Evil: pass\n")
    names = ("AutoConfig", "AutoModel", "AutoModelForSequenceClassification", "AutoTokenizer")
    return {"auto_map": dict.fromkeys(names, "evil.Evil"), "model_type": "evil"}


@pytest.mark.parametrize("where", ["config.json", "tokenizer_config.json", "nested"])
def test_code_in_a_directory_is_neither_run_nor_asked_about(
    program: Program, copy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    monkeypatch.setattr(builtins, "input", lambda *_: "y")
    asked = planted(copy, tmp_path / "ran")
    if where == "nested":
        asked = {"text_config": asked}
    change(copy / ("tokenizer_config.json" if where == "tokenizer_config.json" else "config.json"), **asked)
    pl.DataFrame({"text": ["a", "b"]}).write_csv("in.csv")
    line = fails(program, "score", copy, "in.csv", "-o", "out.csv", says=[str(copy), "auto_map"])
    assert "TOML" not in line
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("where", ["config.json", "tokenizer_config.json"])
def test_code_in_a_saved_encoder(
    program: Program, encoder_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    """Of which the manifest has the right hashes."""
    monkeypatch.setattr(builtins, "input", lambda *_: "y")
    folder = shutil.copytree(encoder_model, tmp_path / "model")
    change(folder / where, **planted(folder, tmp_path / "ran"))
    hostile.sealed(folder)
    pl.DataFrame({"text": ["a", "b"]}).write_csv("in.csv")
    fails(program, "score", folder, "in.csv", "-o", "out.csv", says=[str(folder), where, "auto_map"])
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("key", ["attn_implementation", "experts_implementation"])
def test_code_of_the_hub(copy: Path, key: str) -> None:
    change(copy / "config.json", **{key: "somebody/kernel"})
    refused(copy, f"asks to run code.*{key}")


def test_an_adapter_would_load_another_model(copy: Path) -> None:
    change(copy / "adapter_config.json", base_model_name_or_path="somebody/model", peft_type="LORA")
    refused(copy, "an adapter of another model")


@pytest.mark.parametrize("name", ["../x.safetensors", "/dev/zero", "pytorch_model.bin", 3])
def test_an_index_names_weights_of_its_folder_only(copy: Path, name: Any) -> None:
    (copy / "model.safetensors").rename(copy.parent / "x.safetensors")
    shutil.copy(copy.parent / "x.safetensors", copy / "other.safetensors")
    change(copy / "model.safetensors.index.json", metadata={}, weight_map={"a": name})
    refused(copy, "does not name the files of the weights")


def test_weights_in_several_files(copy: Path) -> None:
    (copy / "model.safetensors").rename(copy / "model-1.safetensors")
    header, _ = contents(copy / "model-1.safetensors")
    names = dict.fromkeys((name for name in header if name != "__metadata__"), "model-1.safetensors")
    change(copy / "model.safetensors.index.json", metadata={}, weight_map=names)
    assert open_transformers(copy).targets.classes == tuple(LABELS)


def contents(file: Path) -> tuple[dict[str, Any], bytes]:
    raw = file.read_bytes()
    (length,) = struct.unpack("<Q", raw[:8])
    return json.loads(raw[8 : 8 + length]), raw[8 + length :]


def headed(header: Any) -> bytes:
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text


HUGE = {"dtype": "F32", "shape": [1 << 38], "data_offsets": [0, 1 << 40]}


@pytest.mark.parametrize(
    "content",
    [
        b"",
        struct.pack("<Q", 1 << 62) + b"{}",
        struct.pack("<Q", 90 << 20) + b"{}",
        headed({"a": HUGE}),
        headed({"a": {**HUGE, "data_offsets": [0, 0]}}),
        headed({"a": {**HUGE, "shape": [1 << 62, 1 << 62], "data_offsets": [0, 4]}}) + bytes(4),
        headed({"a": {**HUGE, "shape": [-1], "data_offsets": [4, 0]}}) + bytes(4),
        headed({"a": 3}),
        headed([[]] * 10),
        struct.pack("<Q", 100_000) + b"[" * 100_000,
    ],
    ids=["empty", "endless", "long", "beyond", "nothing", "product", "negative", "number", "list", "nest"],
)
def test_a_header_that_does_not_fit_its_file(copy: Path, content: bytes) -> None:
    (copy / "model.safetensors").write_bytes(content)
    refused(copy, "model.safetensors is damaged: its header does not fit the file")


@pytest.mark.parametrize("name", ["model.safetensors", "more.safetensors"])
def test_weights_of_a_terabyte_that_take_no_room(copy: Path, name: str) -> None:
    (copy / name).write_bytes(headed({"a": HUGE}))
    os.truncate(copy / name, (copy / name).stat().st_size + (1 << 40))
    refused(copy, "the model is too large to be read: 1,024 GB")


@pytest.mark.parametrize(
    "changes",
    [
        {"num_hidden_layers": 10**9},
        {"num_labels": 10**7},
        {"_num_labels": 10**7},
        {"hidden_size": 10**8},
        {"hidden_size": 10**6, "num_attention_heads": 1},
        {"intermediate_size": 10**6, "hidden_size": 10**4},
        {"text_config": {"num_layers": 10**9}},
        {"num_hidden_layers": 900, "num_experts": 900},
        {"max_position_embeddings": 10**7},
        {"vocab_size": -(10**30)},
    ],
    ids=str,
)
def test_a_configuration_that_asks_for_more_than_the_weights_hold(copy: Path, changes: dict[str, Any]) -> None:
    change(copy / "config.json", **changes)
    refused(copy, r"config.json asks for more than its weights can hold|the model is too large")


def test_buffers_count_too(tmp_path: Path) -> None:
    """A mask of all positions by all positions is in no file."""
    folder = saved(tmp_path / "m", sequence_model("gpt2", LABELS), tokenizer())
    change(folder / "config.json", n_positions=30_000)
    refused(folder, r"asks for more than its weights|cannot be loaded|weights are missing")


@pytest.mark.parametrize("changes", [{"hidden_size": 10**6}, {"num_hidden_layers": 10**9}, {"model_type": "detr"}])
def test_a_saved_encoder_that_asks_for_more(encoder_model: Path, tmp_path: Path, changes: dict[str, Any]) -> None:
    folder = shutil.copytree(encoder_model, tmp_path / "model")
    change(folder / "config.json", **changes)
    hostile.sealed(folder)
    with within(), pytest.raises(InputError, match=r"config.json asks for more|not a text encoder"):
        open_model(folder)


@pytest.mark.parametrize("changes", [{"members": 1000}, {"head": "gp", "features": 10**6}, {"members": 5}])
def test_settings_of_an_encoder_that_ask_for_more(encoder_model: Path, tmp_path: Path, changes: dict[str, Any]) -> None:
    folder = shutil.copytree(encoder_model, tmp_path / "model")
    known = json.loads((folder / "model.json").read_text())["settings"]
    hostile.sealed(folder, settings={**known, **changes})
    with within(), pytest.raises(InputError, match=r"too small for|cannot be read, or does not fit"):
        open_model(folder)


@pytest.mark.verify
def test_tensors_of_an_encoder_are_read_only_if_they_fit(encoder_model: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(encoder_model, tmp_path / "model")
    file = folder / "weights-0.safetensors"
    header, data = contents(file)
    size = 1 << 30
    header["more"] = {"dtype": "F32", "shape": [size >> 2], "data_offsets": [len(data), len(data) + size]}
    file.write_bytes(headed(header) + data)
    os.truncate(file, file.stat().st_size + size)
    hostile.sealed(folder)
    _, memory, said = hostile.cost(folder)
    assert "weights-0.safetensors cannot be read, or does not fit" in said
    assert memory < MEMORY, memory >> 20


def _long(file: Path) -> None:
    os.truncate(file, 1 << 32)


def _piped(file: Path) -> None:
    file.unlink()
    os.mkfifo(file)


def _device(file: Path) -> None:
    file.unlink()
    file.symlink_to("/dev/zero")


@pytest.mark.parametrize("spoil", [_long, _piped, _device])
@pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "tokenizer_config.json", "vocab.txt", "chat.jinja"])
def test_files_that_never_end(copy: Path, name: str, spoil: Callable[[Path], None]) -> None:
    (copy / name).touch()
    spoil(copy / name)
    refused(copy, "too large to be read|a pipe, a device or a socket")


def test_more_tokens_than_a_tokenizer_has(copy: Path) -> None:
    told = json.loads((copy / "tokenizer.json").read_text())
    told["added_tokens"] += [{**told["added_tokens"][0], "id": 500 + n, "content": str(n)} for n in range(25_000)]
    (copy / "tokenizer.json").write_text(json.dumps(told))
    refused(copy, r"tokenizer\.json adds 25,007 tokens")


@pytest.mark.verify
@pytest.mark.parametrize("form", ["vocabulary", "nest", "values"])
def test_a_vocabulary_as_large_as_may_be(copy: Path, form: str) -> None:
    made = {
        "vocabulary": '{"model": {"type": "WordLevel", "unk_token": "a", "vocab": {'
        + ",".join(f'"{n:07x}":{n}' for n in range(2_000_000))
        + "}}}",
        "nest": "[" * (40 << 20),
        "values": "[" + "[]," * (15 << 20) + "[]]",
    }
    (copy / "tokenizer.json").write_text(made[form])
    _, memory, said = hostile.cost(copy)
    assert "m: " in said
    assert memory < MEMORY, memory >> 20


@pytest.fixture
def nobody_is_asked(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    asked: list[Any] = []
    monkeypatch.setattr(socket.socket, "connect", lambda _, address: asked.append(address))
    monkeypatch.setattr(socket, "getaddrinfo", lambda *address, **_: asked.append(address) or [])
    yield
    assert asked == []


@pytest.mark.usefixtures("nobody_is_asked")
def test_a_local_model_asks_nobody(copy: Path, tmp_path: Path, encoder_model: Path) -> None:
    """Whatever its configuration says of where it came from."""
    change(copy / "config.json", _name_or_path="mistralai/Mistral-7B-v0.1", transformers_version="4.50.0")
    change(copy / "tokenizer_config.json", name_or_path="mistralai/Mistral-7B-v0.1")
    assert open_transformers(copy).score(["a word"]).probabilities.shape == (1, 3)
    folder = saved(tmp_path / "lm", causal_model("llama"), tokenizer(causal=True))
    change(folder / "config.json", model_type="mistral", architectures=["MistralForCausalLM"])
    open_prompt(folder, prompt="{text}?", labels={"yes": " yes", "no": " no"}, positive="yes").score(["a"])
    open_model(encoder_model).score(["a word"])
    pretrained_encoder(encoder_directory(str(saved(tmp_path / "e", encoder(), words()))))


def test_links_into_the_cache_of_the_hub_are_followed(sound: Path, tmp_path: Path) -> None:
    """There every file of a model is a link out of its folder."""
    (tmp_path / "snapshot").mkdir()
    for file in sound.iterdir():
        (tmp_path / "snapshot" / file.name).symlink_to(file)
    assert open_transformers(tmp_path / "snapshot").version == open_transformers(sound).version


def test_known_directories_are_within_the_limits() -> None:
    """What large models that are in use say: 126 layers, 256 experts, a million positions, a tokenizer of 34 MB."""
    stored = pretrained_files.StoredTensors(1138, 405 * 10**9)
    pretrained_files.check_numbers({"num_hidden_layers": 126, "hidden_size": 16384, "vocab_size": 128256}, stored)
    experts = {"num_hidden_layers": 61, "n_routed_experts": 256, "num_experts_per_tok": 8, "rope_theta": 10**7}
    pretrained_files.check_numbers(experts, pretrained_files.StoredTensors(900, 671 * 10**9))
    small = {"max_position_embeddings": 1 << 20, "rope_theta": 10**6, "max_window_layers": 70, "eos_token_id": 151645}
    pretrained_files.check_numbers(small, pretrained_files.StoredTensors(30, 20_000))
    assert limits.VOCABULARY_BYTES > 34 << 20


ROOT = Path(model_folder.__file__).parents[3]
SOURCES = [path for part in ("src", "models", "benchmarks", "studies") for path in sorted((ROOT / part).rglob("*.py"))]
GIVEN = {
    "from_pretrained": {"trust_remote_code": False, "local_files_only": True},
    "from_config": {"trust_remote_code": False},
}


LOOKED_FOR = (*GIVEN, "load", "read_pickle", "unpickle", "exec_module")


@cache
def every_call() -> list[tuple[str, ast.Call]]:
    """Of a method or of a function in a module, and where it is."""
    texts = [(path.relative_to(ROOT), path.read_text(encoding="utf-8")) for path in SOURCES]
    parsed = [(path, ast.parse(text)) for path, text in texts if any(f"{name}(" in text for name in LOOKED_FOR)]
    nodes = [(path, node) for path, tree in parsed for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return [(f"{path}:{node.lineno}", node) for path, node in nodes if isinstance(node.func, ast.Attribute)]


def calls(name: str) -> list[tuple[str, ast.Call]]:
    """Of this name; a database engine is made `from_config` too."""
    named = [(place, call) for place, call in every_call() if call.func.attr == name]  # type: ignore[attr-defined]
    return [(place, call) for place, call in named if not place.startswith("src/evenhand/store/")]


@pytest.mark.parametrize("name", GIVEN)
def test_every_call_of_transformers_says_that_no_code_is_run(name: str) -> None:
    assert calls(name)
    for place, call in calls(name):
        given = {word.arg: getattr(word.value, "value", None) for word in call.keywords}
        assert GIVEN[name].items() <= given.items(), place
        assert None not in given, f"{place}: what is given is not to be seen"
        small = ast.unparse(call.func).endswith((".AutoConfig.from_pretrained", ".AutoTokenizer.from_pretrained"))
        assert name != "from_pretrained" or small or given.get("use_safetensors") is True, place


def test_nothing_is_loaded_as_a_pickle() -> None:
    assert not [place for name in LOOKED_FOR[-3:] for place, _ in calls(name)]
    for place, call in calls("load"):
        given = {word.arg: getattr(word.value, "value", None) for word in call.keywords}
        owner = ast.unparse(call.func.value)  # type: ignore[attr-defined]
        assert owner not in ("torch", "pickle", "joblib", "dill", "cloudpickle"), place
        assert given.get("allow_pickle", False) is False, place
