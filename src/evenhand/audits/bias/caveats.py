"""What to beware of when reading a bias finding."""

from __future__ import annotations

from evenhand.audits.bias.settings import BiasSettings
from evenhand.audits.direction import backwards
from evenhand.audits.quantity import SMALL
from evenhand.evidence import Evidence
from evenhand.finding import Finding


def of(evidence: Evidence, finding: Finding, settings: BiasSettings, *, tests: int) -> tuple[str, ...]:
    """The general ones first, then those of this evidence."""
    found = [
        *backwards(finding),
        "The labels are taken as right. If annotators judged groups differently, these numbers carry that difference.",
        "A difference is not yet a cause: the items of a group may differ from others in more than the group.",
    ]
    if tests:
        found.append(_comparisons(tests, 1.0 - settings.level, sampled=bool(evidence.declaration.inclusion)))
    if settings.interval == "bootstrap":
        found.append(
            "Bootstrap intervals are too short where there are few items or a number is near 0 or 1: a draw never "
            "shows what the sample did not. Marks come from the analytic tests."
        )
    found += evidence.notes
    found += _small(finding)
    found += _not_annotated(evidence)
    found += _undefined(finding)
    return tuple(found)


def _comparisons(tests: int, alpha: float, *, sampled: bool) -> str:
    if sampled:
        return (
            f"{tests:,} comparisons were made at once; those marked as standing out do so after Holm's adjustment. "
            "Items were sampled with known probabilities: estimates, intervals and marks are for what was sampled "
            "from. Where most of it was sampled even a small difference is certain, and marked, whether it would "
            "return in other items or not."
        )
    chance = f", so about {tests * alpha:.0f} would look unusual by chance" if tests * alpha >= 1 else ""
    return (
        f"{tests:,} comparisons were made at once{chance}. "
        f"Those marked as standing out do so after Holm's adjustment: the chance of one or more false marks among "
        f"all of them is at most {100 * alpha:.3g}%."
    )


def _small(finding: Finding) -> list[str]:
    names = [
        m.slice["group"]
        for m in finding
        if m.measure == "count"
        and "group" in m.slice
        and "small" in m.estimate.flags
        and set(m.slice) <= {"group", "model"}
    ]
    if not names:
        return []
    return [f"Small groups, up to {SMALL} items, where little can be said: {_listed(list(dict.fromkeys(names)))}."]


def _not_annotated(evidence: Evidence) -> list[str]:
    missing = evidence.unannotated()
    if not missing:
        return []
    groups = "1 group" if len(missing) == 1 else f"{len(missing)} groups"
    return [
        f"Items without an annotation for a group are left out of that group and of its background: up to "
        f"{max(missing.values()):,} of {evidence.size:,} items ({groups}). AUCs of such a group are held against the "
        f"AUC over the items annotated for it."
    ]


def _undefined(finding: Finding) -> list[str]:
    names = [
        m.slice["group"]
        for m in finding
        if not m.estimate.defined and set(m.slice) <= {"group", "model"} and "group" in m.slice
    ]
    if not names:
        return []
    listed = _listed(list(dict.fromkeys(names)))
    return [f"Some numbers have no value for {listed}; each says why. They do not enter the power means."]


def _listed(names: list[str]) -> str:
    shown = ", ".join(names[:8])
    return shown + (f" and {len(names) - 8} more" if len(names) > 8 else "")
