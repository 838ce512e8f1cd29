"""Records what the runs give: PYTHONPATH=tests python -m guard.record [NAME …], or --files for the old files.

What is recorded stays. Only a run that is new to the table is recorded later; what changes on purpose goes into
changed_on_purpose.toml.
"""

from __future__ import annotations

import gzip
import json
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from guard import data
from guard.collect import Plain, Tree
from guard.program import command, inside
from guard.runs import RUNS, TWO
from guard.steps import DATA, FILES, policy

RECORDED = Path(__file__).parent / "recorded"
MACHINE = RECORDED / "machine.json"


def recorded(name: str) -> Tree:
    """What a run gave when it was recorded."""
    return json.loads(gzip.decompress((RECORDED / f"{name}.json.gz").read_bytes()))


def given(name: str) -> Tree:
    """What it gives now, in a folder of its own, as JSON has it."""
    with tempfile.TemporaryDirectory() as folder:
        return json.loads(json.dumps(RUNS[name](Path(folder)), allow_nan=False))


def machine() -> list[str]:
    """What this machine's arithmetic is like: the instructions that numpy uses."""
    from numpy._core._multiarray_umath import __cpu_features__ as features  # type: ignore[attr-defined]

    return [np.__version__, *sorted(name for name, there in features.items() if there)]


def record(name: str) -> None:
    start, tree = time.perf_counter(), given(name)
    text = json.dumps(tree, ensure_ascii=False, separators=(",", ":"))
    packed = gzip.compress(text.encode(), mtime=0)
    (RECORDED / f"{name}.json.gz").write_bytes(packed)
    codes = [step.get("code", "") for step in tree["steps"]]
    print(f"{name}: {time.perf_counter() - start:.1f} s, {len(packed):,} bytes, {codes}", flush=True)


def old_files() -> None:
    """Files as the program of this day writes them, to be opened by those of later days."""
    shutil.rmtree(FILES, ignore_errors=True)
    FILES.mkdir()
    truth = dict(data.items().select("id", "truth").iter_rows())
    with tempfile.TemporaryDirectory() as name, inside(Path(name)):
        folder = Path(name)
        for table in ("items.csv", "small.csv", "classed.csv", "comments.csv", "decided.csv"):
            data.write(table, folder)
        _run(f"sample plan items.csv {TWO} --n 300 -o plan.json")
        _run("sample draw plan.json -o batch1.csv")
        data.answer(Path("batch1.csv"), truth)
        _run("sample estimate plan.json batch1.csv --next batch2.csv")
        data.answer(Path("batch2.csv"), truth)
        _run("calibrate fit small.csv --score first --label y --method platt -o platt.json")
        _run(
            "calibrate fit classed.csv --probabilities p_calm,p_rude,p_threat --label kind --method vector -o "
            "vector.json"
        )
        _run("audit small.csv --score first --label y --groups a,b -o report")
        _run(
            "audit decided.csv --audits accuracy --label truth --decision removed --inclusion chance --stratum "
            "stratum -o accurate"
        )
        _run("train comments.csv --label toxic -o model --set bits=10 --set members=2 --set rounds=6")
        Path("policy.json").write_text(json.dumps(policy()["policy"], indent=1) + "\n", encoding="utf-8")
        shutil.copyfile("report/findings.json", FILES / "findings.json")
        shutil.copyfile("accurate/findings.json", FILES / "accuracy.json")
        shutil.copytree("model", FILES / "model")
        for file in ("plan.json", "batch1.csv", "batch2.csv", "platt.json", "vector.json", "policy.json"):
            shutil.copyfile(file, FILES / file)


def _run(step: str) -> None:
    done = command(step.split(), Plain({}))
    if done["code"]:
        raise SystemExit(f"{step}: {done['err']}")


def main(names: list[str]) -> None:
    if names == ["--files"]:
        old_files()
        return
    RECORDED.mkdir(exist_ok=True)
    if not names:
        MACHINE.write_text(json.dumps(machine()) + "\n", encoding="utf-8")
    for name in names or RUNS:
        if RUNS[name].real and not os.environ.get(DATA):
            print(f"{name}: left out, {DATA} is not set")
        else:
            record(name)


if __name__ == "__main__":
    main(sys.argv[1:])
