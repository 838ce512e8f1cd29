"""Tables 5 to 7: real comments, short ones apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from evenhand.estimate import Estimate
from evenhand.figures import Figure
from evenhand.figures.bias.distribution import distributions
from evenhand.finding import Finding
from evenhand.reports import audit
from evenhand.reproduce.bias import mitigation, sentences
from evenhand.reproduce.bias.groups import COMMENT_TABLE, FIVE, TITLES
from evenhand.reproduce.bias.scored import PLAIN, THEIRS, Scored, models
from evenhand.reproduce.bias.scored import comments as scored_comments
from evenhand.reproduce.paper import Workplace
from evenhand.reproduce.published import published
from evenhand.reproduce.result import Cell, Omission, Result, Table, beside, of_finding

FEWEST = 100  # short comments of an identity that the paper shows
SHOWN = "homosexual_gay_or_lesbian"


def comments(place: Workplace) -> Result:
    """What the audit says of real comments, and whether templates would have said the same."""
    if not (place.corpora.has("civil_comments") or place.corpora.has("wikipedia_talk")):
        return Result(omissions=(Omission("Tables 5, 6 and 7 (real comments)", "need CivilComments"),))
    asked = models(place)
    scored = scored_comments(place, asked)
    finding = audit(scored.frame, score=scored.models, **scored.roles).findings[0]
    groups = _large(finding, scored)
    quarters = [_table(finding, scored, groups, m, short=s) for s in (True, False) for m in scored.models]
    result = Result(
        (_sizes(finding, scored), *quarters),
        tuple(mitigation.claims(finding, scored, groups)),
        _drawing(finding, groups),
        omissions=_lacking(scored),
    )
    return result + sentences.own(place, asked, finding, scored)


def _large(finding: Finding, scored: Scored) -> list[str]:
    """The paper shows identities with more than 100 short comments; of the nearest data, all that it names."""
    fewest, slice_ = FEWEST if scored.own else 0, {**scored.slice(scored.models[0]), "length": "short"}
    return [
        group
        for group in published("bias")["table_6_all"]
        if finding.has("count", group=group, **slice_)
        and (finding.get("count", group=group, **slice_).value or 0) > fewest
    ]


def _sizes(finding: Finding, scored: Scored) -> Table:
    """Table 5."""
    printed, named = published("bias")["table_5"], scored.slice(scored.models[0])
    rows = [("all comments", _sized(finding, named, printed["all comments"]))]
    for group in finding.values("group"):
        known = printed.get(COMMENT_TABLE.get(group, group), {})
        rows.append((group, _sized(finding, {**named, "group": group}, known)))
    return Table(
        "table_5",
        "Table 5: how many comments, and how many of them toxic",
        "group",
        ("comments", "percent toxic"),
        tuple(rows),
        on=scored.on,
        same=scored.own,
        digits=2,
        notes=(
            "Toxic: half of the annotators or more say so (8.0 %); other papers take more than half (5.9 %)."
            if scored.own
            else "Toxic: any of six labels by Jigsaw's annotators. Other comments and another rule: not comparable.",
        ),
    )


def _sized(finding: Finding, slice_: Mapping[str, str], printed: Mapping[str, float]) -> tuple[Cell, ...]:
    count, share = of_finding(finding, ("count", "positive_share"), slice_)
    return (Cell(count, printed.get("count")), Cell(_hundredfold(share), printed.get("percent_toxic")))


def _hundredfold(share: Estimate | None) -> Estimate | None:
    if share is None or share.value is None or share.low is None or share.high is None:
        return share
    return replace(share, value=100.0 * share.value, low=100.0 * share.low, high=100.0 * share.high)


def _table(finding: Finding, scored: Scored, groups: Sequence[str], model: str, *, short: bool) -> Table:
    """Table 6, one quarter."""
    which = "short" if short else "all"
    printed = published("bias")[f"table_6_{which}"]
    slice_ = scored.slice(model) | ({"length": "short"} if short else {})
    rows = []
    for group in groups:
        ours = of_finding(finding, FIVE, {**slice_, "group": group})
        rows.append((group, beside(ours, [printed[group][THEIRS[model]].get(name) for name in FIVE])))
    before = "no mitigation: beside TOXICITY@1" if model == PLAIN else "mitigated: beside TOXICITY@6"
    return Table(
        f"table_6_{which}_{THEIRS[model]}",
        f"Table 6: {which} comments, {model} ({before})",
        "group",
        TITLES,
        tuple(rows),
        on=scored.on,
        digits=2,
        notes=("Not the paper's model, whose scores on comments were not published: compare patterns, not digits.",),
    )


def _drawing(finding: Finding, groups: Sequence[str]) -> tuple[Figure, ...]:
    if SHOWN not in groups:
        return ()
    title = "Table 7: how comments of the group 'homosexual, gay or lesbian' are scored"
    return (replace(distributions(finding, SHOWN), name="table_7", title=title),)


def _lacking(scored: Scored) -> tuple[Omission, ...]:
    models = Omission("Table 6 with TOXICITY@1 and TOXICITY@6", "their scores on comments were not published")
    if scored.own:
        return (models,)
    return (Omission("Tables 5, 6 and 7 on the paper's comments", "CivilComments is not in the folder"), models)
