"""What all sides are measured on, made up with a seed. Tables too long for memory are written piece by piece."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import polars as pl
from polars.io.plugins import register_io_source

GROUPS = 24
SHARES = (0.68, 0.19, 0.07, 0.06)
PIECE = 2_000_000
FILE_ROWS = 5_000_000


def comments(path: str, rows: int, seed: int = 0) -> None:
    """Scores in float32, 8 % violating, 24 overlapping groups of 0.1 to 5 %."""
    rng = np.random.default_rng(seed)
    label = rng.random(rows) < 0.08
    shares = np.geomspace(0.001, 0.05, GROUPS)
    groups = {f"g{number}": rng.random(rows) < share for number, share in enumerate(shares)}
    logit = 2.4 * label - 2.0 + rng.standard_normal(rows)
    for number, inside in enumerate(groups.values()):
        logit += (0.05 * number - 0.5) * inside
    score = (1.0 / (1.0 + np.exp(-logit))).astype(np.float32)
    pl.DataFrame({"p": score, "toxic": label, **groups}).write_parquet(path)


def comment_files(path: str, rows: int) -> None:
    """The same in a folder of files."""
    Path(path).mkdir()
    for number, start in enumerate(range(0, rows, FILE_ROWS)):
        comments(f"{path}/part-{number:03d}.parquet", min(FILE_ROWS, rows - start), number)


def few_groups() -> list[str]:
    """The larger groups, without the largest."""
    return [f"g{number}" for number in range(12, 23)]


def few_comments(path: str, rows: int) -> None:
    """The same with eleven groups."""
    whole = Path(f"{path}.whole")
    comments(str(whole), rows)
    pl.read_parquet(whole, columns=["p", "toxic", *few_groups()]).write_parquet(path)
    whole.unlink()


def classes(path: str, rows: int) -> None:
    """Four classes, two of them rare, and a model that is too sure of itself; float32."""
    rng = np.random.default_rng(0)
    logit = np.log(SHARES) + 1.5 * rng.standard_normal((rows, len(SHARES)))
    honest, sure = (np.exp(factor * logit) for factor in (1.0, 1.4))
    label = (rng.random((rows, 1)) * honest.sum(axis=1, keepdims=True) > np.cumsum(honest, axis=1)).sum(axis=1)
    Path(path).mkdir()
    np.save(f"{path}/p.npy", (sure / sure.sum(axis=1, keepdims=True)).astype(np.float32))
    np.save(f"{path}/label.npy", label)


def annotations(path: str, items: int) -> None:
    """Five labels of each item and a hundred of each person; people of four groups or none differ in what they mind."""
    rng, each, people = np.random.default_rng(0), 5, items // 20
    item = np.repeat(np.arange(items), each)
    apart = rng.permutation(people)[:each]
    annotator = ((rng.integers(0, people, items)[:, None] + apart) % people).ravel()
    trouble, person = rng.standard_normal(items), 0.7 * rng.standard_normal(people)
    label = rng.random(len(item)) < 1.0 / (1.0 + np.exp(1.0 - 1.5 * trouble[item] - person[annotator]))
    score = 1.0 / (1.0 + np.exp(1.0 - trouble - 0.5 * rng.standard_normal(items)))
    order = rng.permutation(len(item))
    columns = {
        "item": item[order],
        "annotator": annotator[order],
        "label": label[order].astype(int),
        "probabilities": np.column_stack((1.0 - score, score)),
        "group": rng.integers(-1, 4, people),
    }
    Path(path).mkdir()
    for name, column in columns.items():
        np.save(f"{path}/{name}.npy", column)


def items(path: str, rows: int) -> None:
    """A population to sample from: ids in no order, each once, and a score. A column `id` would be taken unasked."""

    def piece(start: int, size: int) -> pl.DataFrame:
        number = np.arange(start, start + size, dtype=np.uint64)
        logit = 1.5 * np.random.default_rng(start).standard_normal(size, dtype=np.float32) - 3.0
        # an odd factor takes different numbers to different ids
        ids = number * np.uint64(0x9E3779B1) & np.uint64((1 << 40) - 1)
        return pl.DataFrame({"item_id": ids, "score": 1.0 / (1.0 + np.exp(-logit))})

    _stream(piece, rows).sink_parquet(path, row_group_size=500_000)


def texts(path: str, rows: int) -> None:
    """Made-up comments, the same hundred thousand again and again."""
    from evenhand.synthetic.community import community

    made = community(min(rows, 100_000), seed=0).items.select("id", "text")

    def piece(start: int, size: int) -> pl.DataFrame:
        return made[np.arange(start, start + size) % len(made)]

    _stream(piece, rows, size=100_000).sink_parquet(path, row_group_size=100_000)


def queued_items(path: str, rows: int) -> None:
    """Scored comments of a day as CSV, the same hundred thousand texts again and again."""
    from evenhand.synthetic.community import community

    made = community(min(rows, 100_000), seed=0).items["text"]
    number = np.arange(rows)
    score = np.random.default_rng(0).beta(0.2, 1.0, rows).round(6)
    pl.DataFrame({"id": number, "p": score, "text": made.gather(number % len(made))}).write_csv(path)


def timed_texts(path: str, rows: int) -> dict[str, bool]:
    """Comments to be scored in memory: unseen ones of Wikipedia where there is data, else made-up ones."""
    data = os.environ.get("EVENHAND_DATA")  # not handed over: it would be kept with the results
    if data:
        table = pl.read_parquet(Path(data) / "wikipedia_talk.parquet").filter(pl.col("split") != "train")
        table.select(pl.col("text").fill_null("").head(rows)).write_parquet(path)
    else:
        texts(path, rows)
    return {"real": bool(data)}


def _stream(piece: Callable[[int, int], pl.DataFrame], rows: int, size: int = PIECE) -> pl.LazyFrame:
    def pieces(*_: object) -> Iterator[pl.DataFrame]:  # everything is asked for, so no hint is needed
        for start in range(0, rows, size):
            yield piece(start, min(size, rows - start))

    return register_io_source(pieces, schema=piece(0, 1).schema)
