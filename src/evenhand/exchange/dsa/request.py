"""What a user asks of a report, checked: the kind of provider, the service, the period, and the studies behind it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evenhand.errors import InputError
from evenhand.exchange.dsa.automated_means import FEWEST_LABELS, AutomatedMeans
from evenhand.exchange.dsa.labels import Provider
from evenhand.exchange.dsa.period import ReportingPeriod
from evenhand.exchange.dsa.study import TRUSTED_FLAGGER, AutomationStudy, StudyPurpose, StudyRequest

LONGEST_SERVICE = 200  # characters
STUDY_FIELDS = ("automated", "measures", "language", "annotator", "annotations")


@dataclass(frozen=True)
class ReportRequest:
    """Which report is to be made."""

    provider: Provider
    service: str
    period: ReportingPeriod

    @classmethod
    def from_options(cls, provider: str, service: str, period: str) -> ReportRequest:
        """From what was typed."""
        if provider not in list(Provider):
            raise InputError(f"invalid `provider`: '{provider}' (choose from: {', '.join(Provider)})")
        name = " ".join(service.split())
        if not name or len(name) > LONGEST_SERVICE:
            raise InputError(f"`service` must be a name of 1 to {LONGEST_SERVICE} characters")
        return cls(Provider(provider), name, ReportingPeriod.parse(period))

    def automated_means(
        self,
        source: str | AutomationStudy | None,
        chosen: Mapping[str, Any],
        words: Mapping[str, str],
        roles: Mapping[str, Any],
    ) -> AutomatedMeans:
        """The studies of content and of notices, read and estimated; that of content may have been read before."""
        fewest = chosen.get("fewest_labels", FEWEST_LABELS)
        if fewest < 1:
            raise InputError(f"invalid `fewest_labels`: {fewest} (must be at least 1)")
        purpose = study_purpose(words)
        shared = {name: chosen[name] for name in STUDY_FIELDS if name in chosen}
        plain = {name: value for name, value in roles.items() if name != "label"}
        study = source if isinstance(source, AutomationStudy) else None
        request = StudyRequest(
            source if isinstance(source, str) else "",
            **shared,
            labels=tuple(map(Path, chosen.get("labels", ()))),
            label=roles.get("label"),
            purpose=purpose,
            roles=plain,
        )
        notices = None
        if path := chosen.get("notice_labels"):
            columns = {**shared, "language": TRUSTED_FLAGGER, "annotations": None}
            notices = StudyRequest(str(path), **columns, label=roles.get("label"), purpose=purpose, roles=plain).read()
        return AutomatedMeans(request.read() if request.source else study, notices, fewest)


def study_purpose(words: Mapping[str, str]) -> StudyPurpose:
    """What is said beside the numbers, from what was typed."""
    return StudyPurpose(**{("period" if name == "labelled_period" else name): text for name, text in words.items()})
