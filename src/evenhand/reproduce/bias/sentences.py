"""The paper's own template sentences with models that can be had; and do both kinds of data find the same groups?"""

from __future__ import annotations

from collections.abc import Sequence

from evenhand.audits.bias.agreement import agreement
from evenhand.finding import Finding
from evenhand.reports import audit
from evenhand.reproduce.bias.groups import FIVE, TERMS, TITLES, WORDS
from evenhand.reproduce.bias.scored import THEIRS, Models, Scored, holds, with_scores
from evenhand.reproduce.paper import Workplace
from evenhand.reproduce.published import published
from evenhand.reproduce.result import Claim, Omission, Result, Table, beside, claim, of_finding

WORST = 20


def own(place: Workplace, asked: Models, real: Finding, scored: Scored) -> Result:
    """Table 3 on the paper's sentences; then templates against comments."""
    if not place.corpora.has("madlibs_77k"):
        return Result(omissions=(Omission("Table 3 on the paper's own sentences", "needs the template set of 77k"),))
    loaded = place.corpora.load("madlibs_77k")
    frame = with_scores(loaded.frame, asked)
    terms = [term for term in TERMS if holds(frame, (term,))]
    finding = audit(frame, score=scored.models, **loaded.roles, terms=terms).findings[0]
    words = {name: own for name, own in WORDS.items() if holds(frame, own)}
    by_words = audit(frame, score=scored.models, **loaded.roles, terms=words).findings[0]
    tables = tuple(_worst(finding, scored, terms, model, len(frame)) for model in scored.models)
    return Result(tables, (_agreeing(by_words, real, scored), _harder(finding, real, scored)))


def _worst(finding: Finding, scored: Scored, terms: Sequence[str], model: str, rows: int) -> Table:
    named = scored.slice(model)
    printed = published("bias")["table_3_template_lowest_20"]

    def lowest(term: str) -> float:
        found = of_finding(finding, FIVE[:3], {**named, "group": term})
        return min(e.value for e in found if e is not None and e.value is not None)

    shown = []
    for term in sorted(terms, key=lowest)[:WORST]:
        ours = of_finding(finding, FIVE, {**named, "group": term})
        shown.append((term, beside(ours, [printed.get(term, {}).get(THEIRS[model], {}).get(name) for name in FIVE])))
    return Table(
        f"table_3_own_sentences_{THEIRS[model]}",
        f"Table 3 on the paper's own sentences: {model}",
        "term",
        TITLES,
        tuple(shown),
        on=f"the paper's template set, {rows:,} sentences, scored by a model that can be had",
        digits=2,
        notes=(
            f"The {len(shown)} lowest of {len(terms)} terms by their lowest AUC. The paper's are of another model.",
        ),
    )


def _agreeing(templates: Finding, real: Finding, scored: Scored) -> Claim:
    found = agreement(templates, real)
    told = {m: found.get("rank_agreement", of="negative_aeg", **scored.slice(m)) for m in scored.models}
    known = [e for e in told.values() if e.low is not None and e.high is not None]
    against = any(e.high < 0 for e in known if e.high is not None)
    return claim(
        "Groups that fare worst on templates are those that fare worst on real comments (rank correlation of Negative "
        "AEG above 0 for some model)",
        any(e.low > 0 for e in known if e.low is not None) or (False if against else None),
        "; ".join(f"{model}: {e}" for model, e in told.items()),
    )


def _harder(templates: Finding, real: Finding, scored: Scored) -> Claim:
    told, lower = [], []
    for model in scored.models:
        means = []
        for finding in (templates, real):
            found = [finding.get("subgroup_auc", group=g, **scored.slice(model)).value for g in finding.values("group")]
            known = [value for value in found if value is not None]
            means.append(sum(known) / len(known))
        told.append(f"{model}: {means[0]:.3f} on templates, {means[1]:.3f} on comments")
        lower.append(means[1] < means[0])
    text = "Real comments show lower values than template sentences (mean Subgroup AUC)"
    return claim(text, all(lower), "; ".join(told))
