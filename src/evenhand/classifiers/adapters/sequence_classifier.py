"""A transformers sequence classifier in a local directory, such as a fine-tuned hate-speech model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from evenhand.arrays import AnyFloats
from evenhand.classifiers.adapters.labels import ModelLabels
from evenhand.classifiers.adapters.pretrained import (
    ModelConfig,
    PretrainedDirectory,
    Tokenizer,
    best_device,
    length_buckets,
    pad_tokens,
    replace_surrogates,
    require_library,
    token_limit,
)
from evenhand.classifiers.estimator import TextEstimator
from evenhand.classifiers.protocol import Scores, TargetKind, Targets
from evenhand.errors import InputError

BATCH = 32
BATCHES_AT_ONCE = 32  # batches that are handed in together, so that texts of like length find one another


@dataclass(frozen=True, repr=False)
class SequenceClassifier(TextEstimator):
    """Tokenises, asks in batches of like length, and reads the logits by `labels`."""

    model: Any
    tokenizer: Any
    labels: ModelLabels
    name: str
    version: str
    at_once: int
    longest: int

    @property
    def targets(self) -> Targets:
        """The classes that it gives probabilities of."""
        return self.labels.targets

    @property
    def batch(self) -> int:
        """How many texts are best scored at a time."""
        return self.at_once * BATCHES_AT_ONCE

    def score(self, texts: Sequence[str]) -> Scores:
        """One row per text, in their order; what is longer than the model can read is cut at its end."""
        if not len(texts):
            return Scores(self.targets, np.empty((0, len(self.targets.classes))))
        readable = [replace_surrogates(text) for text in texts]
        tokens = self.tokenizer(readable, truncation=True, max_length=self.longest)["input_ids"]
        probabilities = np.empty((len(texts), len(self.labels.names)))
        for rows in length_buckets(
            [len(row) for row in tokens], self.at_once if self._padding else 1, even=self._reads_the_end
        ):
            probabilities[rows] = self._probabilities([tokens[row] for row in rows])
        try:
            return Scores(self.targets, self.labels.classes(probabilities))
        except InputError as error:
            raise error.within(self.name) from None

    @property
    def _padding(self) -> int | None:
        """What the model itself takes for padding; without it texts are asked one by one."""
        number = self.model.config.pad_token_id
        return number if number is not None and number >= 0 else None

    @property
    def _reads_the_end(self) -> bool:
        """A model that pads before the text looks at its last position: texts of one length need no padding."""
        return bool(self.tokenizer.padding_side == "left")

    def _probabilities(self, tokens: list[list[int]]) -> AnyFloats:
        torch = require_library("torch")
        ids, mask = pad_tokens(tokens, self._padding or 0)
        device = self.model.device
        with torch.inference_mode():
            logits = self.model(input_ids=ids.to(device), attention_mask=mask.to(device)).logits.cpu().double()
        exclusive = self.labels.exclusive
        values = torch.softmax(logits, dim=-1) if exclusive else torch.sigmoid(logits)
        return np.asarray(values.cpu().numpy(), dtype=np.float64)


def open_transformers(
    path: str | Path,
    *,
    positive: str | Sequence[str] | None = None,
    task: TargetKind | None = None,
    batch: int = BATCH,
    max_length: int | None = None,
    device: str | None = None,
    download: bool = False,
    name: str | None = None,
) -> SequenceClassifier:
    """The sequence classifier in a directory; its version is the hash of what lies there.

    `positive` says which label counts as violating (of two labels this must be said; of several, those named are
    added up). `task` says "multi-label" where config.json has no problem_type. Without a connection, unless `download`.
    """
    directory = PretrainedDirectory.at(path, download=download)
    config = directory.config("ForSequenceClassification")
    tokenizer = directory.tokenizer()
    torch = require_library("torch")
    try:
        exclusive = _exclusive(config.get("problem_type"), task)
        model = directory.model("AutoModelForSequenceClassification", dtype=torch.float32, device=best_device(device))
        labels = _labels(model.config, exclusive, task, positive)
        _check_vocabulary(tokenizer, model)
    except InputError as error:
        raise error.within(str(path)) from None
    length = token_limit(tokenizer, model, max_length)
    version = directory.version({"positive": positive, "task": task, "longest": length})
    return SequenceClassifier(model, tokenizer, labels, name or Path(path).name, version, batch, length)


def _exclusive(problem: str | None, task: TargetKind | None) -> bool:
    """Whether the labels exclude one another: what the configuration says, or what it is said to be."""
    if problem == "regression":
        raise InputError("this model is a regression: its output is not a probability")
    if problem == "multi_label_classification" and task == "multi-class":
        raise InputError("config.json says that the labels do not exclude one another: task cannot be multi-class")
    if problem == "single_label_classification" and task == "multi-label":
        raise InputError("config.json says that the labels exclude one another: task cannot be multi-label")
    return problem != "multi_label_classification" and task != "multi-label"


def _labels(
    config: ModelConfig, exclusive: bool, task: TargetKind | None, positive: str | Sequence[str] | None
) -> ModelLabels:
    """The names in the order of the logits. One logit is a probability of its own, by the logistic function."""
    names = [str(config.id2label[number]) for number in sorted(config.id2label)]
    if sorted(config.id2label) != list(range(len(names))):
        raise InputError("id2label in config.json does not number the labels from 0")
    if task == "binary" and len(names) > 1 and not positive:
        raise InputError(f"the model has {len(names)} labels: name those that count as violating in positive")
    return ModelLabels.from_names(names, exclusive=exclusive and len(names) > 1, positive=positive)


def _check_vocabulary(tokenizer: Tokenizer, model: Any) -> None:
    rows = model.get_input_embeddings().num_embeddings
    if len(tokenizer) > rows:
        raise InputError(
            f"the tokenizer has {len(tokenizer)} tokens and the model {rows}: they are not of the same model"
        )
