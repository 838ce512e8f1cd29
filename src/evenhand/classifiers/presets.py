"""Public models by name: the eleven that Urbinati et al. compare with the labels of annotators.

A row says where the model is on the Hugging Face Hub, what its labels are, which of them count as violating, and the
source of that information. Nothing is downloaded unless requested; a local folder of the same name (OWNER/MODEL)
comes first. The paper names neither the checkpoints of its three language models nor its prompt: both are our choice.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from evenhand.classifiers.adapters.pretrained import PretrainedDirectory
from evenhand.classifiers.protocol import Classifier, TargetKind
from evenhand.errors import InputError, nearest

PRESET_PREFIX = "preset:"
PRESET_PROMPT = (
    "Comment: {text}\n\nQuestion: Is this comment hateful towards a group of people? Answer yes or no.\nAnswer:"
)
DEFAULT_LABELS = {"0": "LABEL_0", "1": "LABEL_1"}  # what transformers leaves out of config.json
PRESET_ANSWERS = {"hateful": (" yes", " Yes"), "not hateful": (" no", " No")}


@dataclass(frozen=True, kw_only=True)
class Preset:
    """A model of the hub.

    `labels` are in the order of its outputs, each with the names it may have there; `positive` are those that count as
    violating, by their first names. `known` says from where; `ordered`, whether that gives the order too.
    """

    name: str
    hub: str
    what: str
    kind: Literal["transformers", "prompt", "encoder"] = "transformers"
    labels: tuple[tuple[str, ...], ...] = ()
    positive: tuple[str, ...] = ()
    task: TargetKind | None = None
    known: str = "its model card"
    ordered: bool = True

    @property
    def classes(self) -> str:
        """Its classes, in words."""
        return f"binary: {' or '.join(self.positive)}" if self.positive else "nothing as it is"


PRESETS = {
    preset.name: preset
    for preset in (
        Preset(
            name="imsypp",
            hub="IMSyPP/hate_speech_en",
            what="BERT on YouTube comments (Kralj Novak et al. 2022)",
            labels=(("acceptable",), ("inappropriate",), ("offensive",), ("violent",)),
            positive=("offensive", "violent"),
        ),
        Preset(
            name="hatebert",
            hub="GroNLP/hateBERT",
            what="BERT, trained further on banned Reddit communities (Caselli et al. 2021); an encoder alone",
            kind="encoder",
        ),
        Preset(
            name="dynabench",
            hub="facebook/roberta-hate-speech-dynabench-r4-target",
            what="RoBERTa on data made to fool it (Vidgen et al. 2021)",
            labels=(("nothate",), ("hate",)),
            positive=("hate",),
            known="public code that asks for the label hate",
            ordered=False,
        ),
        Preset(
            name="twitter-roberta",
            hub="cardiffnlp/twitter-roberta-base-hate-latest",
            what="RoBERTa on thirteen corpora (Antypas and Camacho-Collados 2023)",
            labels=(("not-hate", "not_hate"), ("hate",)),
            positive=("hate",),
            known="its model card, which names NOT-HATE",
            ordered=False,
        ),
        Preset(
            name="refugees",
            hub="henrystoll/hatespeech-refugees",
            what="RoBERTa on twelve corpora, by UNHCR and Copenhagen Business School",
            labels=(("normal",), ("offensive",), ("hate speech", "hate", "hatespeech", "hate_speech")),
            positive=("offensive", "hate speech"),
        ),
        Preset(
            name="distilroberta",
            hub="badmatr11x/distilroberta-base-offensive-hateful-speech-text-multiclassification",
            what="DistilRoBERTa on hateful and offensive speech (badmatr11x 2023)",
            labels=(("hate-speech",), ("offensive-language",), ("neither",)),
            positive=("hate-speech", "offensive-language"),
            known="public code that reads its config.json",
            ordered=False,
        ),
        Preset(
            name="pysentimiento",
            hub="pysentimiento/bertweet-hate-speech",
            what="BERTweet on HatEval (Pérez et al. 2023)",
            labels=(("hateful", "hs"), ("targeted", "tr"), ("aggressive", "ag")),
            positive=("hateful",),
            task="multi-label",
        ),
        Preset(
            name="muril",
            hub="Hate-speech-CNERG/english-abusive-MuRIL",
            what="MuRIL on English abusive speech (Das et al. 2022)",
            labels=(("normal",), ("abusive",)),
            positive=("abusive",),
            known="the model card of its sister for all languages, and public code",
        ),
        Preset(
            name="mistral",
            hub="mistralai/Mistral-7B-v0.1",
            what="Mistral 7B (Jiang et al. 2023), asked by prompt",
            kind="prompt",
            positive=("hateful",),
            known="our prompt",
        ),
        Preset(
            name="olmo",
            hub="allenai/OLMo-7B-hf",
            what="OLMo 7B (Groeneveld et al. 2024), asked by prompt",
            kind="prompt",
            positive=("hateful",),
            known="our prompt",
        ),
        Preset(
            name="bloom",
            hub="bigscience/bloom-7b1",
            what="BLOOM 7B (Scao et al. 2022), asked by prompt",
            kind="prompt",
            positive=("hateful",),
            known="our prompt",
        ),
    )
}


def open_preset(
    name: str,
    *,
    positive: str | Sequence[str] | None = None,
    device: str | None = None,
    download: bool = False,
) -> Classifier:
    """The classifier of this name; `positive` says otherwise which labels of its config.json count as violating."""
    if name not in PRESETS:
        raise InputError(f"there is no preset '{name}'; {nearest(name, PRESETS)}")
    from evenhand.classifiers.adapters import open_prompt, open_transformers

    preset = PRESETS[name]
    try:
        if preset.kind == "encoder":
            raise InputError(
                f"it has no classifier, only an encoder: train one with `method` deterministic `encoder` {preset.hub}"
            )
        directory = PretrainedDirectory.at(preset.hub, download=download)
        path = directory.path
        place: dict[str, Any] = {"device": device, "name": name}
        if preset.kind == "prompt":
            labels = {label: list(answers) for label, answers in PRESET_ANSWERS.items()}
            return open_prompt(path, prompt=PRESET_PROMPT, labels=labels, positive=positive or preset.positive, **place)
        chosen = positive or _positive_labels(preset, directory)
        return open_transformers(path, positive=chosen, task=preset.task, **place)
    except InputError as error:
        raise error.within(PRESET_PREFIX + name) from None


def _positive_labels(preset: Preset, directory: PretrainedDirectory) -> list[str]:
    """The violating labels as config.json spells them.

    Names count where there are names; LABEL_0, LABEL_1, … say nothing, and then the order does. Anything else is
    refused: which label counts as violating is never guessed.
    """
    id2label = directory.config("ForSequenceClassification").get("id2label") or DEFAULT_LABELS
    names = [str(id2label[number]) for number in sorted(id2label, key=int)] if isinstance(id2label, dict) else []
    plain = [re.sub(r"\s+", " ", name.strip().casefold()) for name in names]
    if len(plain) == len(preset.labels) and preset.ordered and all(re.fullmatch(r"label_\d+", name) for name in plain):
        return [names[number] for number, label in enumerate(preset.labels) if label[0] in preset.positive]
    positions = {label[0]: [number for number, name in enumerate(plain) if name in label] for label in preset.labels}
    if len(plain) != len(preset.labels) or any(len(places) != 1 for places in positions.values()):
        expected = ", ".join(label[0] for label in preset.labels)
        listed = ", ".join(names) or "none"
        problem = f"its labels are {listed}, and {expected} were expected: describe it in a TOML file, with positive"
        raise InputError(problem)
    return [names[positions[label][0]] for label in preset.positive]
