"""Models of others by name, with tiny models made on the spot in folders of those names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from classifiers.tiny import TEXTS, causal_model, saved, sequence_model, tokenizer
from evenhand.classifiers.adapters import open_prompt, open_transformers
from evenhand.classifiers.adapters import pretrained as directory_module
from evenhand.classifiers.models import open_model
from evenhand.classifiers.presets import PRESET_ANSWERS, PRESET_PROMPT, PRESETS, open_preset
from evenhand.errors import InputError

# as config.json may spell them: by name, or as LABEL_0 and so on where the order is known
SPELT = {
    "imsypp": (["LABEL_0", "LABEL_1", "LABEL_2", "LABEL_3"], ["LABEL_2", "LABEL_3"]),
    "dynabench": (["nothate", "hate"], ["hate"]),
    "twitter-roberta": (["NOT-HATE", "HATE"], ["HATE"]),
    "refugees": (["Normal", "Offensive", "Hate speech"], ["Offensive", "Hate speech"]),
    "distilroberta": (["NEITHER", "HATE-SPEECH", "OFFENSIVE-LANGUAGE"], ["HATE-SPEECH", "OFFENSIVE-LANGUAGE"]),
    "pysentimiento": (["hateful", "targeted", "aggressive"], ["hateful"]),
    "muril": (["LABEL_0", "LABEL_1"], ["LABEL_1"]),
}
PROMPTED = {"mistral": "llama", "olmo": "gpt2", "bloom": "bloom"}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def put(name: str, labels: list[str], problem: str | None = None) -> Path:
    return saved(Path(PRESETS[name].hub), sequence_model("roberta", labels, problem), tokenizer())


def test_there_are_eleven_and_each_is_tested() -> None:
    assert len(PRESETS) == 11
    assert set(PRESETS) == {*SPELT, *PROMPTED, "hatebert"}
    assert [sum(p.kind == kind for p in PRESETS.values()) for kind in ("transformers", "prompt")] == [7, 3]
    assert all(preset.known for preset in PRESETS.values())


@pytest.mark.parametrize("name", list(SPELT))
def test_violating_labels_are_added_up(name: str) -> None:
    labels, positive = SPELT[name]
    folder = put(name, labels)
    found = open_model(f"preset:{name}")
    plain = open_transformers(folder, positive=positive, task=PRESETS[name].task)
    assert found.name == name
    assert found.targets.kind == "binary"
    assert found.version == plain.version
    assert np.array_equal(found.score(TEXTS).probabilities, plain.score(TEXTS).probabilities)


@pytest.mark.parametrize("name", list(PROMPTED))
def test_language_models_are_asked(name: str) -> None:
    folder = saved(Path(PRESETS[name].hub), causal_model(PROMPTED[name]), tokenizer(causal=True, longest=96))
    found = open_preset(name)
    labels = {label: list(words) for label, words in PRESET_ANSWERS.items()}
    plain = open_prompt(folder, prompt=PRESET_PROMPT, labels=labels, positive="hateful")
    assert np.array_equal(found.score(TEXTS).probabilities, plain.score(TEXTS).probabilities)
    assert found.targets.classes == ("hateful",)


@pytest.mark.parametrize(
    ("name", "labels", "says"),
    [
        ("imsypp", ["LABEL_0", "LABEL_1"], "LABEL_0, LABEL_1, and acceptable, inappropriate, offensive, violent"),
        ("imsypp", ["a", "b", "c", "d"], "a, b, c, d, and acceptable"),
        ("dynabench", ["LABEL_0", "LABEL_1"], "nothate, hate were expected.*TOML file, with positive"),
        ("twitter-roberta", ["LABEL_0", "LABEL_1"], "were expected"),
        ("muril", ["abusive", "clean"], "normal, abusive were expected"),
    ],
)
def test_labels_that_are_not_known_are_never_guessed(name: str, labels: list[str], says: str) -> None:
    put(name, labels)
    with pytest.raises(InputError, match=f"preset:{name}.*{says}"):
        open_preset(name)
    assert open_preset(name, positive=labels[1]).targets.classes == (labels[1],)


def test_names_count_for_more_than_the_order() -> None:
    put("muril", ["Abusive", "Normal"])
    assert open_preset("muril").targets.classes == ("Abusive",)


def test_an_encoder_without_a_classifier_says_how_to_train_one() -> None:
    with pytest.raises(InputError, match=r"preset:hatebert: .*no classifier.*train.*`encoder` GroNLP/hateBERT"):
        open_preset("hatebert", download=True)


def test_unknown_names() -> None:
    with pytest.raises(InputError, match="no preset 'imsyp'; did you mean 'imsypp'"):
        open_model("preset:imsyp")


def test_nothing_is_fetched_unless_asked_for(monkeypatch: pytest.MonkeyPatch, here: Path) -> None:
    asked: list[str] = []

    def fetch(name: str) -> Path:
        asked.append(name)
        return saved(here / "fetched", sequence_model("bert", ["nothate", "hate"]), tokenizer())

    monkeypatch.setattr(directory_module, "_downloaded", fetch)
    with pytest.raises(InputError, match=r"facebook/roberta.*no such directory.*`download`"):
        open_model("preset:dynabench")
    assert asked == []
    assert open_model("preset:dynabench", download=True).name == "dynabench"
    assert asked == [PRESETS["dynabench"].hub]


def test_on_the_command_line(program: Any, here: Path) -> None:
    put("refugees", SPELT["refugees"][0])
    pl.DataFrame({"text": [text or "x" for text in TEXTS]}).write_csv("in.csv")
    done = program("score", "preset:refugees", "in.csv", "-o", "out.csv", "--device", "cpu")
    assert done.code == 0, done.err
    assert set(pl.read_csv("out.csv")["model"]) == {"refugees"}
    done = program("score", "preset:bloom", "in.csv", "-o", "more.csv")
    assert done.code == 2
    assert "--download" in done.err
    shown = program("models").out
    assert all(f"{name}: " in shown for name in PRESETS)
