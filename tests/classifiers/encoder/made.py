"""Encoders small enough to be made on the spot, and texts in which some words make the difference."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers
from tokenizers import Tokenizer, models, pre_tokenizers, processors

from classifiers.tiny import saved
from evenhand.classifiers.encoder import EncoderFamily, EncoderSettings
from evenhand.classifiers.protocol import LabelledTexts, TargetKind, Targets

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *(f"w{number}" for number in range(60))]
SIZES: dict[str, Any] = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 24}
QUICK: dict[str, Any] = {"epochs": 3, "batch": 16, "rate": 2e-3, "head_rate": 5e-3, "length": 24, "features": 32}
TARGETS: dict[TargetKind, Targets] = {
    "binary": Targets("binary", ("bad",)),
    "multi-class": Targets("multi-class", ("calm", "rude", "threat")),
    "multi-label": Targets("multi-label", ("rude", "threat")),
}
TELLING = {"rude": 55, "threat": 57}


def tokenizer(longest: int = 64) -> Any:
    """A word is a token."""
    made = Tokenizer(models.WordLevel({word: number for number, word in enumerate(WORDS)}, unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    ends = [("[CLS]", 2), ("[SEP]", 3)]
    made.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=ends)
    named = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    return transformers.PreTrainedTokenizerFast(tokenizer_object=made, model_max_length=longest, **named)


def encoder(kind: str = "bert", seed: int = 0) -> Any:
    """Random weights, large enough for texts to differ."""
    torch.manual_seed(seed)
    shared = {"vocab_size": len(WORDS), "pad_token_id": 0, "initializer_range": 0.2}
    if kind == "bert":
        return transformers.BertModel(transformers.BertConfig(**SIZES, **shared, max_position_embeddings=64))
    if kind == "roberta":
        return transformers.RobertaModel(transformers.RobertaConfig(**SIZES, **shared, max_position_embeddings=66))
    if kind == "electra":
        told = {"embedding_size": 8, "max_position_embeddings": 64}
        return transformers.ElectraModel(transformers.ElectraConfig(**SIZES, **shared, **told))
    if kind == "distilbert":
        sizes = {"dim": 16, "n_layers": 2, "n_heads": 2, "hidden_dim": 24, "max_position_embeddings": 64}
        return transformers.DistilBertModel(transformers.DistilBertConfig(**sizes, **shared))
    sizes = {"n_embd": 16, "n_layer": 2, "n_head": 2, "n_positions": 64}  # of layers that cannot be stacked
    shared |= {"bos_token_id": None, "eos_token_id": None}
    return transformers.GPT2Model(transformers.GPT2Config(**sizes, **shared))


def directory(folder: Path, kind: str = "bert") -> Path:
    return saved(folder, encoder(kind), tokenizer())


@cache
def labelled(kind: TargetKind = "binary", rows: int = 160, seed: int = 0) -> LabelledTexts:
    """Three to twenty words; a text is rude or threatens if it has the word for it."""
    rng = np.random.default_rng(seed)
    texts, truth = [], []
    for _ in range(rows):
        words = rng.integers(0, 50, rng.integers(3, 20)).tolist()
        has = rng.random(2) < 0.35
        for word in np.array(list(TELLING.values()))[has]:
            words.insert(int(rng.integers(len(words))), int(word))
        texts.append(" ".join(f"w{word}" for word in words))
        truth.append(_truth(kind, *has.tolist()))
    return LabelledTexts(texts, np.array(truth, dtype=np.float32), TARGETS[kind])


def _truth(kind: TargetKind, rude: bool, threat: bool) -> list[float]:
    if kind == "binary":
        return [float(rude)]
    return [float(rude), float(threat)] if kind == "multi-label" else np.eye(3)[2 if threat else int(rude)].tolist()


def settings(folder: Path | str, **changes: Any) -> EncoderSettings:
    return EncoderSettings(**{"encoder": str(folder), **QUICK, **changes})


def trained(folder: Path, kind: TargetKind = "binary", rows: int = 160, **changes: Any) -> Any:
    return EncoderFamily.train(labelled(kind, rows), settings(folder, **changes))


def weights(model: Any) -> dict[str, torch.Tensor]:
    found = {}
    for number, network in enumerate(model.networks):
        found |= {f"{number}.{name}": values for name, values in network.weights().items()}
    return found
