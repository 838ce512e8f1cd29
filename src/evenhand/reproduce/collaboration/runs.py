"""The probabilities of several runs of several models on the items of two environments, one Parquet file each.

`test.parquet` is where the models were trained, `deployment.parquet` another place. Columns: `id`, `label`, and for
each run its probability, `p:METHOD:LOSS:SEED`; beside it, where the method has one, the variance of that probability
over samples or members, `v:METHOD:LOSS:SEED`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from evenhand.audits.collaboration.settings import PAPER_CAPACITIES
from evenhand.catalogue import Measure
from evenhand.errors import InputError, nearest
from evenhand.estimate import Estimate
from evenhand.evidence import open_source
from evenhand.finding import Finding, Slice, SliceKey
from evenhand.reports import audit
from evenhand.reproduce.result import find_estimate, mean_over_runs, value_of
from evenhand.reproduce.workspace import Workspace
from evenhand.routing.strategies import StrategyKind

ENVIRONMENTS = {"test": "in-domain", "deployment": "deployment"}
METHODS = {
    "deterministic": "Deterministic",
    "sngp": "SNGP",
    "mc-dropout": "MC Dropout",
    "ensemble": "Deep Ensemble",
    "sngp-ensemble": "SNGP Ensemble",
}
LOSSES = {"cross-entropy": "XENT", "focal": "focal"}
RUN_COLUMN = re.compile(r"([pv]):([^:]+):([^:]+):([^:]+)")


class ModelRun(NamedTuple):
    """One trained model."""

    method: str
    loss: str
    seed: str

    @property
    def column(self) -> str:
        """Of its probability."""
        return f"p:{self.method}:{self.loss}:{self.seed}"

    @property
    def variance(self) -> str:
        """Of its variance, where it has one."""
        return f"v:{self.method}:{self.loss}:{self.seed}"


@dataclass(frozen=True)
class EnvironmentRuns:
    """The items of one place with what all runs say of them."""

    name: str
    frame: pl.DataFrame
    runs: tuple[ModelRun, ...]
    facts: Mapping[str, Any]

    @property
    def unsure(self) -> list[ModelRun]:
        """Runs that have a variance too."""
        return [run for run in self.runs if run.variance in self.frame.columns]


@dataclass(frozen=True)
class AuditedEnvironment:
    """An environment and what the audit found: every number is a mean over the runs of a method and loss."""

    environment: EnvironmentRuns
    finding: Finding

    @cached_property
    def settings(self) -> list[tuple[str, str]]:
        """Losses and methods that there are, in the paper's order."""
        there = {(run.loss, run.method) for run in self.environment.runs}
        return [(loss, method) for loss in LOSSES for method in METHODS if (loss, method) in there]

    def methods(self, loss: str) -> list[str]:
        """Trained with this loss."""
        return [method for one, method in self.settings if one == loss]

    def estimate(self, loss: str, method: str, measure: Measure, **slice_: str) -> Estimate | None:
        """The mean over runs, with the lowest and highest; None where no run has a value."""
        values = list(self._values(loss, method, measure, slice_))
        return mean_over_runs(values, n=len(values)) if values else None

    def mean(self, loss: str, method: str, measure: Measure, **slice_: str) -> float:
        """As a number."""
        return value_of(self.estimate(loss, method, measure, **slice_))

    def mean_over_methods(self, measure: Measure, loss: str | None = None, **slice_: str) -> float:
        """The mean over methods, of one loss or all."""
        means = [self.mean(one, method, measure, **slice_) for one, method in self.settings if loss in (None, one)]
        known = [value for value in means if not np.isnan(value)]
        return float(np.mean(known)) if known else float("nan")

    @property
    def losses(self) -> list[str]:
        """Those that models were trained with."""
        return [loss for loss in LOSSES if self.methods(loss)]

    @property
    def title(self) -> str:
        """How the environment is called."""
        return ENVIRONMENTS[self.environment.name]

    @property
    def description(self) -> str:
        """The environment, with how many runs there are and on how many items."""
        return f"{self.title}, {len(self.environment.runs)} runs on {len(self.environment.frame):,} items"

    @property
    def violating_share(self) -> float:
        """Of its items."""
        return float(self.environment.frame["label"].cast(float).mean() or 0.0)  # type: ignore[arg-type]

    def _values(self, loss: str, method: str, measure: Measure, slice_: Slice) -> Iterator[float]:
        for run in self.environment.runs:
            if (run.loss, run.method) == (loss, method):
                estimate = find_estimate(self.finding, measure, {**self.finding.slice_of(run.column), **slice_})
                if estimate is not None and estimate.value is not None:
                    yield estimate.value


def read_environments(folder: Path) -> list[EnvironmentRuns]:
    """Both environments; an `InputError` says what is missing."""
    return [_read_environment(folder, name) for name in ENVIRONMENTS]


def _read_environment(folder: Path, name: str) -> EnvironmentRuns:
    places = [folder / "collaboration" / f"{name}.parquet", folder / f"{name}.parquet"]
    path = next((place for place in places if place.is_file()), None)
    if path is None:
        problem = (
            f"{name}.parquet is missing: id, label and a column p:METHOD:LOSS:SEED for each run (docs/reproduce.md)"
        )
        raise InputError(problem, source=str(folder))
    source = open_source(path)
    columns = list(source.columns())
    for column in ("id", "label"):
        if column not in columns:
            raise InputError("this column is missing", source=str(path), column=column)
    runs = tuple(_parse_runs(columns, path))
    if not runs:
        raise InputError("there is no run: no column is called p:METHOD:LOSS:SEED", source=str(path))
    used_columns = ["id", "label", *(c for run in runs for c in (run.column, run.variance) if c in columns)]
    frame = source.collect(lambda lazy: lazy.select(used_columns))
    facts = {
        "corpus": name,
        "title": f"{ENVIRONMENTS[name]} runs",
        "layout": "Parquet",
        "rows": len(frame),
        "licence": "probabilities only",
        "files": [{**source.fingerprint(), "rows": len(frame)}],
    }
    return EnvironmentRuns(name, frame, runs, facts)


def _parse_runs(columns: Sequence[str], path: Path) -> Iterator[ModelRun]:
    for column in columns:
        match = RUN_COLUMN.fullmatch(column)
        if not match:
            continue
        kind, method, loss, seed = match.groups()
        for value, known, what in ((method, METHODS, "method"), (loss, LOSSES, "loss")):
            if value not in known:
                raise InputError(
                    f"there is no {what} '{value}'; {nearest(value, known)}", source=str(path), column=column
                )
        if kind == "p":
            yield ModelRun(method, loss, seed)


STRATEGIES = (StrategyKind.UNCERTAINTY.value, StrategyKind.TOXICITY.value)
UNCERTAIN_FIRST: Slice = {SliceKey.STRATEGY: StrategyKind.UNCERTAINTY.value}


def audit_environment(place: Workspace, environment: EnvironmentRuns) -> AuditedEnvironment:
    """All runs in one environment, audited side by side."""
    columns = [run.column for run in environment.runs]
    report = audit(
        environment.frame.select("label", *columns),
        audits="collaboration",
        score=columns,
        label="label",
        capacities=list(PAPER_CAPACITIES),
        strategies=list(STRATEGIES),
        replicates=50,  # of the ECE's interval, which is not shown: runs differ by more
        seed=place.seed,
        progress=place.progress,
    )
    return AuditedEnvironment(environment, report.findings[0])
