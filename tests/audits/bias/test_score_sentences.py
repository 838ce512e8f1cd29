"""Sentences about scores are read back, and hold against the AUCs and gaps of random findings.

The reader takes groups, direction, measure and value from the text, and knows the rules from the guide alone: a gap
counts from 0.05, an AUC where it is more than 0.02 below that of everybody annotated, and both only if significant.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from audits.bias.random_findings import AUCS, RandomFinding, RandomGroup, random_finding
from evenhand.audits.bias import shapes, verdicts
from evenhand.audits.bias.shapes import BiasTendency
from evenhand.finding import Status

CLAIMS = {
    "higher": re.compile(r"[Ii]tems in groups? ([^.]+?) are scored higher than other items with the same label\."),
    "lower": re.compile(r"[Ii]tems in groups? ([^.]+?) are scored lower than other items with the same label\."),
    "apart": re.compile(r"For items in groups? ([^.]+?), the scores of violating and benign items overlap more"),
    "better": re.compile(r"For items in groups? ([^.]+?), the scores of violating and benign items overlap less"),
    "wider": re.compile(r"For items in groups? ([^.]+?), scores vary more than for other items"),
    "small": re.compile(r"Small but statistically significant differences: items in groups? ([^.]+?)\."),
}
LARGEST = re.compile(
    r"(Lowest AUC with a statistically significant difference|Largest statistically significant gap): "
    r"([\w ]+?) ([−+\d.]+) \(.+\) for items in group (g\d)(?:; (.+) is ([\d.]+))?\.$"
)
TITLES = {
    "Subgroup AUC": "subgroup_auc", "BPSN AUC": "bpsn_auc", "BNSP AUC": "bnsp_auc", "Negative AEG": "negative_aeg",
    "Positive AEG": "positive_aeg",
}  # fmt: skip
MARKABLE = (*AUCS, "negative_aeg", "positive_aeg", "fpr_gap", "tpr_gap")


def moved(group: RandomGroup, name: str) -> int:
    gap = group.estimates[name]
    return int(np.sign(gap.value)) if gap.value is not None and gap.stands_out and abs(gap.value) >= 0.05 else 0


def low(group: RandomGroup, name: str) -> bool:
    auc = group.estimates[name]
    return auc.value is not None and auc.stands_out and auc.value < group.reference - 0.02


def allowed(group: RandomGroup, claim: str) -> bool:
    """What the numbers of a group must be for a claim to be right."""
    negative, positive = moved(group, "negative_aeg"), moved(group, "positive_aeg")
    marked = any(group.estimates[name].stands_out for name in MARKABLE)
    return {
        "higher": 1 in (negative, positive) and -1 not in (negative, positive),
        "lower": -1 in (negative, positive) and 1 not in (negative, positive),
        "apart": low(group, "subgroup_auc") or positive < 0 < negative,
        "better": negative < 0 < positive,
        "wider": group.wide and not negative and not positive and not any(low(group, name) for name in AUCS),
        "small": marked and not negative and not positive and not low(group, "subgroup_auc"),
    }[claim]


def contradictions(made: RandomFinding) -> list[str]:
    """Where sentences and numbers differ."""
    texts = [v for v in made.finding.verdicts if any(p.search(v.statement) for p in CLAIMS.values())]
    statement = " ".join(v.statement for v in texts)
    claims = {
        (group, claim)
        for claim, pattern in CLAIMS.items()
        for listed in pattern.findall(statement)
        for group in re.findall(r"g\d", listed)
    }
    found = [f"{g} is not {claim}: {statement}" for g, claim in claims if not allowed(made.groups[g], claim)]
    marked = {name for name, g in made.groups.items() if any(g.estimates[m].stands_out for m in MARKABLE)}
    named = [group for group, _ in claims]
    found += [f"{sorted(marked - set(named))} left out: {statement}"] if marked - set(named) else []
    found += [f"named twice: {statement}"] if len(named) > len(set(named)) else []
    found += [f"{v.status}: {v.statement}" for v in texts if v.status is not Status.MEASURED]
    return found + (largest(made, texts[0].certainty) if marked and texts else [])


def largest(made: RandomFinding, text: str) -> list[str]:
    """The lowest AUC below what it is compared with, which is named, or else the largest gap; of small groups last."""
    groups = made.groups
    lows = [
        (e.small, e.value, name, group)
        for group in groups
        for name in AUCS
        if (e := groups[group].estimates[name]).value is not None and e.stands_out and e.value < groups[group].reference
    ]
    gaps = [
        (e.small, -abs(e.value), name, group)
        for group in groups
        for name in ("negative_aeg", "positive_aeg")
        if (e := groups[group].estimates[name]).value is not None and e.stands_out
    ]
    match = LARGEST.match(text)
    if not match:
        return [] if not text and not lows and not gaps else [f"{lows or gaps}: {text}"]
    first = min(lows or gaps)[:2]
    name, group = TITLES[match[2]], match[4]
    own = groups[group].estimates[name].value
    right = match[1].startswith("Lowest") == bool(lows) and (*first, name, group) in (lows or gaps)
    right = right and float(match[3].replace("−", "-")) == pytest.approx(own, abs=6e-4)
    if lows:
        everybody = groups[group].reference == made.finding.get("auroc").value
        words = "the overall AUC" if everybody else "that of all items annotated for this group"
        right = right and match[5] == words and float(match[6]) == pytest.approx(groups[group].reference, abs=6e-4)
    return [] if right else [f"{name} of {group} is {own}: {text}"]


def check_random(number: int, seed: int) -> list[str]:
    rng = np.random.default_rng(seed)
    for _ in range(number):
        if found := contradictions(random_finding(rng)):
            return found
    return []


def test_no_sentence_contradicts_a_number() -> None:
    assert check_random(200, 1) == []


@pytest.mark.verify
def test_no_sentence_contradicts_a_number_in_many_findings() -> None:
    assert check_random(5000, 2) == []


def _plant(name: str, change: Any, module: Any = verdicts) -> Any:
    def plant(monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(module, name, change(getattr(module, name)))

    return plant


PLANTED = {
    "directions swapped": _plant("TENDENCY_SENTENCES", lambda said: {
        **said, BiasTendency.HIGHER: said[BiasTendency.LOWER], BiasTendency.LOWER: said[BiasTendency.HIGHER]
    }),
    "wider is apart": _plant("TENDENCY_SENTENCES", lambda said: {
        **said, BiasTendency.WIDER: said[BiasTendency.APART]
    }),
    "better is apart": _plant("TENDENCY_SENTENCES", lambda said: {
        **said, BiasTendency.BETTER: said[BiasTendency.APART]
    }),
    "significance forgotten": _plant("GAP_MARGIN", lambda margin: 0.001, shapes),
    "any AUC is low": _plant("AUC_MARGIN", lambda margin: -1.0, shapes),
    "compared with all items": _plant("_references", lambda plain: lambda view, groups: {}),
    "the first is the lowest": _plant("lowest_auc", lambda plain: lambda f, m, groups, r: plain(f, m, groups[-1:], r)),
    "small ones left out": _plant("SMALL_DIFFERENCE", lambda plain: "Some differ a little."),
    "small groups first": _plant("_significant_numbers", lambda plain: lambda f, m, groups, names: [
        one._replace(estimate=replace(one.estimate, flags=("stands_out",))) for one in plain(f, m, groups, names)
    ]),
}  # fmt: skip


@pytest.mark.parametrize("plant", PLANTED.values(), ids=PLANTED)
def test_a_wrong_rule_is_caught(plant: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch)
    assert check_random(300, 3)
