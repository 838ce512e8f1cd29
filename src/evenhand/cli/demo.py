"""evenhand demo: the whole way on data that Evenhand makes up."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def demo(
    out: Annotated[Path, typer.Option(help="Folder for the data and the report.")] = Path("evenhand-demo"),
    rows: Annotated[int, typer.Option(help="How many comments to make up.", min=1000)] = 40_000,
    seed: Annotated[int, typer.Option(help="Seed of the data.", min=0)] = 0,
) -> None:
    """Make up comments with two models' scores, audit them, and say where the report is."""
    from evenhand.cli.audit_run import run
    from evenhand.files import writing
    from evenhand.synthetic.community import GROUPS, community

    with writing(out) as staging:
        community(rows, seed=seed).items.write_parquet(staging / "comments.parquet")
    data = out / "comments.parquet"
    options = {"score": "model_a,model_b", "label": "toxicity", "groups": ",".join(GROUPS), "text": "text", "id": "id"}
    print(f"made up {rows:,} comments: {data}")
    print(
        "running: evenhand audit " + " ".join([str(data), *(f"--{k} {v}" for k, v in options.items()), f"--out {out}"])
    )
    lists = {name: value.split(",") for name, value in options.items() if name in ("score", "groups")}
    run(str(data), {**options, **lists}, audits=None, query=None, terms=None, out=out, shown="table")
