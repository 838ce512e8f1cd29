"""The default model beside alt-profanity-check on data that neither was trained on: how well, and how fairly.

    EVENHAND_DATA=folder make compared

Writes COMPARED.md, which the card of the default model quotes. How fast both are is a benchmark (`make bench`).
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import polars as pl
from benchmarks.place import Place

import evenhand as eh
from evenhand.audits import Settings
from evenhand.cards.examination import audit_quality
from evenhand.classifiers.models import open_model
from evenhand.classifiers.protocol import score_in_batches
from evenhand.evidence import Declaration, as_tallied, open_evidence
from evenhand.evidence.terms import whole_word_pattern
from evenhand.finding import Finding
from evenhand.synthetic.terms import IDENTITIES

WORST = 5  # groups shown
OURS, PEER = "default", "alt-profanity-check"
OUT = Path(__file__).with_name("COMPARED.md")


@dataclass(frozen=True)
class Set:
    """Labelled texts that neither model has seen."""

    title: str
    file: str
    text: str
    label: pl.Expr


TEMPLATES = Set("Template sentences (Jigsaw, 77k)", "madlibs_77k", "Text", pl.col("Label") == "BAD")
SETS = (
    TEMPLATES,
    Set("HateCheck", "hatecheck", "test_case", pl.col("label_gold") == "hateful"),
    Set("Reddit comments (CAD)", "reddit_cad", "text", pl.col("label") == 1),
    Set("Wikipedia, other annotators, 1.5 % positive", "wikipedia_context_gc", "text", pl.col("label") == 1),
)


def main() -> None:
    """Score, audit, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peers", type=Path, required=True, help="Python of the environment that holds the peers")
    peers, data = parser.parse_args().peers.absolute(), os.environ.get("EVENHAND_DATA")
    if not data:
        sys.exit("set EVENHAND_DATA to the folder that holds the data")
    with tempfile.TemporaryDirectory() as folder:
        place = Place(Path(folder), peers)
        version = place.theirs("machine:installed", [PEER])[PEER]
        tables = {one.file: scored(one, Path(data), place) for one in SETS}
    OUT.write_text("\n".join(lines(tables, version)) + "\n", encoding="utf-8")


def scored(one: Set, data: Path, place: Place) -> pl.DataFrame:
    """Texts and labels, and what both models say."""
    path = place.folder / f"{one.file}.parquet"
    table = pl.read_parquet(data / path.name)
    table = table.select(pl.col(one.text).fill_null("").alias("text"), one.label.alias("label"))
    table.write_parquet(path)
    ours = score_in_batches(open_model("default"), table["text"].to_list()).probabilities[:, 0]
    theirs = place.theirs("peers.scoring:probabilities", str(path))
    return table.with_columns(pl.Series(OURS, ours), pl.Series(PEER, theirs))


def lines(tables: dict[str, pl.DataFrame], version: str) -> Iterator[str]:
    """The page."""
    yield from (
        "## Beside alt-profanity-check",
        "",
        f"What people install today, {PEER} {version}, was trained on the same Wikipedia rows, so the two are",
        "compared on data that neither has seen. With 95 % intervals, which take rows as independent:",
        "",
        f"| data | rows | AUROC {OURS} | AUROC {PEER} | AUPRC {OURS} | AUPRC {PEER} |",
        "|---|--:|--:|--:|--:|--:|",
    )
    for one in SETS:
        table = tables[one.file]
        found = _quality(table)
        cells = [str(found.get(measure, model=m)) for measure in ("auroc", "auprc") for m in (OURS, PEER)]
        yield f"| {one.title} | {len(table):,} | {' | '.join(cells)} |"
    yield from _groups(tables[TEMPLATES.file])


def _quality(table: pl.DataFrame) -> Finding:
    declared = Declaration(score=(OURS, PEER), label="label")
    return audit_quality(as_tallied(open_evidence(table, declared)), Settings())


def _groups(table: pl.DataFrame) -> Iterator[str]:
    lower = table["text"].str.to_lowercase()
    terms = {i.term: [i.term] for i in IDENTITIES if lower.str.contains(whole_word_pattern((i.term,))).sum() >= 100}
    (finding,) = eh.audit(table, score=[OURS, PEER], label="label", text="text", terms=terms).findings
    yield from (
        "",
        f"BPSN AUC of the worst {WORST} of {len(terms)} identity terms in the template sentences, for each model:",
        "",
        f"| | {OURS} | | {PEER} | |",
        "|--:|---|--:|---|--:|",
    )
    found = {m: {term: finding.get("bpsn_auc", model=m, group=term) for term in terms} for m in (OURS, PEER)}
    worst = [sorted(found[m].items(), key=lambda pair: pair[1].value or 0.0)[:WORST] for m in (OURS, PEER)]
    for place, pairs in enumerate(zip(*worst, strict=True), start=1):
        yield f"| {place} | " + " | ".join(f"{term} | {estimate}" for term, estimate in pairs) + " |"


if __name__ == "__main__":
    main()
