"""A run: the tables it needs, its steps, which are commands or calls from Python, and everything that it gave."""

from __future__ import annotations

import json
import os
import shlex
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from evenhand import __version__
from guard import collect, data
from guard.collect import Plain, Tree
from guard.program import command, inside

FILES = Path(__file__).parent / "files"
DATA = "EVENHAND_DATA"
Step = str | Callable[[], Tree]


@dataclass(frozen=True)
class Run:
    """`trained` numbers rest on how a machine rounds, so that another kind of machine may differ in the last digits."""

    name: str
    needs: tuple[str, ...]
    steps: tuple[Step, ...]
    slow: bool = False
    real: bool = False
    trained: bool = False

    def __call__(self, folder: Path) -> Tree:
        """Everything that it gave."""
        for name in self.needs:
            _placed(name, folder)
        before = {path: collect.sha256(path.read_bytes()) for path in _files(folder)}
        known = {
            f"venhand {__version__}": "venhand <version>",
            str(folder.resolve()): "<folder>",
            str(folder): "<folder>",
        }
        if self.real:
            known |= {str(Path(os.environ[DATA]).resolve()): "<data>", os.environ[DATA]: "<data>"}
        known |= {sha: f"<sha256 of {path.relative_to(folder)}>" for path, sha in before.items()}
        plain = Plain(known)
        with inside(folder):
            steps = [self._step(step, plain) for step in self.steps]
        found = {
            str(path.relative_to(folder)): collect.written(path, plain)
            for path in _files(folder)
            if collect.sha256(path.read_bytes()) != before.get(path)
        }
        tree = {"steps": steps, "files": found}
        return collect.without_ids(tree) if self.real else tree

    def _step(self, step: Step, plain: Plain) -> Tree:
        if not isinstance(step, str):
            value = step()
            plain.know({collect.sha256(path.read_bytes()): f"<sha256 of {path}>" for path in _files(Path())})
            return {"value": plain.tree(value)}
        told = step.replace(f"${DATA}", os.environ.get(DATA, ""))
        return {"command": step, **command(shlex.split(told), plain)}


def _placed(name: str, folder: Path) -> None:
    if name.startswith("old/"):
        source, target = FILES / name.removeprefix("old/"), folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copytree(source, target) if source.is_dir() else shutil.copyfile(source, target)
    else:
        data.write(name, folder)


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def labelled(*sheets: str, unclear: int = 0) -> Callable[[], Tree]:
    """Annotators fill in sheets; the ids in the order of the sheet."""

    def fill() -> Tree:
        truth = dict(data.items().select("id", "truth").iter_rows())
        return {sheet: len(data.answer(Path(sheet), truth, unclear)) for sheet in sheets}

    return fill


def half() -> Tree:
    """Only some of a sheet comes back."""
    pl.read_csv("batch1.csv", infer_schema=False)[:130].write_csv("some.csv")
    return 130


def tasks() -> Tree:
    truth = dict(data.items().select("id", "truth").iter_rows())
    return len(data.answer_tasks(Path("batch1.json"), truth))


def policy() -> Tree:
    """Thresholds with a promise, written and read again."""
    from evenhand.routing import Policy, choose

    table = data.history()
    p, y = table["p"].to_numpy(), table["y"].to_numpy()
    made = choose(p, y, wrong_removals=0.2, missed_violations=0.2)
    return {"policy": made.to_dict(), **_decided(Policy.from_dict(json.loads(json.dumps(made.to_dict()))), p, y)}


def old_policy() -> Tree:
    from evenhand.routing import Policy

    table = data.history()
    opened = Policy.from_dict(json.loads(Path("old/policy.json").read_text(encoding="utf-8")))
    return {"policy": opened.to_dict(), **_decided(opened, table["p"].to_numpy(), table["y"].to_numpy())}


def _decided(made: Any, p: np.ndarray, y: np.ndarray) -> Tree:
    outcome = made.examine(p, y)
    names = ("removed", "reviewed", "left", "wrong_removals", "missed_violations")
    parts = {name: getattr(outcome, name) for name in names}
    told = {name: [e.value, e.low, e.high, e.n, e.method] for name, e in parts.items()}
    return {"decisions": collect.words(made.decisions(p)), "outcome": told}


def from_python() -> Tree:
    """The same audit from a frame, by its Python name."""
    import evenhand as eh

    report = eh.audit(
        data.small(),
        score=["first", "second"],
        label="y",
        groups=["a", "b"],
        slices=["lang"],
        audits=["bias", "collaboration"],
    )
    report.save("report")
    loaded = eh.load("report/findings.json", audit="bias")
    return {
        "estimates": collect.table(report.estimates),
        "same": loaded.as_dict() == report.findings[0].as_dict(),
        "of": report.source,
        "figures": [figure.file for figure in report.figures],
        "tables": sorted(report.tables("markdown")),
    }


def from_pandas() -> Tree:
    import evenhand as eh

    report = eh.audit(data.small().to_pandas(), score="first", label="y", group_by="who", threshold=0.7)
    return json.loads(report.json())


def trained_in_python() -> Tree:
    """A model trained, kept, opened and asked."""
    import evenhand as eh

    table = data.comments()
    settings = {"bits": 10, "members": 2, "rounds": 6}
    eh.train(table, "model", label="mood", text="text", method="linear", settings=settings, name="moods")
    model = eh.open_model("model")
    scored = eh.score(table, model=model, text="text")
    return {"version": model.version, "scored": collect.table(scored)}


def agreeing() -> Tree:
    import evenhand as eh

    first, second = (
        eh.audit(f"{name}.csv", score="first", label="y", groups=["a", "b", "c"]) for name in ("small", "later")
    )
    return eh.agreement(first.findings[0], second.findings[0]).as_dict()


def opened_findings() -> Tree:
    import evenhand as eh

    return {name: eh.load(f"old/{name}.json").as_dict() for name in ("findings", "accuracy")}


def context() -> Tree:
    """The population beside the plan, since a plan names its file by the way to it."""
    shutil.copyfile(Path(os.environ[DATA]) / "wikipedia_context_gc.parquet", "context.parquet")
    return None


def real_labels() -> Tree:
    table = pl.read_parquet("context.parquet", columns=["id", "label"])
    truth = {id_: bool(label) for id_, label in table.iter_rows()}
    return len(data.answer(Path("batch1.csv"), truth))


def crehate() -> Tree:
    """Annotations with a score made of them: the share of those from one country who said yes, drawn to the middle."""
    table = pl.read_parquet(Path(os.environ[DATA]) / "crehate_annotations.parquet")
    own = (pl.col("annotation") == 1) & (pl.col("nationality") == "Singapore")
    score = ((own.sum() + 0.5) / ((pl.col("nationality") == "Singapore").sum() + 1.0)).over("ID").round(4)
    table.select("ID", "annotator_id", "annotation", "gender", "nationality", p=score).write_parquet("crehate.parquet")
    return len(table)
