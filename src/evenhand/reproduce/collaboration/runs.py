"""What several runs of several models say of the items of two environments, one Parquet file each.

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

import polars as pl

from evenhand.errors import InputError, nearest
from evenhand.estimate import Estimate
from evenhand.evidence import open_source
from evenhand.finding import Finding
from evenhand.reproduce.result import over_runs

ENVIRONMENTS = {"test": "in-domain", "deployment": "deployment"}
METHODS = {
    "deterministic": "Deterministic",
    "sngp": "SNGP",
    "mc-dropout": "MC Dropout",
    "ensemble": "Deep Ensemble",
    "sngp-ensemble": "SNGP Ensemble",
}
LOSSES = {"cross-entropy": "XENT", "focal": "focal"}
WRITTEN = re.compile(r"([pv]):([^:]+):([^:]+):([^:]+)")


class Run(NamedTuple):
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
class Environment:
    """The items of one place with what all runs say of them."""

    name: str
    frame: pl.DataFrame
    runs: tuple[Run, ...]
    facts: Mapping[str, Any]

    @property
    def unsure(self) -> list[Run]:
        """Runs that have a variance too."""
        return [run for run in self.runs if run.variance in self.frame.columns]


@dataclass(frozen=True)
class Audited:
    """An environment and what the audit found: every number is a mean over the runs of a method and loss."""

    environment: Environment
    finding: Finding

    @cached_property
    def settings(self) -> list[tuple[str, str]]:
        """Losses and methods that there are, in the paper's order."""
        there = {(run.loss, run.method) for run in self.environment.runs}
        return [(loss, method) for loss in LOSSES for method in METHODS if (loss, method) in there]

    def methods(self, loss: str) -> list[str]:
        """Trained with this loss."""
        return [method for one, method in self.settings if one == loss]

    def estimate(self, loss: str, method: str, measure: str, **slice_: str) -> Estimate | None:
        """The mean over runs, with the lowest and highest; None where no run has a value."""
        values = list(self._values(loss, method, measure, slice_))
        return over_runs(values, n=len(values)) if values else None

    def mean(self, loss: str, method: str, measure: str, **slice_: str) -> float:
        """As a number; not one where no run has a value."""
        found = self.estimate(loss, method, measure, **slice_)
        return float("nan") if found is None or found.value is None else found.value

    def _values(self, loss: str, method: str, measure: str, slice_: Mapping[str, str]) -> Iterator[float]:
        several = len(self.environment.runs) > 1
        for run in self.environment.runs:
            if (run.loss, run.method) == (loss, method):
                own = {**({"model": run.column} if several else {}), **slice_}
                value = self.finding.get(measure, **own).value if self.finding.has(measure, **own) else None
                if value is not None:
                    yield value


def read(folder: Path) -> list[Environment]:
    """Both environments; an `InputError` says what is missing."""
    return [_environment(folder, name) for name in ENVIRONMENTS]


def _environment(folder: Path, name: str) -> Environment:
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
    runs = tuple(_runs(columns, path))
    if not runs:
        raise InputError("there is no run: no column is called p:METHOD:LOSS:SEED", source=str(path))
    kept = ["id", "label", *(c for run in runs for c in (run.column, run.variance) if c in columns)]
    frame = source.collect(lambda lazy: lazy.select(kept))
    facts = {
        "corpus": name,
        "title": f"{ENVIRONMENTS[name]} runs",
        "layout": "Parquet",
        "rows": len(frame),
        "licence": "probabilities only",
        "files": [{**source.fingerprint(), "rows": len(frame)}],
    }
    return Environment(name, frame, runs, facts)


def _runs(columns: Sequence[str], path: Path) -> Iterator[Run]:
    for column in columns:
        found = WRITTEN.fullmatch(column)
        if not found:
            continue
        kind, method, loss, seed = found.groups()
        for value, known, what in ((method, METHODS, "method"), (loss, LOSSES, "loss")):
            if value not in known:
                raise InputError(
                    f"there is no {what} '{value}'; {nearest(value, known)}", source=str(path), column=column
                )
        if kind == "p":
            yield Run(method, loss, seed)
