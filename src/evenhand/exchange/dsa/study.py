"""The labelled sample behind table 8: what adjudicated labels show of measures taken solely by automated means.

Positive is an adjudicated violation; predicted is a measure that was taken solely by automated means. Violations that
people removed are missed by automation: with them counted as found, recall is the detection recall, reported beside.
A study is a sampling plan with its filled-in sheets, a labelled table (evidence), or the findings of one of the two.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from evenhand.audits.accuracy.pools import PoolName
from evenhand.audits.request import AuditRequest
from evenhand.catalogue.accuracy import POPULATION
from evenhand.catalogue.shared import COUNT, RECALL
from evenhand.errors import InputError, Undefined
from evenhand.estimate import Estimate
from evenhand.evidence import open_source
from evenhand.exchange.dsa.codes import official_languages
from evenhand.exchange.dsa.period import ReportingPeriod
from evenhand.exchange.records import RecordTable
from evenhand.finding import Finding, Slice, SliceKey, column_key
from evenhand.findings_file import read_findings
from evenhand.measurement import AnswerFiles, Campaign, SamplingPlan, read_plan
from evenhand.metrics import krippendorff_alpha
from evenhand.reports import audit

ACCURACY_AUDIT = "accuracy"
LANGUAGE = re.compile(r"([a-z]{2})(?:[-_][a-z0-9]{2,8})*", re.IGNORECASE)
YES = ("yes",)
TRUSTED_FLAGGER = "trusted_flagger"  # the column of a sample of notices that says whose they are
USUAL_COLUMNS = ("language", TRUSTED_FLAGGER)
FINDINGS_FILE = "findings.json"


@dataclass(frozen=True)
class StudyPurpose:
    """What has to be said beside every number: the ground truth and its codebook, the items and their period."""

    ground_truth: str = ""
    codebook: str = ""
    population: str = ""
    period: str = ""

    def completed(self, written: Mapping[str, Any]) -> StudyPurpose:
        """With what the study itself says, where nothing else was said."""
        own = {name: str(written.get(name) or "") for name in ("ground_truth", "codebook", "population", "period")}
        return replace(self, **{name: value for name, value in own.items() if value and not getattr(self, name)})


@dataclass(frozen=True)
class StudyRequest:
    """Where the study is and what its columns mean; `roles` are those of an audit, for evidence.

    `automated` are the decisions that are measures taken solely by automated means, `measures` the others that are
    measures too, taken by people or with them.
    """

    source: str
    automated: tuple[str, ...] = ()
    measures: tuple[str, ...] = ()
    language: str = "language"
    labels: tuple[Path, ...] = ()
    label: str | None = None
    annotator: str | None = None
    annotations: Path | None = None
    purpose: StudyPurpose = StudyPurpose()
    roles: Mapping[str, Any] = field(default_factory=dict)

    def read(self) -> AutomationStudy:
        """Estimate, or read what was estimated."""
        if not self.automated:
            problem = "name the decisions that were taken solely by automated means with `automated`"
            raise InputError(problem, source=self.source)
        study = self._plan() if self.labels else self._findings() if self._is_findings() else self._evidence()
        if not study.finding.has(RECALL):
            problem = "the labelled sample has no decisions, without which nothing is known of automated measures"
            raise InputError(problem, source=self.source, remedy="name their column with `decision`")
        return study

    def _is_findings(self) -> bool:
        return self.source.lower().endswith(".json") or Path(self.source, FINDINGS_FILE).is_file()

    def _evidence(self) -> AutomationStudy:
        """Two audits of the same labels: what automation removed, and what anybody removed."""
        roles = {**self.roles, **({"label": self.label} if self.label else {})}
        if self._has_languages():
            roles["slices"] = self.language
        automated, *more = [
            audit(self.source, audits=ACCURACY_AUDIT, **{**roles, "removes": words}).findings[0]
            for words in ([self.automated, (*self.automated, *self.measures)] if self.measures else [self.automated])
        ]
        design = "the declared inclusion probabilities" if roles.get("inclusion") else "a census of labelled items"
        if roles.get("stratum"):
            design += f" and the strata of '{roles['stratum']}'"
        key = column_key(self.language)
        return AutomationStudy(automated, key, self.purpose, design, more[0] if more else None, self._agreement())

    def _has_languages(self) -> bool:
        """Whether there is the column of languages; only the usual one may be missing."""
        source = open_source(AuditRequest.of(self.source, options={}).data)
        if self.language not in source.columns() and self.language not in USUAL_COLUMNS:
            raise source.unknown_column(self.language)
        return self.language in source.columns()

    def _plan(self) -> AutomationStudy:
        plan = read_plan(self.source)
        self._check_decisions(plan.columns.get("decision"), plan.columns.get("removes") or YES)
        files = AnswerFiles(self.labels, self.label or "label", self.annotator)
        finding = Campaign(Path(self.source)).take(files).finding
        key = plan.group_key if list(plan.columns["by"]) == [self.language] else ""
        purpose = self.purpose.completed(finding.provenance["measurement"])
        return AutomationStudy(finding, key, purpose, _design_words(plan), None, self._agreement())

    def _findings(self) -> AutomationStudy:
        path = Path(self.source)
        findings = read_findings(path / FINDINGS_FILE if path.is_dir() else path)
        finding = next((one for one in findings if one.audit == ACCURACY_AUDIT), None)
        if finding is None:
            raise InputError("no findings of the accuracy audit are in this file", source=self.source)
        roles = finding.provenance.get("roles")
        if not isinstance(roles, Mapping) or not roles.get("decision"):
            problem = "the findings do not say which decisions were automated"
            raise InputError(problem, source=self.source, remedy="give the plan, and its sheets as `labels`")
        self._check_decisions(str(roles["decision"]), roles.get("removes") or YES)
        purpose = self.purpose.completed(finding.provenance.get("measurement") or {})
        key, design = column_key(self.language), "the design of the audited sample"
        return AutomationStudy(finding, key, purpose, design, None, self._agreement())

    def _check_decisions(self, column: str | None, predicted: Sequence[str]) -> None:
        """The study must be about the decisions that are said to be automated."""
        if column is None:
            return
        studied, named = ({str(word).lower() for word in words} for words in (predicted, self.automated))
        if studied != named:
            problem = (
                f"the study counts {_listed(predicted)} in '{column}' as removed, and `automated` names "
                f"{_listed(self.automated)}: they must be the same decisions"
            )
            raise InputError(problem, source=self.source)

    def _agreement(self) -> Estimate | None:
        """Krippendorff's alpha of those who labelled the same items; None where that is not known."""
        if self.annotations is None:
            return None
        table = RecordTable.read(self.annotations, ("item", "annotator", "label"))
        frame = table.frame.drop_nulls()
        if not len(frame):
            raise InputError("no row has an item, an annotator and a label", source=table.source)
        columns = (frame["item"].to_numpy(), frame["annotator"].to_numpy(), frame["label"].to_numpy())
        try:
            return krippendorff_alpha(*columns)
        except Undefined as reason:
            return Estimate.undefined(str(reason), level=0.95, n=len(frame))


@dataclass(frozen=True)
class AutomationStudy:
    """Estimates of automated measures, overall and by language, and what they rest on."""

    finding: Finding
    language_key: str
    purpose: StudyPurpose
    design: str
    detection: Finding | None = None
    agreement: Estimate | None = None
    gap: str = ""  # what of the period the labels do not stand for

    def missing(self, period: ReportingPeriod) -> str:
        """Why the labels do not stand for the content of the period; empty where they do."""
        if ReportingPeriod.parse_loosely(self.purpose.period) == period:
            return self.gap
        of = f"is of {self.purpose.period}" if self.purpose.period else "does not say its period"
        return f"the labelled sample {of}, and the report is about {period}"

    @property
    def automated_items(self) -> float | None:
        """How many measures taken solely by automated means the labels stand for."""
        part = {SliceKey.POOL: PoolName.REMOVED}
        return self.finding.get(POPULATION, **part).value if self.finding.has(POPULATION, **part) else None

    def languages(self) -> dict[str, list[Slice]]:
        """The official languages with a slice of their own; more than one where several spellings mean the same."""
        slices: dict[str, list[Slice]] = {}
        for value in self.finding.values(self.language_key) if self.language_key else ():
            match = LANGUAGE.fullmatch(value.strip())
            if match and match[1].lower() in official_languages():
                slices.setdefault(match[1].lower(), []).append({self.language_key: value})
        return slices

    def value_slice(self, words: Sequence[str]) -> Slice | None:
        """The slice whose value is one of these words, such as yes; None where there is none."""
        known = [value for value in self.finding.values(self.language_key) if value.strip().lower() in words]
        return {self.language_key: known[0]} if len(known) == 1 else None

    def labels(self, slice_: Slice, pool: PoolName | None = None) -> int:
        """How many labels there are of a part, in a pool or in both."""
        part: Slice = {**slice_, SliceKey.POOL: pool} if pool else slice_
        return int(self.finding.get(COUNT, **part).value or 0) if self.finding.has(COUNT, **part) else 0


def _design_words(plan: SamplingPlan) -> str:
    strata = f", estimated apart by {' and '.join(plan.columns['by'])}" if plan.columns["by"] else ""
    return f"the {plan.design.name} design with removed and visible items sampled separately{strata}"


def _listed(words: Sequence[str]) -> str:
    return ", ".join(f"'{word}'" for word in words)
