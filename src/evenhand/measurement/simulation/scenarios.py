"""From a file to the scenarios of a simulation: one population for each model and label threshold.

Scores are those in the file, or those of a classifier trained on a part of the rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from evenhand import arrays
from evenhand.classifiers import methods
from evenhand.classifiers.protocol import LabelledTexts, score_in_batches
from evenhand.classifiers.texts import TrainingColumns, read_labelled_texts
from evenhand.errors import InputError
from evenhand.evidence import Declaration, Source, TableSource, as_scored, open_evidence, open_source
from evenhand.evidence.scales import to_probability
from evenhand.finding import Slice, SliceKey
from evenhand.measurement.simulation.populations import LabelledPopulation, Urns
from evenhand.measurement.simulation.settings import ScoreCut
from evenhand.progress import Progress, silent
from evenhand.sampling import Strata
from evenhand.sampling import strata as cutting

CUTS = {ScoreCut.EQUAL_WIDTH: cutting.equal_width_strata, ScoreCut.QUANTILE: cutting.quantile_strata}


@dataclass(frozen=True)
class Scenario:
    """A population with all its labels. `slice` names the model and the label threshold where there are several."""

    slice: Slice
    here: LabelledPopulation
    _strata: dict[tuple[ScoreCut, int], Strata] = field(default_factory=dict, repr=False)

    @cached_property
    def endless(self) -> LabelledPopulation:
        """The same without an end of items."""
        return self.here.endless()

    def strata(self, by: ScoreCut, count: int) -> Strata:
        """Parts of the population along the score."""
        if (by, count) not in self._strata:
            score, label = self.here.score, self.here.label
            oracle = by == ScoreCut.ORACLE
            self._strata[by, count] = cutting.oracle_strata(score, label, count) if oracle else CUTS[by](score, count)
        return self._strata[by, count]

    def urns(self, by: ScoreCut, count: int, *, endless: bool) -> Urns:
        """The same, counted."""
        times = self.endless.times if endless else 1
        return Urns.of(self.strata(by, count), self.here.label, times=times)


FEWEST_ITEMS = 100  # items
T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class SimulationRequest:
    """The columns: a label, and a score; or a text instead, and which rows a classifier is trained on."""

    label: str | None = None
    score: tuple[str, ...] = ()
    scale: str | None = None
    positive: tuple[str, ...] = ()
    thresholds: tuple[float, ...] = (0.5,)
    skip_unscored: bool = False
    where: str | None = None
    text: str | None = None
    train_share: float | None = None
    train_where: str | None = None
    method: str = "linear"

    def __post_init__(self) -> None:
        if not self.label:
            raise InputError("name the column of labels with `label`")
        trained = any(part is not None for part in (self.text, self.train_share, self.train_where))
        if bool(self.score) == trained:
            raise InputError("give either a score (`score`) or a text to train a classifier on (`text`)")
        if self.train_share is not None and self.train_where is not None:
            raise InputError("give either a share of rows to train on or a condition for them, not both")
        if self.train_share is not None:
            arrays.share(self.train_share, "the share to train on")
        if len(set(self.thresholds)) < len(self.thresholds):
            raise InputError("each label threshold may be given only once")

    def question(self, threshold: float) -> TrainingColumns:
        """What a classifier is to learn."""
        label, named = (self.label or "",), {"text": self.text, "where": self.where}
        return TrainingColumns(label=label, positive=self.positive, label_threshold=threshold, **named)

    def roles(self, threshold: float) -> Declaration:
        """What the columns mean, where there is a score."""
        named = {"score": self.score, "label": self.label, "scale": self.scale, "where": self.where}
        label_roles = {
            "positive": self.positive or None,
            "label_threshold": threshold,
            "skip_unscored": self.skip_unscored,
        }
        return Declaration.of({**named, **label_roles})


@dataclass(frozen=True)
class Scenarios:
    """All scenarios, where they come from, and what to know about them."""

    scenarios: tuple[Scenario, ...]
    provenance: Mapping[str, Any]
    notes: tuple[str, ...]


def open_scenarios(
    data: TableSource,
    request: SimulationRequest,
    *,
    query: str | None = None,
    seed: int = 0,
    progress: Progress = silent,
) -> Scenarios:
    """Read, check, and train where that is asked for."""
    if request.score:
        return _scored(data, request, query)
    return _trained(open_source(data, query=query), request, seed, progress)


def _scored(data: TableSource, request: SimulationRequest, query: str | None) -> Scenarios:
    scenarios: list[Scenario] = []
    for threshold in request.thresholds:
        declared = request.roles(threshold)
        opened = _at_threshold(threshold, request, lambda d=declared: open_evidence(data, d, query=query))  # type: ignore[misc]
        evidence = as_scored(opened, "a simulation needs")
        for model, score in evidence.scores.items():
            p = to_probability(score, evidence.scale(model), evidence.name, model)
            named: Slice = {SliceKey.MODEL: model} if len(request.score) > 1 else {}
            slice_ = {**named, **_threshold_slice(threshold, request)}
            scenarios.append(_scenario(slice_, p, evidence.rows.label, evidence.name))
    notes = evidence.notes if len(request.thresholds) == 1 else ()
    return Scenarios(tuple(scenarios), evidence.provenance() | {"label_thresholds": list(request.thresholds)}, notes)


def _trained(source: Source, request: SimulationRequest, seed: int, progress: Progress) -> Scenarios:
    """Trained at the first threshold; the other rows are simulated on, at every threshold."""
    split = [_at_threshold(t, request, lambda t=t: _parts(source, request, t, seed)) for t in request.thresholds]  # type: ignore[misc]
    learnt, rest = split[0]
    if learnt.targets.kind != "binary":
        raise InputError("the labels are words: name those that mean violating with `positive`", source=source.name)
    model = methods.train_classifier(learnt, method=request.method, options={}, progress=progress)
    progress("scoring", 0, 0)
    p = score_in_batches(model, rest.texts).probabilities[:, 0].astype(np.float64)
    scenarios = [
        _scenario(_threshold_slice(t, request), p, one.truth[:, 0], source.name)
        for t, (_, one) in zip(request.thresholds, split, strict=True)
    ]
    sizes = {"rows": len(rest.texts), "trained_on": len(learnt.texts)}
    note = (
        f"The classifier ({request.method}) was trained on {sizes['trained_on']:,} of the items; the simulation uses "
        f"the other {sizes['rows']:,}."
    )
    roles = {
        name: getattr(request, name) for name in ("text", "label", "positive", "where", "train_share", "train_where")
    }
    known = {**source.fingerprint(), **sizes, "method": request.method, "roles": roles}
    return Scenarios(tuple(scenarios), known | {"label_thresholds": list(request.thresholds)}, (note,))


def _parts(
    source: Source, request: SimulationRequest, threshold: float, seed: int
) -> tuple[LabelledTexts, LabelledTexts]:
    """What to learn from, and what to simulate on: never the same row."""
    question = request.question(threshold)
    if request.train_where is not None:
        learnt = _read_part(source, replace(question, also=request.train_where), "train")
        return learnt, _read_part(source, replace(question, without=request.train_where), "simulate")
    whole = read_labelled_texts(source, question)
    share = 0.1 if request.train_share is None else request.train_share
    chosen = np.random.default_rng(seed).random(len(whole.texts)) < share
    learnt, rest = whole.take(chosen), whole.take(~chosen)
    for part, what in ((learnt, "train"), (rest, "simulate")):
        if not 0.0 < float(part.truth[:, 0].sum()) < len(part.texts):
            problem = f"a training share of {share:g} leaves rows of only one class to {what} on"
            raise InputError(problem, source=source.name)
    return learnt, rest


def _read_part(source: Source, question: TrainingColumns, what: str) -> LabelledTexts:
    try:
        return read_labelled_texts(source, question)
    except InputError as error:
        problem = f"in the rows to {what} on: {error.problem}"
        raise InputError(problem, source=error.source, column=error.column, row=error.row) from None


def _scenario(slice_: Slice, score: arrays.Floats, label: npt.ArrayLike, source: str) -> Scenario:
    if len(score) < FEWEST_ITEMS:
        raise InputError(
            f"{len(score):,} rows are too few for a simulation: at least {FEWEST_ITEMS} are needed", source=source
        )
    return Scenario(slice_, LabelledPopulation.of(score, np.asarray(label, dtype=np.float64)))


def _threshold_slice(threshold: float, request: SimulationRequest) -> Slice:
    return {SliceKey.LABEL_THRESHOLD: f"{threshold:g}"} if len(request.thresholds) > 1 else {}


def _at_threshold(threshold: float, request: SimulationRequest, action: Callable[[], T]) -> T:
    """Do it; what goes wrong names the threshold, unless there is nothing to it."""
    try:
        return action()
    except InputError as error:
        if request.thresholds == (0.5,):
            raise
        problem = f"with a label threshold of {threshold:g}: {error.problem}"
        raise InputError(problem, source=error.source, column=error.column, row=error.row) from None
