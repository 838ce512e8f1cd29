"""How fine-tuned encoders come to be: trained on labelled texts or read from a folder. PyTorch is loaded only here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from evenhand.classifiers.adapters.directory import Directory, best_device, longest
from evenhand.classifiers.adapters.extras import library
from evenhand.classifiers.encoder.settings import EncoderSettings
from evenhand.classifiers.place import HERE, Place
from evenhand.classifiers.protocol import Labelled, Targets
from evenhand.errors import InputError
from evenhand.progress import Progress, silent


class EncoderFamily:
    """Trains and reads `EncoderClassifier`s."""

    @staticmethod
    def train(data: Labelled, settings: EncoderSettings, progress: Progress = silent, place: Place = HERE) -> Any:
        """Fine-tune an encoder on labelled texts."""
        data = chosen(data, settings)
        device = library("torch").device(usable(place.device))
        from evenhand.classifiers.encoder import source, training
        from evenhand.classifiers.encoder.model import EncoderClassifier
        from evenhand.classifiers.encoder.tokens import Tokens

        progress("loading the encoder", 0, 0)
        directory = source.encoder_directory(settings.encoder, download=place.download)
        tokenizer, encoder = directory.tokenizer(), source.pretrained(directory)
        tokens = Tokens.of(data.texts, tokenizer, longest(tokenizer, encoder, settings.length), progress)
        lesson = training.Lesson(
            tokens, data.truth, weights(data, settings), data.targets.exclusive, int(tokenizer.pad_token_id or 0)
        )
        networks = training.train(
            lesson,
            settings,
            lambda: source.pretrained(directory),
            device=device,
            keep=place.keep,
            progress=progress,
        )
        most = longest(tokenizer, encoder, settings.reads)
        return EncoderClassifier(data.targets, settings, networks, tokenizer, encoder.config, most, device)

    @staticmethod
    def read(folder: Path, targets: Targets, settings: EncoderSettings, place: Place = HERE) -> Any:
        """From what `write` wrote."""
        device = library("torch").device(usable(place.device))
        from evenhand.classifiers.encoder import storage
        from evenhand.classifiers.encoder.model import EncoderClassifier

        tokenizer = Directory(folder).tokenizer()
        networks = storage.read(folder, settings, len(targets.classes))
        encoder = networks[0].encoder
        most = longest(tokenizer, encoder, settings.reads)
        return EncoderClassifier(targets, settings, networks, tokenizer, encoder.config, most, device)


def usable(asked: str | None) -> str:
    """The device to work on, if it is there and known to work."""
    name = best_device(asked)
    if not name.startswith(("cpu", "cuda")):
        raise InputError(f"encoders are not trained or asked on '{name}': give cpu or cuda")
    return name


def chosen(data: Labelled, settings: EncoderSettings) -> Labelled:
    """What is learnt from: enough rows, two kinds of them, and not too many of the largest kind."""
    least = max(10, settings.members)
    if len(data.texts) < least:
        raise InputError(f"{len(data.texts)} rows are too few to train on: at least {least} are needed")
    for name, column in zip(data.targets.classes, data.truth.T, strict=True):
        if column.min() == column.max():
            which = "every text is" if column.max() else "no text is"
            raise InputError(f"there is nothing to tell apart: {which} '{name}'")
    if settings.oversample == "smote" and data.targets.kind == "multi-label":
        raise InputError("oversampling needs one class for each text: with several label columns it cannot be done")
    if settings.negatives == 0.0:
        return data
    kinds = _kinds(data.truth)
    sizes = np.bincount(kinds)
    largest = int(sizes.argmax())
    most = max(1, round(settings.negatives * (len(kinds) - sizes[largest])))
    many = np.random.default_rng([settings.seed, 7]).permutation(np.flatnonzero(kinds == largest))[:most]
    rows = np.sort(np.concatenate([np.flatnonzero(kinds != largest), many]))
    return Labelled([data.texts[row] for row in rows.tolist()], data.truth[rows], data.targets)


def weights(data: Labelled, settings: EncoderSettings) -> npt.NDArray[np.float32]:
    """Of each text, on average 1: all alike, or every kind of text as much as every other."""
    if settings.weigh == "none":
        return np.ones(len(data.texts), dtype=np.float32)
    kinds = _kinds(data.truth)
    sizes = np.bincount(kinds)
    present = np.count_nonzero(sizes)
    return (len(kinds) / (present * sizes[kinds])).astype(np.float32)


def _kinds(truth: npt.NDArray[np.float32]) -> npt.NDArray[np.int64]:
    """Which classes each text has, as one number."""
    _, kinds = np.unique(truth > 0.5, axis=0, return_inverse=True)
    return kinds.reshape(-1).astype(np.int64)
