"""A plan, a batch and an outcome in a few lines for a terminal."""

from __future__ import annotations

from typing import Any

from evenhand.audits.measurement.planning import Made, flat
from evenhand.audits.measurement.remarks import amount, measured_what, span
from evenhand.audits.measurement.sheets import ANSWERS
from evenhand.audits.measurement.working import Outcome, Written, kept
from evenhand.audits.scarcity import few
from evenhand.finding import Finding
from evenhand.sampling.plan import ALL, Clusters, Plan, name_of
from evenhand.sampling.sequential import Sequential
from evenhand.sampling.sizes import Size
from evenhand.sampling.storage import seal_of

TITLES = {
    "prevalence": "violating",
    "missed": "violations still visible",
    "recall": "recall: of what violates, removed",
    "precision": "precision: of what was removed, violating",
    "f1": "F1",
    "accuracy": "accuracy: of all decisions, right",
}

UNNAMED = (
    "Nobody said what counts as violating: name it before anybody labels, with --ground-truth and --codebook, and what "
    "the items are with --population and --period. The numbers mean nothing without."
)

MARK = "°"
MORE = (
    "For a surer answer make a second plan with more labels and another seed (--n {n} --seed {seed}, or --prevalence "
    "with the share found here). Report this one as it is, and say that there were two."
)


def plan_summary(made: Made, per_hour: float, annotators: int) -> dict[str, Any]:
    """What a plan comes to, as plain data."""
    plan = made.plan
    n = sum(pool.labels for pool in plan.pools)
    return {
        "plan": seal_of(plan),
        "design": name_of(plan.design),
        "items": plan.items.rows,
        "n": n,
        "hours": Size(n, 0.0).hours(per_hour=per_hour, annotators=annotators),
        "pools": {
            pool.name: {"items": pool.items, "labels": pool.labels, "batches": list(plan.sizes(pool))}
            | ({"clusters": pool.wanted} if pool.clusters else {})
            | ({"expected_prevalence": made.expected[pool.name].prevalence} if _expects(plan) else {})
            for pool in plan.pools
        },
        "groups": list(plan.groups),
        "ids_looked_at_one_in": made.ids_looked_at,
    }


def plan_lines(made: Made, per_hour: float, annotators: int, *, file: str = "PLAN") -> list[str]:
    """The same in sentences."""
    plan, found = made.plan, plan_summary(made, per_hour, annotators)
    same = _expects(plan) and flat(pool.counted for pool in plan.pools)
    people = "" if annotators == 1 else f" of {annotators} annotators each"
    hours = f"{_time(found['hours'])}{people}"
    lines = [
        f"{found['n']:,} of {found['items']:,} items to label, {found['design']}, {hours}.",
        measured_what(plan.measurement),
    ]
    if made.promised is not None:
        lines.append(f"The promise alone takes {made.promised:,}; {found['n']:,} are the fewest for this design.")
    for name, pool in found["pools"].items():
        if "clusters" in pool:
            lines.append(f"{pool['clusters']:,} clusters drawn whole hold about {pool['labels']:,} items.")
        if name != ALL:
            lines.append(f"{pool['labels']:,} labels of {pool['items']:,} {name} items.")
        if "expected_prevalence" in pool and not same:
            where = "" if name == ALL else f" of the {name}"
            lines.append(f"The score expects {100 * pool['expected_prevalence']:.3g} %{where} to violate.")
    if same:
        lines.append("The score is the same for all items, so it says nothing: this is as good as --design random.")
    lines += _batches(plan)
    if found["ids_looked_at_one_in"] > 1:
        lines.append(f"Too many ids to compare all: one in {found['ids_looked_at_one_in']} was looked at for repeats.")
    if plan.columns["id"] is None:
        lines.append("There is no --id: the number of the row is the id.")
    if not plan.measurement.ground_truth:
        lines.append(UNNAMED)
    return [*lines, f"Plan {found['plan'][:12]}. Next: evenhand sample draw {file} -o batch1.csv"]


def _time(hours: float) -> str:
    if hours < 1.0:
        minutes = max(1, round(60.0 * hours))
        return f"about {minutes} minute{'' if minutes == 1 else 's'}"
    return f"about {hours:,.1f} hours"


def _expects(plan: Plan) -> bool:
    return not isinstance(plan.design, Clusters) and plan.columns["score"] is not None


def _batches(plan: Plan) -> list[str]:
    if isinstance(plan.design, Sequential):
        return ["It ends whenever the interval is narrow enough; the number of labels is a guess."]
    sizes: list[int] = []
    for pool in plan.pools:
        for number, size in enumerate(plan.sizes(pool)):
            sizes[number : number + 1] = [(sizes[number] if number < len(sizes) else 0) + size]
    if len(sizes) < 2:
        return []
    listed = ", ".join(f"{size:,}" for size in sizes)
    return [f"In {len(sizes)} batches ({listed}); each is drawn by what the labels before it say."]


def batch_lines(written: Written) -> list[str]:
    """What was written, and what to do with it."""
    files = " and ".join(str(path) for path in written.files)
    again = ", as drawn before" if written.again else ""
    lines = [f"{files}: batch {written.number}, {written.items:,} items in random order{again}."]
    if written.files[0].suffix.lower() == ".json":
        return [*lines, "Import the tasks into Label Studio and paste the second file as its labelling interface."]
    return [*lines, f"Fill in the column label: {', '.join(ANSWERS[:-1])} or {ANSWERS[-1]}."]


def outcome_lines(outcome: Outcome) -> list[str]:
    """Every measure in a line, over all and by group; then what is left to do."""
    finding, plan = outcome.finding, outcome.given.plan
    lines = [f"Plan {seal_of(plan)[:12]}: {finding.get('count').value:,.0f} labels of {plan.items.rows:,} items."]
    lines += [line for name in ("pool", *_by(plan)) for line in _table(finding, name)]
    lines = [lines[0], *_rows(finding, {}), *lines[1:]]
    for name in finding.values("as_if"):
        lines += [f"if {name}:", *_rows(finding, {"as_if": name})]
    if any(line.endswith(MARK) for line in lines):
        lines.append(" ".join([f"{MARK} A cautious interval, too wide rather than too narrow.", *few(finding)]))
    return [*lines, *(f"· {caveat}" for caveat in finding.caveats), *_left(outcome)]


def _by(plan: Plan) -> list[str]:
    return [" / ".join(plan.columns["by"])] if plan.groups else []


def _table(finding: Finding, key: str) -> list[str]:
    return [line for value in finding.values(key) for line in [f"{value}:", *_rows(finding, {key: value})]]


def _rows(finding: Finding, slice_: dict[str, str]) -> list[str]:
    rows = []
    for measure, title in TITLES.items():
        if finding.has(measure, **slice_):
            found = finding.get(measure, **slice_)
            said = (
                f"unknown: {found.note}" if not found.defined else amount(found) if measure == "missed" else span(found)
            )
            few = f" {MARK}" if "small" in found.flags else ""
            rows.append(f"  {title:42} {said}{few}")
    return rows


def _left(outcome: Outcome) -> list[str]:
    plan, share = outcome.given.plan, outcome.finding.get("prevalence")
    if outcome.waiting is not None:
        return [f"Batch {outcome.waiting} was drawn and waits for its labels."]
    if plan.promise and share.defined and not isinstance(plan.design, Clusters):
        ((name, value),) = plan.promise.items()
        done = "is kept" if kept(plan.promise, share) else "is not kept yet"
        lines = [f"The promise (--{name} {value:g}) {done}."] if len(plan.pools) == 1 else []
    else:
        lines = []
    if outcome.to_come is None:
        return [*lines, "Draw on with --next FILE, or stop: the interval holds either way."]
    if outcome.to_come:
        return [*lines, f"{outcome.to_come:,} labels are still to come: --next FILE draws the next batch."]
    broken = plan.promise and lines and not kept(plan.promise, share)
    return [*lines, "All labels that were planned are in.", *([MORE.format(**_further(plan))] if broken else [])]


def _further(plan: Plan) -> dict[str, Any]:
    n = sum(pool.labels for pool in plan.pools)
    return {"n": min(2 * n, plan.items.rows), "seed": plan.seed + 1}
