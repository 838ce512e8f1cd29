"""The card of a model trained with Evenhand, for people as Markdown and for programs as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from evenhand.cards.examination import Examination, sampled_sentences
from evenhand.catalogue import Measure
from evenhand.catalogue.bias import (
    BNSP_AUC,
    BNSP_AUC_POWER_MEAN,
    BPSN_AUC,
    BPSN_AUC_POWER_MEAN,
    NEGATIVE_AEG,
    POSITIVE_AEG,
    SUBGROUP_AUC,
    SUBGROUP_AUC_POWER_MEAN,
)
from evenhand.catalogue.shared import AUPRC, AUROC, COUNT, FPR, POSITIVE_SHARE, PRECISION, TPR
from evenhand.classifiers.protocol import Targets
from evenhand.finding import Finding, SliceKey
from evenhand.formatting import format_interval, format_number
from evenhand.reports.paper_formats import escape_markdown
from evenhand.version import __version__
from evenhand.visible_text import visible_json

GROUPS_SHOWN = 5
QUALITY_MEASURES = (AUROC, AUPRC, TPR, FPR, PRECISION)
GROUP_MEASURES = (SUBGROUP_AUC, BPSN_AUC, BNSP_AUC, NEGATIVE_AEG, POSITIVE_AEG)
POWER_MEANS = (SUBGROUP_AUC_POWER_MEAN, BPSN_AUC_POWER_MEAN, BNSP_AUC_POWER_MEAN)
CARD_MEASURES = {*QUALITY_MEASURES, *GROUP_MEASURES, COUNT, POSITIVE_SHARE, *POWER_MEANS}
NOT_FOR = (
    "A score helps to prioritise review. It is not a judgement: do not act on it alone, and never on one "
    "person's text without a person reading it."
)


@dataclass(frozen=True, kw_only=True)
class TrainingCard:
    """What is to be known about a model before it is used."""

    name: str
    targets: Targets
    method: str
    settings: Mapping[str, Any]
    data: Mapping[str, Any]
    examination: Examination
    about: str = ""
    limits: str = ""
    licence: str = "Not stated: ask the developer."
    more: str = field(default="", repr=False)  # sections that only this model has, in Markdown

    def documents(self, version: str) -> dict[str, str]:
        """Both forms."""
        return {"card.json": self._json(version), "card.md": "\n".join(self._markdown(version)) + "\n"}

    def _json(self, version: str) -> str:
        seen = self.examination
        findings: dict[str, Any] = {"quality": {name: _card_records(finding) for name, finding in seen.quality.items()}}
        findings |= {name: _card_records(f) for name in ("mentions", "templates") if (f := getattr(seen, name))}
        sampled = sampled_sentences(seen.templates) if seen.templates else ""
        content = {
            "evenhand": __version__,
            "name": self.name,
            "version": version,
            "targets": asdict(self.targets),
            "method": self.method,
            "settings": self.settings,
            "data": self.data,
            "about": self.about,
            "limits": self.limits,
            "licence": self.licence,
            "findings": findings,
            "missing": seen.missing,
            **({"sampled": sampled} if sampled else {}),
        }
        return visible_json(content) + "\n"

    def _markdown(self, version: str) -> Iterator[str]:
        yield f"# Model card: {escape_markdown(self.name)}"
        yield from ("", self.about) if self.about else ()
        yield from ("", f"**Not for**: {NOT_FOR}", "")
        yield f"Version `{version}`, the hash of its weights and settings. Classes: {self._classes()}."
        yield from ("", "## Data", "", *_facts(self.data), "", "## Training", "", f"Method `{self.method}`.", "")
        yield from _facts({name: value for name, value in self.settings.items() if name != "neutral"})
        yield from self._neutral()
        yield from ("", "## Evaluation", "", "On held-out rows, with 95 % confidence intervals.")
        for name, finding in self.examination.quality.items():
            yield from (
                "",
                *([f"### {escape_markdown(name)}", ""] if len(self.targets.classes) > 1 else []),
                *_quality_table(finding),
            )
        yield from self._groups()
        if missing := self.examination.missing:
            yield from ("", *(f"- {escape_markdown(line)}" for line in missing))
        yield from ("", self.more.strip()) if self.more else ()
        yield from ("", "## Limits", "", self.limits) if self.limits else ()
        yield from ("", "## Licence", "", self.licence)

    def _classes(self) -> str:
        names = ", ".join(f"'{escape_markdown(name)}'" for name in self.targets.classes)  # code would show the escapes
        return {"binary": f"{names} or not", "multi-class": f"one of {names}", "multi-label": f"any of {names}"}[
            self.targets.kind
        ]

    def _neutral(self) -> Iterator[str]:
        if words := self.settings.get("neutral"):
            yield ""
            yield f"{len(words)} identity words have the same effect on the score, whichever of them a text contains."

    def _groups(self) -> Iterator[str]:
        seen = self.examination
        parts = (
            ("Synthetic sentences that differ only in the group mentioned", seen.templates),
            ("Held-out rows that mention a group", seen.mentions),
        )
        if seen.templates or seen.mentions:
            yield from ("", "## Differences between groups")
        for title, finding in parts:
            if finding:
                alike = finding is seen.templates and bool(self.settings.get("neutral"))
                yield from ("", f"### {title}", "", *_group_table(finding, alike=alike))
                if finding is seen.templates and (sampled := sampled_sentences(finding)):
                    yield from ("", sampled)


def _card_records(finding: Finding) -> list[dict[str, Any]]:
    return [m.record(finding.audit) for m in finding if m.measure in CARD_MEASURES and SliceKey.LENGTH not in m.slice]


def _quality_table(finding: Finding) -> Iterator[str]:
    items, share = finding.get(COUNT).value, finding.get(POSITIVE_SHARE).value or 0.0
    yield f"{items:,.0f} rows, {100.0 * share:.1f} % of them positive; the last three measures at a threshold of 0.5."
    yield from ("", "| measure | value | interval |", "|---|--:|--:|")
    for measure in QUALITY_MEASURES:
        e = finding.get(measure)
        value = "undefined" if e.value is None else format_number(measure, e.value)
        yield f"| {measure.title} | {value} | {format_interval(measure, e)} |"


def _significant_groups(significant: int, groups: int) -> str:
    have = "has" if groups == 1 or significant == 1 else "have"
    who = "The group" if groups == 1 else f"{significant} of {groups} groups"
    measures = "no measure" if groups == 1 and not significant else "at least one measure"
    return (
        f"{who} {have} a statistically significant difference in {measures}, after correction for multiple comparisons."
    )


def _group_table(finding: Finding, *, alike: bool) -> Iterator[str]:
    """How many groups differ significantly, then the estimates; none where the words for groups count `alike`."""
    groups = finding.values(SliceKey.GROUP)
    marked = {m.slice[SliceKey.GROUP] for m in finding if m.estimate.stands_out and set(m.slice) == {SliceKey.GROUP}}
    named = "1 group" if len(groups) == 1 else f"{len(groups)} groups"
    yield f"{named}, {finding.get(COUNT).value:,.0f} rows, {AUROC.title} {finding.get(AUROC)}."
    yield _significant_groups(len(marked), len(groups))
    if (
        alike
        and len({_cell(finding, name, group) for name in (BPSN_AUC, BNSP_AUC) for group in groups}) <= 2
        and not marked
    ):
        yield "All groups have the same results, because their words have the same effect in this model. This does not"
        yield "cover words outside the list, or what is said about a group."
        return
    every = [value for group in groups if (value := finding.get(BPSN_AUC, group=group).value) is not None]
    if len(every) > 1:
        ends = f"{min(every):.3f} and {max(every):.3f}"
        yield f"{BPSN_AUC.title} is between {ends}. Groups with the lowest {BPSN_AUC.title}, whose benign rows are most"
        yield "easily mistaken for violating rows, come first:"
    yield from ("", "| group | rows | " + " | ".join(measure.title for measure in GROUP_MEASURES) + " |")
    yield "|---|--:|" + "--:|" * len(GROUP_MEASURES)
    lowest = sorted(groups, key=lambda group: _value(finding, BPSN_AUC, group))
    for group in lowest[:GROUPS_SHOWN]:
        cells = [_cell(finding, name, group) for name in GROUP_MEASURES]
        yield f"| {escape_markdown(group)} | {finding.get(COUNT, group=group).value:,.0f} | {' | '.join(cells)} |"


def _cell(finding: Finding, measure: Measure, group: str) -> str:
    e = finding.get(measure, group=group)
    if e.value is None:
        return "undefined"
    mark = " ●" if e.stands_out else ""
    return f"{format_number(measure, e.value)} ({format_interval(measure, e, brief=True)}){mark}"


def _value(finding: Finding, measure: Measure, group: str) -> float:
    value = finding.get(measure, group=group).value
    return 2.0 if value is None else value


def _facts(facts: Mapping[str, Any]) -> Iterator[str]:
    yield from ("| | |", "|---|---|")
    for name, value in facts.items():
        shown = ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else str("" if value is None else value)
        yield f"| {escape_markdown(name.replace('_', ' '))} | {escape_markdown(shown) or '–'} |"
