"""Small tables made up for the guard: seeded, rounded so that every machine makes the same, and without the package."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl

WORDS = {
    "rude": ["awful", "idiot", "stupid", "nasty", "hate", "liar"],
    "calm": ["river", "garden", "evening", "bridge", "window", "letter"],
    "glad": ["thanks", "lovely", "wonderful", "great", "kind", "helpful"],
}
TERMS = ("gay", "muslim", "women", "deaf", "old")
KINDS = np.array(["calm", "rude", "threat"])


def squashed(logit: np.ndarray, digits: int = 5) -> np.ndarray:
    return np.round(1.0 / (1.0 + np.exp(-logit)), digits).clip(1e-5, 1.0 - 1e-5)


def small() -> pl.DataFrame:
    """Two models, overlapping groups, words in texts, weights of two kinds, and what other audits need."""
    rng, n = np.random.default_rng(101), 700
    y = rng.random(n) < 0.3
    a, b, c = rng.random(n) < 0.4, rng.random(n) < 0.35, rng.random(n) < 0.02
    word = rng.choice([*TERMS, "nobody"], n)
    first = 2.0 * y - 1.0 + 0.9 * a + 0.5 * (word == "gay") + rng.normal(size=n)
    second = 2.5 * y - 1.2 + rng.normal(size=n)
    longer = rng.random(n) < 0.5
    return pl.DataFrame(
        {
            "id": [f"i{k:04d}" for k in range(n)],
            "text": [
                f"about {w} people {'again and again ' * (12 * int(x))}" for w, x in zip(word, longer, strict=True)
            ],
            "y": y,
            "share": np.round(np.where(y, 0.5 + 0.5 * rng.random(n), 0.49 * rng.random(n)), 2),
            "a": a,
            "b": b,
            "c": c,
            "a_share": np.round(np.where(a, 0.5 + 0.5 * rng.random(n), 0.4 * rng.random(n)), 2),
            "who": word,
            "lang": rng.choice(["de", "en", "fr"], n, p=[0.3, 0.5, 0.2]),
            "first": squashed(first),
            "second": squashed(second),
            "logit": np.round(first, 4),
            "percent": np.round(100.0 * squashed(first), 2),
            "unsure": np.round(rng.random(n), 4),
            "times": rng.integers(1, 6, n),
            "chance": np.round(rng.choice([0.1, 0.25, 0.5, 1.0], n), 2),
            "verdict": np.where(y, "bad", "fine"),
        }
    )


def later() -> pl.DataFrame:
    """The same table a month later, when one group fares worse."""
    rng, table = np.random.default_rng(102), small()
    more = 0.6 * table["b"].to_numpy() + rng.normal(size=len(table)) * 0.3
    score = np.log(table["first"].to_numpy() / (1.0 - table["first"].to_numpy())) + more
    return table.with_columns(first=pl.Series(squashed(score)))


def classed(seed: int = 103) -> pl.DataFrame:
    """Three classes of which two are rare, by a model that is too sure."""
    rng, n = np.random.default_rng(seed), 900
    logits = rng.normal(size=(n, 3)) * 1.2 + np.array([2.0, 0.0, -0.4])
    honest = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    label = (rng.random((n, 1)) > honest.cumsum(axis=1)).sum(axis=1).clip(0, 2)
    sure = np.round(honest**2.5 / (honest**2.5).sum(axis=1, keepdims=True), 5)
    sure[:, 0] = np.round(1.0 - sure[:, 1] - sure[:, 2], 5)
    columns = {f"p_{name}": sure[:, k] for k, name in enumerate(KINDS)}
    return pl.DataFrame(
        {"kind": KINDS[label], **columns, "lang": rng.choice(["de", "en"], n), "times": rng.integers(1, 4, n)}
    )


def annotations() -> pl.DataFrame:
    """Labels by annotators; many women say the opposite of the first model."""
    rng, items, each = np.random.default_rng(104), 100, 12
    group = np.array(["women"] * 37 + ["men"] * 33 + ["few"] * 8 + ["tiny"] * 2)
    land = rng.choice(["north", "south"], len(group))
    truth = rng.random(items)
    p, q = squashed(3.0 * (truth - 0.5) + rng.normal(size=items)), np.round(rng.random(items), 4)
    item = np.repeat(np.arange(items), each)
    who = np.concatenate([rng.choice(len(group), each, replace=False) for _ in range(items)])
    against = (group[who] == "women") & (rng.random(len(who)) < 0.4)
    label = np.where(against, p[item] < 0.5, rng.random(len(who)) < truth[item]).astype(int)
    label[rng.random(len(who)) < 0.02] = 2
    return pl.DataFrame(
        {
            "item": item,
            "who": [f"w{k}" for k in who],
            "label": label,
            "gender": group[who],
            "land": land[who],
            "p": p[item],
            "q": q[item],
        }
    )


def items() -> pl.DataFrame:
    """A population to draw from, with ids that spreadsheets would spoil, and the truth that annotators tell."""
    rng, n = np.random.default_rng(105), 3000
    bad = rng.random(n) < 0.08
    p = squashed(1.5 * rng.normal(size=n) + 4.0 * bad - 4.0)
    language = rng.choice(["de", "en", "fr"], n, p=[0.3, 0.5, 0.2])
    removed = (p > 0.7) | (rng.random(n) < 0.02)
    language[np.flatnonzero(~removed)[:25]] = "ga"  # of which nothing was removed
    return pl.DataFrame(
        {
            "id": [f"{k:08d}" for k in range(n)],
            "p": p,
            "language": language,
            "thread": rng.integers(0, 700, n),
            "text": [f"item, {k}" for k in range(n)],
            "removed": removed,
            "truth": bad,
        }
    )


def decided() -> pl.DataFrame:
    """A labelled sample of removed and visible items, drawn by strata."""
    table, rng = items(), np.random.default_rng(106)
    stratum = np.where(table["removed"], "removed", np.where(table["p"] > 0.1, "visible high", "visible low"))
    chance = np.select([stratum == "removed", stratum == "visible high"], [0.5, 0.4], 0.1)
    kept = rng.random(len(table)) < chance
    size = pl.len().over("stratum")
    drawn = table.with_columns(stratum=pl.Series(stratum), kept=pl.Series(kept))
    drawn = drawn.with_columns(chance=pl.col("kept").sum().over("stratum") / size).filter("kept")
    month = rng.choice(["may", "june"], len(drawn))
    words = pl.when("removed").then(pl.lit("taken down")).otherwise(pl.lit("kept"))
    return drawn.drop("kept").with_columns(month=pl.Series(month), action=words)


def history() -> pl.DataFrame:
    rng, n = np.random.default_rng(107), 1500
    p = np.round(rng.beta(0.5, 2.0, n), 4).clip(1e-4, 1 - 1e-4)
    return pl.DataFrame({"p": p, "y": rng.random(n) < p, "unsure": np.round(rng.random(n), 4)})


def comments(rows: int = 260) -> pl.DataFrame:
    """Texts of three moods, to train on."""
    rng = np.random.default_rng(108)
    names = list(WORDS)
    mood = [names[k] for k in rng.integers(0, 3, rows)]
    text = [f"{' '.join(rng.permutation(WORDS[m])[:2])} said number {k}" for k, m in enumerate(mood)]
    part = np.where(rng.random(rows) < 0.2, "test", "train")
    rude = [m == "rude" for m in mood]
    return pl.DataFrame({"id": range(rows), "text": text, "mood": mood, "toxic": rude, "part": part})


def strata_table() -> pl.DataFrame:
    return pl.DataFrame({"items": [90_000, 9_000, 1_000], "prevalence": [0.005, 0.05, 0.4]})


def ranks() -> pl.DataFrame:
    return pl.DataFrame({"language": ["de", "en", "fr"], "prevalence": [0.08, 0.05, 0.11]})


def madlibs() -> pl.DataFrame:
    """The published format of scored template sentences."""
    rng, n = np.random.default_rng(109), 900
    rude = rng.random(n) < 0.3
    group = rng.choice(["gay", "lesbian", "muslim", "straight", "women", "old", "blind", "white", "black"], n)
    phrase = [f"{g} people are {'vile' if r else 'nice'}" for g, r in zip(group, rude, strict=True)]
    lift, noise = np.isin(group, ["gay", "lesbian"]), rng.random(n)
    return pl.DataFrame(
        {
            "template": "made_up",
            "label": np.where(rude, "toxic", "nontoxic"),
            "phrase": phrase,
            "TOXICITY@1": np.round(0.35 * rude + 0.2 * lift + 0.3 * noise, 5),
            "TOXICITY@6": np.round(0.6 * rude + 0.05 * lift + 0.3 * noise, 5),
        }
    )


def environment(number: int, share: float, harder: float) -> pl.DataFrame:
    """What runs of two methods say of the items of one place; the other place is harder."""
    rng, n = np.random.default_rng([110, number]), 500
    label = rng.random(n) < share
    columns: dict[str, object] = {"id": [f"{number}-{k}" for k in range(n)], "label": label.astype(int)}
    for method, known in (("deterministic", 0.8), ("sngp", 0.9), ("ensemble", 1.8)):
        for loss, softer in (("cross-entropy", 1.0), ("focal", 0.6)):
            logit = harder * known * (2.0 * label - 1.0) - 1.2 + 1.1 * rng.normal(size=n)
            columns[f"p:{method}:{loss}:0"] = squashed(softer * logit)
            columns[f"v:{method}:{loss}:0"] = np.round(0.2 * rng.random(n), 5)
    return pl.DataFrame(columns).drop("v:deterministic:cross-entropy:0", "v:deterministic:focal:0")


MAKERS: dict[str, Callable[[], pl.DataFrame]] = {
    "small.csv": small,
    "narrow.csv": lambda: small().select("id", "y", "a", "b", "first", "lang"),
    "later.csv": later,
    "classed.csv": classed,
    "classed_test.csv": lambda: classed(203),
    "annotations.csv": annotations,
    "items.csv": items,
    "decided.csv": decided,
    "history.csv": history,
    "comments.csv": comments,
    "strata.csv": strata_table,
    "ranks.csv": ranks,
    "papers/intersectional_madlibs_scored.csv": madlibs,
    "runs/test.parquet": lambda: environment(0, 0.1, 1.0),
    "runs/deployment.parquet": lambda: environment(1, 0.06, 0.6),
    "small.parquet": small,
    "small.jsonl": small,
}
TEXTS = {
    "terms.txt": "\n".join(TERMS) + "\n",
    "identities.txt": "gay\nlesbian\nmuslim\nstraight\ntransgender\nfemale\nmale\nwhite\nblack\n",
    "spellings.toml": '[gender]\nwomen = ["women"]\n"not women" = ["*"]\n',
    "broken.json": '{"findings": [}',
    "no_columns.csv": "",
    "gaps.csv": "p,y,g\n0.1,0,1\n,1,0\n1.7,1,1\n",
}


def write(name: str, folder: Path) -> None:
    """One of the tables or texts."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if name in TEXTS:
        path.write_text(TEXTS[name], encoding="utf-8")
        return
    table = MAKERS[name]()
    {".csv": table.write_csv, ".parquet": table.write_parquet, ".jsonl": table.write_ndjson}[path.suffix](path)


def answer(sheet: Path, truth: dict[str, bool], unclear: int = 0) -> list[str]:
    """Fill in a sheet as annotators do; every so many-eth item nobody can tell. The ids in their order."""
    table = pl.read_csv(sheet, infer_schema=False)
    ids = [id_.removeprefix("'") for id_ in table["id"]]
    said = ["yes" if truth[id_] else "no" for id_ in ids]
    if unclear:
        said[::unclear] = ["cannot tell"] * len(said[::unclear])
    table.with_columns(label=pl.Series(said, dtype=pl.String)).write_csv(sheet)
    return ids


def answer_tasks(tasks: Path, truth: dict[str, bool]) -> list[str]:
    """The same for tasks of Label Studio, exported in short."""
    found = json.loads(tasks.read_text(encoding="utf-8"))
    short = [
        {**task["data"], "id": number, "label": "yes" if truth[task["data"]["item"]] else "no"}
        for number, task in enumerate(found)
    ]
    tasks.with_name("answered.json").write_text(json.dumps(short), encoding="utf-8")
    return [task["item"] for task in short]
