"""The card of a model, for people as Markdown and for programs as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from evenhand.cards.examination import Examination
from evenhand.classifiers.protocol import Targets
from evenhand.errors import CONTROL
from evenhand.finding import Finding
from evenhand.reports.words import interval, number, word
from evenhand.version import __version__

WORST = 5
SHOWN = ("auroc", "auprc", "tpr", "fpr", "precision")
OF_GROUPS = ("subgroup_auc", "bpsn_auc", "bnsp_auc", "negative_aeg", "positive_aeg")
KEPT = {*SHOWN, *OF_GROUPS, "count", "positive_share", *(f"{name}_power_mean" for name in OF_GROUPS[:3])}
NOT_FOR = (
    "A score helps people decide what to look at first. It is no judgement: never act on it alone, and never on one "
    "person's text without a person reading it."
)


@dataclass(frozen=True, kw_only=True)
class Card:
    """What is to be known about a model before it is used."""

    name: str
    targets: Targets
    method: str
    settings: Mapping[str, Any]
    data: Mapping[str, Any]
    examination: Examination
    about: str = ""
    limits: str = ""
    licence: str = "Not stated: ask whoever trained it."
    more: str = field(default="", repr=False)  # sections that only this model has, in Markdown

    def documents(self, version: str) -> dict[str, str]:
        """Both forms."""
        return {"card.json": self._json(version), "card.md": "\n".join(self._markdown(version)) + "\n"}

    def _json(self, version: str) -> str:
        seen = self.examination
        findings: dict[str, Any] = {"quality": {name: _kept(finding) for name, finding in seen.quality.items()}}
        findings |= {name: _kept(f) for name in ("mentions", "templates") if (f := getattr(seen, name))}
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
        }
        return json.dumps(content, ensure_ascii=False, allow_nan=False) + "\n"

    def _markdown(self, version: str) -> Iterator[str]:
        yield f"# Model card: {_plain(self.name)}"
        yield from ("", self.about) if self.about else ()
        yield from ("", f"**Not for**: {NOT_FOR}", "")
        yield f"Version `{version}`, the hash of its weights and settings. Tells apart: {self._classes()}."
        yield from ("", "## Data", "", *_facts(self.data), "", "## Training", "", f"Method `{self.method}`.", "")
        yield from _facts({name: value for name, value in self.settings.items() if name != "neutral"})
        yield from self._neutral()
        yield from ("", "## How well it does", "", "On rows that it has not seen, with 95 % intervals.")
        for name, finding in self.examination.quality.items():
            yield from ("", *([f"### {_plain(name)}", ""] if len(self.targets.classes) > 1 else []), *_quality(finding))
        yield from self._groups()
        yield from ("", *(f"- {_plain(line)}" for line in self.examination.missing)) if self.examination.missing else ()
        yield from ("", self.more.strip()) if self.more else ()
        yield from ("", "## Limits", "", self.limits) if self.limits else ()
        yield from ("", "## Licence", "", self.licence)

    def _classes(self) -> str:
        names = ", ".join(f"'{_plain(name)}'" for name in self.targets.classes)  # code would show the escapes
        return {"binary": f"{names} or not", "multi-class": f"one of {names}", "multi-label": f"any of {names}"}[
            self.targets.kind
        ]

    def _neutral(self) -> Iterator[str]:
        if words := self.settings.get("neutral"):
            yield ""
            yield f"{len(words)} words that say who is spoken of count alike, whichever of them a text has."

    def _groups(self) -> Iterator[str]:
        seen = self.examination
        parts = (
            ("Made-up sentences that differ only in who is spoken of", seen.templates),
            ("Unseen rows that mention a group", seen.mentions),
        )
        if seen.templates or seen.mentions:
            yield from ("", "## How it scores groups")
        for title, finding in parts:
            if finding:
                alike = finding is seen.templates and bool(self.settings.get("neutral"))
                yield from ("", f"### {title}", "", *_bias(finding, alike=alike))


def _kept(finding: Finding) -> list[dict[str, Any]]:
    return [m.record(finding.audit) for m in finding if m.measure in KEPT and "length" not in m.slice]


def _quality(finding: Finding) -> Iterator[str]:
    items = finding.get("count").value
    share = finding.get("positive_share").value
    yield f"{items:,.0f} rows, {share:.1%} of them positive; the last three at a threshold of 0.5."
    yield from ("", "| measure | value | interval |", "|---|--:|--:|")
    for name in SHOWN:
        e = finding.get(name)
        value = "undefined" if e.value is None else number(name, e.value)
        yield f"| {word(name).label} | {value} | {interval(name, e)} |"


def _standing(marked: int, groups: int) -> str:
    if groups == 1:
        return "It stands out in at least one" if marked else "It does not stand out in any"
    return f"{marked} of the groups {'stands' if marked == 1 else 'stand'} out in at least one"


def _bias(finding: Finding, *, alike: bool) -> Iterator[str]:
    """How many groups stand out, then the numbers; none where all are alike because words for groups count `alike`."""
    groups = finding.values("group")
    marked = {m.slice["group"] for m in finding if "stands_out" in m.estimate.flags and set(m.slice) == {"group"}}
    named = "1 group" if len(groups) == 1 else f"{len(groups)} groups"
    yield f"{named}, {finding.get('count').value:,.0f} rows, AUROC {finding.get('auroc')}."
    yield f"{_standing(len(marked), len(groups))} number after allowing for everything looked at."
    if alike and len({_cell(finding, name, group) for name in OF_GROUPS[1:3] for group in groups}) <= 2 and not marked:
        yield "Every group has the same numbers, because the words for all of them count alike in this model. What it"
        yield "makes of words outside that list, and of what is said of a group, this does not show."
        return
    every = [value for group in groups if (value := finding.get("bpsn_auc", group=group).value) is not None]
    if len(every) > 1:
        yield f"BPSN AUC is between {min(every):.3f} and {max(every):.3f}. The groups whose benign rows are most easily"
        yield "taken for violating ones (lowest BPSN AUC) first:"
    yield from ("", "| group | rows | " + " | ".join(word(name).label for name in OF_GROUPS) + " |")
    yield "|---|--:|" + "--:|" * len(OF_GROUPS)
    lowest = sorted(groups, key=lambda group: _value(finding, "bpsn_auc", group))
    for group in lowest[:WORST]:
        cells = [_cell(finding, name, group) for name in OF_GROUPS]
        yield f"| {_plain(group)} | {finding.get('count', group=group).value:,.0f} | {' | '.join(cells)} |"


def _cell(finding: Finding, measure: str, group: str) -> str:
    e = finding.get(measure, group=group)
    if e.value is None:
        return "undefined"
    mark = " ●" if "stands_out" in e.flags else ""
    return f"{number(measure, e.value)} ({interval(measure, e, brief=True)}){mark}"


def _value(finding: Finding, measure: str, group: str) -> float:
    value = finding.get(measure, group=group).value
    return 2.0 if value is None else value


def _facts(facts: Mapping[str, Any]) -> Iterator[str]:
    yield from ("| | |", "|---|---|")
    for name, value in facts.items():
        shown = ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else str("" if value is None else value)
        yield f"| {_plain(name.replace('_', ' '))} | {_plain(shown) or '–'} |"


def _plain(text: str) -> str:
    """Safe in a Markdown table, whatever a column or class is called."""
    clean = CONTROL.sub(" ", text).replace("\\", "\\\\").replace("|", "\\|").replace("[", "\\[").replace("`", "'")
    return clean.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
