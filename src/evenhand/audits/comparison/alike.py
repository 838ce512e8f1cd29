"""Whether two runs may be compared at all: are the items, the columns, the settings and the versions the same?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from evenhand.finding import Finding, Measured

SHOWN = 6  # so many differences are named
HASHES = ("sha256", "evidence", "items")


def same_items(now: Finding, earlier: Finding) -> bool:
    """Whether the two runs looked at the same items: the same file, or equal labels and groups row by row."""
    return any(_equal(now, earlier, name) for name in HASHES)


def _equal(now: Finding, earlier: Finding, name: str) -> bool:
    one, two = now.provenance.get(name), earlier.provenance.get(name)
    return one is not None and one == two


def caveats(both: Sequence[tuple[Finding, Finding]]) -> Iterator[str]:
    """What to beware of, the gravest first."""
    same = [one.audit for one, two in both if same_items(one, two)]
    if same:
        yield (
            f"Both runs looked at the same items ({', '.join(same)}): they are no independent samples, so differences "
            "have neither interval nor test. To compare two models on the same items, audit both in one run: "
            "--score old,new."
        )
    if len(same) < len(both):
        yield (
            "The two runs are taken as independent samples. If they share items, which cannot be seen from here, the "
            "intervals of differences do not hold: they are usually too wide then."
        )
    yield from _rows(both)
    yield from dict.fromkeys(text for one, two in both for text in _changes(one, two))
    yield "A number that has not changed beyond chance may still have changed: look at the interval of its difference."


def _rows(both: Sequence[tuple[Finding, Finding]]) -> Iterator[str]:
    for one, two in both:
        rows = [finding.provenance.get("rows") for finding in (one, two)]
        if rows[0] is not None and rows[0] == rows[1] and not same_items(one, two):
            yield (
                f"Both runs have {rows[0]:,} items. If these are the same items labelled or scored anew, the runs are "
                "not independent."
            )
            return


def _changes(now: Finding, earlier: Finding) -> Iterator[str]:
    """Columns, settings and versions that differ."""
    for part, title in (("roles", "Columns"), ("settings", "Settings"), ("versions", "Versions")):
        one, two = (_flat(finding.provenance.get(part, {})) for finding in (now, earlier))
        found = [f"{key} {_shown(two.get(key))} → {_shown(one.get(key))}" for key in _differing(one, two)]
        if found:
            more = f" and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
            named = f" of {now.audit}" if part == "settings" else ""
            meaning = "" if part == "versions" else ": numbers may differ for that reason alone"
            yield f"{title}{named} differ ({'; '.join(found[:SHOWN])}{more}){meaning}."


def _differing(one: Mapping[str, Any], two: Mapping[str, Any]) -> list[str]:
    return [key for key in dict.fromkeys((*one, *two)) if one.get(key) != two.get(key)]


def _flat(values: Any) -> dict[str, Any]:
    return dict(values) if isinstance(values, Mapping) else {}


def _shown(value: Any) -> str:
    if value is None:
        return "none"
    return ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)


def missing(now: Finding, earlier: Finding) -> Iterator[str]:
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
    return f" ({', '.join(named[:SHOWN])}{', …' if len(named) > SHOWN else ''})" if named else ""
