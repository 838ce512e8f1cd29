"""evenhand demo: the whole way on data that Evenhand makes up."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

MODELS = ("default_p", "model_a", "model_b")


def demo(
    out: Annotated[Path, typer.Option(help="Folder for the data and the report.")] = Path("evenhand-demo"),
    rows: Annotated[int, typer.Option(help="How many comments to make up.", min=1000)] = 40_000,
    seed: Annotated[int, typer.Option(help="Seed of the data.", min=0)] = 0,
) -> None:
    """Make up comments, score them with the default model, audit it beside two others, and say where the report is."""
    import polars as pl

    from evenhand.classifiers.scoring import score_file
    from evenhand.cli.audit_run import run
    from evenhand.cli.output import Output
    from evenhand.cli.progress import progress_bar
    from evenhand.evidence.output import check_file, write_table
    from evenhand.synthetic.community import GROUPS, community

    data, scored = out / "comments.parquet", out / "scored.parquet"
    check_file(data)
    items = community(rows, seed=seed).items.lazy().filter(pl.col("language") == "en")
    write_table(items, data)
    print(f"made up {rows:,} comments and kept the English ones, with the scores of two made-up models: {data}")
    print(f"running: evenhand score default {data} -o {scored} --prefix default_")
    with progress_bar() as progress:
        score_file(data, scored, prefix="default_", progress=progress)
    options = {"label": "toxicity", "text": "text", "id": "id"}
    lists = {"score": list(MODELS), "groups": list(GROUPS)}
    shown = {**{name: ",".join(values) for name, values in lists.items()}, **options}
    print(f"running: evenhand audit {scored} {' '.join(f'--{k} {v}' for k, v in shown.items())} --out {out}")
    run(str(scored), {**options, **lists}, Output(folder=out))
