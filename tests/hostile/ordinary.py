"""Ordinary inputs, one for every kind, made once: what a command gets for all but the one input that is hostile."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl

from hostile.corpus.rows import as_csv, rows
from hostile.corpus.statements import write_database
from hostile.site import Site

Files = dict[str, bytes]
QUICK = {"bits": 10, "members": 1, "rounds": 2}


def contents(folder: Path) -> Files:
    """Every file below a folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def _table(*columns: str, unique: str | None = None) -> str:
    """Some columns; a score is that of the item."""
    frame = pl.DataFrame(rows()).with_columns(pl.col("p").first().over("item")).select(columns)
    return (frame.unique(unique, maintain_order=True) if unique else frame).write_csv()


@cache
def findings(audit: str = "bias") -> str:
    import evenhand as eh

    roles = {"score": "p", "label": "y", "groups": ["a", "b"]}
    if audit == "accuracy":
        roles = {"label": "y", "decision": "removed", "inclusion": "pi"}
    return eh.audit(pl.DataFrame(rows()), audits=audit, **roles).json()


DESIGNS: dict[int, tuple[str, dict[str, Any]]] = {
    1: ("random", {}),
    2: ("stratified", {"allocation": "pilot", "pilot": 2}),
}


@cache
def campaign(*, batches: int = 1, decision: str | None = None) -> Files:
    """A plan, the same plan with a batch drawn, and the sheet of that batch, filled in; of several, the first."""
    from evenhand.measurement import Campaign, ItemColumns, SampleSizeRequest, plan_campaign
    from evenhand.sampling.designs import design_from_options

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "items.csv").write_text(as_csv(rows()))
        purpose = {"ground_truth": "rules", "codebook": "one", "population": "all", "period": "May"}
        plan_campaign(
            folder / "items.csv",
            folder / "plan.json",
            roles=ItemColumns.of({"score": "p", **({"decision": decision} if decision else {})}),
            design=design_from_options(
                *(("random", {}) if batches == 1 else ("stratified", {"allocation": "pilot", "pilot": 2}))
            ),
            size=SampleSizeRequest.of("all" if decision else "40", {}, None, 0.95),
            purpose=purpose,
            seed=0,
        )
        plan = (folder / "plan.json").read_bytes()
        Campaign(folder / "plan.json").draw(folder / "batch.csv")
        sheet = pl.read_csv(folder / "batch.csv", infer_schema=False).with_columns(label=pl.lit("no"))
        answered = sheet.with_columns(
            label=pl.when(pl.int_range(pl.len()) % 3 == 0).then(pl.lit("yes")).otherwise("label")
        )
        return {
            "plan.json": plan,
            "drawn.json": (folder / "plan.json").read_bytes(),
            "batch.csv": answered.write_csv().encode(),
            "gold.csv": answered.select("id", truth="label").write_csv().encode(),
        }


@cache
def filed_report() -> Files:
    """A report of transparency, as it is filed."""
    from evenhand.exchange.dsa.automated_means import AutomatedMeans
    from evenhand.exchange.dsa.labels import Provider
    from evenhand.exchange.dsa.report import CensusFiles, make_report
    from exchange.dsa.corpus import decisions, jsonl
    from exchange.dsa.simulated_service import PERIOD

    with tempfile.TemporaryDirectory() as name:
        census = CensusFiles(decisions=jsonl(Path(name, "d.jsonl"), decisions(20)))
        made = make_report(Provider.VLOP, "Forum", PERIOD, means=AutomatedMeans(None), census=census)
        return {f"{table}.csv": made.csv(table).encode() for table in made.draft.tables}


def _desk_codes() -> str:
    from exchange.dsa.corpus import DESK_CODES

    return DESK_CODES


@cache
def exported() -> Files:
    """The tables of a store."""
    from evenhand.store import open_store
    from evenhand.store.exporting import export

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file in ("desk.db", "desk.db.key"):
            content = store()[file]
            (folder / file).write_bytes(content if isinstance(content, bytes) else content.encode())
        with open_store(str(folder / "desk.db")) as opened:
            export(opened, folder / "exported")
        return contents(folder / "exported")


def _lines(records: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def _decisions() -> list[dict[str, Any]]:
    from exchange.dsa.corpus import decisions

    return decisions(20)


def _records(kind: str) -> str:
    """Notices or appeals of the same service."""
    from exchange.dsa import corpus

    return _lines(getattr(corpus, kind)(20))


def _statements() -> str:
    from evenhand.exchange.dsa.statements import statement_from

    def cell(value: Any) -> str | None:
        return (",".join(value) if isinstance(value, list) else value) or None

    return _lines([statement_from({name: cell(value) for name, value in row.items()}) for row in _decisions()])


def _dump() -> str:
    columns = ("application_date", "source_type", "automated_detection", "automated_decision")
    rows = [{**{name: row[name] for name in columns}, "platform_name": "Forum"} for row in _decisions()]
    return pl.DataFrame(rows).write_csv()


EXPORT = json.dumps(
    [
        {
            "id": 1,
            "data": {"item": "i1", "text": "calm"},
            "annotations": [
                {"completed_by": 1, "result": [{"from_name": "label", "value": {"choices": ["no"]}}], "lead_time": 2.0}
            ],
        }
    ]
)


@cache
def calibrator() -> str:
    from evenhand.calibrators.storage import calibrator_to_json
    from evenhand.evidence import Declaration, open_evidence
    from evenhand.recalibration.fitting import fit_calibrator

    evidence = open_evidence(pl.DataFrame(rows()), Declaration.of({"score": "p", "label": "y"}))
    return calibrator_to_json(fit_calibrator(evidence, "platt"))


def policy() -> str:
    """A policy such as a plan writes."""
    from evenhand.routing import ReviewPolicy

    own = ReviewPolicy(upper=0.9, strategy="below-threshold:0.9", capacity=9, items_per_day=90, score="p")
    return json.dumps(own.to_dict())


def queue() -> str:
    """The operator's file of a queue."""
    columns = {
        "action": "review",
        "rank": 1,
        "reason": "",
        "otherwise": "leave",
        "inclusion": 1.0,
        "stratum": "reviewed",
    }
    return as_csv([{"text": row["text"], "p": row["p"], **columns, "policy": "x"} for row in rows()])


@cache
def model() -> Files:
    """A trained model, in the files of its folder."""
    from classifiers.made import saved

    with tempfile.TemporaryDirectory() as name:
        saved(Path(name) / "model", **QUICK)
        return contents(Path(name) / "model")


@cache
def transformer() -> Files:
    """A directory as transformers saves it, with random weights."""
    from classifiers.tiny import saved, sequence_model, tokenizer

    with tempfile.TemporaryDirectory() as name:
        return contents(saved(Path(name), sequence_model("bert", ["calm", "rude"]), tokenizer()))


STORE_FILES = ("desk.db", "desk.db.key", "copy.db", "head.json", "desk-policy.json")


@cache
def store() -> Files:
    """A small store in use: its file, its key, a head and a policy."""
    import json

    from evenhand.store import DeskPolicy, NewItem, NewScore, create_store, perform, signed_head
    from evenhand.store.backups import back_up
    from evenhand.store.importing import import_decisions

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "items.csv").write_text(as_csv(rows()))
        policy = DeskPolicy.from_thresholds(upper=0.9, lower=0.1)
        with create_store(str(folder / "desk.db")) as made:
            perform(made, "activate", actor="system", policy=policy)
            perform(made, "invite", actor="system", person="lee", role="lead")
            items = [NewItem("0", "a text", scores=[NewScore("model", "1", 0.5)])]
            perform(made, "receive", actor="system", items=items)
            import_decisions(made, str(folder / "items.csv"), {"id": "id", "text": "text"})
            signed_head(made).write(folder / "head.json")
            back_up(made, folder / "copy.db")
        (folder / "desk-policy.json").write_text(json.dumps(policy.to_dict()))
        return contents(folder)


TOKENS = (
    '{"format": 1, "key": "' + "ab" * 32 + '", "tokens": [{"name": "one", "scopes": ["score"], '
    '"hash": "' + "cd" * 32 + '", "created": "2026-01-01T00:00:00+00:00"}]}\n'
)
DESCRIPTION = 'kind = "transformers"\npath = "directory"\npositive = "rude"\n'
MAKERS: dict[str, Callable[[], str | bytes]] = {
    "items.csv": lambda: as_csv(rows()),
    "later.csv": lambda: as_csv([{**row, "id": f"l{row['id']}", "p": 0.9 * row["p"]} for row in reversed(rows())]),
    "texts.csv": lambda: _table("id", "text"),
    "labels.csv": lambda: _table("item", "who", "label", "gender"),
    "whole-labels.csv": lambda: _table("item", "who", "label", "gender", "p"),
    "bare-labels.csv": lambda: _table("item", "who", "label", "p"),
    "scored.csv": lambda: _table("item", "p", unique="item"),
    "people.csv": lambda: _table("who", "gender", unique="who"),
    "ranking.csv": lambda: "lang,prevalence\nen,0.1\nde,0.2\n",
    "strata.csv": lambda: "items,prevalence\n1000,0.1\n2000,0.02\n",
    "terms.txt": lambda: "garden\nrude: idiot, awful\n",
    "codes.toml": lambda: _desk_codes(),
    "spellings.toml": lambda: '[gender]\nfemale = "women"\nmale = "men"\n',
    "audit.toml": lambda: 'data = "items.csv"\n[columns]\nscore = ["p"]\nlabel = "y"\ngroups = ["a", "b"]\n',
    "tokens.json": lambda: TOKENS,
    "findings.json": findings,
    "period.json": lambda: findings("accuracy"),
    "next.json": lambda: findings("accuracy"),
    "calibrator.json": calibrator,
    "decisions.jsonl": lambda: _lines(_decisions()),
    "notices.jsonl": lambda: _records("notices"),
    "appeals.jsonl": lambda: _records("appeals"),
    "values.csv": lambda: "table,indicator,scope,value,context\n",
    "statements.jsonl": _statements,
    "dump.csv": _dump,
    "answers.csv": lambda: (
        "item,text,annotator,label\ni1,calm,ann,no\ni1,calm,ben,yes\ni2,rude,ann,no\ni2,rude,ben,no\n"
    ),
    "export.json": lambda: EXPORT,
    "rated.json": lambda: campaign(decision="removed")["drawn.json"],
    "sheet.csv": lambda: campaign(decision="removed")["batch.csv"],
    "policy.json": policy,
    "today.csv": queue,
    "doubted.csv": lambda: "id,label,relabel\n1,violating,yes\n2,benign,yes\n",
    "answered.csv": lambda: "id,label\n1,yes\n2,no\n",
    **{name: (lambda name=name: campaign()[name]) for name in ("plan.json", "drawn.json", "batch.csv", "gold.csv")},
    **{name: (lambda name=name: store()[name]) for name in STORE_FILES},
    **{f"first-{name}": (lambda name=name: campaign(batches=2)[name]) for name in ("drawn.json", "batch.csv")},
}


PROVIDED = {*MAKERS, "items.db", "model", "directory", "corpora", "filed", "exported"}


def provide(site: Site, *names: str) -> None:
    """Put ordinary inputs into the folder of work."""
    for name in dict.fromkeys(names):
        if name == "items.db":
            write_database(site.work / name)
        elif name == "model":
            lay_out(site, model(), "model")
        elif name == "directory":
            lay_out(site, transformer(), "directory")
            site.write("directory.toml", DESCRIPTION)
        elif name == "exported":
            lay_out(site, exported(), name)
        elif name == "filed":
            lay_out(site, filed_report(), "filed")
        elif name == "corpora":
            from reproduce import tiny

            (site.work / name).mkdir()
            tiny.madlibs(site.work / name)
        else:
            site.write(name, MAKERS[name]())


def lay_out(site: Site, files: Files, folder: str) -> Path:
    """Files in a folder."""
    for name, content in files.items():
        site.write(f"{folder}/{name}", content)
    return site.work / folder
