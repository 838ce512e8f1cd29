"""The tables of the pages on intervals, routing and sampling, from committed results: `python -m studies.tables`."""

from __future__ import annotations

import itertools

from evenhand.intervals.bootstrap import DIRECTIONAL_BOOTSTRAP
from studies import (
    accuracy,
    anytime,
    blind_spots,
    calibration,
    clusters,
    collaboration,
    coverage,
    design,
    differences,
    drawn_clusters,
    families,
    familywise,
    gaps,
    migration,
    mutation,
    planning,
    production_day,
    promises,
    sampling,
    summaries,
    survey,
)
from studies.scored import SETS
from studies.study import Row


def _pct(value: float) -> str:
    return f"{100 * value:.1f}"


def _span(values: list[float]) -> str:
    return f"{_pct(min(values))}–{_pct(max(values))}"


def by_size_and_auc() -> str:
    """Lowest and highest coverage over the five metrics and the promised shapes."""
    rows = [row for row in coverage.STUDY.read() if row["shape"] in coverage.PROMISED]
    lines = [
        "| items, each side | " + " | ".join(f"AUC {auc:g}" for auc in coverage.AUCS) + " |",
        "|---|" + "---|" * len(coverage.AUCS),
    ]
    for small, large in sorted({tuple(sorted(size)) for size in coverage.SIZES}):
        cells = []
        for auc in coverage.AUCS:
            own = [r["coverage"] for r in rows if r["auc"] == auc and {r["high"], r["low"]} == {small, large}]
            cells.append(_span(own))
        lines.append(f"| {small} and {large} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def by_method() -> str:
    """Ours beside the alternatives."""
    rows = coverage.STUDY.read()
    names = {
        "coverage": "ours: DeLong and an unseen item, Wilson's form",
        "envelope": "envelope of the two below",
        "logit_delong": "DeLong on the logit scale",
        "newcombe": "Newcombe's score interval",
    }
    lines = [
        "| interval | below 93 % | above 99.5 % | large samples outside 93–97 % | lowest | lowest, harder shapes |",
        "|---|---|---|---|---|---|",
    ]
    promised = [row for row in rows if row["shape"] in coverage.PROMISED]
    harder = [row for row in rows if row["shape"] not in coverage.PROMISED]
    large = [r for r in promised if min(r["high"], r["low"]) >= 100 and r["auc"] <= 0.95]
    for column, name in names.items():
        below, above = sum(r[column] < 0.93 for r in promised), sum(r[column] > 0.995 for r in promised)
        outside = sum(not 0.93 <= r[column] <= 0.97 for r in large)
        lowest, hardest = (_pct(min(r[column] for r in part)) for part in (promised, harder))
        lines.append(
            f"| {name} | {below} of {len(promised)} | {above} of {len(promised)} | {outside} of {len(large)} "
            f"| {lowest} | {hardest} |"
        )
    return "\n".join(lines)


def between_models() -> str:
    rows = differences.STUDY.read()
    lines = ["| AUCs | shared scatter | ours | plain paired DeLong |", "|---|---|---|---|"]
    for first, second in differences.PAIRS:
        for shared in (0.0, 0.5, 0.9):
            own = [r for r in rows if (r["first"], r["second"], r["shared"]) == (first, second, shared)]
            spans = [_span([r[column] for r in own]) for column in ("coverage", "paired_delong")]
            lines.append(f"| {first:g} and {second:g} | {shared:g} | {spans[0]} | {spans[1]} |")
    return "\n".join(lines)


def of_gaps() -> str:
    rows = gaps.STUDY.read()
    rates = sorted({row["rate"] for row in rows})
    lines = [
        "| items in the group | " + " | ".join(f"rate {rate:g}" for rate in rates) + " |",
        "|---|" + "---|" * len(rates),
    ]
    for items in sorted({row["items"] for row in rows}):
        spans = [_span([r["coverage"] for r in rows if r["items"] == items and r["rate"] == rate]) for rate in rates]
        lines.append(f"| {items:g} | " + " | ".join(spans) + " |")
    return "\n".join(lines)


def of_designs() -> str:
    rows = design.STUDY.read()
    lines = ["| share sampled | largest relative bias | coverage |", "|---|---|---|"]
    for share in sorted({row["share"] for row in rows}):
        own: list[Row] = [row for row in rows if row["share"] == share]
        worst = max(abs(row["relative_bias"]) for row in own)
        lines.append(f"| {share:g} | {100 * worst:.2f} % | {_span([row['coverage'] for row in own])} |")
    return "\n".join(lines)


def of_summaries() -> str:
    lines = ["| measure | AUCs | smallest group | coverage | marked `small` |", "|---|---|---|---|---|"]
    for row in summaries.STUDY.read():
        items = f"{row['rows'] * row['smallest']:,.0f} of {row['rows']:,.0f}"
        where = f"| `{row['measure']}` | {row['aucs']} | {items} |"
        lines.append(f"{where} {_pct(row['coverage'])} | {_pct(row['marked'])} % |")
    return "\n".join(lines)


def of_false_marks() -> str:
    lines = ["| items | scores | audits with a false mark |", "|---|---|---|"]
    for row in familywise.STUDY.read():
        lines.append(f"| {row['rows']:,.0f} | {row['scores']} | {_pct(row['audits_with_a_false_mark'])} % |")
    return "\n".join(lines)


def of_families() -> str:
    head = ["", "error rates", "scores, slices", "models", "difference found", "with one correction", "intervals hold"]
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for row in families.STUDY.read():
        shares = [row[name] for name in (*families.FALSE, "separate", "together", "held_together")]
        planted = families.SHIFTS[row["truth"]] > 0.0
        told = [f"{_pct(share)} %" if planted or number not in (3, 4) else "" for number, share in enumerate(shares)]
        lines.append(f"| {row['truth']} | {' | '.join(told)} |")
    return "\n".join(lines)


def of_clusters() -> str:
    """Lowest and highest coverage over the correlations, with clusters declared and without."""
    lines = ["| measure | 30 authors | 100 authors | 300 authors | clusters not declared |", "|---|---|---|---|---|"]
    rows = clusters.STUDY.read()
    for name in (*clusters.MEASURES, "false marks"):
        own = [row for row in rows if row["measure"] == name]
        spans = [_span([row["coverage"] for row in own if row["authors"] == size]) for size in (30, 100, 300)]
        title = name if name == "false marks" else f"`{name}`"
        lines.append(f"| {title} | {' | '.join(spans)} | {_span([row['independent'] for row in own])} |")
    return "\n".join(lines)


def of_promises() -> str:
    """How often each promise was broken."""
    rows = {(r["shape"], r["asked"]): r for r in promises.STUDY.read() if r["n"] == 2000}
    asked = ("removals", "violations", "both")
    lines = [
        "| scores | wrong removals | missed violations | both | both, chosen on the sample alone |",
        "|---|---|---|---|---|",
    ]
    for shape in promises.SHAPES:
        broken = [_pct(rows[shape, promise]["broken"]) for promise in asked]
        lines.append(f"| {shape} | {' | '.join(broken)} | {_pct(rows[shape, 'both']['naive_broken'])} |")
    return "\n".join(lines)


def of_collaboration() -> str:
    """Per measure, by how many items of the rarer kind it rests on: lowest, middle and highest over the cells."""
    rows = collaboration.STUDY.read()
    lines = [
        "| measure | method | 5 to 20 | 20 to 100 | 100 or more |",
        "|---|---|---|---|---|",
    ]
    for measure, method in collaboration.methods().items():
        cells = []
        for low, high in ((5.0, 20.0), (20.0, 100.0), (100.0, float("inf"))):
            own = sorted(r["coverage"] for r in rows if r["measure"] == measure and low <= r["rests_on"] < high)
            cells.append(f"{_pct(own[0])} · {_pct(own[len(own) // 2])} · {_pct(own[-1])}" if own else "")
        lines.append(f"| `{measure}` | `{method}` | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def of_plans() -> str:
    """Per number of a plan and sample size: lowest and highest coverage over models and prevalences."""
    rows = planning.STUDY.read()
    sizes = sorted({row["items"] for row in rows})
    lines = [
        "| number | " + " | ".join(f"{items:,.0f} items" for items in sizes) + " |",
        "|---|" + "---|" * len(sizes),
    ]
    for name in dict.fromkeys(row["number"] for row in rows):
        own = [[r["coverage"] for r in rows if r["number"] == name and r["items"] == items] for items in sizes]
        lines.append(f"| {name} | " + " | ".join(_span(covered) for covered in own) + " |")
    return "\n".join(lines)


def of_calibration() -> str:
    """Per measure, by the number of items: lowest and highest over classes and models."""
    rows = calibration.STUDY.read()
    sizes = sorted({row["items"] for row in rows})
    lines = [
        "| measure | method | " + " | ".join(f"{n:,.0f} items" for n in sizes) + " |",
        "|---|---|" + "---|" * len(sizes),
    ]
    for measure, method in dict.fromkeys((row["measure"], row["method"]) for row in rows):
        spans = [_span([r["coverage"] for r in rows if r["measure"] == measure and r["items"] == n]) for n in sizes]
        lines.append(f"| `{measure}` | `{method}` | " + " | ".join(spans) + " |")
    return "\n".join(lines)


def of_calibration_methods() -> str:
    """Ours beside the alternatives, over the same cells."""
    rows = [row for row in calibration.STUDY.read() if row["method"] == DIRECTIONAL_BOOTSTRAP]
    lines = ["| interval | below 93 % | lowest | lowest, calibrated | width, ours being 1 |", "|---|---|---|---|---|"]
    for column, width in calibration.METHODS.values():
        own = [row for row in rows if row[column] == row[column]]
        below, lowest = sum(row[column] < 0.93 for row in own), min(row[column] for row in own)
        honest = min(row[column] for row in own if row["sharpened"] == 1.0)
        wide = sorted(row[width] / row["width"] for row in own)[len(own) // 2]
        name = "ours" if column == "coverage" else column
        lines.append(f"| {name} | {below} of {len(own)} | {_pct(lowest)} | {_pct(honest)} | {wide:.2f} |")
    return "\n".join(lines)


def of_labels() -> str:
    """Labels needed for "within 20 %" by design; with a shuffled classifier as a multiple of random sampling."""
    rows = {(r["set"], r["classifier"], r["design"]): r for r in sampling.STUDY.read()}
    lines = [
        "| scores | random | oracle, 8 strata | limit | pilot (its bias) | default | finite population | shuffled |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name in SETS:
        ours, pilot, useless = (
            rows[name, *key] for key in (("as it is", "default"), ("as it is", "pilot"), ("shuffled", "default"))
        )
        known = " | ".join(f"{ours[key]:,.0f}" for key in ("random", "oracle_8", "limit"))
        finite = f"{ours['needed']:,.0f} | {ours['needed_finite']:,.0f} | × {useless['needed'] / useless['random']:.2f}"
        lines.append(f"| {name} | {known} | {pilot['needed']:,.0f} ({_pct(pilot['relative_bias'])} %) | {finite} |")
    return "\n".join(lines)


def of_samples() -> str:
    """Coverage by the violations in the sample: lowest and highest over the cells; a cell scatters by .2 points."""
    rows = [row for row in survey.STUDY.read() if row["population"] != "blind spot"]
    ways = ("coverage", "wilson", "logit", "log", "normal", "bayesian", "bootstrap")
    lines = ["| design | violations | ours | " + " | ".join(ways[1:]) + " |", "|---|---|" + "---|" * len(ways)]
    for drawn, (low, high) in itertools.product(("random", "optimal", "default"), ((0, 30), (30, 100), (100, 1e9))):
        own = [row for row in rows if row["design"] == drawn and low <= row["violations"] < high]
        span = f"{low} to {high}" if high < 1e9 else f"{low} or more"
        lines.append(f"| {drawn} | {span} | " + " | ".join(_span([row[way] for row in own]) for way in ways) + " |")
    return "\n".join(lines)


def of_looks() -> str:
    """What looking at any time costs."""
    head = "| scores | labels | times the default | truth never ruled out | with a shuffled classifier |"
    lines = [head, "|---|---|---|---|---|"]
    rows = {(row["set"], row["classifier"]): row for row in anytime.STUDY.read()}
    for name in SETS:
        good, useless = rows[name, "as it is"], rows[name, "shuffled"]
        cells = (f"{good['labels']:,.0f}", f"{good['times_fixed']:.1f}", f"{_pct(good['coverage'])} %")
        lines.append(f"| {name} | {' | '.join(cells)} | {useless['times_fixed']:.1f} · {_pct(useless['coverage'])} % |")
    return "\n".join(lines)


def of_blind_spots() -> str:
    """Coverage of each interval, and what the published one costs, with and without hidden violations."""
    titles = (
        "measure",
        "score",
        "hidden",
        "usual",
        "robust",
        "published",
        "flagged, of usual intervals that fail",
        "width",
    )
    lines = ["| " + " | ".join(titles) + " |", "|---" * len(titles) + "|"]
    for (pools, score), hidden in itertools.product(((1, "good"), (1, "sharp"), (2, "good")), (False, True)):
        rows = [row for row in blind_spots.STUDY.read() if (row["pools"], row["score"]) == (pools, score)]
        rows = [row for row in rows if (row["hidden"] > 0.0) == hidden]
        spans = [_span([row[name] for row in rows]) for name in ("usual", "robust", "published")]
        failures = sum(row["failures"] for row in rows)
        flagged = sum(row["failures"] * row["flagged_failures"] for row in rows) / failures
        wider = [row["published_width"] / row["usual_width"] for row in rows]
        told = ("recall" if pools > 1 else "prevalence", score, "20–30 %" if hidden else "none", *spans)
        lines.append(f"| {' | '.join(told)} | {100 * flagged:.0f} % | {min(wider):.1f}–{max(wider):.1f} |")
    return "\n".join(lines)


def of_drawn_clusters() -> str:
    """Coverage and width where whole threads are drawn, by the spread of their sizes."""
    titles = ("sizes of threads", "plan", "audit with `cluster`", "audit without", "width, times without")
    lines = ["| " + " | ".join(titles) + " |", "|---" * len(titles) + "|"]
    for sizes in drawn_clusters.SIZES:
        rows = [row for row in drawn_clusters.STUDY.read() if row["sizes"] == sizes]
        spans = [_span([row[name] for row in rows]) for name in ("plan", "audit", "independent")]
        wider = [row["plan_width"] / row["independent_width"] for row in rows]
        lines.append(f"| {sizes} | {' | '.join(spans)} | {min(wider):.1f}–{max(wider):.1f} |")
    return "\n".join(lines)


def of_moderation() -> str:
    """Coverage of each measure by the violations expected among the visible: lowest and highest over prevalences."""
    rows = accuracy.STUDY.read()
    lines = ["| sample | violations | " + " | ".join(f"`{name}`" for name in accuracy.TAKEN) + " |"]
    lines.append("|---|---|" + "---|" * len(accuracy.TAKEN))
    for drawn, expected in dict.fromkeys((row["design"], row["expected"]) for row in rows):
        own = [row for row in rows if (row["design"], row["expected"]) == (drawn, expected)]
        spans = [_span([row["coverage"] for row in own if row["measure"] == name]) for name in accuracy.TAKEN]
        lines.append(f"| {drawn} | {expected:.0f} | " + " | ".join(spans) + " |")
    return "\n".join(lines)


MIGRATED = {
    "flag_rate": "threshold that keeps the flag rate",
    "precision": "threshold that keeps the precision",
    "fpr": "threshold that keeps the false positive rate",
    "recall": "threshold that keeps the recall",
    "new_rate": "`flag_rate` at the new threshold",
    "change": "`flag_rate_change`",
    "held_out": "the same in the half held out, all thresholds",
    "groups": "`flag_rate_ratio`, all groups and thresholds",
    "ac1": "`gwet_ac1`",
    "rank_agreement": "`rank_agreement`",
}


def of_migrations() -> str:
    """Coverage of each number of a migration by the number of comments: lowest and highest."""
    rows = migration.STUDY.read()
    sizes = sorted({row["comments"] for row in rows})
    lines = ["| number | " + " | ".join(f"{size:,.0f} comments" for size in sizes) + " |"]
    lines.append("|---|" + "---|" * len(sizes))
    for number, title in MIGRATED.items():
        own = [row for row in rows if row["number"].split()[0] == number]
        spans = [_span([row["coverage"] for row in own if row["comments"] == size]) for size in sizes]
        lines.append(f"| {title} | " + " | ".join(spans) + " |")
    return "\n".join(lines)


def of_mutants() -> str:
    """Wrong changes that a test notices, by package."""
    rows = {row["module"]: row for row in mutation.STUDY.read()}
    lines = ["| code | mutations | tried | detected | share | 95 % interval |", "|---|---|---|---|---|---|"]
    for name in (*mutation.STUDY.packages, "all"):
        row = rows[name]
        counts = (f"{count:,.0f}" for count in (row["mutants"], row["tried"], row["tried"] - row["survived"]))
        label = "all" if name == "all" else f"`{name.partition('/')[2]}`"
        lines.append(
            f"| {label} | {' | '.join(counts)} | {_pct(row['score'])} % | {_span([row['low'], row['high']])} |"
        )
    return "\n".join(lines)


def of_a_day() -> str:
    """What was measured at the desk on the day, beside what is true."""
    lines = ["| measured | estimate | 95 % interval | truth |", "|---|---|---|---|"]
    for row in production_day.STUDY.read():
        if row["truth"] != "":
            interval = f"{_pct(row['low'])} to {_pct(row['high'])} %"
            lines.append(f"| {row['figure']} | {_pct(row['value'])} % | {interval} | {_pct(row['truth'])} % |")
    return "\n".join(lines)


def of_a_day_counted() -> str:
    """How much happened on the day, and how much of it was lost or doubled."""
    lines = ["| counted | number |", "|---|---|"]
    rows = [row for row in production_day.STUDY.read() if row["truth"] == "" and not _is_time(row)]
    return "\n".join([*lines, *(f"| {row['figure']} | {row['value']:,.0f} |" for row in rows)])


def of_a_day_timed() -> str:
    """Times on the machine that the study ran on."""
    lines = ["| timed | value |", "|---|---|"]
    rows = [row for row in production_day.STUDY.read() if _is_time(row)]
    return "\n".join([*lines, *(f"| {row['figure']} | {row['value']:,.1f} |" for row in rows)])


def _is_time(row: Row) -> bool:
    return str(row["figure"]).startswith(("s: ", "ms ", "the 95th percentile"))


TABLES = (
    by_size_and_auc,
    by_method,
    between_models,
    of_gaps,
    of_designs,
    of_summaries,
    of_false_marks,
    of_families,
    of_clusters,
    of_collaboration,
    of_plans,
    of_migrations,
    of_calibration,
    of_calibration_methods,
)

ROUTING = (of_promises,)
SAMPLING = (of_labels, of_samples, of_looks, of_blind_spots, of_drawn_clusters)
ACCURACY = (of_moderation,)
STATISTICS = (of_mutants,)
RUNNING = (of_a_day, of_a_day_counted, of_a_day_timed)

if __name__ == "__main__":
    print("\n\n".join(table() for table in TABLES + ROUTING + SAMPLING + ACCURACY + STATISTICS + RUNNING))
