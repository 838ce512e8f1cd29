"""Is a model honest, for which classes is it not, and what to do next: the card of the calibration section."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from evenhand.estimate import Estimate
from evenhand.finding import Finding, Reading
from evenhand.reports.picking import Named, get
from evenhand.reports.words import number, word

ERRORS = ("ece", "ace", "sce")  # over all items
CALIBRATED = "if calibrated"
WORDS = {
    "too sure": "Too sure of itself",
    "too modest": "Too modest",
    "even": "Too sure in places, too modest in others",
}
HONEST = "Honest over all"
HIDDEN = "Right as often as it says, but its probabilities of the classes are off"  # what the ECE does not see


class Held(NamedTuple):
    """A class: the error that was found, held against that of a calibrated model; and whether its ACE stands out."""

    name: str
    found: Estimate
    honest: Estimate
    off_by_ace: bool

    @property
    def excess(self) -> float:
        """How far beyond a calibrated model."""
        return (self.found.value or 0.0) - (self.honest.value or 0.0)

    @property
    def off(self) -> bool:
        """Beyond chance."""
        return _stands_out(self.found)


def held(finding: Finding, slice_: Named) -> list[Held]:
    """The classes that have a value, the one furthest beyond chance first."""
    found = [
        Held(
            name,
            finding.get("class_ece", **own),
            finding.get("class_ece", **own, as_if="calibrated"),
            _stands_out(get(finding, "class_ace", own)),
        )
        for name in finding.values("class")
        for own in ({**slice_, "class": name},)
        if finding.has("class_ece", **own)
    ]
    return sorted(found, key=lambda one: (not one.found.defined, -one.excess))


def card(finding: Finding, title: str, model: Named) -> dict[str, Any]:
    """Is it honest, for which classes not, and what to do next."""
    ece, honest = finding.get("ece", **model), finding.get("ece", **model, as_if="calibrated")
    readings = {tuple(sorted(reading.slice.items())): reading for reading in finding.readings}
    reading = readings.get(tuple(sorted(model.items())))
    classes = [one for one in held(finding, model) if one.found.defined and one.honest.defined]
    off = [measure for measure in ERRORS if _stands_out(get(finding, measure, model))]
    return {
        "model": title,
        "key": title or None,
        "verdict": _verdict(off, reading),
        "hidden": [_pair(finding, model, measure) for measure in off] if "ece" not in off else [],
        "honest_overall": not off,
        "ece": ece,
        "honest": honest,
        "reading": reading.text if reading else "",
        "off": [one for one in classes if one.off],
        "off_by_ace": [one.name for one in classes if one.off_by_ace and not one.off],
        "fine": [one.name for one in classes if not one.off and not one.off_by_ace],
        "mend": bool(off) or any(one.off or one.off_by_ace for one in classes),
        "bins": next((r.text for r in finding.readings if r.slice.items() >= {**model, "bins": "all"}.items()), ""),
    }


def lines(found: dict[str, Any]) -> list[str]:
    """The same as sentences for a terminal."""
    off = [f"{one.name} ({_against(one)})" for one in found["off"]]
    said = [
        f"{found['model']}: {found['reading']}" if found["model"] else found["reading"],
        f"Off by {hidden(found['hidden'])}, taken over every probability." if found["hidden"] else "",
        f"Off beyond chance: {', '.join(off)}." if off else "",
        f"Off by class ACE alone: {', '.join(found['off_by_ace'])}." if found["off_by_ace"] else "",
        f"No more than chance: {', '.join(found['fine'])}." if found["fine"] else "",
        found["bins"],
    ]
    return [line for line in said if line]


def _verdict(off: Sequence[str], reading: Reading | None) -> str:
    if "ece" in off:
        return WORDS.get(reading.tendency or "", "Off") if reading else "Off"
    return HIDDEN if off else HONEST


def _pair(finding: Finding, model: Named, measure: str) -> tuple[str, Estimate, Estimate]:
    return measure, finding.get(measure, **model), finding.get(measure, **model, as_if="calibrated")


def hidden(found: Sequence[tuple[str, Estimate, Estimate]]) -> str:
    """What the ECE does not see: it looks at the largest probability only."""
    return " and ".join(
        f"{word(measure).label} {number(measure, e.value or 0.0)} ({number(measure, honest.value or 0.0)} {CALIBRATED})"
        for measure, e, honest in found
    )


def _against(one: Held) -> str:
    found, honest = (number("class_ece", e.value or 0.0) for e in (one.found, one.honest))
    return f"class ECE {found}, {honest} {CALIBRATED}"


def _stands_out(estimate: Estimate | None) -> bool:
    return estimate is not None and "stands_out" in estimate.flags
