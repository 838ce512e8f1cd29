"""Hostile directories of transformers: code beside weights, pickles for weights, configurations without measure."""

from __future__ import annotations

import json
import os
import pickle
import struct
from collections.abc import Callable
from typing import Any

from hostile import ordinary
from hostile.command_lines import TORCH
from hostile.corpus.registry import put
from hostile.site import Site

Files = dict[str, Any]
Change = Callable[[Files, Site], None]


def directory(change: Change, *, kinds: tuple[str, ...] = ("model", "encoder"), refused: bool = True) -> None:
    """Put a directory into the corpus: as a model described in a TOML file, as it stands, and as an encoder."""
    name = change.__name__

    def lay_out(site: Site) -> None:
        files: Files = dict(ordinary.transformer())
        change(files, site)
        for file, content in files.items():
            if callable(content):
                path = site.work / "directory" / file
                path.parent.mkdir(parents=True, exist_ok=True)
                content(path)
            else:
                site.write(f"directory/{file}", content)

    def described(site: Site) -> str:
        lay_out(site)
        return site.write("in.toml", 'kind = "transformers"\npath = "directory"\npositive = "rude"\n').name

    def bare(site: Site) -> str:
        lay_out(site)
        return "directory"

    if "model" in kinds:
        put(f"described {name}", ("model",), described, refused=refused, imports=TORCH)
    put(name, kinds, bare, refused=refused, imports=TORCH)


def configured(files: Files, name: str = "config.json", **values: Any) -> None:
    files[name] = json.dumps({**json.loads(files[name]), **values})


def pickled(site: Site) -> bytes:
    class Code:
        def __reduce__(self) -> tuple[Any, tuple[str]]:
            return exec, (site.code,)

    return pickle.dumps(Code())


def code_beside_the_model(files: Files, site: Site) -> None:
    code = site.code + "class Thing: pass\n"
    files |= {"modeling_thing.py": code, "configuration_thing.py": code, "tokenization_thing.py": code}
    places = {"AutoConfig": "configuration_thing.Thing", "AutoModel": "modeling_thing.Thing"}
    configured(
        files, model_type="thing", auto_map={**places, "AutoModelForSequenceClassification": "modeling_thing.Thing"}
    )


def code_for_the_model_alone(files: Files, site: Site) -> None:
    files["modeling_thing.py"] = site.code + "class Thing: pass\n"
    named = dict.fromkeys(("AutoModel", "AutoModelForSequenceClassification"), "modeling_thing.Thing")
    configured(files, auto_map=named)


def code_for_the_tokenizer(files: Files, site: Site) -> None:
    files["tokenization_thing.py"] = site.code + "class Thing: pass\n"
    named = {"AutoTokenizer": ["tokenization_thing.Thing", "tokenization_thing.Thing"]}
    configured(files, "tokenizer_config.json", tokenizer_class="Thing", auto_map=named)


def code_on_the_hub(files: Files, site: Site) -> None:
    named = dict.fromkeys(("AutoConfig", "AutoModel", "AutoTokenizer"), "evenhand-test/nowhere--modeling_thing.Thing")
    configured(files, model_type="thing", auto_map=named)


def kernels_of_the_hub(files: Files, site: Site) -> None:
    kernel = "evenhand-test/kernel:forward"
    configured(files, _attn_implementation=kernel, attn_implementation=kernel, use_kernels=True)


def adapter_of_the_hub(files: Files, site: Site) -> None:
    told = {
        "base_model_name_or_path": "evenhand-test/nowhere",
        "peft_type": "LORA",
        "task_type": "SEQ_CLS",
        "auto_mapping": None,
    }
    files["adapter_config.json"] = json.dumps(told)
    files["adapter_model.bin"] = pickled(site)


def quantised_by_a_stranger(files: Files, site: Site) -> None:
    configured(files, quantization_config={"quant_method": "gptq", "bits": 4, "dataset": f"{site.url}/x"})


def pickle_for_weights(files: Files, site: Site) -> None:
    del files["model.safetensors"]
    files["pytorch_model.bin"] = pickled(site)


def pickle_called_safetensors(files: Files, site: Site) -> None:
    files["model.safetensors"] = pickled(site)


def pickle_beside_an_index(files: Files, site: Site) -> None:
    weights = files.pop("model.safetensors")
    files["decoy.safetensors"] = weights
    files["pytorch_model.bin"] = pickled(site)
    told = {"metadata": {"total_size": 1}, "weight_map": {"classifier.weight": "pytorch_model.bin"}}
    files["model.safetensors.index.json"] = json.dumps(told)
    files["pytorch_model.bin.index.json"] = json.dumps(told)


def index_that_leads_elsewhere(files: Files, site: Site) -> None:
    (site.root / "elsewhere.safetensors").write_bytes(files.pop("model.safetensors"))
    files["decoy.safetensors"] = b"x"
    weights = dict.fromkeys(("classifier.weight", "classifier.bias"), "../../elsewhere.safetensors")
    files["model.safetensors.index.json"] = json.dumps({"metadata": {}, "weight_map": weights})


def index_of_a_device(files: Files, site: Site) -> None:
    del files["model.safetensors"]
    files["decoy.safetensors"] = b"x"
    files["model.safetensors.index.json"] = json.dumps(
        {"metadata": {}, "weight_map": {"classifier.weight": "/dev/zero"}}
    )


def header_without_end(files: Files, site: Site) -> None:
    files["model.safetensors"] = struct.pack("<Q", 1 << 60) + b"{}"


def header_of_tensors_that_are_not_there(files: Files, site: Site) -> None:
    told = {"classifier.weight": {"dtype": "F32", "shape": [10**9, 10**6], "data_offsets": [0, 4 * 10**15]}}
    head = json.dumps(told).encode()
    files["model.safetensors"] = struct.pack("<Q", len(head)) + head


def header_nested_deep(files: Files, site: Site) -> None:
    head = b'{"a":' * 200_000
    files["model.safetensors"] = struct.pack("<Q", len(head)) + head


def layers_without_measure(files: Files, site: Site) -> None:
    configured(files, num_hidden_layers=10**7)


def width_without_measure(files: Files, site: Site) -> None:
    configured(files, hidden_size=2**22, num_attention_heads=1, intermediate_size=2**22)


def vocabulary_without_measure(files: Files, site: Site) -> None:
    configured(files, vocab_size=10**10)


def positions_without_measure(files: Files, site: Site) -> None:
    configured(files, max_position_embeddings=10**10)


def labels_without_measure(files: Files, site: Site) -> None:
    configured(files, id2label={str(n): f"l{n}" for n in range(300_000)}, num_labels=10**9)


def negative_sizes_of_layers(files: Files, site: Site) -> None:
    configured(files, hidden_size=-16, num_hidden_layers=-1, vocab_size=-5)


def configuration_nested_deep(files: Files, site: Site) -> None:
    files["config.json"] = (
        '{"architectures": ["BertForSequenceClassification"], "x": ' + "[" * 100_000 + "]" * 100_000 + "}"
    )


def configuration_in_a_pipe(files: Files, site: Site) -> None:
    files["config.json"] = os.mkfifo


def configuration_in_a_device(files: Files, site: Site) -> None:
    files["config.json"] = lambda path: path.symlink_to("/dev/zero")


def weights_of_a_directory_in_a_pipe(files: Files, site: Site) -> None:
    files["model.safetensors"] = os.mkfifo


def a_pipe_among_the_files(files: Files, site: Site) -> None:
    files["notes.txt"] = os.mkfifo


def a_device_among_the_files(files: Files, site: Site) -> None:
    files["more.json"] = lambda path: path.symlink_to("/dev/zero")


def tokenizer_nested_deep(files: Files, site: Site) -> None:
    files["tokenizer.json"] = '{"version": "1.0", "model": ' + "[" * 100_000 + "}"


def tokenizer_with_characters(files: Files, site: Site) -> None:
    labels = {"0": "\u202ecalm\x1b[2J", "1": "rude"}
    configured(files, id2label=labels, label2id={name: int(n) for n, name in labels.items()})


def template_without_end(files: Files, site: Site) -> None:
    """A chat template is a program of its own; nobody may run it who only scores."""
    loops = "{% for a in range(99999) %}" * 5 + "x" + "{% endfor %}" * 5
    configured(files, "tokenizer_config.json", chat_template=loops)
    files["chat_template.jinja"] = loops


for _change in (
    *(code_beside_the_model, code_on_the_hub, quantised_by_a_stranger),
    *(pickle_for_weights, pickle_called_safetensors, pickle_beside_an_index),
    *(index_that_leads_elsewhere, index_of_a_device, header_without_end, header_of_tensors_that_are_not_there),
    *(header_nested_deep, layers_without_measure, width_without_measure, vocabulary_without_measure),
    *(positions_without_measure, labels_without_measure, negative_sizes_of_layers, configuration_nested_deep),
    *(configuration_in_a_pipe, configuration_in_a_device, weights_of_a_directory_in_a_pipe, tokenizer_nested_deep),
):
    directory(_change)
for _change in (
    *(code_for_the_model_alone, code_for_the_tokenizer, kernels_of_the_hub, adapter_of_the_hub),
    *(a_pipe_among_the_files, a_device_among_the_files, tokenizer_with_characters, template_without_end),
):
    directory(_change, refused=False)
