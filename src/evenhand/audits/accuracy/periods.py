"""Whether two periods measured the same thing: what to say beside a comparison where they did not."""

from __future__ import annotations

from collections.abc import Iterator

from evenhand.audits.accuracy.readings import OWN
from evenhand.finding import Finding

NAMES = {"ground_truth": "ground truth", "codebook": "codebook", "population": "population"}
UNNAMED = "not named"


def caveats(this: Finding, last: Finding) -> list[str]:
    """Everything that makes a change something else than a change of what is moderated."""
    return [*_periods(this, last), *_measured(this, last), *_unfinished(this, last), *_groups(this, last)]


def _periods(this: Finding, last: Finding) -> Iterator[str]:
    now, before = (_named(finding, "period") for finding in (this, last))
    if now == before != UNNAMED:
        yield f"Both are of the same period, {now}."
    elif (now, before) != (UNNAMED, UNNAMED):
        yield f"This period: {now}. The last: {before}."


def _measured(this: Finding, last: Finding) -> Iterator[str]:
    differ = [
        f"{name} '{before}' then, '{now}' now"
        for key, name in NAMES.items()
        if (before := _named(last, key)) != (now := _named(this, key))
    ]
    if differ:
        yield f"Beware: they did not measure the same thing ({'; '.join(differ)}), so a change may come from that."


def _unfinished(this: Finding, last: Finding) -> Iterator[str]:
    for name, finding in (("This", this), ("The last", last)):
        told = finding.provenance.get("labels_in")
        if told != finding.provenance.get("labels_planned", told):
            yield f"Beware: {name.lower()} period is not finished: only {told:,} labels were in."


def _groups(this: Finding, last: Finding) -> Iterator[str]:
    now, before = ({key for m in finding for key in m.slice} - set(OWN) for finding in (this, last))
    if now | before:
        yield f"Not compared: the parts by {', '.join(sorted(now | before))}."


def _named(finding: Finding, key: str) -> str:
    return str(finding.provenance.get("measurement", {}).get(key) or UNNAMED)
