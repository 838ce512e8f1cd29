"""Small files in the published formats, made up, so that every loader and paper runs in seconds."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import polars as pl

from evenhand.reproduce.bias.runs import IDENTITY_TERMS, IDENTITY_WORDS
from evenhand.reproduce.corpora.labelled_texts import CIVIL_IDENTITIES, TOXIC_KINDS

KIND = ("nice", "kind", "good", "neat", "calm", "lovely")
RUDE = ("vile", "stupid", "rotten", "nasty", "filthy", "idiotic")


def sentences(rows: int, seed: int, groups: tuple[str, ...] = IDENTITY_TERMS) -> pl.DataFrame:
    """Rude words are violating, and every sentence speaks of somebody; some are long."""
    rng = random.Random(seed)
    made = []
    for number in range(rows):
        rude, group = rng.random() < 0.3, rng.choice(groups)
        word = rng.choice(RUDE if rude != (rng.random() < 0.1) else KIND)
        rest = " the page was changed again and again by several people who talk about it" * rng.choice((0, 0, 2))
        made.append({"id": f"{number:05d}", "text": f"{group} people are {word}{rest}", "rude": rude, "group": group})
    return pl.DataFrame(made)


def civil_comments(folder: Path, rows: int = 600, *, name: str = "all_data.csv") -> Path:
    made, rng = sentences(rows, 1, tuple(w[0] for w in IDENTITY_WORDS.values())), np.random.default_rng(2)
    frame = made.select("id", pl.col("rude").cast(pl.Float64).alias("toxicity"), comment_text="text")
    asked = rng.random(rows) < 0.9
    named = {}
    for identity in CIVIL_IDENTITIES:
        words = IDENTITY_WORDS.get(identity, ("nobody",))
        shares = made["text"].str.starts_with(words[0] + " ").cast(pl.Float64).to_numpy()
        named[identity] = pl.Series(
            [share if seen else None for share, seen in zip(shares, asked, strict=True)], dtype=pl.Float64
        )
    frame = frame.with_columns(**named, identity_annotator_count=pl.Series(asked.astype(int) * 4))
    if name == "train.csv":
        frame = frame.rename({"toxicity": "target"})
    return written(frame, folder / name)


def challenge(folder: Path, rows: int = 600) -> None:
    """The toxic comment challenge: train, test, and labels with −1 where a row was not scored."""
    for part, seed in (("train", 3), ("test", 4)):
        made = sentences(rows, seed, tuple(w[0] for w in IDENTITY_WORDS.values()))
        frame = made.select("id", comment_text="text")
        labels = made.select("id", *(pl.col("rude").cast(pl.Int64).alias(kind) for kind in TOXIC_KINDS))
        if part == "train":
            written(frame.join(labels, on="id"), folder / "train.csv")
        else:
            hidden = pl.int_range(pl.len()) % 10 == 0
            written(frame, folder / "test.csv")
            written(
                labels.with_columns(pl.when(hidden).then(-1).otherwise(pl.col(TOXIC_KINDS)).name.keep()),
                folder / "test_labels.csv",
            )


def figshare(folder: Path) -> None:
    comments = [
        {
            "rev_id": 10.0 + n,
            "comment": f"a textNEWLINE_TOKENof {n}",
            "year": 2015,
            "logged_in": True,
            "ns": "user",
            "sample": "random",
            "split": ("train", "dev", "test")[n % 3],
        }
        for n in range(9)
    ]
    workers = [
        {"rev_id": 10.0 + n, "worker_id": w, "toxicity": float((n + w) % 2 if n < 5 else 0), "toxicity_score": 0.0}
        for n in range(9)
        for w in range(4)
    ]
    written(pl.DataFrame(comments), folder / "toxicity_annotated_comments.tsv")
    written(pl.DataFrame(workers), folder / "toxicity_annotations.tsv")


def madlibs(folder: Path) -> None:
    made = sentences(1500, 5)
    label = pl.when("rude").then(pl.lit("BAD")).otherwise(pl.lit("NOT_BAD"))
    written(made.select(Text="text", Label=label, Template=pl.lit("verb_adj")), folder / "bias_madlibs_77k.csv")
    scored = made.with_columns(jitter=pl.Series(np.random.default_rng(6).random(1500)))
    gay = pl.col("group").is_in(["gay", "lesbian", "homosexual"]).cast(pl.Float64)
    first = (0.35 * pl.col("rude").cast(pl.Float64) + 0.2 * gay + 0.3 * pl.col("jitter")).clip(0, 1)
    second = (0.6 * pl.col("rude").cast(pl.Float64) + 0.05 * gay + 0.3 * pl.col("jitter")).clip(0, 1)
    frame = scored.select(
        template=pl.lit("made_up"),
        label=pl.when("rude").then(pl.lit("toxic")).otherwise(pl.lit("nontoxic")),
        phrase="text",
        **{"TOXICITY@1": first, "TOXICITY@6": second},
    )
    written(frame, folder / "intersectional_madlibs_scored.csv")


def hatecheck(folder: Path) -> Path:
    made = sentences(200, 7, ("women", "gay", "Muslims"))
    frame = made.select(
        functionality=pl.lit("derog_neg_emote_h"),
        case_id=pl.int_range(pl.len()) + 1,
        test_case="text",
        label_gold=pl.when("rude").then(pl.lit("hateful")).otherwise(pl.lit("non-hateful")),
        target_ident=pl.when(pl.int_range(pl.len()) < 190).then(pl.col("group")),
        direction=pl.lit("general"),
    )
    return written(frame, folder / "test_suite_cases.csv")


def east_asian(folder: Path, rows: int = 900) -> Path:
    rng = random.Random(8)
    kinds = {
        "none_of_the_above": "wear masks",
        "entity_directed_hostility": "hate them",
        "entity_directed_criticism": "their fault",
        "discussion_of_eastasian_prejudice": "racism is",
        "counter_speech": "do not blame",
    }
    weights = (60, 20, 10, 6, 4)
    made = []
    for number in range(rows):
        (kind,) = rng.choices(list(kinds), weights)
        words = kinds[kind if rng.random() < 0.8 else rng.choice(list(kinds))]
        made.append(
            {
                "tweet_id": number,
                "grouping": "x",
                "annotator": "y",
                "expert": kind,
                "text": f"{words} {rng.choice(KIND)} {rng.choice(RUDE)} HASHTAG",
            }
        )
    return written(pl.DataFrame(made), folder / "hs_AsianPrejudice_20kdataset_cleaned_anonymized.tsv")


def crehate(folder: Path, texts: int = 60, people: int = 60) -> None:
    rng = random.Random(9)
    crowd = [
        {
            "annotator_id": n,
            "nationality": ("United States", "Singapore")[n % 2],
            "ethnicity": rng.choice(("White", "Asian", "OtherMixed")),
            "gender": rng.choice(("male", "female")),
        }
        for n in range(people)
    ]
    made = sentences(texts, 10, IDENTITY_TERMS[:8])
    rows = []
    for number, rude in enumerate(made["rude"].to_list()):
        for who in rng.sample(crowd, 26):
            label = int(rude != (rng.random() < 0.2))
            rows.append({"ID": f"T-{number}", **who, "annotation": 2 if rng.random() < 0.05 else label})
    rows += rows[:3]  # some occur twice
    written(
        pl.DataFrame(rows).select("ID", "annotator_id", "nationality", "ethnicity", "gender", "annotation"),
        folder / "CREHate_raw_annotations.csv",
    )
    frame = made.select(ID=pl.format("T-{}", pl.int_range(pl.len())), Text="text")
    written(frame.head(30), folder / "CREHate_SBIC.csv")
    written(frame.tail(texts - 30), folder / "CREHate_CP.csv")


def sbic(folder: Path, texts: int = 120, people: int = 40) -> None:
    rng = random.Random(11)
    crowd = [
        {
            "WorkerId": 7_000_000_000_000_000_000 + n,
            "annotatorGender": rng.choice(("man", "woman")),
            "annotatorRace": rng.choice(("white", "white", "asian")),
        }
        for n in range(people)
    ]
    for part, seed in (("trn", 12), ("dev", 13), ("tst", 14)):
        made, rows = sentences(texts, seed, IDENTITY_TERMS[:8]), []
        for number, (text, rude) in enumerate(made.select("text", "rude").iter_rows()):
            for who in rng.sample(crowd, 4):
                said = rng.choice((0.5, 1.0)) if rude != (rng.random() < 0.2) else 0.0
                row = {"whoTarget": "", "offensiveYN": said, **who, "post": f"{text} {part}{number}"}
                rows += [row, row] if rng.random() < 0.2 else [row]
        rows[0] = {**rows[0], "offensiveYN": None}
        written(pl.DataFrame(rows), folder / f"SBIC.v2.{part}.csv")


def md_agreement(folder: Path, texts: int = 40) -> None:
    rng = random.Random(15)
    for part, seed in (("train", 16), ("dev", 17), ("test", 18)):
        items = {}
        for number, (text, rude) in enumerate(sentences(texts, seed).select("text", "rude").iter_rows(), start=1):
            said = [int(rude != (rng.random() < 0.2)) for _ in range(5)]
            items[str(number)] = {
                "text": text,
                "task": "offensiveness detection",
                "number of annotations": 5,
                "annotations": ",".join(map(str, said)),
                "annotators": ",".join(f"Ann{n}" for n in rng.sample(range(30), 5)),
                "lang": "en",
                "hard_label": str(int(sum(said) > 2)),
                "soft_label": {"0": 1 - sum(said) / 5, "1": sum(said) / 5},
                "split": part,
                "other_info": {"domain": "BLM"},
            }
        (folder / f"MD-Agreement_{part}.json").write_text(json.dumps(items), encoding="utf-8")


def written(frame: pl.DataFrame, path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    frame.write_csv(path, separator="\t" if path.suffix == ".tsv" else ",")
    return path


def runs(
    folder: Path, rows: int = 1500, *, seeds: int = 2, losses: tuple[str, ...] = ("cross-entropy", "focal")
) -> None:
    """Runs of five methods in both environments; ensembles have one run and know most, deployment is harder."""
    skill = {"deterministic": 0.8, "sngp": 0.8, "mc-dropout": 0.9, "ensemble": 1.8, "sngp-ensemble": 1.7}
    folder.mkdir(parents=True, exist_ok=True)
    for number, (name, share, harder) in enumerate((("test", 0.1, 1.0), ("deployment", 0.05, 0.6))):
        rng = np.random.default_rng([19, number])
        label = rng.random(rows) < share
        columns: dict[str, object] = {"id": [f"{name}-{n}" for n in range(rows)], "label": label.astype(int)}
        for method, known in skill.items():
            for loss in losses:
                for seed in range(1 if "ensemble" in method else seeds):
                    drawn = rng.normal(size=rows)
                    logit = harder * known * (2.0 * label - 1.0) - 1.2 + 1.1 * drawn
                    p = 1.0 / (1.0 + np.exp(-logit * (0.6 if loss == "focal" else 1.0)))
                    columns[f"p:{method}:{loss}:{seed}"] = p
                    if method not in ("deterministic",):
                        columns[f"v:{method}:{loss}:{seed}"] = p * (1 - p) * rng.random(rows)
        pl.DataFrame(columns).write_parquet(folder / f"{name}.parquet")
