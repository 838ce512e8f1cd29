"""What the paper claims, judged on one corpus."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evenhand.finding import Finding
from evenhand.reports.calibration import OF_CLASSES as CLASSWISE
from evenhand.reproduce.calibration.printed import METHODS
from evenhand.reproduce.calibration.tables import SUMMARIES, Compared
from evenhand.reproduce.result import Claim, claim

POST_HOC = ("TS", "IR", "HB", "VS", "WTS")
OVERALL = ("ece", "ace", "sce")
MANY = 3.0  # times the overall error: "varies greatly"


def claims(compared: Compared, audited: Finding) -> Iterator[Claim]:
    """All of them. `audited` is the uncalibrated model of one run beside what honest probabilities would show."""
    where = f" ({compared.title})"
    for one in (*_classes(compared), *_methods(compared), *_oversampling(compared), *_weighting(compared)):
        yield Claim(one.text + where, one.verdict, one.why)
    yield from (Claim(one.text + where, one.verdict, one.why) for one in _honest(compared, audited))


def _errors(compared: Compared, method: str = "Uncalibrated") -> dict[str, float]:
    return {name: compared.value("class_ece", method, **{"class": name}) for name in compared.classes}


def _sizes(compared: Compared) -> dict[str, int]:
    found = {name: compared.get("class_ece", "Uncalibrated", **{"class": name}) for name in compared.classes}
    return {name: e.n for name, e in found.items() if e is not None}


def _classes(compared: Compared) -> Iterator[Claim]:
    errors, sizes, overall = _errors(compared), _sizes(compared), compared.value("ece", "Uncalibrated")
    largest, worst = max(sizes, key=lambda n: sizes[n]), max(errors, key=lambda n: errors[n])
    told = ", ".join(f"{name} {value:.3f}" for name, value in errors.items())
    yield claim(
        f"The error of single classes is far above the overall one (the worst more than {MANY:g} times)",
        errors[worst] > MANY * overall,
        f"class ECE {told}; overall {overall:.3f}",
    )
    rare = [name for name in errors if name != largest]
    yield claim(
        "Every rarer class has a higher class ECE than the largest",
        all(errors[name] > errors[largest] for name in rare),
        f"{largest} {errors[largest]:.3f}; lowest of the others {min(errors[n] for n in rare):.3f}",
    )
    smallest = min(sizes, key=lambda n: sizes[n])
    yield claim("The worst class is not the smallest", worst != smallest, f"worst {worst}, smallest {smallest}")
    apart = errors[worst] - errors[largest]
    counts = [compared.value("ece", "Uncalibrated", bins=count) for count in ("5", "40")]
    yield claim(
        "More bins find more error, though far less than separates rare classes from the rest",
        counts[0] < counts[1] and counts[1] - counts[0] < apart,
        f"ECE with 5 bins {counts[0]:.4f}, with 40 {counts[1]:.4f}; worst class less largest {apart:.3f}",
    )


def _methods(compared: Compared) -> Iterator[Claim]:
    best = {m: min(POST_HOC[:4], key=lambda name, m=m: compared.value(m, name)) for m in OVERALL}  # type: ignore[misc]
    better = [
        name
        for name in ("TS", "IR")
        if all(compared.value(m, name) < compared.value(m, "Uncalibrated") for m in OVERALL)
    ]
    yield claim(
        "Temperature scaling and isotonic regression improve ECE, ACE and SCE, and are the best of the usual methods",
        len(better) == 2 and set(best.values()) <= {"TS", "IR"},
        f"all three improved by {', '.join(better) or 'neither'}; best: "
        + ", ".join(f"{m.upper()} {name}" for m, name in best.items()),
    )
    f1 = {m: compared.value("weighted_f1", m) for m in POST_HOC}
    plain = compared.value("weighted_f1", "Uncalibrated")
    moved = max(f1, key=lambda m: abs(f1[m] - plain))
    yield claim(
        "Calibration does not change weighted F1 to a notable extent (0.01)",
        abs(f1[moved] - plain) < 0.01,
        f"{plain:.3f} before; moved most by {moved}, to {f1[moved]:.3f}",
    )


def _oversampling(compared: Compared) -> Iterator[Claim]:
    f1 = [compared.value("weighted_f1", method) for method in ("SMOTE", "Uncalibrated")]
    lowest = [m for m in CLASSWISE if compared.value(m, "SMOTE") == min(compared.value(m, name) for name in METHODS)]
    yield claim(
        "SMOTE is worse than nothing in overall ECE and best of all in the class-wise measures",
        compared.value("ece", "SMOTE") > compared.value("ece", "Uncalibrated") and len(lowest) == len(CLASSWISE),
        f"ECE {compared.value('ece', 'SMOTE'):.4f} against {compared.value('ece', 'Uncalibrated'):.4f}; best in "
        f"{', '.join(SUMMARIES[m] for m in lowest) or 'none'}; weighted F1 {f1[0]:.3f} against {f1[1]:.3f}",
    )


def _weighting(compared: Compared) -> Iterator[Claim]:
    best = {m: min(POST_HOC, key=lambda name, m=m: compared.value(m, name)) for m in ("cece", "ece_variance")}  # type: ignore[misc]
    yield claim(
        "Weighted temperature scaling has the lowest CECE and ECE variance of what is fitted afterwards",
        set(best.values()) == {"WTS"},
        "; ".join(
            f"{SUMMARIES[m]}: WTS {compared.value(m, 'WTS'):.4f}, TS {compared.value(m, 'TS'):.4f}, lowest {name} "
            f"{compared.value(m, name):.4f}"
            for m, name in best.items()
        ),
    )
    cost = {m: (compared.value(m, "WTS"), compared.value(m, "Uncalibrated")) for m in OVERALL}
    yield claim(
        "Weighted temperature scaling is better than the uncalibrated model overall, too",
        all(one < two for one, two in cost.values()),
        ", ".join(f"{m.upper()} {one:.4f} against {two:.4f}" for m, (one, two) in cost.items()),
    )


def _honest(compared: Compared, audited: Finding) -> Iterator[Claim]:
    """Beyond the paper: how much of a class ECE is there by definition, in a perfectly calibrated model too?"""
    pairs: dict[str, Sequence[float]] = {}
    beyond = []
    for name in compared.classes:
        found = audited.get("class_ece", **{"class": name})
        honest = audited.get("class_ece", **{"class": name}, as_if="calibrated")
        if found.value is not None and honest.value is not None:
            pairs[name] = (found.value, honest.value)
            beyond += [name] if "stands_out" in found.flags else []
    told = ", ".join(f"{name} {one:.3f} against {two:.3f}" for name, (one, two) in pairs.items())
    worst = max(pairs, key=lambda name: pairs[name][0])
    yield claim(
        "A high class ECE of a rare class means that the model is miscalibrated for it",
        pairs[worst][1] < 0.5 * pairs[worst][0],
        f"class ECE against what a perfectly calibrated model with these probabilities would show: {told}. Beyond "
        f"chance: {', '.join(beyond) or 'none'}. A class ECE conditions on the true class, so most of it is there in "
        "honest probabilities too",
    )
