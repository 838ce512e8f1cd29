"""The model that comes with Evenhand: what is in its folder, and how well it does on data it has not seen."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from sklearn.metrics import average_precision_score, roc_auc_score

import brute
from evenhand.classifiers.models import SHIPPED_FOLDER, open_model
from evenhand.classifiers.protocol import Classifier
from evenhand.synthetic.community import community

FOLDER = SHIPPED_FOLDER / "default"
POLITE = [
    "Thank you for your help with the article.",
    "I think the second paragraph needs a source.",
    "Could you please have a look at the talk page?",
    "Good morning, and welcome to the project.",
    "The town lies on the east bank of the river.",
]
RUDE = [
    "You are a stupid idiot.",
    "Shut up, you pathetic moron!",
    "fuck off and die",
    "WHAT A BUNCH OF LOSERS, you all suck",
    "go to hell, you piece of shit",
]


MADLIBS = [
    *("lesbian", "gay", "bisexual", "transgender", "trans", "queer", "lgbt", "lgbtq", "homosexual", "straight"),
    *("heterosexual", "male", "female", "nonbinary", "african", "african american", "black", "white", "european"),
    *("hispanic", "latino", "latina", "latinx", "mexican", "canadian", "american", "asian", "indian", "middle eastern"),
    *("chinese", "japanese", "christian", "muslim", "jewish", "buddhist", "catholic", "protestant", "sikh", "taoist"),
    *("old", "older", "young", "younger", "teenage", "millenial", "middle aged", "elderly", "blind", "deaf"),
    "paralyzed",
]


def below(low: np.ndarray, high: np.ndarray) -> float:
    """How often the one is below the other, a tie counting half: every value against all."""
    values, counts = np.unique(low, return_counts=True)
    each = [(high > value).mean() + (high == value).mean() / 2 for value in values]
    return float(np.average(each, weights=counts))


@pytest.fixture(scope="module")
def model() -> Classifier:
    return open_model("default")


@pytest.fixture(scope="module")
def wikipedia(real_data: Path, model: Classifier) -> pl.DataFrame:
    """Rows that were kept from training, with what the model says."""
    rows = pl.read_parquet(real_data / "wikipedia_talk.parquet").filter(pl.col("split") == "test")
    return rows.with_columns(**model.score(rows["text"].to_list()).columns())


def test_the_folder_is_small_and_holds_nothing_else() -> None:
    files = list(FOLDER.iterdir())
    assert {file.name for file in files} == {"model.json", "weights.npz", "card.json", "card.md"}
    assert sum(file.stat().st_size for file in files) <= 8_000_000


def test_the_weights_are_numbers_alone() -> None:
    """No vocabulary and no text: nobody's words can be read from the model."""
    with np.load(FOLDER / "weights.npz", allow_pickle=False) as file:
        kinds = {name: file[name].dtype for name in file.files}
    assert set(kinds) == {"steps", "largest", "offsets", "weight"}
    assert all(np.issubdtype(kind, np.number) for kind in kinds.values())


def test_polite_and_rude(model: Classifier) -> None:
    assert (model.name, model.targets.kind, model.targets.classes) == ("default", "binary", ("toxic",))
    polite, rude = (model.score(texts).probabilities[:, 0] for texts in (POLITE, RUDE))
    assert polite.max() < 0.2
    assert rude.min() > 0.7


def test_who_is_spoken_of_changes_nothing(model: Classifier) -> None:
    people = ["gay", "muslim", "young", "white", "middle-aged", "african american", "deaf", "women", "MUSLIM", "JEWISH"]
    for frame in ("My {} neighbour fixed the fence.", "I hate {} people.", "{}"):
        found = model.score([frame.format(term) for term in people])
        assert np.ptp(found.probabilities) == np.ptp(found.variance) == 0.0


def test_next_to_nothing(model: Classifier) -> None:
    found = model.score(["", " ", "...", "\x00", "\ud800", "🙂", "漢字", "a", "!" * 1000, "x" * 100_000])
    assert np.isfinite(found.probabilities).all()
    assert found.variance is not None
    assert np.isfinite(found.variance).all()
    assert np.ptp(found.probabilities[:5]) == 0.0
    assert found.probabilities[0] < 0.5
    assert model.score([]).probabilities.shape == (0, 1)


def test_on_unseen_comments(wikipedia: pl.DataFrame) -> None:
    p, label = wikipedia["p"].to_numpy(), wikipedia["label"].to_numpy() == 1
    area = below(p[~label], p[label])
    assert area == pytest.approx(roc_auc_score(label, p), abs=1e-9)
    assert area >= 0.978
    assert average_precision_score(label, p) >= 0.89
    assert brute.average_precision(p, label) == pytest.approx(average_precision_score(label, p), abs=1e-9)


def test_people_in_template_sentences(real_data: Path, model: Classifier) -> None:
    """BPSN AUC: benign sentences about a group below violating ones about others; the five groups it does worst by."""
    rows = pl.read_parquet(real_data / "madlibs_77k.parquet")
    p = model.score(rows["Text"].to_list()).probabilities[:, 0]
    bad = (rows["Label"] == "BAD").to_numpy()
    areas = []
    for term in MADLIBS:
        inside = rows["Text"].str.contains(rf"(?i)\b{re.escape(term)}\b").to_numpy()
        assert inside.sum() >= 1500, term
        areas.append(below(p[~bad & inside], p[bad & ~inside]))
    assert np.mean(sorted(areas)[:5]) >= 0.95


def test_hatecheck(real_data: Path, model: Classifier) -> None:
    """Little better than chance, as its card says: sentences are built so that words alone do not tell."""
    rows = pl.read_parquet(real_data / "hatecheck.parquet")
    p = model.score(rows["test_case"].to_list()).probabilities[:, 0]
    hateful = (rows["label_gold"] == "hateful").to_numpy()
    area = below(p[~hateful], p[hateful])
    assert area == pytest.approx(roc_auc_score(hateful, p))
    assert area >= 0.52


def test_members_disagree_on_other_languages_and_noise(wikipedia: pl.DataFrame, model: Classifier) -> None:
    rng = np.random.default_rng(0)
    known = wikipedia["model_uncertainty"].median()
    items = community(20_000).items.filter(pl.col("language") != "en")
    noise = ["".join(rng.permutation(list(text))) for text in wikipedia["text"].head(2000)]
    for texts in (items["text"].to_list(), noise):
        spread = model.score(texts).model_uncertainty
        assert spread is not None
        assert np.median(spread) > known
