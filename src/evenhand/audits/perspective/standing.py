"""Who stands out of a perspective finding: which groups of annotators, which way, and where little can be said.

Judged once, from the estimates; readings, verdicts, figures and sections go by it. A finding carries it as an exhibit.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from evenhand.audits.perspective.exhibits import PerspectiveExhibit
from evenhand.audits.perspective.groups import MANY_ANNOTATORS
from evenhand.catalogue.perspective import (
    ANNOTATOR_COUNT,
    CONFORMITY_DELTA,
    DEMOGRAPHIC_DIVERGENCE,
    UNCERTAINTY_DIVERGENCE,
)
from evenhand.catalogue.shared import F1
from evenhand.finding import Exhibit, Finding, Slice, SliceKey

POOR_F1 = 0.5  # an F1 below which a model fits hardly anybody


class Standing(StrEnum):
    """How a number of a group, or of everybody, stands out."""

    LESS = "less"  # the model shares their judgement less than everybody's, beyond chance
    MORE = "more"  # … more than everybody's
    OTHER_SHARES = "other shares"  # it sides with or against them in other shares than with everybody
    APART = "apart"  # annotators whom it fits alike differ in who they are
    POOR = "poor"  # it fits everybody's labels poorly
    USUAL = "usual"  # it does not stand out


@dataclass(frozen=True)
class GroupStanding:
    """What was judged of one group of annotators; None where there was no value to judge."""

    group: str
    few: bool  # so few annotators that hardly anything can be said
    delta: Standing | None
    signs: Standing | None


@dataclass(frozen=True)
class ModelStanding:
    """What was judged of one model: how it fits everybody, its clusters, and each group, the least shared first."""

    fit: Standing | None
    clusters: Standing | None
    groups: tuple[GroupStanding, ...]

    @property
    def stands_out(self) -> bool:
        """Whether any group, or the clusters, do."""
        marked = (one in (None, Standing.USUAL) for group in self.groups for one in (group.delta, group.signs))
        return self.clusters is Standing.APART or not all(marked)

    def with_delta(self, standing: Standing) -> list[str]:
        """The groups whose mean delta stands out this way."""
        return [one.group for one in self.groups if one.delta is standing]

    @property
    def with_other_shares(self) -> list[str]:
        """The groups that the model sides with or against in other shares."""
        return [one.group for one in self.groups if one.signs is Standing.OTHER_SHARES]

    def exhibit(self, model: Slice) -> Exhibit:
        """As a table; the first row, without a name, is everybody."""
        columns: dict[str, list[str | float | None]] = {
            "annotators": [None, *(one.group for one in self.groups)],
            "few": [None, *(float(one.few) for one in self.groups)],
            "delta": [None, *(one.delta for one in self.groups)],
            "signs": [None, *(one.signs for one in self.groups)],
            "fit": [self.fit, *(None for _ in self.groups)],
            "clusters": [self.clusters, *(None for _ in self.groups)],
        }
        return Exhibit(PerspectiveExhibit.STANDING, model, columns)


def model_standing(finding: Finding, model: Slice) -> ModelStanding:
    """What a finding says stands out of a model; judged again where its file is of an earlier version."""
    kind = PerspectiveExhibit.STANDING
    exhibit = next((e for e in finding.exhibits if e.kind == kind and dict(e.slice) == dict(model)), None)
    if exhibit is None:
        return judge_model(finding, model)
    columns = (exhibit.columns[name] for name in ("annotators", "few", "delta", "signs"))
    rows = list(zip(*columns, strict=True))[1:]
    groups = tuple(GroupStanding(str(name), bool(few), _standing(d), _standing(s)) for name, few, d, s in rows)
    fit, clusters = (_standing(exhibit.columns[name][0]) for name in ("fit", "clusters"))
    return ModelStanding(fit, clusters, groups)


def annotator_groups(finding: Finding) -> tuple[GroupStanding, ...]:
    """The groups in the order they are shown, the same for every model."""
    return model_standing(finding, finding.models[0][1]).groups


def _standing(value: float | str | None) -> Standing | None:
    return None if value is None else Standing(str(value))


def judge_model(finding: Finding, model: Slice) -> ModelStanding:
    """From the marks of its estimates."""
    fit, clusters = finding.get(F1, **model).value, finding.get(DEMOGRAPHIC_DIVERGENCE, **model)
    return ModelStanding(
        None if fit is None else Standing.POOR if fit < POOR_F1 else Standing.USUAL,
        (Standing.APART if clusters.stands_out else Standing.USUAL) if clusters.defined else None,
        tuple(_judge_group(finding, model, group) for group in _furthest_first(finding)),
    )


def _judge_group(finding: Finding, model: Slice, group: str) -> GroupStanding:
    delta, signs = (
        finding.get(measure, **model, annotators=group) for measure in (CONFORMITY_DELTA, UNCERTAINTY_DIVERGENCE)
    )
    everybody = finding.get(CONFORMITY_DELTA, **model).value or 0.0
    way = Standing.LESS if (delta.value or 0.0) > everybody else Standing.MORE
    return GroupStanding(
        group,
        _has_few_annotators(finding, group),
        (way if delta.stands_out else Standing.USUAL) if delta.defined else None,
        (Standing.OTHER_SHARES if signs.stands_out else Standing.USUAL) if signs.defined else None,
    )


def _has_few_annotators(finding: Finding, group: str) -> bool:
    return (finding.get(ANNOTATOR_COUNT, annotators=group).value or 0.0) < MANY_ANNOTATORS


def _furthest_first(finding: Finding) -> list[str]:
    """Groups by their highest mean delta in any model, where the model shares least; those of few people come last."""

    def highest(group: str) -> float:
        deltas = (finding.get(CONFORMITY_DELTA, **model, annotators=group).value for _, model in finding.models)
        return max((value for value in deltas if value is not None), default=-2.0)

    groups = finding.values(SliceKey.ANNOTATORS)
    return sorted(groups, key=lambda group: (_has_few_annotators(finding, group), -highest(group)))
