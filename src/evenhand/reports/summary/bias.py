"""The bias audit in a sentence or two a model."""

from __future__ import annotations

from collections.abc import Iterator

from evenhand.figures.bias import worst_first
from evenhand.finding import Finding
from evenhand.reports.picking import Named, models
from evenhand.reports.summary.point import Point, listed, reach
from evenhand.reports.words import interval, number, word
from evenhand.reports.worst import lowest_auc, widest_gap

KINDS = {
    "higher": "scored higher than the rest",
    "lower": "scored lower",
    "apart": "told apart less well",
    "better": "told apart better",
}
NEXT = (
    "Read items of these groups that the model gets wrong (--examples 5), and have people look before it decides on "
    "them alone; training with balanced sentences may mend it (evenhand train --balance)."
)
MORE = "Label more items of the groups that are known least well."


def points(finding: Finding) -> Iterator[Point]:
    """What stands out by tendency, then what is small but beyond chance, then the rest."""
    groups = worst_first(finding)
    for title, model in models(finding):
        marked = [group for group in groups if _marked(finding, model, group)]
        tendencies = {r.slice.get("group"): r.tendency for r in finding.readings if r.slice.items() >= model.items()}
        said = [
            f"{kind}: {listed(named)}"
            for key, kind in KINDS.items()
            if (named := [group for group in groups if tendencies.get(group) == key])
        ]
        slight = [group for group in marked if tendencies.get(group) not in KINDS]
        if said or slight:
            yield Point("stands_out", "bias", title, _sentence(said, slight), _worst(finding, model, marked), NEXT)
        quiet = [group for group in groups if group not in marked and tendencies.get(group) not in KINDS]
        known = [group for group in quiet if finding.get("bpsn_auc", **model, group=group).defined]
        if quiet:
            some = f"{len(quiet)} of {len(groups)} groups" if said or slight else _all(len(groups))
            widths = reach((group, finding.get("bpsn_auc", **model, group=group)) for group in known)
            sure = f"BPSN AUCs {widths}." if widths else ""
            yield Point("quiet", "bias", title, f"No difference of {some} stands out.", sure, MORE)


def _all(groups: int) -> str:
    return {1: "the one group", 2: "both groups"}.get(groups, f"all {groups} groups")


def _sentence(said: list[str], slight: list[str]) -> str:
    small = [f"differences that are slight, but beyond chance: {listed(slight)}"] if slight else []
    text = "; ".join([*said, *small])
    return f"{text[0].upper()}{text[1:]}."


def _marked(finding: Finding, model: Named, group: str) -> bool:
    return any("stands_out" in m.estimate.flags for m in finding if dict(m.slice) == {**model, "group": group})


def _worst(finding: Finding, model: Named, groups: list[str]) -> str:
    """The lowest AUC that stands out, or else the widest gap."""
    lowest = lowest_auc(finding, model, groups)
    found = lowest or widest_gap(finding, model, groups)
    if not found or found.estimate.value is None:
        return ""
    group, measure, e = found
    told = f"{group}, {word(measure).label} {number(measure, found.estimate.value)} ({interval(measure, e)})."
    return f"{'Worst' if lowest else 'The widest gap'}: {told}"
