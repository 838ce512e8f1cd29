"""Today's queue as files: the operator's table, the sheet for reviewers, and answers put back beside the items.

The operator's table has every item with its action, rank, reason and inclusion probability. The sheet has ids, texts
and contexts of the reviewed items alone: nothing tells a reviewer what the model thinks, or which items were drawn.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from evenhand.arrays import Floats
from evenhand.documents import parse_json
from evenhand.errors import InputError
from evenhand.evidence import Declaration, Source, TableSource, open_predictions, open_source
from evenhand.evidence.added_columns import check_absent, with_columns_beside
from evenhand.evidence.condition import rows_where
from evenhand.evidence.formats import SINKS, check_output_file, write_table
from evenhand.files import check_writable, fresh_file, text_of, unreadable
from evenhand.routing.review_policy import ReviewPolicy
from evenhand.staffing.queue import REMOVE, REVIEW, REVIEWED, Queue, make_queue

QUEUE_COLUMNS = ("action", "rank", "reason", "otherwise", "inclusion", "stratum", "policy")
VERSION_COLUMN = "model_version"
LABEL, DECISION = "label", "removed"
MOST_SHEET_ROWS = 1_048_575  # rows of a workbook below its head
AGAIN = "has this file been queued before?"


def read_policy(path: Path) -> ReviewPolicy:
    """The policy of a file that `evenhand plan` wrote, or `Policy.to_dict`."""
    try:
        return ReviewPolicy.from_dict(parse_json(text_of(path, lambda error: unreadable(error, "not a policy"))))
    except InputError as error:
        raise error.within(str(path)) from None
    except ValueError:
        raise InputError("not a policy: the file is not JSON", source=str(path)) from None


@dataclass(frozen=True)
class QueuedFile:
    """A queue, and where its items stand."""

    queue: Queue
    source: Source
    declaration: Declaration
    rows: pl.Series | None
    notes: tuple[str, ...]

    @classmethod
    def from_data(
        cls,
        data: TableSource,
        policy: ReviewPolicy,
        roles: Mapping[str, Any],
        *,
        query: str | None = None,
        **options: Any,
    ) -> QueuedFile:
        """The items of a table by a policy; columns are those of the policy unless `roles` name others."""
        declaration = _declaration(policy, roles)
        source = open_source(data, query=query).naming(declaration.columns)
        check_absent(source, QUEUE_COLUMNS, AGAIN)
        predictions = open_predictions(source, declaration)
        p = np.ascontiguousarray(predictions.probabilities[:, 1])
        review_values = _review_column(source, policy, predictions.rows)
        queue = make_queue(policy, p, review_values, **options)
        return cls(queue, source, declaration, predictions.rows, predictions.notes)

    def write(self, out: Path, model_version: str | None = None) -> None:
        """The operator's table: every row as it was, with what happens to it."""
        known = VERSION_COLUMN in self.source.columns()
        added = self.queue.columns(None if known else model_version or self.declaration.score[0])
        frame = with_columns_beside(self.source, self.declaration, self.rows, added)
        if out.suffix.lower() in OTHER_SINKS:
            with fresh_file(out) as fresh:
                OTHER_SINKS[out.suffix.lower()](frame.collect(), fresh)
        else:
            write_table(frame, out, self.source.layout)

    def sheet(self, *, id: str | None, text: str, context: str | None, seed: int = 0) -> pl.DataFrame:
        """What reviewers get: in the order of the queue, the drawn items in random places."""
        places = _sheet_order(self.queue, np.random.default_rng(seed))
        named = {"id": id, "context": context, "text": text}
        columns = list(dict.fromkeys(column for column in named.values() if column))
        table = self.source.naming(columns).as_written(columns)
        rows = places if self.rows is None else self.rows.to_numpy()[places]
        if id is not None and table[id].n_unique() < len(table):
            raise InputError("ids must be unique", source=self.source.name, column=id)
        ids = [str(number) for number in self._positions()[rows].tolist()] if id is None else None
        picked = table[rows.tolist()]
        return pl.DataFrame(
            {
                name: ids if column is None else picked[column].cast(pl.String).fill_null("")
                for name, column in named.items()
                if column is not None or name == "id"
            }
        )

    def _positions(self) -> np.ndarray[Any, np.dtype[np.int64]]:
        """Of each row of the source its place in the operator's table, from 1 on."""
        if self.rows is None:
            return np.arange(1, len(self.queue.p) + 1)
        kept = rows_where(self.source, self.declaration.where)
        return np.cumsum(kept.to_numpy()).astype(np.int64)


def check_queue_file(out: Path) -> None:
    """Refuse what cannot be written before the work."""
    if out.suffix.lower() in OTHER_SINKS:
        check_writable(out)
    elif out.suffix.lower() not in SINKS:
        raise InputError(f"the output must end in one of {', '.join((*SINKS, *OTHER_SINKS))}", source=str(out))
    else:
        check_output_file(out)


def _declaration(policy: ReviewPolicy, roles: Mapping[str, Any]) -> Declaration:
    declared = Declaration.of({**roles, "score": roles.get("score") or policy.score})
    if len(declared.score) != 1:
        raise InputError("a queue needs one score column: set `score`")
    if declared.score[0] == policy.score and not roles.get("scale"):
        return Declaration.of({**roles, "score": policy.score, "scale": policy.scale})
    return declared


def _review_column(source: Source, policy: ReviewPolicy, rows: pl.Series | None) -> Floats | None:
    column = policy.order.column
    if column is None:
        return None
    values = source.naming([column]).collect(lambda lazy: lazy.select(pl.col(column).cast(pl.Float64)))[column]
    return (values if rows is None else values[rows.to_list()]).to_numpy()


def _sheet_order(queue: Queue, rng: np.random.Generator) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Items in the order of the sheet: any place is as likely as any other to hold a drawn item."""
    drawn = rng.permutation(np.flatnonzero(queue.drawn))
    own = np.flatnonzero(queue.reviewed & ~queue.drawn)
    own = own[np.argsort(queue.rank[own], kind="stable")]
    order = np.empty(len(drawn) + len(own), dtype=np.int64)
    places = np.zeros(len(order), dtype=np.bool_)
    places[rng.choice(len(order), len(drawn), replace=False)] = True
    order[places], order[~places] = drawn, own
    return order


def _write_workbook(frame: pl.DataFrame, out: Path) -> None:
    if len(frame) > MOST_SHEET_ROWS:
        raise InputError(f"a workbook holds {MOST_SHEET_ROWS:,} rows at most: write .csv instead", source=str(out))
    try:
        import xlsxwriter  # type: ignore[import-untyped]
    except ImportError:
        raise InputError("XLSX support is not installed: pip install 'evenhand[xlsx]'", source=str(out)) from None
    with xlsxwriter.Workbook(str(out), {"strings_to_formulas": False, "strings_to_urls": False}) as book:
        frame.write_excel(book, worksheet="queue", autofit=False)


def _write_tasks(frame: pl.DataFrame, out: Path) -> None:
    tasks = [{"data": row} for row in frame.iter_rows(named=True)]
    out.write_text(json.dumps(tasks, ensure_ascii=False, indent=1, default=str) + "\n", encoding="utf-8")


OTHER_SINKS: dict[str, Callable[[pl.DataFrame, Path], None]] = {".xlsx": _write_workbook, ".json": _write_tasks}


def queued_ids(queued: Path, id: str | None) -> list[str]:
    """The ids of an operator's table as its sheet has them: of a column, or places in the table."""
    source = open_source(queued)
    if id is not None:
        return source.naming([id]).as_written([id])[id].cast(pl.String).fill_null("").to_list()
    number = source.collect(lambda lazy: lazy.select(pl.len())).item()
    return [str(place) for place in range(1, number + 1)]


def write_evidence(queued: Path, answers: Mapping[str, float | None], out: Path, *, id: str | None) -> tuple[int, int]:
    """The operator's table with the answers beside it; how many reviews have an answer, and how many there are.

    `label` is empty where nobody answered, `removed` is what happened in the end: what people decided of the items that
    the policy sent to them, and the policy's own decision of all others. An audit reads both with `inclusion`.
    """
    source = open_source(queued).naming([*QUEUE_COLUMNS, *([id] if id else [])])
    check_absent(source, (LABEL, DECISION), "the answers go into it; rename it first")
    table = source.collect(lambda lazy: lazy.select(pl.col("action", "stratum", "otherwise").cast(pl.String)))
    ids = queued_ids(queued, id)
    known = pl.DataFrame(
        {"id": list(answers), "given": pl.Series(list(answers.values()), dtype=pl.Float64)},
        schema={"id": pl.String, "given": pl.Float64},
    )
    label = pl.DataFrame({"id": ids}).join(known, on="id", how="left", maintain_order="left")["given"]
    reviewed = table["action"] == REVIEW
    by_people = reviewed & (table["stratum"] == REVIEWED)
    decided = pl.select(
        pl.when(by_people).then(label.fill_null(0.0) == 1.0).otherwise(table["otherwise"] == REMOVE).alias(DECISION)
    )[DECISION]
    shown = pl.select(pl.when(reviewed).then(label).cast(pl.Int8).alias(LABEL))[LABEL]
    added = pl.DataFrame({LABEL: shown, DECISION: decided})
    every = with_columns_beside(source, Declaration(), None, added)
    write_table(every.filter(pl.col(DECISION).is_not_null()), out, source.layout)  # without what had no score
    return int(shown.is_not_null().sum()), int(reviewed.sum())
