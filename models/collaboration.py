"""The runs of the collaborative benchmark: five methods, two losses, several seeds, on a graphics card.

    python -m models.collaboration prepare DATA FOLDER   texts to tokens, anywhere
    python -m models.collaboration run FOLDER SEED HEAD  dense or gp; on a card, with PyTorch, transformers and NumPy
    python -m models.collaboration gather DATA FOLDER    Parquet files of probabilities by item, without texts
    python -m models.collaboration keep FOLDER OUT       one run of each method and loss, rounded: models/runs

DATA holds wikipedia_talk.parquet (training, and the test environment) and reddit_cad.parquet (deployment). FOLDER is
where things are kept, and holds the encoder as the folder `encoder`.
"""

from __future__ import annotations

import json
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

ENVIRONMENTS = ("test", "deployment")
MEMBERS, DROPOUT_SEEDS = 10, 5


def prepare(data: Path, folder: Path) -> None:
    """Tokens of all texts: 128 of each to learn from, 512 to be scored."""
    from evenhand.classifiers.adapters.pretrained import PretrainedDirectory as Directory
    from evenhand.classifiers.encoder.batches import Tokens

    tokenizer = Directory.at(folder / "encoder").tokenizer()
    found: dict[str, Any] = {}
    for name, rows in tables(data).items():
        tokens = Tokens.from_texts(rows["text"].to_list(), tokenizer, 128 if name == "train" else 512)
        found |= {
            f"{name}_flat": tokens.flat.astype(np.uint16),
            f"{name}_lengths": tokens.lengths.astype(np.int16),
            f"{name}_label": rows["label"].cast(bool).to_numpy(),
        }
    np.savez_compressed(folder / "tokens.npz", **found)


def tables(data: Path) -> dict[str, Any]:
    """What is learnt from and what is scored: id, text, label. Rows without a text are left out."""
    import polars as pl

    wikipedia = pl.read_parquet(data / "wikipedia_talk.parquet").filter(pl.col("text").is_not_null())
    return {
        "train": wikipedia.filter(split="train"),
        "test": wikipedia.filter(split="test"),
        "deployment": pl.read_parquet(data / "reddit_cad.parquet").filter(pl.col("text").is_not_null()),
        "templates": _templates(data),
    }


def _templates(data: Path) -> Any:
    import polars as pl

    rows = pl.read_parquet(data / "madlibs_77k.parquet")
    return rows.select(text="Text", label=pl.col("Label") == "BAD")


def run(folder: Path, seed: int, head: str) -> None:
    """Train ten members side by side, with each loss, and score with one, with all, and with dropout."""
    import torch
    import transformers

    from evenhand.classifiers.encoder.settings import EncoderSettings

    card = torch.cuda.get_device_name() if torch.cuda.is_available() else "no card"
    print(f"torch {torch.__version__}, transformers {transformers.__version__}, {card}")
    one, many = {"dense": ("deterministic", "ensemble"), "gp": ("sngp", "sngp-ensemble")}[head]
    for loss in ("cross-entropy", "focal"):
        settings = EncoderSettings(head=head, loss=loss, members=MEMBERS, seed=seed)  # type: ignore[arg-type]
        scored, took = _run(folder, settings, one, many)
        for environment in (*ENVIRONMENTS, "templates"):
            columns = {name.split("/", 1)[1]: v for name, v in scored.items() if name.startswith(environment)}
            np.savez_compressed(folder / "out" / f"{environment}-{one}-{loss}-{seed}.npz", **columns)
        (folder / "out" / f"time-{one}-{loss}-{seed}.json").write_text(json.dumps(took))
        print(one, loss, took, flush=True)


def _run(folder: Path, settings: Any, one: str, many: str) -> tuple[dict[str, Any], dict[str, float]]:
    import torch

    from evenhand.classifiers.adapters.pretrained import PretrainedDirectory as Directory
    from evenhand.classifiers.encoder import storage as source
    from evenhand.classifiers.encoder import training
    from evenhand.classifiers.encoder.batches import Tokens
    from evenhand.classifiers.encoder.classifier import EncoderClassifier
    from evenhand.classifiers.protocol import Targets

    kept = np.load(folder / "tokens.npz")

    def tokens(name: str) -> Tokens:
        return Tokens(kept[f"{name}_flat"].astype(np.int32), kept[f"{name}_lengths"].astype(np.int64))

    directory, card = Directory.at(folder / "encoder"), torch.device("cuda" if torch.cuda.is_available() else "cpu")
    truth = kept["train_label"].astype(np.float32)[:, None]
    lesson = training.EncoderTrainingData(
        tokens("train"), truth, np.ones(len(truth), np.float32), exclusive=False, padding=0
    )
    start = time.perf_counter()
    networks = training.train_networks(lesson, settings, lambda: source.pretrained_encoder(directory), device=card)
    took = {"training": time.perf_counter() - start, "groups": len(networks)}
    whole = EncoderClassifier(
        Targets("binary", ("toxic",)), settings, networks, directory.tokenizer(), None, settings.reads, card
    )
    ways = [(f"{many}:{settings.loss}:{settings.seed}", whole)]
    for number, network in enumerate(networks[0].only(member) for member in range(networks[0].members)):
        name, alone = f"{settings.loss}:{MEMBERS * settings.seed + number}", replace(settings, members=1)
        ways.append((f"{one}:{name}", replace(whole, settings=alone, networks=(network,))))
        if one == "deterministic" and MEMBERS * settings.seed + number < DROPOUT_SEEDS:
            asked = replace(alone, samples=10)
            ways.append((f"mc-dropout:{name}", replace(whole, settings=asked, networks=(_copy(network),))))
    start, found = time.perf_counter(), {}
    for name, model in ways:
        for environment in (*ENVIRONMENTS, *(("templates",) if name.endswith(f":{MEMBERS * settings.seed}") else ())):
            scores = model.score_tokens(tokens(environment))
            found[f"{environment}/p:{name}"] = scores.probabilities[:, 0].astype(np.float32)
            if scores.variance is not None:
                found[f"{environment}/v:{name}"] = scores.variance[:, 0].astype(np.float32)
    took["scoring"] = time.perf_counter() - start
    return found, took


def _copy(network: Any) -> Any:
    """Dropout by hashes takes the place of dropout: the network itself stays as it is."""
    import copy

    return copy.deepcopy(network)


def gather(data: Path, folder: Path) -> None:
    """One Parquet file for each environment: id, label, and columns p:method:loss:seed and v:method:loss:seed."""
    import polars as pl

    for environment, rows in tables(data).items():
        parts = sorted((folder / "out").glob(f"{environment}-*.npz"))
        if not parts:
            continue
        columns = {name: values for part in parts for name, values in np.load(part).items()}
        label = pl.Series("label", rows["label"].cast(bool))
        ids = rows["id"] if "id" in rows.columns else pl.Series("id", range(len(rows)))
        pl.DataFrame({"id": ids, "label": label, **columns}).write_parquet(
            folder / f"{environment}.parquet", compression="zstd", compression_level=19
        )


def keep(folder: Path, out: Path) -> None:
    """Seed 0 of each method and loss, to five digits that count: small enough to be kept beside the code."""
    import polars as pl

    for environment in ENVIRONMENTS:
        table = pl.read_parquet(folder / f"{environment}.parquet")
        kept = [pl.Series(name, _rounded(table[name].to_numpy())) for name in table.columns if name.endswith(":0")]
        pl.DataFrame([table["id"], table["label"], *kept]).write_parquet(
            out / f"{environment}.parquet", compression="zstd", compression_level=19
        )


def _rounded(values: Any, digits: int = 5) -> Any:
    """Numbers from 0 to 1."""
    exact = np.asarray(values, dtype=np.float64)
    scale = 10.0 ** (digits - 1 - np.floor(np.log10(np.maximum(exact, 1e-30))))
    return (np.round(exact * scale) / scale).astype(np.float32)


if __name__ == "__main__":
    stage, *given = sys.argv[1:]
    if stage == "run":
        run(Path(given[0]), int(given[1]), given[2])
    else:
        {"prepare": prepare, "gather": gather, "keep": keep}[stage](Path(given[0]), Path(given[1]))
