"""A snapshot of the store as evidence: three tables, each for the audits that ask of such rows.

`scored` has a row for each item whose verdict counts, with the inclusion probability of the verdict; `decided` one for
each item that the policy routed, also where nobody judged it; `labels` one for each judgement of a person. Roles come
from the columns of the store: score, verdict, route, language, community, author, the roles of reviewers.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from evenhand.errors import CONTROL, InputError
from evenhand.evidence import Source
from evenhand.store.cases import BENIGN, DONE, MEASUREMENT, PANEL, RESOLVE, REVIEW, SECOND, UNCLEAR, VIOLATING
from evenhand.store.inclusion import VerdictInclusion
from evenhand.store.measured import MeasuredItems, passed_on_items, verdict_so_far
from evenhand.store.measured_shares import VIOLATES
from evenhand.store.snapshots import StoreSnapshot

REMOVED, VISIBLE = "removed", "visible"
JUDGEMENTS = frozenset({REVIEW, MEASUREMENT, SECOND, RESOLVE, PANEL})  # tasks that ask what somebody thinks of an item
GROUP_COLUMNS = ("language", "community")
MOST_GROUPS = 12  # of each column, the largest
SMALLEST = 20  # items of a group
TEXT, NUMBER = pl.String, pl.Float64


@dataclass(frozen=True)
class LiveTable:
    """A table of a snapshot, what its columns mean, and the audits that it is for."""

    source: Source
    roles: Mapping[str, Any]
    audits: tuple[str, ...]


@dataclass(frozen=True)
class LiveEvidence:
    """The tables of one snapshot. With `texts`, those by item id, the tables of items have a column `text`."""

    snapshot: StoreSnapshot
    texts: Mapping[str, str | None] | None = None

    @cached_property
    def items(self) -> Sequence[Any]:
        """The items that a policy routed and that test nobody, in the order of their arrival."""
        routed = [row for row in self.snapshot.items if row.policy is not None and row.gold is None]
        if not routed:
            raise InputError("no item has been routed yet, so there is nothing to audit", source=self.snapshot.name)
        return sorted(routed, key=lambda row: (row.received_at, row.id))

    @cached_property
    def measured(self) -> MeasuredItems:
        """The same items as the measurement in the queue sees them."""
        nobody = np.zeros(len(self.items))  # adjudication is not looked at
        return MeasuredItems.from_rows(self.items, nobody, self.passed_on)

    @cached_property
    def passed_on(self) -> frozenset[str]:
        """The drawn items that wait for a lead."""
        return passed_on_items(self.snapshot.tasks)

    @cached_property
    def inclusion(self) -> VerdictInclusion:
        """How likely the verdict of each item was to be known."""
        return VerdictInclusion.from_settled_items(self.measured, np.array([row.received_at for row in self.items]))

    @cached_property
    def model(self) -> tuple[str, str]:
        """The model, and its version, that scored the last item: scores of others are not comparable with its own."""
        scored = [row for row in self.items if row.score is not None]
        return (str(scored[-1].model), str(scored[-1].model_version)) if scored else ("", "")

    def tables(self) -> list[LiveTable]:
        """Those that have rows."""
        return [*self._scored(), *self._decided(), *self._labels()]

    def is_scored(self, row: Any) -> bool:
        """Whether the current model scored an item."""
        return row.score is not None and (str(row.model), str(row.model_version)) == self.model

    def _scored(self) -> Iterator[LiveTable]:
        chances, known = self.inclusion.chance.tolist(), self.inclusion.known.tolist()
        judged = [(row, chance) for row, chance, counts in zip(self.items, chances, known, strict=True) if counts]
        chosen = [(row, chance) for row, chance in judged if self._verdict(row) != UNCLEAR and self.is_scored(row)]
        if not chosen:
            return
        rows = [row for row, _ in chosen]
        groups = _group_columns(rows)
        frame = self._item_columns(rows).with_columns(
            pl.Series("verdict", [self._verdict(row) for row in rows], dtype=TEXT),
            pl.Series("inclusion", [chance for _, chance in chosen], dtype=NUMBER),
            *groups,
        )
        roles = {"score": "score", "label": "verdict", "positive": VIOLATING, "inclusion": "inclusion"}
        roles |= {"uncertainty": "uncertainty"} if frame["uncertainty"].null_count() == 0 else {}
        source = self._source(frame, self._scored_notes(len(rows)))
        own = self._with_groups(frame, roles, groups)
        yield LiveTable(source, own, ("bias", "calibration"))
        yield LiveTable(source, {name: own[name] for name in own if name != "groups"}, ("collaboration",))

    def _scored_notes(self, used: int) -> Iterator[str]:
        reached, known = self.measured.reached, self.inclusion.known
        yield (
            f"The verdicts of {int((known & reached).sum()):,} items that the policy's order reached count as such; "
            f"{int((known & ~reached).sum()):,} items drawn for measurement stand for all others, weighted by one over "
            "the probability of the draw times the share of the drawn that was judged."
        )
        if others := int(known.sum()) - used:
            yield f"{others:,} of these items could not be judged or were scored by an earlier model: left out."
        yield from self._open_notes()

    def _open_notes(self) -> Iterator[str]:
        if number := int(self.inclusion.open.sum()):
            yield f"{number:,} items are left out: no drawn item was judged yet in their week, or they arrived last."

    def _decided(self) -> Iterator[LiveTable]:
        closed = np.flatnonzero(~self.inclusion.open)
        if not self.inclusion.known.any():
            return
        items, known, rows = (
            self.measured.take(closed),
            self.inclusion.known[closed],
            [self.items[i] for i in closed.tolist()],
        )
        removed = np.where(items.reached, items.verdict == VIOLATES, items.removed_unseen)
        verdict = [self._verdict(row) if counts else None for row, counts in zip(rows, known.tolist(), strict=True)]
        groups = _group_columns(rows)
        frame = self._item_columns(rows).with_columns(
            pl.Series("verdict", verdict, dtype=TEXT),
            pl.Series("outcome", np.where(removed, REMOVED, VISIBLE)),
            pl.Series("inclusion", self.inclusion.chance[closed]).fill_nan(None),
            *groups,
        )
        roles = {"label": "verdict", "positive": VIOLATING, "decision": "outcome", "removes": REMOVED}
        roles |= {"inclusion": "inclusion"} | ({"skip": UNCLEAR} if UNCLEAR in verdict else {})
        source = self._source(frame, self._open_notes())
        yield LiveTable(source, self._with_groups(frame, roles, groups), ("accuracy",))

    def _verdict(self, row: Any) -> str | None:
        return verdict_so_far(row, self.passed_on)

    def _labels(self) -> Iterator[LiveTable]:
        by_id = {row.id: row for row in self.items if self.is_scored(row)}
        done = [task for task in self.snapshot.tasks if task.state == DONE and task.purpose in JUDGEMENTS]
        chosen = [t for t in done if t.person and t.item in by_id and t.verdict in (VIOLATING, BENIGN)]
        if not chosen:
            return
        items = [by_id[task.item] for task in chosen]
        frame = pl.DataFrame(
            {
                "item": pl.Series([row.external_id for row in items], dtype=TEXT),
                "annotator": pl.Series([task.person for task in chosen], dtype=TEXT),
                "role": pl.Series([self.snapshot.roles.get(task.person) for task in chosen], dtype=TEXT),
                "verdict": pl.Series([task.verdict for task in chosen], dtype=TEXT),
                "score": pl.Series([row.score for row in items], dtype=NUMBER),
            }
        )
        roles = {"item": "item", "annotator": "annotator", "annotator_groups": "role", "label": "verdict"}
        roles |= {"positive": VIOLATING, "score": "score", "duplicates": "last"}
        yield LiveTable(self._source(frame, ()), roles, ("perspective",))

    def _item_columns(self, rows: Sequence[Any]) -> pl.DataFrame:
        """What is known of items beside their verdicts; attributes that the platform sent are columns too."""
        names = ("item_type", *GROUP_COLUMNS, "author", "thread", "route", "route_reason")
        columns = {name: pl.Series([getattr(row, name) for row in rows], dtype=TEXT) for name in names}
        columns |= {name: pl.Series([getattr(row, name) for row in rows], dtype=NUMBER) for name in SCORES}
        frame = pl.DataFrame({"item": pl.Series([row.external_id for row in rows], dtype=TEXT), **columns})
        if self.texts is not None:
            frame = frame.with_columns(pl.Series("text", [self.texts.get(row.id) for row in rows], dtype=TEXT))
        return frame.with_columns(_attribute_columns(rows, {*frame.columns, "verdict", "outcome", "inclusion"}))

    @staticmethod
    def _with_groups(frame: pl.DataFrame, roles: Mapping[str, Any], groups: Sequence[pl.Series]) -> dict[str, Any]:
        """Roles with groups, and with the author as a cluster where authors repeat."""
        own = {**roles, "id": "item"} | ({"groups": [group.name for group in groups]} if groups else {})
        authors = frame["author"].drop_nulls()
        return own | ({"cluster": "author"} if 2 <= authors.n_unique() < len(authors) else {})

    def _source(self, frame: pl.DataFrame, notes: Iterable[str]) -> Source:
        """Named and identified by the snapshot: the hash of its last event stands for all that was before."""
        snapshot = self.snapshot
        about = {"source": f"store {snapshot.store}", "snapshot": snapshot.number, "chain": snapshot.chain}
        identity: Future[dict[str, Any]] = Future()
        identity.set_result(about | {"model": " ".join(part for part in self.model if part)})
        return Source(snapshot.name, frame.lazy(), identity=identity, notes=tuple(notes))


SCORES = ("score", "uncertainty")


def _group_columns(rows: Sequence[Any]) -> list[pl.Series]:
    """Whether an item is of a language or a community; of each the largest that are not everything."""
    columns = []
    for name in GROUP_COLUMNS:
        values = [getattr(row, name) for row in rows]
        sizes = Counter(value for value in values if value is not None and not CONTROL.search(value))
        large = [value for value, size in sizes.most_common() if SMALLEST <= size < len(rows)]
        for value in sorted(large[:MOST_GROUPS]):
            columns.append(pl.Series(f"{name}: {value}", [own == value for own in values], dtype=pl.Boolean))
    return columns


def _attribute_columns(rows: Sequence[Any], taken: set[str]) -> list[pl.Series]:
    attributes = [json.loads(row.attributes) for row in rows]
    names = sorted({name for own in attributes for name in own} - taken)
    return [pl.Series(name, [own.get(name) for own in attributes], dtype=NUMBER, strict=False) for name in names]
