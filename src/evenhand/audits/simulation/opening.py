"""From a file to what is simulated on: scores as they are, or those of a classifier trained on a part of the rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from evenhand import arrays
from evenhand.audits.simulation.scenes import Scene
from evenhand.classifiers import methods
from evenhand.classifiers.learning import Question, read_labelled
from evenhand.classifiers.protocol import Labelled, in_batches
from evenhand.errors import InputError
from evenhand.evidence import Declaration, Source, TableEvidence, open_evidence, open_source
from evenhand.evidence.table import probability
from evenhand.finding import Slice
from evenhand.progress import Progress, silent
from evenhand.sampling.simulation import Population

FEWEST = 100  # items
T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Asked:
    """The columns: a label, and a score; or a text instead, and which rows a classifier is trained on."""

    label: str | None = None
    score: tuple[str, ...] = ()
    scale: str | None = None
    positive: tuple[str, ...] = ()
    thresholds: tuple[float, ...] = (0.5,)
    where: str | None = None
    text: str | None = None
    train_share: float | None = None
    train_where: str | None = None
    method: str = "linear"

    def __post_init__(self) -> None:
        if not self.label:
            raise InputError("say which column is the label: --label")
        trained = any(part is not None for part in (self.text, self.train_share, self.train_where))
        if bool(self.score) == trained:
            raise InputError("give a score (--score), or a text to train a classifier on (--text): one of them")
        if self.train_share is not None and self.train_where is not None:
            raise InputError("train on a share of the rows, or on those that meet a condition: not both")
        if self.train_share is not None:
            arrays.share(self.train_share, "the share to train on")
        if len(set(self.thresholds)) < len(self.thresholds):
            raise InputError("a label threshold is given twice")

    def question(self, threshold: float) -> Question:
        """What a classifier is to learn."""
        label, named = (self.label or "",), {"text": self.text, "where": self.where}
        return Question(label=label, positive=self.positive, label_threshold=threshold, **named)

    def roles(self, threshold: float) -> Declaration:
        """What the columns mean, where there is a score."""
        named = {"score": self.score, "label": self.label, "scale": self.scale, "where": self.where}
        return Declaration.of({**named, "positive": self.positive or None, "label_threshold": threshold})


@dataclass(frozen=True)
class Opened:
    """All scenes, where they come from, and what to know about them."""

    scenes: tuple[Scene, ...]
    provenance: Mapping[str, Any]
    notes: tuple[str, ...]


def open_scenes(
    data: Any, asked: Asked, *, query: str | None = None, seed: int = 0, progress: Progress = silent
) -> Opened:
    """Read, check, and train where that is asked for."""
    if asked.score:
        return _scored(data, asked, query)
    return _trained(open_source(data, query=query), asked, seed, progress)


def _scored(data: Any, asked: Asked, query: str | None) -> Opened:
    scenes: list[Scene] = []
    for threshold in asked.thresholds:
        declared = asked.roles(threshold)
        evidence = _at(threshold, asked, lambda d=declared: open_evidence(data, d, query=query))  # type: ignore[misc]
        if not isinstance(evidence, TableEvidence):
            raise InputError("a simulation needs the rows at hand, not on a cluster", source=evidence.name)
        for model, score in evidence.scores.items():
            p = probability(score, evidence.scale(model), evidence.name, model)
            named = {"model": model} if len(asked.score) > 1 else {}
            scenes.append(_scene(named | _threshold(threshold, asked), p, evidence.label, evidence.name))
    notes = evidence.notes if len(asked.thresholds) == 1 else ()
    return Opened(tuple(scenes), evidence.provenance() | {"label_thresholds": list(asked.thresholds)}, notes)


def _trained(source: Source, asked: Asked, seed: int, progress: Progress) -> Opened:
    """Trained at the first threshold; the other rows are simulated on, at every threshold."""
    split = [_at(t, asked, lambda t=t: _parts(source, asked, t, seed)) for t in asked.thresholds]  # type: ignore[misc]
    learnt, rest = split[0]
    if learnt.targets.kind != "binary":
        raise InputError("the labels are words; say which is violating with --positive", source=source.name)
    model = methods.train(learnt, method=asked.method, options={}, progress=progress)
    progress("scoring", 0, 0)
    p = in_batches(model, rest.texts).probabilities[:, 0].astype(np.float64)
    scenes = [
        _scene(_threshold(t, asked), p, one.truth[:, 0], source.name)
        for t, (_, one) in zip(asked.thresholds, split, strict=True)
    ]
    sizes = {"rows": len(rest.texts), "trained_on": len(learnt.texts)}
    note = (
        f"The classifier ({asked.method}) was trained on {sizes['trained_on']:,} of the items; the simulation runs on "
        f"the other {sizes['rows']:,}."
    )
    roles = {
        name: getattr(asked, name) for name in ("text", "label", "positive", "where", "train_share", "train_where")
    }
    known = {**source.fingerprint(), **sizes, "method": asked.method, "roles": roles}
    return Opened(tuple(scenes), known | {"label_thresholds": list(asked.thresholds)}, (note,))


def _parts(source: Source, asked: Asked, threshold: float, seed: int) -> tuple[Labelled, Labelled]:
    """What to learn from, and what to simulate on: never the same row."""
    question = asked.question(threshold)
    if asked.train_where is not None:
        both = f"({asked.where}) AND ({asked.train_where})" if asked.where else asked.train_where
        learnt = _read(source, replace(question, where=both), "train")
        return learnt, _read(source, replace(question, without=asked.train_where), "simulate")
    whole = read_labelled(source, question)
    share = 0.1 if asked.train_share is None else asked.train_share
    kept = np.random.default_rng(seed).random(len(whole.texts)) < share
    learnt, rest = whole.take(kept), whole.take(~kept)
    for part, what in ((learnt, "train"), (rest, "simulate")):
        if not 0.0 < float(part.truth[:, 0].sum()) < len(part.texts):
            problem = f"a train share of {share:g} leaves rows of one class at most to {what} on"
            raise InputError(problem, source=source.name)
    return learnt, rest


def _read(source: Source, question: Question, what: str) -> Labelled:
    try:
        return read_labelled(source, question)
    except InputError as error:
        problem = f"of the rows to {what} on, {error.problem}"
        raise InputError(problem, source=error.source, column=error.column, row=error.row) from None


def _scene(slice_: Slice, score: arrays.Floats, label: Any, source: str) -> Scene:
    if len(score) < FEWEST:
        raise InputError(f"{len(score)} rows are too few to simulate on: at least {FEWEST}", source=source)
    return Scene(slice_, Population.of(score, np.asarray(label, dtype=np.float64)))


def _threshold(threshold: float, asked: Asked) -> dict[str, str]:
    return {"label_threshold": f"{threshold:g}"} if len(asked.thresholds) > 1 else {}


def _at(threshold: float, asked: Asked, action: Callable[[], T]) -> T:
    """Do it; what goes wrong names the threshold, unless there is nothing to it."""
    try:
        return action()
    except InputError as error:
        if asked.thresholds == (0.5,):
            raise
        problem = f"with a label threshold of {threshold:g}, {error.problem}"
        raise InputError(problem, source=error.source, column=error.column, row=error.row) from None
