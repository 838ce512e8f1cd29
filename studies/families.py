"""Three families of comparisons, each with its own familywise error, against one correction for everything.

Two equally good models, 24 overlapping groups of 40 to 1,600 items and two slices. In `one group differs`, benign items
of one group score higher; every other mark is false. `separate` is the share of its error rates on the first page that
the audit marks, `together` the share that Holm's correction of all comparisons at once would mark.
"""

from __future__ import annotations

import numpy as np
import polars as pl
from scipy.special import ndtr

from evenhand.audits.bias.audit import ComparisonFamily, bias_probes, family_of
from evenhand.audits.bias.settings import BiasSettings
from evenhand.audits.probes import Probe, ProbeResult, estimate_probes
from evenhand.audits.views import thresholds_by_model, views_by_model
from evenhand.catalogue.bias import FNR_DIFFERENCE, FNR_RATIO, FPR_DIFFERENCE, FPR_GAP, FPR_RATIO
from evenhand.evidence import Declaration, open_evidence
from evenhand.finding import SliceKey
from evenhand.intervals.significance import mark_beyond_chance
from evenhand.progress import silent
from studies.study import Row, Study

ITEMS, GROUPS, OTHER = 4000, 24, "g9"
MEAN, APART = -2.0, 3.0  # of the logit of benign items, and how much higher violating ones are
FALSE = {
    "false_error_rates": ComparisonFamily.ERROR_RATES,
    "false_explanations": ComparisonFamily.EXPLANATIONS,
    "false_models": ComparisonFamily.MODELS,
}
SHIFTS = {"no group differs": 0.0, "one group differs": 0.45}


def cells() -> list[Row]:
    return [{"truth": truth} for truth in SHIFTS]


def run(cell: Row, draws: int, rng: np.random.Generator) -> list[Row]:
    shift = SHIFTS[cell["truth"]]
    false = dict.fromkeys(ComparisonFamily, 0)
    separate = together = held = 0.0
    for _ in range(draws):
        results = tested(_table(shift, rng))
        families = [family_of(probe, _names()) for probe, *_ in results]
        own, every = marks(results, families), marks(results, None)
        wrong = [mark and not (shift and probe.group == OTHER) for mark, (probe, *_) in zip(own, results, strict=True)]
        for family in ComparisonFamily:
            false[family] += any(w for w, f in zip(wrong, families, strict=True) if f is family)
        planted = [number for number, (probe, *_) in enumerate(results) if _is_planted(probe)]
        separate += np.mean([own[number] for number in planted])
        together += np.mean([every[number] for number in planted])
        held += all_hold(results, shift)
    row = {name: false[family] / draws for name, family in FALSE.items()}
    return [{**row, "separate": separate / draws, "together": together / draws, "held_together": held / draws}]


def tested(table: pl.DataFrame) -> list[ProbeResult]:
    """Everything that the audit of bias asks of a table, with p-values."""
    roles = {"score": ["p0", "p1"], "label": "y", "groups": _names(), "slices": ["part"]}
    evidence = open_evidence(table, Declaration.of(roles))
    settings, results = BiasSettings(), list[ProbeResult]()
    for part in evidence.parts:
        views = views_by_model(evidence, part, thresholds_by_model(evidence, settings))
        probes = list(bias_probes(evidence.models, part.slice, tuple(_names()), _names(), paired=True))
        results += estimate_probes(views, probes, settings, "", silent)
    return results


def marks(results: list[ProbeResult], families: list[ComparisonFamily] | None) -> list[bool]:
    estimates, p_values = [estimate for _, estimate, _ in results], [p for *_, p in results]
    return ["stands_out" in e.flags for e in mark_beyond_chance(estimates, p_values, 0.95, families=families)]


def all_hold(results: list[ProbeResult], shift: float) -> bool:
    """Whether all intervals of the first page contain the truth at once."""
    usual, raised = ndtr(MEAN), ndtr(MEAN + shift)
    for probe, estimate, _ in results:
        name, planted = probe.quantity.name, probe.group == OTHER
        truth = {
            FPR_DIFFERENCE: (raised - usual) * planted,
            FPR_RATIO: raised / usual if planted else 1.0,
            FNR_DIFFERENCE: 0.0,
            FNR_RATIO: 1.0,
        }.get(name)
        low, high = estimate.low, estimate.high
        if truth is not None and low is not None and high is not None and not low <= truth <= high:
            return False
    return True


def _is_planted(probe: Probe) -> bool:
    """The differences of the first page that are there, one for each model."""
    whole = set(probe.slice) == {SliceKey.GROUP, SliceKey.MODEL}
    return whole and probe.group == OTHER and probe.quantity.name == FPR_GAP


def _names() -> list[str]:
    return [f"g{number}" for number in range(GROUPS)]


def _table(shift: float, rng: np.random.Generator) -> pl.DataFrame:
    label = rng.random(ITEMS) < 0.2
    groups = {f"g{n}": rng.random(ITEMS) < share for n, share in enumerate(np.geomspace(0.4, 0.01, GROUPS))}
    mean = MEAN + APART * label + shift * (groups[OTHER] & ~label)
    common = rng.standard_normal(ITEMS)
    models = {}
    for number in range(2):
        logit = mean + np.sqrt(0.5) * (common + rng.standard_normal(ITEMS))
        models[f"p{number}"] = 1.0 / (1.0 + np.exp(-logit))
    return pl.DataFrame({"y": label, "part": rng.choice(["a", "b"], ITEMS), **models, **groups})


STUDY = Study("families", cells(), run, draws=400)
