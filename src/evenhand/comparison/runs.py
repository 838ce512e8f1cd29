"""Two runs of audits compared: every number that both have, its difference, and what makes them comparable.

Two runs on different items are independent samples, so the interval of a difference follows from the two intervals
alone (Zou's MOVER). Two runs on the same items are not: there a difference is a plain fact about those items, without
an interval and without a test. Columns, settings and versions that differ are named as caveats.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from evenhand.catalogue import find_measure
from evenhand.comparison.causes import CAUSED_MEASURES, CausedChange, finding_change_causes
from evenhand.comparison.changes import (
    DIFFERENCE_SLICE,
    EARLIER_SLICE,
    NOW_SLICE,
    RUN_SLICE_KEYS,
    ComparedRun,
    RunTendency,
    run_verdict,
)
from evenhand.errors import InputError
from evenhand.estimate import Estimate, Flag
from evenhand.finding import Exhibit, Finding, Measured, Reading, Slice, SliceKey, column_key
from evenhand.formatting import names_in_sentence
from evenhand.intervals import mover
from evenhand.intervals.significance import mark_beyond_chance, p_value_from_interval

DIFFERENCES_NAMED = 6  # so many differences are named
FILE_HASH, ITEM_HASHES = "sha256", ("evidence", "items")


def same_items(now: Finding, earlier: Finding) -> bool:
    """Whether the two runs cover the same items: one file and the same rows of it, or equal labels row by row."""
    one_file = _same_hash(now, earlier, FILE_HASH) and not _parts_of_one_file(now, earlier)
    return one_file or any(_same_hash(now, earlier, name) for name in ITEM_HASHES)


def _same_hash(now: Finding, earlier: Finding, name: str) -> bool:
    one, two = now.provenance.get(name), earlier.provenance.get(name)
    return isinstance(one, str) and one == two


def _parts_of_one_file(now: Finding, earlier: Finding) -> bool:
    """Whether both read one file, each with another condition on its rows: what the parts share cannot be seen."""
    one, two = (_flat(finding.provenance.get("roles")).get("where") for finding in (now, earlier))
    return one != two and _same_hash(now, earlier, FILE_HASH)


def run_caveats(both: Sequence[tuple[Finding, Finding]]) -> Iterator[str]:
    """Caveats, the most important first."""
    same = [one.audit for one, two in both if same_items(one, two)]
    if same:
        yield (
            f"Both runs cover the same items ({', '.join(same)}), so they are not independent samples: differences "
            "have neither an interval nor a test. To compare two models on the same items, audit both in one run, as "
            "two columns of `score`."
        )
    others = [(one, two) for one, two in both if not same_items(one, two)]
    if any(_parts_of_one_file(one, two) for one, two in others):
        yield (
            "Both runs are of one file, each of other rows (`where`). They are taken as independent samples; where the "
            "parts overlap they are not, and the intervals of differences are usually too wide."
        )
    elif others:
        yield (
            "The two runs are taken as independent samples. If they share items, which cannot be seen from here, the "
            "intervals of differences do not hold: they are usually too wide then."
        )
    yield from _shared_cluster_columns(others)
    yield from _row_caveats(both)
    yield from dict.fromkeys(text for one, two in both for text in _changed_provenance(one, two))
    yield "A change that is not statistically significant may still be one: see the interval of the difference."


def _shared_cluster_columns(both: Sequence[tuple[Finding, Finding]]) -> Iterator[str]:
    """Items of one author in both runs depend on one another, although no item is in both."""
    columns = dict.fromkeys(
        name
        for one, two in both
        for name in _names(_flat(one.provenance.get("roles")).get("cluster"))
        if name in _names(_flat(two.provenance.get("roles")).get("cluster"))
    )
    if columns:
        names = names_in_sentence([f"'{name}'" for name in columns])
        yield (
            f"Items belong together by {names}. Where the same {names} occur in both runs, these are not independent: "
            "the intervals of differences are usually too wide then."
        )


def _names(value: object) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value) if isinstance(value, (list, tuple)) else ()


def _row_caveats(both: Sequence[tuple[Finding, Finding]]) -> Iterator[str]:
    for one, two in both:
        rows = [finding.provenance.get("rows") for finding in (one, two)]
        if rows[0] is not None and rows[0] == rows[1] and not same_items(one, two):
            yield (
                f"Both runs have {rows[0]:,} items. If these are the same items labelled or scored anew, the runs are "
                "not independent."
            )
            return


def _changed_provenance(now: Finding, earlier: Finding) -> Iterator[str]:
    """Columns, settings and versions that differ."""
    for part, title in (("roles", "Columns"), ("settings", "Settings"), ("versions", "Versions")):
        one, two = (_flat(finding.provenance.get(part, {})) for finding in (now, earlier))
        differences = [f"{key} {_shown(two.get(key))} → {_shown(one.get(key))}" for key in _differing(one, two)]
        if differences:
            more = f" and {len(differences) - DIFFERENCES_NAMED} more" if len(differences) > DIFFERENCES_NAMED else ""
            named = f" of {now.audit}" if part == "settings" else ""
            meaning = "" if part == "versions" else ": numbers may differ for that reason alone"
            yield f"{title}{named} differ ({'; '.join(differences[:DIFFERENCES_NAMED])}{more}){meaning}."


def _differing(one: Mapping[str, object], two: Mapping[str, object]) -> list[str]:
    return [key for key in dict.fromkeys((*one, *two)) if one.get(key) != two.get(key)]


def _flat(values: object) -> dict[str, Any]:
    return dict(values) if isinstance(values, Mapping) else {}


def _shown(value: object) -> str:
    if value is None:
        return "none"
    return ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)


def numbers_in_one_run(now: Finding, earlier: Finding) -> Iterator[str]:
    """What only one of the runs has."""
    for here, there, when in ((now, earlier, "now"), (earlier, now, "in the earlier run")):
        alone = [m for m in here if not there.has(m.measure, **m.slice)]
        if alone:
            yield f"Only {when}: {len(alone):,} numbers{_where(alone, there)}."


def _where(alone: Sequence[Measured], other: Finding) -> str:
    """The values of slices that the other run does not have."""
    known = {(key, value) for m in other for key, value in m.slice.items()}
    new = dict.fromkeys((key, value) for m in alone for key, value in m.slice.items() if (key, value) not in known)
    named = [f"{key} {value}" for key, value in new]
    return (
        f" ({', '.join(named[:DIFFERENCES_NAMED])}{', …' if len(named) > DIFFERENCES_NAMED else ''})" if named else ""
    )


NAME = "comparison"
QUESTION = "What has changed since the earlier run?"
# references, other numbers of bins, and what is a difference already
NOT_COMPARED = (SliceKey.AS_IF, SliceKey.BINS, SliceKey.AGAINST)
SAME_ITEMS_NOTE = "the same items: a plain difference, not a test"


class RunChange(NamedTuple):
    """One number in both runs, and its difference."""

    measure: str
    slice: Slice
    earlier: Estimate
    now: Estimate
    difference: Estimate
    p_value: float | None


def compare_runs(now: Sequence[Finding], earlier: Sequence[Finding], *, called: str = "the earlier run") -> Finding:
    """Every number that both runs have: what it was, what it is, and by how much it is higher or lower now.

    >>> table = {"p": np.linspace(0, 1, 40), "toxic": [False, True] * 20, "women": [True, True, False, False] * 10}
    >>> before = eh.audit(table, score="p", label="toxic", groups="women", audits="bias").findings
    >>> now = eh.audit({**table, "p": 1 - table["p"]}, score="p", label="toxic", groups="women", audits="bias").findings
    >>> eh.comparison.compare_runs(now, before).audit
    'comparison'
    """
    both = _pairs(now, earlier, called)
    pairs = [pair for one, two in both for pair in _changes(one, two)]
    level = next((pair.difference.level for pair in pairs), 0.95)
    marked = list(_marked(pairs, level))
    finding = Finding(
        NAME,
        QUESTION,
        tuple(_run_measures(marked)),
        tuple(run_caveats(both)),
        {
            "source": both[0][0].provenance.get("source", "this run"),
            "earlier": called,
            "runs": {name: dict(runs[0].provenance) for name, runs in _provenance_of_runs(both).items()},
        },
        (*_run_readings(marked, both), *_cause_readings(marked, both)),
        exhibits=tuple(_cause_exhibits(both)),
    )
    return replace(finding, verdicts=(run_verdict(finding),))


def _pairs(now: Sequence[Finding], earlier: Sequence[Finding], called: str) -> list[tuple[Finding, Finding]]:
    """Each audit that both runs have, which is one finding of each run."""
    both = [(with_column_keys(one), with_column_keys(two)) for one in now for two in earlier if one.audit == two.audit]
    if not both:
        names = ", ".join(finding.audit for finding in earlier) or "none"
        raise InputError(f"has no audit in common with this run, only: {names}", source=called)
    for audit, count in Counter(one.audit for one, _ in both).items():
        if count > 1:
            raise InputError(f"has {count} findings to compare of the audit '{audit}': one is needed", source=called)
    return both


def with_column_keys(finding: Finding) -> Finding:
    """The same finding with the keys that columns have by now: earlier versions let a column called `run` be a key."""
    columns = _flat(finding.provenance.get("roles")).get("slices") or ()
    known = {key for m in finding for key in m.slice}
    keys = {column: column_key(column, columns) for column in columns if column in known}
    keys = {column: key for column, key in keys.items() if key not in known}
    if not keys:
        return finding
    return replace(finding, estimates=tuple(replace(m, slice=_renamed(m.slice, keys)) for m in finding))


def _renamed(slice_: Slice, keys: Mapping[str, str]) -> Slice:
    return {keys.get(key, key): value for key, value in slice_.items()}


def _compared_slice(audit: str, slice_: Slice) -> Slice:
    """The slice of a number in a comparison; a key that the comparison uses itself gets another name."""
    keys = {key: column_key(key, slice_) for key in slice_ if key in RUN_SLICE_KEYS}
    return {SliceKey.OF: audit, **_renamed(slice_, keys)}


def _provenance_of_runs(both: Sequence[tuple[Finding, Finding]]) -> dict[str, list[Finding]]:
    return {ComparedRun.NOW: [one for one, _ in both], ComparedRun.EARLIER: [two for _, two in both]}


def _changes(now: Finding, earlier: Finding) -> Iterator[RunChange]:
    same = same_items(now, earlier)
    for m in now:
        if any(key in m.slice for key in NOT_COMPARED) or not earlier.has(m.measure, **m.slice):
            continue
        before = earlier.get(m.measure, **m.slice)
        difference, p_value = _difference(m.estimate, before, same=same)
        yield RunChange(m.measure, _compared_slice(now.audit, m.slice), before, m.estimate, difference, p_value)


def _difference(now: Estimate, earlier: Estimate, *, same: bool) -> tuple[Estimate, float | None]:
    """The difference with its interval, and the p-value against no change where that can be asked."""
    n = now.n if same else now.n + earlier.n
    if now.value is None or earlier.value is None:
        when = "now" if now.value is None else "in the earlier run"
        return Estimate.undefined(f"no value {when}: {now.note or earlier.note}", level=now.level, n=n), None
    value = now.value - earlier.value
    if same:
        return Estimate(value, value, value, now.level, "exact", n, note=SAME_ITEMS_NOTE), None
    if now.method == earlier.method == "exact":
        return Estimate.exact(value, level=now.level, n=n), None
    if now.low is None or now.high is None or earlier.low is None or earlier.high is None:
        return Estimate.undefined("a number without an interval cannot be compared", level=now.level, n=n), None
    if now.level != earlier.level:
        why = f"the intervals are at {now.level:g} now and at {earlier.level:g} in the earlier run"
        return Estimate.undefined(why, level=now.level, n=n), None
    low, high = mover.mover_difference((now.value, now.low, now.high), (earlier.value, earlier.low, earlier.high))
    small = (Flag.SMALL,) if now.small or earlier.small else ()
    estimate = Estimate(value, low, high, now.level, mover.MOVER, n, flags=small)
    return estimate, None if small else p_value_from_interval(value, low, high, now.level)


def _marked(changes: Sequence[RunChange], level: float) -> Iterator[RunChange]:
    """Those that stand out among all numbers compared."""
    marked = mark_beyond_chance([pair.difference for pair in changes], [pair.p_value for pair in changes], level)
    return (pair._replace(difference=difference) for pair, difference in zip(changes, marked, strict=True))


def _run_measures(changes: Sequence[RunChange]) -> Iterator[Measured]:
    for pair in changes:
        yield Measured(pair.measure, {**pair.slice, **EARLIER_SLICE}, _unmarked(pair.earlier))
        yield Measured(pair.measure, {**pair.slice, **NOW_SLICE}, _unmarked(pair.now))
        yield Measured(pair.measure, {**pair.slice, **DIFFERENCE_SLICE}, pair.difference)


CAUSES = "causes"  # kind of an exhibit: what each cause contributes to the change of a number


def _causes(both: Sequence[tuple[Finding, Finding]]) -> Iterator[tuple[Finding, Measured, CausedChange]]:
    """Every number that can be explained, of runs on different items."""
    for now, earlier in both:
        for m in () if same_items(now, earlier) else now:
            if m.measure not in CAUSED_MEASURES or not earlier.has(m.measure, **m.slice):
                continue
            if (caused := finding_change_causes(now, earlier, m.measure, m.slice)) is not None:
                yield now, m, caused


def _cause_exhibits(both: Sequence[tuple[Finding, Finding]]) -> Iterator[Exhibit]:
    for now, m, caused in _causes(both):
        estimates = list(caused.contributions.values())
        columns: dict[str, list[float | str | None]] = {
            "measure": [m.measure] * len(estimates),
            "cause": [cause.name.lower() for cause in caused.contributions],
            "contribution": [e.value for e in estimates],
            "low": [e.low for e in estimates],
            "high": [e.high for e in estimates],
        }
        yield Exhibit(CAUSES, _compared_slice(now.audit, m.slice), columns)


def _cause_readings(changes: Sequence[RunChange], both: Sequence[tuple[Finding, Finding]]) -> Iterator[Reading]:
    """Why numbers changed that did so beyond chance."""
    clear = {(one.measure, tuple(one.slice.items())) for one in changes if one.difference.stands_out}
    for now, m, caused in _causes(both):
        slice_ = _compared_slice(now.audit, m.slice)
        if (m.measure, tuple(slice_.items())) in clear:
            of = f" of {m.slice[SliceKey.GROUP]}" if SliceKey.GROUP in m.slice else ""
            yield Reading(slice_, caused.sentence(f"{find_measure(m.measure).title}{of}"))


def _unmarked(estimate: Estimate) -> Estimate:
    """Marks here are for changes alone."""
    return replace(estimate, flags=tuple(flag for flag in estimate.flags if flag != Flag.STANDS_OUT))


def _run_readings(changes: Sequence[RunChange], both: Sequence[tuple[Finding, Finding]]) -> Iterator[Reading]:
    tested = [pair for pair in changes if pair.p_value is not None]
    changed = sum(pair.difference.stands_out for pair in tested)
    if not tested:
        yield Reading({}, "No change could be tested: see the caveats.", tendency=RunTendency.UNTESTED)
    elif changed:
        what = f"{changed:,} of {len(tested):,} changes that could be tested are statistically significant."
        yield Reading({}, what, tendency=RunTendency.CHANGED)
    else:
        what = f"No change is statistically significant among {len(tested):,} that could be tested."
        yield Reading({}, what, tendency=RunTendency.QUIET)
    for one, two in both:
        yield from (Reading({SliceKey.OF: one.audit}, text) for text in numbers_in_one_run(one, two))
