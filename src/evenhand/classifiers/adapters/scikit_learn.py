"""A scikit-learn model as a classifier: an object with `predict_proba` over raw texts, or a skops file of one.

Vectoriser and model belong in one `Pipeline`, so that the model is audited as it runs in production. Of files only
the skops format is read: loading a pickle runs whatever its author wrote.
"""

from __future__ import annotations

import os
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from evenhand.arrays import AnyFloats
from evenhand.classifiers import fingerprint
from evenhand.classifiers.adapters import skops_file
from evenhand.classifiers.adapters.labels import ModelLabels
from evenhand.classifiers.adapters.pretrained import require_library
from evenhand.classifiers.estimator import TextEstimator
from evenhand.classifiers.protocol import Scores, TargetKind, Targets
from evenhand.errors import ErrorKind, InputError
from evenhand.inputs import note_input

BATCH = 1024


@dataclass(frozen=True, repr=False)
class PipelineClassifier(TextEstimator):
    """Asks `predict_proba` and reads its columns by `labels`."""

    model: Any
    labels: ModelLabels
    name: str
    version: str
    batch: int = BATCH

    @property
    def targets(self) -> Targets:
        """The classes that it gives probabilities of."""
        return self.labels.targets

    def score(self, texts: Sequence[str]) -> Scores:
        """One row per text, in their order."""
        if not len(texts):
            return Scores(self.targets, np.empty((0, len(self.targets.classes))))
        try:
            output = self.model.predict_proba(list(texts))
        except (ValueError, TypeError, AttributeError) as error:
            kind = type(error).__name__
            problem = f"the model does not take texts ({kind}): put its vectoriser before it in one Pipeline"
            raise InputError(problem, source=self.name) from error
        try:
            columns = _probability_columns(output)
            if len(columns) != len(texts):
                raise InputError(f"the model gives {len(columns)} rows for {len(texts)} texts")
            return Scores(self.targets, self.labels.classes(columns))
        except InputError as error:
            raise error.within(self.name) from None


def adapt(
    model: object,
    *,
    name: str,
    version: str,
    positive: str | Sequence[str] | None = None,
    task: TargetKind | None = None,
    classes: Sequence[str] | None = None,
    batch: int = BATCH,
) -> PipelineClassifier:
    """A fitted scikit-learn object as a classifier.

    Of two classes the second one is the positive one unless `positive` names it, as everywhere in scikit-learn.
    `classes` renames the columns, in their order; `task` says "multi-label" where the object does not say so itself.
    """
    if not hasattr(model, "predict_proba"):
        problem = f"a {type(model).__name__} has no predict_proba: CalibratedClassifierCV can give it one"
        raise InputError(problem, source=name)
    if not version:
        raise InputError("give the version of the model: findings show it", source=name)
    try:
        return PipelineClassifier(model, _labels(model, positive, task, classes), name, version, batch)
    except InputError as error:
        raise error.within(name) from None


def _labels(
    model: object, positive: str | Sequence[str] | None, task: TargetKind | None, classes: Sequence[str] | None
) -> ModelLabels:
    several, known = _model_classes(model)
    if task == "binary" and (several or len(known) != 2) and not positive:
        raise InputError(f"the model has {len(known)} classes: name those that count as violating in positive")
    names = [str(name) for name in (classes if classes is not None else known)]
    if len(names) != len(known):
        raise InputError(f"{len(names)} names for the {len(known)} classes of the model")
    if several and task == "multi-class":
        raise InputError("any of the classes of this model may be true: task cannot be multi-class")
    if task == "multi-label" or several:
        return ModelLabels.from_names(names, exclusive=False, positive=positive)
    return ModelLabels.from_names(names, exclusive=True, positive=positive or (names[1] if len(names) == 2 else None))


def _model_classes(model: object) -> tuple[bool, Sequence[object]]:
    """Whether any of the classes may be true at once, and what the model calls them."""
    steps = getattr(model, "steps", None)  # of a Pipeline: names and estimators
    last = steps[-1][1] if steps else model
    classes = getattr(model, "classes_", None)
    if classes is None:
        raise InputError("the model has no classes_: fit it first")
    if isinstance(classes, list):  # several outputs, each with classes of its own: true or not
        for number, of_one in enumerate(classes):
            if len(of_one) != 2:
                raise InputError(f"output {number} of the model has {len(of_one)} classes: it must be true or not")
        return True, [f"output_{number}" for number in range(len(classes))]
    return bool(getattr(last, "multilabel_", False)), list(classes)


def _probability_columns(output: object) -> AnyFloats:
    """One column per class: several outputs come as a list of two-column tables, of which the second is 'true'."""
    if isinstance(output, list):
        return np.column_stack([np.asarray(of_one, dtype=np.float64)[:, 1] for of_one in output])
    return np.asarray(output, dtype=np.float64)


PICKLES = {".pkl", ".pickle", ".joblib", ".dill", ".cloudpickle"}
CONVERT = "load it once where you trust it and save it again: skops.io.dump(model, 'model.skops')"


def open_skops(
    path: str | Path,
    *,
    trust: str | Sequence[str] = (),
    positive: str | Sequence[str] | None = None,
    task: TargetKind | None = None,
    classes: Sequence[str] | None = None,
    batch: int = BATCH,
    name: str | None = None,
) -> PipelineClassifier:
    """A file that `skops.io.dump` wrote; its version is its hash.

    What the file would build is listed before anything is built. Types beyond scikit-learn, NumPy and SciPy are
    refused unless they are estimators that are named in `trust`: look at the code of each before naming it.
    """
    file = Path(path)
    _refuse_pickles(file)
    model = _load_skops(file, (trust,) if isinstance(trust, str) else tuple(trust))
    options = {"positive": positive, "task": task, "classes": classes}
    version = fingerprint.fingerprint_files([file], options)
    return adapt(
        model, name=name or file.stem, version=version, positive=positive, task=task, classes=classes, batch=batch
    )


def _refuse_pickles(file: Path) -> None:
    if not file.is_file():
        raise InputError("there is no such file", source=str(file), kind=ErrorKind.NOT_FOUND)
    note_input(file)
    with file.open("rb") as opened:
        pickled = opened.read(1) == b"\x80"  # how every pickle of the last twenty years begins
    if pickled or file.suffix.lower() in PICKLES:
        raise InputError(f"a pickle can run any code when it is loaded, so none is: {CONVERT}", source=str(file))


def _load_skops(file: Path, trust: tuple[str, ...]) -> Any:
    try:
        skops_file.check_content(file)
        model = _build(file, trust)
        skops_file.check_model(model, os.cpu_count() or 1)
        return model
    except InputError as error:
        raise error.within(str(file)) from None
    except (zipfile.BadZipFile, KeyError):
        raise InputError(f"not a skops file: {CONVERT}", source=str(file)) from None
    except Exception as error:  # a damaged file can cause any error in the reader
        raise InputError(f"the skops file cannot be read ({type(error).__name__})", source=str(file)) from error


def _build(file: Path, trust: tuple[str, ...]) -> Any:
    """The model: at once if all its types are trusted by skops; otherwise its types are listed and checked first."""
    with skops_file.torch_not_imported():
        skops = require_library("skops.io")
    try:
        return skops.load(file)  # refuses every other type before it builds anything
    except require_library("skops.io.exceptions").UntrustedTypesFoundException:
        types = skops.get_untrusted_types(file=file)
        skops_file.check_types(types, trust)
        return skops.load(file, trusted=types)
