"""A made-up comment section: two models, ten groups, short and long comments, and what was planted in each.

Nothing here says anything about real people: which group is scored how was drawn up so that the demo finds something.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Planted:
    """How common a group is, and how far the first model shifts its benign and violating items (in logits)."""

    share: float
    benign: float = 0.0
    violating: float = 0.0


GROUPS = {
    "women": Planted(0.12, benign=0.5, violating=0.4),
    "men": Planted(0.10),
    "gay": Planted(0.03, benign=2.4, violating=1.2),
    "black": Planted(0.03, benign=1.6, violating=0.5),
    "white": Planted(0.05, benign=0.7, violating=0.4),
    "muslim": Planted(0.04, benign=1.2, violating=-0.7),
    "christian": Planted(0.08, benign=-0.5, violating=-0.5),
    "jewish": Planted(0.02, benign=0.8, violating=-0.6),
    "older": Planted(0.02, benign=-1.5, violating=-1.8),
    "disabled": Planted(0.002, benign=1.0, violating=0.0),
}
MENDED = 0.35  # the second model keeps this much of each shift
SHORT_FACTOR = 1.5  # and shifts are larger in short comments

OPENINGS = (
    "I have read this twice now, once on the train, and I am still not sure what to make of it",
    "Thanks for the article, it took me back to the summer when they closed the old bridge",
    "My sister told me about this, and she knows the place better than any of us ever will",
)
MIDDLES = (
    "the bus line matters more",
    "nobody asked who lives there",
    "the second chart looks odd",
    "mend the school first",
    "the council met again",
)
ABOUT = " ({} neighbours)"
RUDE = ("; you know nothing", "; only a fool writes that", "; go away")


def comments(rows: int, *, seed: int = 0) -> pl.DataFrame:
    """Comments with `id`, `text`, `toxicity` (share of ten annotators), one column a group, `model_a` and `model_b`."""
    rng = np.random.default_rng(seed)
    groups = {name: rng.random(rows) < planted.share for name, planted in GROUPS.items()}
    mentions = np.sum(list(groups.values()), axis=0)
    truth = rng.random(rows) < np.where(mentions > 0, 0.14, 0.07)
    short = rng.random(rows) < 0.4
    annotated = rng.random(rows) < 0.75
    data = {
        "id": pl.Series([f"c{number:07d}" for number in range(rows)]),
        "text": _texts(rng, truth, short, groups),
        "toxicity": rng.binomial(10, np.where(truth, 0.85, 0.06)) / 10,
        **{name: _shares(rng, inside, annotated) for name, inside in groups.items()},
    }
    label = np.asarray(data["toxicity"]) >= 0.5
    data["model_a"] = _scores(rng, label, short, groups, 1.0)
    data["model_b"] = _scores(rng, label, short, groups, MENDED)
    return pl.DataFrame(data)


def _scores(
    rng: np.random.Generator,
    label: npt.NDArray[np.bool_],
    short: npt.NDArray[np.bool_],
    groups: dict[str, npt.NDArray[np.bool_]],
    kept: float,
) -> npt.NDArray[np.float32]:
    logit = np.where(label, 1.6, -2.6) + 1.3 * rng.standard_normal(len(label))
    for name, inside in groups.items():
        shift = np.where(label, GROUPS[name].violating, GROUPS[name].benign) * np.where(short, SHORT_FACTOR, 1.0)
        logit += kept * shift * inside
    return (1.0 / (1.0 + np.exp(-logit))).astype(np.float32)


def _shares(rng: np.random.Generator, inside: npt.NDArray[np.bool_], annotated: npt.NDArray[np.bool_]) -> pl.Series:
    """The share of ten annotators who saw the group mentioned; nothing where nobody was asked."""
    seen = rng.binomial(10, np.where(inside, 0.9, 0.01)) / 10
    return pl.select(pl.when(pl.Series(annotated)).then(pl.Series(seen))).to_series()


def _texts(
    rng: np.random.Generator,
    truth: npt.NDArray[np.bool_],
    short: npt.NDArray[np.bool_],
    groups: dict[str, npt.NDArray[np.bool_]],
) -> pl.Series:
    rows = len(truth)
    about = np.full(rows, "", dtype=object)
    for name, inside in groups.items():
        about[inside] = ABOUT.format(name)
    opening = np.where(short, "", np.char.add(_pick(rng, OPENINGS, rows), ": "))
    rude = np.where(truth, _pick(rng, RUDE, rows), "")
    parts = (opening, _pick(rng, MIDDLES, rows), about, rude)
    return pl.select(pl.concat_str([pl.Series(part.astype(str)) for part in parts])).to_series()


def _pick(rng: np.random.Generator, phrases: tuple[str, ...], rows: int) -> npt.NDArray[np.str_]:
    return np.asarray(phrases)[rng.integers(0, len(phrases), rows)]
