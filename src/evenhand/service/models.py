"""The models that are served: opened once, by name, each with its calibrator and its card."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from evenhand.arrays import AnyFloats
from evenhand.classifiers.models import SHIPPED_FOLDER, open_model, shipped_models, used_permissions
from evenhand.classifiers.permissions import NOTHING_ALLOWED, Permissions
from evenhand.classifiers.protocol import Classifier, Scores, Targets, score_in_batches
from evenhand.documents import parse_json
from evenhand.errors import InputError
from evenhand.files import read_text
from evenhand.service.served_models import MODEL_NAME, ServedModel

if TYPE_CHECKING:
    from evenhand.calibrators import Calibrator  # brings scipy.optimize, half of the time that it takes to start

CARD_FILE = "card.json"


@dataclass(frozen=True)
class LoadedModel:
    """A model that can be asked by its name here; scores are calibrated where there is a calibrator."""

    name: str
    classifier: Classifier
    calibrator: Calibrator | None = None
    card: dict[str, Any] | None = None

    @property
    def version(self) -> str:
        """The version of the classifier."""
        return self.classifier.version

    @property
    def targets(self) -> Targets:
        """What it tells apart."""
        return self.classifier.targets

    def score(self, texts: Sequence[str]) -> Scores:
        """One row per text; NaN where a text is blank or could not be scored."""
        filled = [number for number, text in enumerate(texts) if text and not text.isspace()]
        shape = (len(texts), len(self.targets.classes))
        if not filled:
            return Scores(self.targets, np.full(shape, np.nan))
        scores = self._calibrated(score_in_batches(self.classifier, [texts[number] for number in filled]))
        return scores if len(filled) == len(texts) else _in_rows(scores, filled, shape)

    def _calibrated(self, scores: Scores) -> Scores:
        """What members disagree about is on the scale before calibration, and is left out after it."""
        if self.calibrator is None:
            return scores
        p = scores.probabilities.astype(np.float64)
        known = ~np.isnan(p).any(axis=1)
        columns = np.column_stack([1.0 - p[known], p[known]]) if self.targets.kind == "binary" else p[known]
        calibrated = self.calibrator.apply(columns)
        p[known] = calibrated[:, 1:] if self.targets.kind == "binary" else calibrated
        return Scores(self.targets, p)


def open_models(
    served: Iterable[ServedModel], *, device: str | None = None, permissions: Permissions = NOTHING_ALLOWED
) -> dict[str, LoadedModel]:
    """The models by name, in their order; `InputError` where a version is not the one that was pinned.

    Each model is allowed what it has a use for of `permissions`.
    """
    loaded: dict[str, LoadedModel] = {}
    for one in served:
        model = _open(one, device, permissions)
        if not MODEL_NAME.fullmatch(model.name):
            raise InputError(
                f"'{model.name}' cannot be used as a model name: name the model as NAME=MODEL", source=one.source
            )
        if model.name in loaded:
            raise InputError(f"two models are named '{model.name}': rename one as NAME=MODEL")
        loaded[model.name] = model
    return loaded


def _open(served: ServedModel, device: str | None, permissions: Permissions) -> LoadedModel:
    classifier = open_model(served.source, device=device, **permissions.of_use(used_permissions(served.source)))
    if served.version and classifier.version != served.version:
        problem = f"the model has version {classifier.version}, but {served.version} is configured"
        raise InputError(problem, source=served.source)
    calibrator = _open_calibrator(Path(served.calibrator), classifier.targets) if served.calibrator else None
    return LoadedModel(served.name or classifier.name, classifier, calibrator, _card(served.source))


def _open_calibrator(path: Path, targets: Targets) -> Calibrator:
    from evenhand import calibrators

    if targets.kind == "multi-label":
        raise InputError("a calibrator applies to one class, but the model has several", source=str(path))
    calibrator = calibrators.read(path, classes=targets.classes if targets.exclusive else None)
    if targets.kind == "binary" and len(calibrator.classes) != 2:
        problem = f"the calibrator is for {len(calibrator.classes)} classes, but the model has a single score"
        raise InputError(problem, source=str(path))
    if calibrator.scale == "logit":
        raise InputError("the calibrator was fitted on logits, but the model returns probabilities", source=str(path))
    return calibrator


def _card(source: str) -> dict[str, Any] | None:
    """What card.json of a saved model says."""
    folder = SHIPPED_FOLDER / source if source in shipped_models() else Path(source)
    try:
        content = parse_json(read_text(folder / CARD_FILE, "model card"))
    except (InputError, ValueError):
        return None
    return content if isinstance(content, dict) else None


def _in_rows(scores: Scores, rows: Sequence[int], shape: tuple[int, int]) -> Scores:
    def spread(values: AnyFloats) -> AnyFloats:
        whole = np.full(shape, np.nan)
        whole[list(rows)] = values
        return whole

    variance = None if scores.variance is None else spread(scores.variance)
    return Scores(scores.targets, spread(scores.probabilities), variance)
