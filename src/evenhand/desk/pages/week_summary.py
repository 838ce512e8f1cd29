"""What changed since last week, in two sentences: what was measured, and how much there was to do.

The first follows from the change of each measure between the last two measured periods by rule: what is larger than the
tolerance comes first, then what is ruled out, then what is undetermined.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evenhand.catalogue import find_measure
from evenhand.desk.pages.changes import MeasuredChange, WeekVerdict
from evenhand.desk.pages.today import DeskNumbers
from evenhand.desk.pages.words import DeskWords

ORDER = (WeekVerdict.LARGER, WeekVerdict.RULED_OUT, WeekVerdict.UNDETERMINED)


def week_summary(changes: Sequence[MeasuredChange], numbers: DeskNumbers, say: DeskWords) -> tuple[str, str]:
    """Both sentences, in the words of a language."""
    parts = [part for verdict in ORDER for part in _parts([one for one in changes if one.verdict == verdict], say)]
    measured = "; ".join(parts) or say("summary.not_measured")
    trend = "more" if numbers.waiting > numbers.waiting_before else "fewer"
    key = "same" if numbers.waiting == numbers.waiting_before else trend
    waiting = say(f"summary.waiting_{key}", n=numbers.waiting, before=f"{numbers.waiting_before:,}")
    work = say("summary.work", n=numbers.received, before=f"{numbers.received_before:,}", waiting=waiting)
    return f"{measured[0].upper()}{measured[1:]}.", f"{work}."


def _parts(changes: Sequence[MeasuredChange], say: DeskWords) -> Iterator[str]:
    if not changes:
        return
    if changes[0].verdict == WeekVerdict.LARGER:
        for change in changes:
            yield say(f"summary.{change.sentence}", measure=_title(change), **change.values)
        return
    names = say("summary.and").join(_title(change) for change in changes)
    yield say(f"summary.{changes[0].sentence}", measures=names, tolerance=changes[0].values["tolerance"])


def _title(change: MeasuredChange) -> str:
    title = find_measure(change.measure).title
    return title if title.isupper() else title[:1].lower() + title[1:]
