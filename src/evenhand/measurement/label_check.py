"""Labels worth checking: where a confident model and the label disagree most, ranked, and how many of them are wrong.

The model's confidence is calibrated by cross-fitting: the probability of each item comes from a calibrator that was
fitted on other items. A disagreement is not an error: the model may be wrong. So a number of label errors comes only
from people who label a random part of the list again, not knowing label and score.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from evenhand import arrays
from evenhand.arrays import Bools, Floats
from evenhand.calibrators import fit
from evenhand.errors import InputError
from evenhand.evidence import Declaration, Source, TableSource, as_classed, open_evidence, open_predictions, open_source
from evenhand.evidence.formats import check_output_file, write_table
from evenhand.evidence.scales import BENIGN, VIOLATING, two_classes
from evenhand.measurement.answers import answers_by_item, read_answers
from evenhand.measurement.label_errors import LabelErrors, estimate_label_errors
from evenhand.sampling.drawing import draw_simple

CALIBRATOR, PARTS = "isotonic", 5
FEWEST_OF_A_KIND = 10  # violating and benign items, to calibrate on
DRAWN_TO_RELABEL = 50
LIST_COLUMNS = ("rank", "id", "label", "model", "confidence", "relabel")
RELABEL = "yes"


def label_disagreement(p: Floats, violating: Bools, *, seed: int = 0) -> Floats:
    """Of each item the calibrated probability that its label is the other one, by calibrators of other items.

    >>> p = np.random.default_rng(0).beta(0.3, 0.3, 400)
    >>> violating = np.random.default_rng(1).random(400) < p
    >>> eh.measurement.label_disagreement(p, violating).shape
    (400,)
    """
    kinds = min(int(violating.sum()), int((~violating).sum()))
    if kinds < FEWEST_OF_A_KIND:
        raise InputError(f"too few items of one kind: {kinds} (at least {FEWEST_OF_A_KIND} violating and benign ones)")
    parts, calibrated = np.empty(len(p), dtype=np.int64), np.empty(len(p))
    rng = np.random.default_rng(seed)
    for kind in (violating, ~violating):  # as many of both kinds in each part
        parts[kind] = rng.permutation(np.arange(int(kind.sum())) % PARTS)
    for part in range(PARTS):
        others, own = parts != part, parts == part
        calibrated[own] = _calibrated(p[others], violating[others], p[own])
    return np.where(violating, 1.0 - calibrated, calibrated)


def _calibrated(p: Floats, violating: Bools, wanted: Floats) -> Floats:
    """Isotonic, because a curve with a formula is too sure at the ends, where wrong labels are looked for.

    Each step is drawn towards one half by one item of each kind, so that a step of few items is not certain either.
    """
    calibrator = fit(two_classes(p), violating.astype(int), method=CALIBRATOR, classes=(BENIGN, VIOLATING))
    fitted, raw = (np.asarray(calibrator.apply(two_classes(part)))[:, 1] for part in (p, wanted))
    steps, items = np.unique(np.round(fitted, 12), return_counts=True)
    return np.interp(raw, steps, (steps * items + 1.0) / (items + 2.0))


@dataclass(frozen=True)
class LabelCheck:
    """The list: which rows of the source, most suspicious first, and which of them are drawn to be labelled again.

    >>> table = {"id": list(range(400)), "p": np.linspace(0, 1, 400), "toxic": [n >= 200 for n in range(400)]}
    >>> table["toxic"][5] = True
    >>> check = eh.measurement.LabelCheck.from_data(table, {"score": "p", "label": "toxic", "id": "id"})
    >>> check.items
    400
    """

    source: Source
    declaration: Declaration
    items: int
    confidence: float
    rows: np.ndarray[Any, np.dtype[np.int64]]  # of the source
    violating: Bools  # the labels
    disagreement: Floats
    drawn: np.ndarray[Any, np.dtype[np.int64]]  # places in the list, in random order
    disagreeing: int  # how many there are, also beyond the end of the list
    notes: tuple[str, ...]

    @classmethod
    def from_data(
        cls, data: TableSource, roles: Mapping[str, Any], *, query: str | None = None,
        confidence: float = 0.5, most: int = 1000, relabel: int = DRAWN_TO_RELABEL, seed: int = 0,
    ) -> LabelCheck:  # fmt: skip
        """The items whose label has, after calibration, the other class with at least this probability."""
        declaration = Declaration.of(roles)
        if len(declaration.score) != 1:
            raise InputError("labels are checked by one score: set `score`, the score column")
        arrays.share(confidence, "`confidence`", closed=True)
        source = open_source(data, query=query).naming(declaration.columns)
        evidence = open_evidence(data, declaration, query=query)
        (classed,) = as_classed(evidence).classed(evidence.parts[0])
        violating = classed.label == 1
        p = classed.probabilities[:, 1]
        doubt = np.round(label_disagreement(p, violating, seed=seed), 6)
        order = np.lexsort((np.where(violating, p, -p), -doubt))  # of equal doubts the more extreme score
        order = order[doubt[order] >= confidence]
        listed = order[: arrays.whole(most, "`most`", least=1)]
        rows = open_predictions(source, declaration).rows
        places = listed if rows is None else rows.to_numpy()[listed].astype(np.int64)
        number = min(arrays.whole(relabel, "`relabel`", least=1), len(listed))
        drawn = draw_simple(len(listed), number, seed=seed).rows if number else np.empty(0, dtype=np.int64)
        return cls(
            source, declaration, len(doubt), confidence, places, violating[listed], doubt[listed], drawn, len(order),
            evidence.notes,
        )  # fmt: skip

    def table(self) -> pl.DataFrame:
        """A row for each listed item; with its text if `text` is declared."""
        other = np.where(self.violating, BENIGN, VIOLATING)
        relabel = np.zeros(len(self.rows), dtype=np.bool_)
        relabel[self.drawn] = True
        columns = {
            "rank": np.arange(1, len(self.rows) + 1),
            "id": self._ids(),
            "label": np.where(self.violating, VIOLATING, BENIGN),
            "model": other,
            "confidence": self.disagreement,
            "relabel": np.where(relabel, RELABEL, ""),
        }
        text = {"text": self._written(self.declaration.text)} if self.declaration.text else {}
        return pl.DataFrame({**columns, **text})

    def sheet(self) -> pl.DataFrame:
        """What people get: the drawn items in random order, without label and score."""
        if not self.declaration.text:
            raise InputError("a sheet needs the text column: set `text`")
        listed: pl.DataFrame = self.table().select("id", "text")[self.drawn.tolist()]
        return listed

    def _ids(self) -> list[str]:
        if self.declaration.id:
            return self._written(self.declaration.id)
        return [str(row + 1) for row in self.rows.tolist()]

    def _written(self, column: str) -> list[str]:
        table = self.source.naming([column]).as_written([column])
        texts: list[str] = table[column][self.rows.tolist()].cast(pl.String).fill_null("").to_list()
        return texts

    def write(self, out: Path) -> None:
        """The list as a table."""
        write_table(self.table().lazy(), out, None)


def check_list_file(out: Path) -> None:
    """Refuse what cannot be written before the work."""
    check_output_file(out)


def relabelled(
    path: Path, answers: Sequence[Path], *, positive: Sequence[str] = (), level: float = 0.95
) -> LabelErrors:
    """What the second labels of the drawn items say about the whole list."""
    wanted = ["id", "label", "relabel"]
    table = open_source(path).naming(wanted).as_written(wanted)
    if not (table["relabel"] == RELABEL).any() or not table["label"].is_in([VIOLATING, BENIGN]).all():
        raise InputError(
            "not a list of labels to check: give the file that `evenhand check-labels` wrote", source=str(path)
        )
    drawn = table.filter(pl.col("relabel") == RELABEL)
    ids = drawn["id"].cast(pl.String).to_list()
    new_labels = answers_by_item(read_answers(answers, ids, positive=positive))
    if missing := [id_ for id_ in ids if id_ not in new_labels]:
        raise InputError(
            f"{len(ids) - len(missing):,} of {len(ids):,} drawn items have an answer: the number of label errors needs "
            f"all of them (next: '{missing[0]}')", source=str(answers[0]),
        )  # fmt: skip
    violating = (drawn["label"] == VIOLATING).to_list()
    differs = [
        None if (value := new_labels[id_]) is None else (value >= 0.5) != own
        for id_, own in zip(ids, violating, strict=True)
    ]
    return estimate_label_errors(len(table), differs, level=level)
