"""A small finding of every kind that Evenhand makes, from columns of any name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import cache
from io import StringIO

import numpy as np
import polars as pl
from rich.console import Console
from scipy.special import expit, softmax

import evenhand as eh
from evenhand.comparison import chart_finding, chart_periods
from evenhand.comparison.runs import compare_runs
from evenhand.evidence import Declaration, open_evidence
from evenhand.finding import Finding
from evenhand.measurement.simulation.scenarios import SimulationRequest, open_scenarios
from evenhand.measurement.simulation.settings import SimulationSettings
from evenhand.measurement.simulation.simulate import simulate_designs
from evenhand.progress import silent
from evenhand.recalibration.comparison import RecalibrationSettings, compare_calibrators
from evenhand.reports.terminal import print_findings
from evenhand.staffing.plan import StaffingSettings, plan_staffing

ROWS = 240
REPLICATES = 50


@dataclass(frozen=True)
class Names:
    """What the columns of a table are called, and the classes of its labels."""

    score: str = "first"
    other_score: str = "second"
    label: str = "y"
    group: str = "women"
    other_group: str = "men"
    language: str = "language"
    decision: str = "removed"
    text: str = "text"
    item: str = "item"
    annotator: str = "who"
    annotator_group: str = "gender"

    @property
    def classes(self) -> list[str]:
        """Any three of them; one that is blank would be an empty label."""
        return [name if name.strip() else "blank" for name in (self.item, self.annotator, self.annotator_group)]

    @classmethod
    def of(cls, names: list[str]) -> Names:
        """One name for each column, in order."""
        return cls(*names)

    @classmethod
    def count(cls) -> int:
        """How many there are."""
        return len(fields(cls))


PLAIN = Names()


def moderated(names: Names = PLAIN, *, seed: int = 1, shift: float = 1.2) -> pl.DataFrame:
    """Items with two scores, a label, two groups, a language, a decision and a text."""
    rng = np.random.default_rng(seed)
    y = rng.random(ROWS) < 0.4
    group, other = rng.random(ROWS) < 0.4, rng.random(ROWS) < 0.3
    first = expit(2.0 * y - 1.0 + shift * (group & ~y) + rng.normal(size=ROWS))
    columns = {
        names.score: first,
        names.other_score: expit(2.5 * y - 1.2 + rng.normal(size=ROWS)),
        names.label: y,
        names.group: group,
        names.other_group: other & ~y,  # without a violating item: some measures have no value
        names.language: rng.choice(["de", "en"], ROWS),
        names.decision: first > 0.6,
        names.text: np.where(rng.random(ROWS) < 0.5, "a short one", "a long one " * 12),
    }
    return pl.DataFrame(columns)


def classed(names: Names = PLAIN, *, seed: int = 5) -> pl.DataFrame:
    """Items of three classes with overconfident probabilities."""
    rng = np.random.default_rng(seed)
    logits = 1.5 * rng.normal(size=(ROWS, 3)) + np.array([1.2, 0.0, -0.2])
    label = (softmax(logits, axis=1).cumsum(axis=1) < rng.random((ROWS, 1))).sum(axis=1).clip(max=2)
    shown = softmax(2.0 * logits, axis=1)
    kinds = names.classes
    return pl.DataFrame(
        {
            **dict(zip((names.score, names.other_score, names.decision), shown.T, strict=True)),
            names.label: [kinds[k] for k in label],
            names.group: rng.random(ROWS) < 0.4,
            names.language: rng.choice(["de", "en"], ROWS),
        }
    )


def annotated(names: Names = PLAIN, *, seed: int = 7) -> pl.DataFrame:
    """Eighty items with eight labels each; women call more of them violating, which the model does not."""
    rng = np.random.default_rng(seed)
    harm = rng.normal(size=80)
    gender = np.array(["women", "men"])[np.arange(40) % 2]
    item = np.repeat(np.arange(80), 8)
    who = np.concatenate([rng.choice(40, 8, replace=False) for _ in range(80)])
    y = rng.random(len(who)) < expit(harm[item] + 1.5 * (gender[who] == "women"))
    return pl.DataFrame(
        {
            names.item: item,
            names.annotator: [f"person {number}" for number in who],
            names.label: y.astype(int),
            names.annotator_group: gender[who],
            names.score: expit(1.5 * harm)[item],
            names.other_score: expit(-1.5 * harm)[item],
        }
    )


def bias(names: Names = PLAIN) -> Finding:
    return _bias(moderated(names), names)


def _bias(frame: pl.DataFrame, names: Names) -> Finding:
    (finding,) = eh.audit(
        frame,
        audits="bias",
        score=[names.score, names.other_score],
        label=names.label,
        groups=[names.group, names.other_group],
        slices=[names.language],
        text=names.text,
        examples=1,
    )
    return finding


def collaboration(names: Names = PLAIN) -> Finding:
    (finding,) = eh.audit(
        moderated(names),
        audits="collaboration",
        score=[names.score, names.other_score],
        label=names.label,
        groups=[names.group],
        slices=[names.language],
        capacities=["0.1", "0.3"],
        replicates=REPLICATES,
    )
    return finding


def calibration(names: Names = PLAIN) -> Finding:
    (finding,) = eh.audit(
        classed(names),
        audits="calibration",
        probabilities=[names.score, names.other_score, names.decision],
        classes=names.classes,
        label=names.label,
        groups=[names.group],
        slices=[names.language],
        replicates=REPLICATES,
    )
    return finding


def accuracy(names: Names = PLAIN) -> Finding:
    (finding,) = eh.audit(
        moderated(names),
        audits="accuracy",
        label=names.label,
        decision=names.decision,
        slices=[names.language],
    )
    return finding


def perspective(names: Names = PLAIN) -> Finding:
    (finding,) = eh.audit(
        annotated(names),
        audits="perspective",
        score=[names.score, names.other_score],
        item=names.item,
        annotator=names.annotator,
        label=names.label,
        annotator_groups=[names.annotator_group],
        replicates=REPLICATES,
        permutations=99,
        fewest_labels=8,
    )
    return finding


def comparison(names: Names = PLAIN) -> Finding:
    """Of two runs of the audit of bias."""
    now, earlier = (_bias(moderated(names, seed=seed, shift=shift), names) for seed, shift in ((1, 1.2), (2, 0.0)))
    return compare_runs([now], [earlier])


def staffing(names: Names = PLAIN) -> Finding:
    """A plan of how many people it takes, for a target, for costs and for a promise."""
    roles = {"score": [names.score, names.other_score], "label": names.label}
    settings = StaffingSettings.of(
        {
            "targets": ("oc_accuracy=0.9",),
            "false_removal": 1.0,
            "missed_violation": 5.0,
            "review": 0.2,
            "wrong_removals": 0.3,
            "replicates": REPLICATES,
        }
    )
    return plan_staffing(open_evidence(moderated(names), Declaration.of(roles)), settings, silent)


def recalibration(names: Names = PLAIN) -> Finding:
    """Calibrators side by side, for one model and another beside it."""
    columns = [names.score, names.other_score, names.decision]
    roles = Declaration.of({"probabilities": columns, "classes": names.classes, "label": names.label})
    first, second, beside = (open_evidence(classed(names, seed=seed), roles) for seed in (5, 6, 7))
    return compare_calibrators(first, second, RecalibrationSettings(seeds=1), beside={names.text: beside})


def simulation(names: Names = PLAIN) -> Finding:
    """Simulated designs of few samples."""
    rng = np.random.default_rng(2)
    height = rng.normal(size=1500)
    frame = pl.DataFrame(
        {names.score: expit(2.0 * height + rng.normal(size=1500) - 3.0), names.label: (height > 1.28).astype(float)}
    )
    opened = open_scenarios(frame, SimulationRequest(label=names.label, score=(names.score,)))
    few = {"simulations": 100, "within": (0.5,), "strata": (2,), "pilots": (10,), "pilot_totals": (32,)}
    return simulate_designs(opened, SimulationSettings.of(few))


def migration(names: Names = PLAIN) -> Finding:
    """From one score to another, with labels, groups and a language."""
    (finding,) = eh.migrate_perspective(
        moderated(names),
        old_score=names.score,
        new_score=names.other_score,
        label=names.label,
        groups=[names.group, names.other_group],
        slices=[names.language],
        thresholds=[0.5, 0.8, 0.9999],
    )
    return finding


def periods(names: Names = PLAIN) -> Finding:
    """Three periods of decisions, by language."""
    roles = {"label": names.label, "decision": names.decision, "slices": [names.language]}
    months = [eh.audit(moderated(names, seed=seed), audits="accuracy", **roles).findings[0] for seed in (1, 2, 3)]
    return chart_finding(chart_periods(months, ["May", "June", names.text]))


AUDITED: dict[str, Callable[[Names], Finding]] = {
    "bias": bias,
    "collaboration": collaboration,
    "calibration": calibration,
    "accuracy": accuracy,
    "perspective": perspective,
}
WORKFLOWS: dict[str, Callable[[Names], Finding]] = {
    "comparison": comparison,
    "staffing": staffing,
    "recalibration": recalibration,
    "simulation": simulation,
    "migration": migration,
    "periods": periods,
}
EVERY = AUDITED | WORKFLOWS


@cache
def plain_finding(kind: str) -> Finding:
    """Of columns with plain names; made once."""
    return EVERY[kind](PLAIN)


def printed(finding: Finding) -> str:
    """What a terminal shows of it."""
    out = StringIO()
    print_findings((finding,), Console(file=out, width=120))
    return out.getvalue()
