"""How fine-tuned encoders are made: trained on labelled texts, or read from a folder. PyTorch is loaded lazily."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from evenhand.classifiers.adapters.pretrained import best_device, require_library, token_limit
from evenhand.classifiers.encoder.settings import EncoderSettings
from evenhand.classifiers.protocol import DEFAULT_RUNTIME, LabelledTexts, Runtime, Targets
from evenhand.errors import InputError
from evenhand.progress import Progress, silent

if TYPE_CHECKING:
    from evenhand.classifiers.encoder.classifier import EncoderClassifier


class EncoderFamily:
    """Trains and reads `EncoderClassifier`s."""

    @staticmethod
    def train(
        data: LabelledTexts, settings: EncoderSettings, progress: Progress = silent, place: Runtime = DEFAULT_RUNTIME
    ) -> EncoderClassifier:
        """Fine-tune an encoder on labelled texts."""
        data = training_rows(data, settings)
        device = require_library("torch").device(usable_device(place.device))
        from evenhand.classifiers.encoder import storage as source
        from evenhand.classifiers.encoder import training
        from evenhand.classifiers.encoder.batches import Tokens
        from evenhand.classifiers.encoder.classifier import EncoderClassifier

        progress("loading the encoder", 0, 0)
        directory = source.encoder_directory(settings.encoder, download=place.download)
        tokenizer, encoder = directory.tokenizer(), source.pretrained_encoder(directory)
        tokens = Tokens.from_texts(data.texts, tokenizer, token_limit(tokenizer, encoder, settings.length), progress)
        lesson = training.EncoderTrainingData(
            tokens, data.truth, text_weights(data, settings), data.targets.exclusive, int(tokenizer.pad_token_id or 0)
        )
        networks = training.train_networks(
            lesson,
            settings,
            lambda: source.pretrained_encoder(directory),
            device=device,
            keep=place.keep,
            progress=progress,
        )
        most = token_limit(tokenizer, encoder, settings.reads)
        return EncoderClassifier(data.targets, settings, networks, tokenizer, encoder.config, most, device)

    @staticmethod
    def read(
        folder: Path, targets: Targets, settings: EncoderSettings, place: Runtime = DEFAULT_RUNTIME
    ) -> EncoderClassifier:
        """From what `write` wrote."""
        device = require_library("torch").device(usable_device(place.device))
        from evenhand.classifiers.encoder import storage
        from evenhand.classifiers.encoder.classifier import EncoderClassifier

        directory = storage.saved_directory(folder, settings, len(targets.classes))
        tokenizer = directory.tokenizer()
        networks = storage.read_networks(directory, settings, len(targets.classes))
        encoder = networks[0].encoder
        most = token_limit(tokenizer, encoder, settings.reads)
        return EncoderClassifier(targets, settings, networks, tokenizer, encoder.config, most, device)


def usable_device(device: str | None) -> str:
    """The device to work on, if it is there and known to work."""
    name = best_device(device)
    if not name.startswith(("cpu", "cuda")):
        raise InputError(f"encoders run on cpu or cuda, not on '{name}'")
    return name


def training_rows(data: LabelledTexts, settings: EncoderSettings) -> LabelledTexts:
    """What is learnt from: enough rows, two kinds of them, and not too many of the largest kind."""
    least = max(10, settings.members)
    if len(data.texts) < least:
        raise InputError(f"{len(data.texts)} rows are too few to train on: at least {least} are needed")
    for name, column in zip(data.targets.classes, data.truth.T, strict=True):
        if column.min() == column.max():
            which = "every text is" if column.max() else "no text is"
            raise InputError(f"training needs texts with and without the class: {which} '{name}'")
    if settings.oversample == "smote" and data.targets.kind == "multi-label":
        raise InputError("oversampling needs one class for each text: with several label columns it cannot be done")
    if settings.negatives == 0.0:
        return data
    kinds = _class_combinations(data.truth)
    sizes = np.bincount(kinds)
    largest = int(sizes.argmax())
    most = max(1, round(settings.negatives * (len(kinds) - sizes[largest])))
    many = np.random.default_rng([settings.seed, 7]).permutation(np.flatnonzero(kinds == largest))[:most]
    rows = np.sort(np.concatenate([np.flatnonzero(kinds != largest), many]))
    return LabelledTexts([data.texts[row] for row in rows.tolist()], data.truth[rows], data.targets)


def text_weights(data: LabelledTexts, settings: EncoderSettings) -> npt.NDArray[np.float32]:
    """Of each text, on average 1: all alike, or every kind of text as much as every other."""
    if settings.weigh == "none":
        return np.ones(len(data.texts), dtype=np.float32)
    kinds = _class_combinations(data.truth)
    sizes = np.bincount(kinds)
    present = np.count_nonzero(sizes)
    return (len(kinds) / (present * sizes[kinds])).astype(np.float32)


def _class_combinations(truth: npt.NDArray[np.float32]) -> npt.NDArray[np.int64]:
    """Which classes each text has, as one number."""
    _, kinds = np.unique(truth > 0.5, axis=0, return_inverse=True)
    return kinds.reshape(-1).astype(np.int64)
