"""Designs simulated on labelled comments: CivilComments where it is available, the nearest corpus where it is not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import polars as pl

from evenhand.catalogue import Measure
from evenhand.catalogue.accuracy import PREVALENCE
from evenhand.classifiers.models import open_model
from evenhand.estimate import Estimate
from evenhand.finding import Finding, Slice, SliceKey
from evenhand.measurement.simulation import QUICK, SimulationRequest, SimulationSettings, simulate_on
from evenhand.reproduce.result import find_estimate, value_of
from evenhand.reproduce.workspace import Workspace, predict_probabilities, train_stand_in

UNIGRAM, DEFAULT_MODEL, PERSPECTIVE = "unigram", "default model", "Perspective"
WITHIN = (0.2, 0.1, 0.05)
MORE_THAN_HALF = 0.500001  # of the annotators: the rule that gives 5.9 %
RARE_THRESHOLDS: tuple[float, ...] = (0.48, 0.83, 0.95)  # label thresholds of Figure 2


@dataclass(frozen=True)
class SimulatedCorpus:
    """What came out on one population."""

    name: str
    on: str
    finding: Finding
    same: bool

    @property
    def models(self) -> tuple[str, ...]:
        """One alone has no name in the finding."""
        alone = PERSPECTIVE if self.name == "context" else UNIGRAM
        return tuple(name or alone for name, _ in self.finding.models)

    def get(self, measure: Measure, model: str, design: Slice, *, within: float = 0.2) -> Estimate | None:
        """Of one design."""
        here = {**self.finding.slice_of(model), SliceKey.WITHIN: f"{within:g}", **design}
        return find_estimate(self.finding, measure, here)

    def value(self, measure: Measure, model: str, design: Slice, *, within: float = 0.2) -> float:
        """As a number."""
        return value_of(self.get(measure, model, design, within=within))

    @property
    def prevalence(self) -> float:
        """Of the first population."""
        return next(m.estimate.value or 0.0 for m in self.finding if m.measure == PREVALENCE)


def simulation_settings(place: Workspace, **more: Any) -> SimulationSettings:
    """As many samples as the answer needs; only designs of the paper and the default."""
    usual: dict[str, Any] = {"simulations": 500, "variants": (), "seed": place.seed, "within": WITHIN}
    light = {**QUICK, "simulations": 100, "within": WITHIN[:1]} if place.light else {}
    return SimulationSettings(**{**usual, **light, **more})


def simulate_comments(place: Workspace) -> SimulatedCorpus:
    """Table 1 and Figure 1: a classifier trained on a small part, designs tried on the rest."""
    own = place.corpora.has("civil_comments")
    loaded = place.corpora.load("civil_comments" if own else "wikipedia_talk")
    small, rest = _train_and_sample(loaded.frame, own)
    learnt = small.with_columns(label=(pl.col("label") >= MORE_THAN_HALF).cast(pl.Int64))
    model = train_stand_in(learnt, "unigram", progress=place.progress)
    scores = {UNIGRAM: predict_probabilities(model, rest["text"])[:, 0]}
    scores[DEFAULT_MODEL] = predict_probabilities(open_model("default"), rest["text"])[:, 0]
    frame = rest.select("label").with_columns(**scores)
    request = SimulationRequest(label="label", score=tuple(scores), thresholds=(MORE_THAN_HALF,) if own else (0.5,))
    finding = simulate_on(frame, request, simulation_settings(place, pilot_totals=()), progress=place.progress)
    what = "CivilComments, as in the paper" if own else "nearest real data: Wikipedia talk page comments"
    return SimulatedCorpus("comments", f"{what}, {len(frame):,} of them", finding, own)


def _train_and_sample(frame: pl.DataFrame, own: bool) -> tuple[pl.DataFrame, pl.DataFrame]:
    """What to learn from, and what to sample from. The paper trains on the small test split of CivilComments."""
    parts = set(frame["split"])
    if own and len(parts) > 1:
        return frame.filter(pl.col("split") != "train"), frame.filter(pl.col("split") == "train")
    if len(parts) > 1:
        return frame.filter(pl.col("split") == "train"), frame.filter(pl.col("split") != "train")
    few = pl.int_range(pl.len()) % 10 == 0
    return frame.filter(few), frame.filter(~few)


def simulate_rare(place: Workspace) -> SimulatedCorpus | None:
    """Figure 2: rarer violations. By the label threshold where labels are shares; otherwise another, rarer set."""
    if place.corpora.has("civil_comments"):
        loaded = place.corpora.load("civil_comments")
        _, rest = _train_and_sample(loaded.frame, own=True)
        score = predict_probabilities(open_model("default"), rest["text"])[:, 0]
        frame, thresholds = rest.select("label").with_columns(score=score), RARE_THRESHOLDS
        on = f"CivilComments, {len(frame):,} comments, at three label thresholds, scored by the default model"
    elif place.corpora.has("wikipedia_context"):
        loaded = place.corpora.load("wikipedia_context")
        frame, thresholds = loaded.frame.select("label", score="api"), (0.5,)
        on = f"nearest real data: {len(frame):,} Wikipedia comments with a real Perspective score, violations rare"
    else:
        return None
    request = SimulationRequest(label="label", score=("score",), thresholds=thresholds)
    settings = simulation_settings(place, within=WITHIN[:1], pilots=(50,))
    finding = simulate_on(frame, request, settings, progress=place.progress)
    return SimulatedCorpus("context", on, finding, place.corpora.has("civil_comments"))
