"""Table 3: template sentences. The paper's two models on Jigsaw's later set, and our models on the paper's own set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from evenhand.audits.bias.agreement import agreement
from evenhand.estimate import Estimate
from evenhand.figures import Figure
from evenhand.figures.bias.curve import curves
from evenhand.finding import Finding, Measured
from evenhand.reports import audit
from evenhand.reproduce.bias.groups import FIVE, TITLES
from evenhand.reproduce.corpora.templates import METRICS
from evenhand.reproduce.paper import Workplace
from evenhand.reproduce.published import published
from evenhand.reproduce.result import Claim, Omission, Result, Table, beside, claim, of_finding

BEFORE, AFTER = "toxicity_1", "toxicity_6"
MODELS = {BEFORE: "TOXICITY@1", AFTER: "TOXICITY@6"}
LOW = ("homosexual", "gay", "lesbian")
SHIFTED = ("bisexual", "trans", "queer", "black")  # the paper: high BPSN AUC, high Negative AEG all the same
SET = "Jigsaw's later template set with its own scores of the same two models (30,240 sentences)"


def perspective(place: Workplace) -> Result:
    """The paper's models on the template set whose scores are published."""
    if not place.corpora.has("perspective_madlibs"):
        what = "Table 3 (template set, TOXICITY@1 and TOXICITY@6)"
        return Result(omissions=(Omission(what, "needs Jigsaw's scored template set"),))
    loaded = place.corpora.load("perspective_madlibs")
    printed = published("bias")["table_3_template_lowest_20"]
    terms = [term for term in printed if loaded.frame["text"].str.contains(rf"(?i)\b{term}\b").any()]
    finding = audit(loaded.frame, **loaded.roles, terms=terms).findings[0]
    tables = tuple(_table(finding, printed, terms, model) for model in MODELS)
    known = [term for term in terms if _defined(finding, term)]
    return Result(tables, tuple(_claims(finding, printed, known)), _drawing(finding)) + exact(place)


def _drawing(finding: Finding) -> tuple[Figure, ...]:
    if "gay" not in finding.values("group"):
        return ()
    title = "Figure 2, on real scores: 'gay' against everyone else"
    return (replace(curves(finding, "gay"), name="figure_2", title=title),)


def _defined(finding: Finding, term: str) -> bool:
    """Whether every measure has a value for the term, in both models."""
    found = [finding.get(measure, model=model, group=term) for measure in FIVE for model in MODELS]
    return all(e.defined for e in found)


def _table(finding: Finding, printed: Mapping[str, Any], terms: Sequence[str], model: str) -> Table:
    rows = [
        (term, beside(of_finding(finding, FIVE, {"model": model, "group": term}), _printed(printed, term, model)))
        for term in terms
    ]
    return Table(
        f"table_3_{model}",
        f"Table 3: template sentences, {MODELS[model]}",
        "term",
        TITLES,
        tuple(rows),
        on=SET,
        digits=2,
        notes=(
            "The models are the paper's; the sentences are not. The paper's set of 77k is mostly names and adjectives "
            "(“… is a kind gay”); the set with published scores combines two identities in a sentence, so a group's "
            "background holds other identities and AEGs are smaller.",
            "The AUCs of TOXICITY@6 are not legible in the copy of the paper that the numbers were taken from."
            if model == AFTER
            else "The paper prints two digits.",
        ),
    )


def _printed(printed: Mapping[str, Any], term: str, model: str) -> list[float | None]:
    return [printed[term][model].get(name) for name in FIVE]


def _claims(finding: Finding, printed: Mapping[str, Any], terms: Sequence[str]) -> list[Claim]:
    if not set(LOW) <= set(terms):
        return []
    found = Values(finding, terms)
    return [_misranked(found), _reduced(found), _high(found), _shifted(found), _steps(found), _ranked(found, printed)]


@dataclass(frozen=True)
class Values:
    """The values of a finding for terms that have them all."""

    finding: Finding
    terms: Sequence[str]

    def __call__(self, measure: str, model: str, term: str) -> float:
        found = self.finding.get(measure, model=model, group=term).value
        assert found is not None
        return found


def _misranked(value: Values) -> Claim:
    own = {term: value("bpsn_auc", BEFORE, term) for term in value.terms}
    lowest = sorted(own, key=lambda term: own[term])[: len(LOW)]
    return claim(
        "TOXICITY@1 mis-ranks benign sentences with homosexual, gay and lesbian: their BPSN AUC is the lowest",
        set(lowest) == set(LOW),
        f"lowest BPSN AUC: {', '.join(f'{term} {own[term]:.2f}' for term in lowest)}",
    )


def _reduced(value: Values) -> Claim:
    before, after = ([value("bpsn_auc", model, term) for term in LOW] for model in MODELS)
    gaps = [value("negative_aeg", AFTER, term) for term in LOW]
    return claim(
        "This is reduced in TOXICITY@6, but not gone",
        all(now > then for then, now in zip(before, after, strict=True)) and min(gaps) > 0,
        f"BPSN AUC {_span(before)} → {_span(after)}; Negative AEG still {_span(gaps)}",
    )


def _high(value: Values) -> Claim:
    subgroup, bnsp = (
        min(value(measure, model, term) for term in value.terms for model in MODELS)
        for measure in ("subgroup_auc", "bnsp_auc")
    )
    return claim(
        "Subgroup and BNSP AUC are high (above 0.9) for every group, in both models",
        min(subgroup, bnsp) > 0.9,
        f"lowest Subgroup AUC {subgroup:.3f}, lowest BNSP AUC {bnsp:.3f}",
    )


def _shifted(value: Values) -> Claim:
    shifted = [term for term in SHIFTED if term in value.terms]
    up = [t for t in shifted if value("bpsn_auc", BEFORE, t) > 0.9 and value("negative_aeg", BEFORE, t) > 0.1]
    return claim(
        "bisexual, trans, queer and black are shifted up (Negative AEG above 0.1) though BPSN AUC is above 0.9",
        len(up) == len(shifted),
        f"so here for {', '.join(up) or 'none'} of {', '.join(shifted)}",
    )


def _steps(value: Values) -> Claim:
    auc, aeg = (
        sum(value(measure, AFTER, term) - value(measure, BEFORE, term) for term in LOW) / len(LOW)
        for measure in ("bpsn_auc", "negative_aeg")
    )
    return claim(
        "From TOXICITY@1 to TOXICITY@6 BPSN AUC improves much, Negative AEG less than half as much",
        auc > 0.1 and abs(aeg) < auc / 2,
        f"mean change for {', '.join(LOW)}: BPSN AUC {auc:+.3f}, Negative AEG {aeg:+.3f}",
    )


def _span(values: Any) -> str:
    return f"{min(values):.2f} to {max(values):.2f}"


def _ranked(value: Values, printed: Mapping[str, Any]) -> Claim:
    """Do the groups come in the paper's order, on other sentences?"""
    theirs = Finding("bias", "", tuple(_as_measured(printed, value.terms)), (), {"source": "the paper"})
    found = agreement(theirs, value.finding)
    one = {measure: found.get("rank_agreement", model=BEFORE, of=measure) for measure in ("bpsn_auc", "negative_aeg")}
    known = [e for e in one.values() if e.low is not None and e.low > 0]
    told = "; ".join(f"{TITLES[FIVE.index(m)]} {e}" for m, e in one.items())
    return claim(
        "Groups come in the paper's order also on these other sentences (TOXICITY@1, rank correlation)",
        len(known) == len(one),
        told,
    )


def _as_measured(printed: Mapping[str, Any], terms: Sequence[str]) -> list[Measured]:
    return [
        Measured(measure, {"model": model, "group": term}, Estimate.exact(value, level=0.95, n=0))
        for term in terms
        for model in MODELS
        for measure, value in printed[term][model].items()
    ]


def exact(place: Workplace) -> Result:
    """Jigsaw's own metrics on the same file: here every digit counts."""
    if not place.corpora.has("perspective_madlibs_published"):
        return Result()
    theirs, loaded = (
        place.corpora.load("perspective_madlibs_published").frame,
        place.corpora.load("perspective_madlibs"),
    )
    finding = audit(loaded.frame, **loaded.roles, terms=theirs["subgroup"].to_list()).findings[0]
    rows, off = [], 0.0
    for model, title in MODELS.items():
        for row in theirs.iter_rows(named=True):
            ours = of_finding(finding, FIVE, {"model": model, "group": row["subgroup"]})
            cells = beside(ours, [row[f"{title}_{METRICS[name]}"] for name in FIVE])
            off = max(off, *(abs(cell.difference or 0.0) for cell in cells))
            rows.append((f"{title}: {row['subgroup']}", cells))
    table = Table(
        "jigsaw_unitary",
        "Jigsaw's published metrics of the same file",
        "model and term",
        TITLES,
        tuple(rows),
        on="the same sentences and scores, so every digit must agree",
        same=True,
        digits=6,
        notes=(f"The largest difference of {5 * len(rows)} numbers is {off:.1e}.",),
    )
    text = "Jigsaw's own published metrics are the same numbers, sign included"
    return Result((table,), (claim(text, off < 1e-9, f"largest difference of {5 * len(rows)}: {off:.1e}"),))
