"""All that can be reproduced of the paper, and its claims judged on one corpus.

On the paper's own tweets where they are available, on the nearest corpora where they are not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import polars as pl

from evenhand.audits.calibration.quantities import CALIBRATED
from evenhand.audits.calibration.quantities import CLASSWISE_ERRORS as CLASSWISE
from evenhand.catalogue import Measure
from evenhand.catalogue.calibration import ACE, CECE, CLASS_ECE, ECE_VARIANCE, SCE, WEIGHTED_F1
from evenhand.catalogue.shared import ECE
from evenhand.estimate import Estimate
from evenhand.figures import Figure
from evenhand.figures.calibration import draw_class_reliability, draw_reliability
from evenhand.finding import Finding
from evenhand.recalibration.comparison import RecalibrationSettings, compare_calibrators
from evenhand.recalibration.fitting import fit_calibrator
from evenhand.reports import audit
from evenhand.reproduce.calibration.runs import RUN, PredictedRuns, predict_runs
from evenhand.reproduce.calibration.tables import (
    CLASSES,
    CORPUS_TITLES,
    METHODS,
    SUMMARY_TITLES,
    ComparedCalibrators,
    calibrator_tables,
    of_class,
    recompute_summaries,
)
from evenhand.reproduce.result import Claim, Omission, PaperResult, intervals_of, judge_claim
from evenhand.reproduce.workspace import Workspace

POST_HOC = ("TS", "IR", "HB", "VS", "WTS")
OVERALL = (ECE, ACE, SCE)
VARIES_GREATLY = 3.0  # times the overall error: "varies greatly"


def judge_claims(compared: ComparedCalibrators, audited: Finding) -> Iterator[Claim]:
    """All of them. `audited` is the uncalibrated model of one run beside what calibrated probabilities would show."""
    where = f" ({compared.title})"
    for one in (
        *_class_claims(compared),
        *_method_claims(compared),
        *_oversampling_claims(compared),
        *_weighting_claims(compared),
    ):
        yield replace(one, text=one.text + where, data=compared.on)
    yield from (
        replace(one, text=one.text + where, data=f"{compared.on}; the first run")
        for one in _by_definition_claims(compared, audited)
    )


def _errors(compared: ComparedCalibrators, method: str = "Uncalibrated") -> dict[str, float]:
    return {name: compared.value(CLASS_ECE, method, **of_class(name)) for name in compared.classes}


def _sizes(compared: ComparedCalibrators) -> dict[str, int]:
    estimates = {name: compared.get(CLASS_ECE, "Uncalibrated", **of_class(name)) for name in compared.classes}
    return {name: e.n for name, e in estimates.items() if e is not None}


def _class_claims(compared: ComparedCalibrators) -> Iterator[Claim]:
    errors, sizes, overall = _errors(compared), _sizes(compared), compared.value(ECE, "Uncalibrated")
    class_errors = {name: compared.get(CLASS_ECE, "Uncalibrated", **of_class(name)) for name in compared.classes}
    largest, worst = max(sizes, key=lambda n: sizes[n]), max(errors, key=lambda n: errors[n])
    listed = ", ".join(f"{name} {value:.3f}" for name, value in errors.items())
    yield judge_claim(
        f"The error of single classes is far above the overall one (the worst more than {VARIES_GREATLY:g} times)",
        errors[worst] > VARIES_GREATLY * overall,
        f"class ECE {listed}; overall {overall:.3f}",
        interval=_over_runs({worst: class_errors[worst], "overall": compared.get(ECE, "Uncalibrated")}),
    )
    rare = [name for name in errors if name != largest]
    lowest = min(rare, key=lambda name: errors[name])
    yield judge_claim(
        "Every rarer class has a higher class ECE than the largest",
        all(errors[name] > errors[largest] for name in rare),
        f"{largest} {errors[largest]:.3f}; lowest of the others {errors[lowest]:.3f}",
        interval=_over_runs({name: class_errors[name] for name in (largest, lowest)}),
    )
    smallest = min(sizes, key=lambda n: sizes[n])
    yield judge_claim(
        "The worst class is not the smallest",
        worst != smallest,
        f"worst {worst}, smallest {smallest}",
        interval=_over_runs({name: class_errors[name] for name in dict.fromkeys((worst, smallest))}),
    )
    apart = errors[worst] - errors[largest]
    counts = [compared.value(ECE, "Uncalibrated", bins=count) for count in ("5", "40")]
    yield judge_claim(
        "More bins find more error, though far less than separates rare classes from the rest",
        counts[0] < counts[1] and counts[1] - counts[0] < apart,
        f"ECE with 5 bins {counts[0]:.4f}, with 40 {counts[1]:.4f}; worst class less largest {apart:.3f}",
        interval=_over_runs({f"{n} bins": compared.get(ECE, "Uncalibrated", bins=n) for n in ("5", "40")}, ".4f"),
    )


def _method_claims(compared: ComparedCalibrators) -> Iterator[Claim]:
    best = {m: min(POST_HOC[:4], key=lambda name, m=m: compared.value(m, name)) for m in OVERALL}  # type: ignore[misc]
    better = [
        name
        for name in ("TS", "IR")
        if all(compared.value(m, name) < compared.value(m, "Uncalibrated") for m in OVERALL)
    ]
    yield judge_claim(
        "Temperature scaling and isotonic regression improve ECE, ACE and SCE, and are the best of the usual methods",
        len(better) == 2 and set(best.values()) <= {"TS", "IR"},
        f"all three improved by {', '.join(better) or 'neither'}; best: "
        + ", ".join(f"{m.title} {name}" for m, name in best.items()),
        interval="; ".join(_method_intervals(compared, m, ("Uncalibrated", "TS", "IR")) for m in OVERALL),
    )
    f1 = {m: compared.value(WEIGHTED_F1, m) for m in POST_HOC}
    plain = compared.value(WEIGHTED_F1, "Uncalibrated")
    moved = max(f1, key=lambda m: abs(f1[m] - plain))
    yield judge_claim(
        "Calibration does not change weighted F1 to a notable extent (0.01)",
        abs(f1[moved] - plain) < 0.01,
        f"{plain:.3f} before; moved most by {moved}, to {f1[moved]:.3f}",
        interval=_method_intervals(compared, WEIGHTED_F1, ("Uncalibrated", moved)),
    )


def _oversampling_claims(compared: ComparedCalibrators) -> Iterator[Claim]:
    f1 = [compared.value(WEIGHTED_F1, method) for method in ("SMOTE", "Uncalibrated")]
    lowest = [m for m in CLASSWISE if compared.value(m, "SMOTE") == min(compared.value(m, name) for name in METHODS)]
    yield judge_claim(
        "SMOTE is worse than nothing in overall ECE and best of all in the class-wise measures",
        compared.value(ECE, "SMOTE") > compared.value(ECE, "Uncalibrated") and len(lowest) == len(CLASSWISE),
        f"ECE {compared.value(ECE, 'SMOTE'):.4f} against {compared.value(ECE, 'Uncalibrated'):.4f}; best in "
        f"{', '.join(SUMMARY_TITLES[m] for m in lowest) or 'none'}; weighted F1 {f1[0]:.3f} against {f1[1]:.3f}",
        interval=_method_intervals(compared, ECE, ("SMOTE", "Uncalibrated")),
    )


def _weighting_claims(compared: ComparedCalibrators) -> Iterator[Claim]:
    best = {m: min(POST_HOC, key=lambda name, m=m: compared.value(m, name)) for m in (CECE, ECE_VARIANCE)}  # type: ignore[misc]
    yield judge_claim(
        "Weighted temperature scaling has the lowest CECE and ECE variance of what is fitted afterwards",
        set(best.values()) == {"WTS"},
        "; ".join(
            f"{SUMMARY_TITLES[m]}: WTS {compared.value(m, 'WTS'):.4f}, TS {compared.value(m, 'TS'):.4f}, lowest {name} "
            f"{compared.value(m, name):.4f}"
            for m, name in best.items()
        ),
        interval="; ".join(_method_intervals(compared, m, dict.fromkeys(("WTS", name))) for m, name in best.items()),
    )
    cost = {m: (compared.value(m, "WTS"), compared.value(m, "Uncalibrated")) for m in OVERALL}
    yield judge_claim(
        "Weighted temperature scaling is better than the uncalibrated model overall, too",
        all(one < two for one, two in cost.values()),
        ", ".join(f"{m.title} {one:.4f} against {two:.4f}" for m, (one, two) in cost.items()),
        interval="; ".join(_method_intervals(compared, m, ("WTS", "Uncalibrated")) for m in OVERALL),
    )


def _over_runs(estimates: Mapping[str, Estimate | None], pattern: str = ".3f") -> str:
    return f"lowest to highest run: {intervals_of(estimates, pattern)}"


def _method_intervals(compared: ComparedCalibrators, measure: Measure, methods: Iterable[str]) -> str:
    return f"{measure.title}, {_over_runs({name: compared.get(measure, name) for name in methods}, '.4f')}"


def _by_definition_claims(compared: ComparedCalibrators, audited: Finding) -> Iterator[Claim]:
    """Beyond the paper: how much of a class ECE is there by definition, in a perfectly calibrated model too?"""
    pairs: dict[str, Sequence[float]] = {}
    beyond = []
    for name in compared.classes:
        measured = audited.get(CLASS_ECE, **of_class(name))
        calibrated = audited.get(CLASS_ECE, **of_class(name), **CALIBRATED)
        if measured.value is not None and calibrated.value is not None:
            pairs[name] = (measured.value, calibrated.value)
            beyond += [name] if measured.stands_out else []
    listed = ", ".join(f"{name} {one:.3f} against {two:.3f}" for name, (one, two) in pairs.items())
    worst = max(pairs, key=lambda name: pairs[name][0])
    yield judge_claim(
        "A high class ECE of a rare class means that the model is miscalibrated for it",
        pairs[worst][1] < 0.5 * pairs[worst][0],
        f"class ECE against what a perfectly calibrated model with these probabilities would show: {listed}. Beyond "
        f"chance: {', '.join(beyond) or 'none'}. A class ECE conditions on the true class, so most of it is there in "
        "calibrated probabilities too",
        interval=intervals_of({name: audited.get(CLASS_ECE, **of_class(name)) for name in pairs}),
    )


COUNTERPARTS: Mapping[str, Mapping[str, str]] = {
    "east_asian_prejudice": {name: name for name in CLASSES},
    "covid_hate": {"Neutral": "Neutral", "Hate": "Hostility", "Counterhate": "Discussion"},
    "reddit_cad": {"Neutral": "Neutral", "IdentityDirectedAbuse": "Hostility", "CounterSpeech": "Discussion"},
}
SLIPS = (
    "Table 3 prints an ACE of .2208 for SMOTE, which is its class ACE of Discussion in Table 2.",
    "Table 1 gives histogram binning and vector scaling the same ECE to six digits for Neutral, Discussion and "
    "overall, and nearly so for the rest: two different methods do not do that, so one row is probably a copy.",
    "The Weighted Subset ECE of SMOTE, .0493, is not that of its class errors with the printed shares, .0511; those of "
    "the six other methods agree to .0006.",
    "WTS is said to be better than the uncalibrated model on the overall metrics; its SCE is .0233 against .0211.",
    "Table 4 prints the same overall ECE for 5 and 10 bins, to six digits, while every class ECE differs; and its CECE "
    "is not the CECE of its class errors (.2945 against .2909 printed with 5 bins).",
    "ACE is attributed to another paper than the one that introduced it (Nixon et al. 2019).",
)


def reproduce(place: Workspace) -> PaperResult:
    """The paper's tables from one another, then from data."""
    own = place.corpora.has("east_asian_prejudice")
    names = ("east_asian_prejudice",) if own else ("reddit_cad", "covid_hate")
    result = recompute_summaries() + PaperResult(slips=SLIPS, omissions=tuple(_omissions(own)))
    for name in names:
        if place.corpora.has(name):
            result += _reproduce_corpus(place, name, same=own)
    return result


def _reproduce_corpus(place: Workspace, name: str, *, same: bool) -> PaperResult:
    frame = place.corpora.load(name).frame
    if "labels" in frame.columns:  # the first of several kinds of abuse
        frame = frame.with_columns(label=pl.col("labels").str.split(",").list.first())
    predicted = predict_runs(place, frame.select("text", "label"))
    settings = RecalibrationSettings(run=RUN, seed=place.seed)
    first, second, beside = (
        predicted.evidence(part) for part in (predicted.validation, predicted.test, predicted.oversampled)
    )
    finding = compare_calibrators(first, second, settings, beside={"smote": beside}, progress=place.progress)
    compared = ComparedCalibrators(
        name, _data_description(place, name, predicted, same), finding, predicted.classes, COUNTERPARTS[name], same
    )
    before, after = (_audit_first_run(place, predicted, calibrator) for calibrator in (None, "ts"))
    return PaperResult(
        tuple(calibrator_tables(compared)), tuple(judge_claims(compared, before)), tuple(_figures(name, before, after))
    )


def _data_description(place: Workspace, name: str, predicted: PredictedRuns, same: bool) -> str:
    title = place.corpora.load(name).corpus.title
    rows = len(predicted.test) // predicted.runs
    runs = (
        f"mean of {predicted.runs} runs with other splits each, {rows:,} test items; in brackets the lowest and highest"
    )
    return f"{'the paper’s tweets' if same else 'nearest real data'}: {title}; {runs}"


def _audit_first_run(place: Workspace, predicted: PredictedRuns, calibrator: str | None) -> Finding:
    """The first run, as it is or calibrated."""
    columns = [f"p_{name}" for name in predicted.classes]
    test = predicted.test.filter(pl.col(RUN) == "0")
    if calibrator:
        fitted = fit_calibrator(predicted.evidence(predicted.validation, run="0"), calibrator)
        after = fitted.apply(test.select(columns).to_numpy())
        test = test.with_columns(**{name: after[:, k] for k, name in enumerate(columns)})
    return audit(
        test,
        audits="calibration",
        probabilities=columns,
        classes=predicted.classes,
        label="label",
        replicates=place.times(200, 50),
        seed=place.seed,
    ).findings[0]


def _figures(name: str, before: Finding, after: Finding) -> Iterator[Figure]:
    where = CORPUS_TITLES[name]
    for finding, when, letter in ((before, "uncalibrated", "a"), (after, "temperature scaling", "b")):
        for draw, number, what in (
            (draw_reliability, 1, "all items"),
            (draw_class_reliability, 2, "the items of each class"),
        ):
            if drawn := draw(finding, None):
                title = f"Figure {number}{letter}: {what}, {when} ({where})"
                yield replace(drawn, name=f"figure_{number}{letter}_{name}", title=title)


def _omissions(own: bool) -> Iterator[Omission]:
    if not own:
        yield Omission("Tables 1 to 4 on the paper's tweets", "the East Asian Prejudice set is not in the folder")
    yield Omission("BERT", "no encoder is trained here; a linear model of words stands in its place")
    yield Omission(
        "Appendix B (confidently wrong texts)", "texts are not published again; the audit shows them on request"
    )
