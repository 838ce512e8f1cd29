"""The default model beside alt-profanity-check: how well, how fairly and how fast, in one run.

With EVENHAND_DATA on real data neither was trained on; without it only how fast, on made-up comments.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import polars as pl
from run import measured

import evenhand as eh
from evenhand.audits import Settings
from evenhand.audits.quality import audit_quality
from evenhand.evidence import Declaration, open_evidence
from evenhand.evidence.opening import whole_words
from evenhand.finding import Finding
from evenhand.synthetic.community import community
from evenhand.synthetic.terms import IDENTITIES

TIMED, WORST, SLOWER = 20_000, 5, 3.0  # texts; groups shown; how much slower we may be
OURS, PEER = "default", "alt-profanity-check"


@dataclass(frozen=True)
class Set:
    """Labelled texts that neither model has seen."""

    title: str
    file: str
    text: str
    label: pl.Expr


SETS = (
    Set("Template sentences (Jigsaw, 77k)", "madlibs_77k", "Text", pl.col("Label") == "BAD"),
    Set("HateCheck", "hatecheck", "test_case", pl.col("label_gold") == "hateful"),
    Set("Reddit comments (CAD)", "reddit_cad", "text", pl.col("label") == 1),
    Set("Wikipedia, other annotators, 1.5 % positive", "wikipedia_context_gc", "text", pl.col("label") == 1),
)


def main(peers: str) -> None:
    data = os.environ.get("EVENHAND_DATA")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tables = dict(_tables(Path(data), folder)) if data else {}
        (folder / "timed.json").write_text(json.dumps(_timed(data)))
        theirs = measured(peers, "profanity.py", name)
        ours = measured(sys.executable, "scoring.py", name)
        for file, table in tables.items():
            scores = {m: json.loads((folder / f"{who}_{file}.json").read_text()) for who, m in _WHO.items()}
            tables[file] = table.with_columns(pl.Series(m, values) for m, values in scores.items())
    for line in _report(tables, ours, theirs):
        print(line)
    if statistics.median(ours["seconds"]) > SLOWER * statistics.median(theirs["seconds"]):
        sys.exit("a promise is broken")


_WHO = {"ours": OURS, "peer": PEER}


def _tables(data: Path, folder: Path) -> Iterator[tuple[str, pl.DataFrame]]:
    for s in SETS:
        table = pl.read_parquet(data / f"{s.file}.parquet")
        table = table.select(pl.col(s.text).fill_null("").alias("text"), s.label.alias("label"))
        (folder / f"set_{s.file}.json").write_text(json.dumps(table["text"].to_list()))
        yield s.file, table


def _timed(data: str | None) -> list[str]:
    if not data:
        return community(TIMED, seed=0).items["text"].to_list()
    table = pl.read_parquet(Path(data) / "wikipedia_talk.parquet").filter(pl.col("split") != "train")
    return table["text"].fill_null("").head(TIMED).to_list()


def _report(tables: dict[str, pl.DataFrame], ours: dict, theirs: dict) -> Iterator[str]:
    mine, peer = (statistics.median(found["seconds"]) for found in (ours, theirs))
    yield f"scoring {TIMED:,} {'real' if tables else 'made-up'} comments, medians of five"
    yield f"  {PEER} {peer:8.2f} s"
    yield f"  the default model   {mine:8.2f} s, {mine / peer:.2f} times that (promised at most {SLOWER:.0f})"
    yield ""
    yield "## Beside alt-profanity-check"
    yield ""
    yield f"What people install today, {PEER} 1.9.1, was trained on the same Wikipedia rows, so the two are"
    yield "compared on data that neither has seen. With 95 % intervals, which take rows as independent:"
    if not tables:
        yield "(no real data: set EVENHAND_DATA)"
        return
    yield from (
        "",
        f"| data | rows | AUROC {OURS} | AUROC {PEER} | AUPRC {OURS} | AUPRC {PEER} |",
        "|---|--:|--:|--:|--:|--:|",
    )
    for s in SETS:
        found = _quality(tables[s.file])
        cells = [str(found.get(measure, model=m)) for measure in ("auroc", "auprc") for m in (OURS, PEER)]
        yield f"| {s.title} | {len(tables[s.file]):,} | {' | '.join(cells)} |"
    yield from _groups(tables["madlibs_77k"])


def _quality(table: pl.DataFrame) -> Finding:
    declared = Declaration(score=(OURS, PEER), label="label")
    return audit_quality(open_evidence(table, declared), Settings())


def _groups(table: pl.DataFrame) -> Iterator[str]:
    lower = table["text"].str.to_lowercase()
    terms = {i.term: [i.term] for i in IDENTITIES if lower.str.contains(whole_words((i.term,))).sum() >= 100}
    report = eh.audit(table, score=[OURS, PEER], label="label", text="text", terms=terms)
    (finding,) = report.findings
    yield from (
        "",
        f"BPSN AUC of the worst {WORST} of {len(terms)} identity terms in the template sentences, for each model:",
    )
    yield from ("", f"| | {OURS} | | {PEER} | |", "|--:|---|--:|---|--:|")
    ranked = {
        m: sorted(terms, key=lambda t, m=m: finding.get("bpsn_auc", model=m, group=t).value) for m in (OURS, PEER)
    }
    for place in range(WORST):
        cells = [
            f"{ranked[m][place]} | {finding.get('bpsn_auc', model=m, group=ranked[m][place])}" for m in (OURS, PEER)
        ]
        yield f"| {place + 1} | {' | '.join(cells)} |"


if __name__ == "__main__":
    main(sys.argv[1])
