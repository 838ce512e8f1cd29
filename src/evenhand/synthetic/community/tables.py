"""The tables of a synthetic community, generated from a seed, what each of their columns means, and their folder."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from evenhand.arrays import Bools
from evenhand.errors import InputError
from evenhand.files import failure_reason
from evenhand.output_folder import FolderContents, staged_folder
from evenhand.synthetic.community import judgements
from evenhand.synthetic.community.items import LOOKS, ItemContent, ItemContext, draw_content, draw_context
from evenhand.synthetic.community.judgements import class_probabilities, group_shifts, model_scores
from evenhand.synthetic.community.moderation import ModerationOutcomes, moderate, moderation_history
from evenhand.synthetic.community.parameters import (
    ASKED_ABOUT_GROUPS,
    CALLED_VIOLATING,
    GROUPS,
    KINDS,
    LANGUAGES,
    PERIODS,
    PLACES,
    RATERS,
    SHORT,
)
from evenhand.synthetic.community.texts import compose_texts
from evenhand.synthetic.community.truth import community_truth, item_truths

COLUMNS: dict[str, dict[str, str]] = {
    "items": {
        "id": "the item",
        "text": "synthetic text, in the language named in `language`",
        "language": "en, es, de, fr, it or pt",
        "community": "one of eight communities that differ in topic, prevalence and reporting rate",
        "thread": "the conversation; violations cluster within threads",
        "author": "who wrote it",
        "period": "2026-H1 or 2026-H2; the second has a higher prevalence, new topics, more mentions of some groups",
        "created": "when it was posted",
        "kind": f"one of {', '.join(KINDS)}",
        "toxicity": "the share of ten annotators who labelled it violating",
        **{
            name: f"the share of annotators who saw the group '{name}' mentioned; null where it was not annotated"
            for name in GROUPS
        },
        "model_a": "score of a first model, biased for some groups",
        "model_b": "score of a second model, less biased",
        "model_a_uncertainty": "disagreement between the members of an ensemble",
        **{f"p_{kind}": f"probability of '{kind}' by a third, overconfident model" for kind in KINDS},
        "reports": "how many people reported it",
        "decision": "kept or removed, before any appeal",
        "decided_by": "model or moderator; null where nobody reviewed it",
        "appealed": "whether the author appealed against the removal",
        "reinstated": "whether the appeal reinstated it",
    },
    "annotators": {
        "id": "the annotator",
        "gender": "woman, man or nonbinary",
        "ethnicity": "as stated by the annotator",
        "country": "where the annotator lives",
        "age": "age group",
        "handedness": "right or left; unrelated to any label, as a negative control",
    },
    "annotations": {"item": "the item", "annotator": "the annotator", "label": "1 violating, 0 not"},
    "history": {
        "item": "the item",
        "event": "posted, reported, removed, kept (reviewed and left up), appealed, upheld or reinstated",
        "by": "an author, a reader, a moderator or model_a",
        "at": "time of the event; events are in chronological order",
    },
    "truths": {
        "id": "the item",
        "kind": "as in the table of items",
        "violates": "whether it truly violates",
        "veiled": "violates without a rude word",
        "rough": "contains a rude word and does not violate",
        "visible": "whether it is visible after decisions and appeals",
        "shift": "the bias of model_a because of the groups it mentions, in logits",
        **{f"is_{name}": f"whether it truly mentions the group '{name}'" for name in GROUPS},
    },
}


def community_readme(truth: Mapping[str, Any]) -> str:
    """The README of the folder of the community with this truth."""
    size, seed = truth["items"], truth["seed"]
    lines = [
        "# A synthetic community",
        "",
        f"{size:,} items, seed {seed}. All data is synthetic and says nothing about real people. The texts contain",
        "insults and threats. `truth.json` holds the planted parameters and the resulting true values; do not use it",
        "or `truths.parquet` in an audit.",
    ]
    for name, columns in COLUMNS.items():
        lines += ["", f"## {name}.parquet", "", "| column | what it is |", "|---|---|"]
        lines += [f"| `{column}` | {words} |" for column, words in columns.items()]
    return "\n".join(lines) + "\n"


FEWEST_ITEMS, MOST_ITEMS = 100, 10_000_000
SEEDED_PARTS = (
    "setting",
    "nature",
    "texts",
    "scores",
    "probabilities",
    "raters",
    "moderation",
    "history",
    "people",
    "labels",
)


@dataclass(frozen=True)
class Community:
    """The frames an audit may see, and beside them `truths` (item by item) and `truth` (what was planted, and came)."""

    items: pl.DataFrame
    annotators: pl.DataFrame
    annotations: pl.DataFrame
    history: pl.DataFrame
    truths: pl.DataFrame
    truth: dict[str, Any]


def community(items: int, *, seed: int = 0) -> Community:
    """Generate items with annotations and moderation history; the same seed gives the same community."""
    if not FEWEST_ITEMS <= items <= MOST_ITEMS:
        raise InputError(f"invalid `items`: {items:,} (must be from {FEWEST_ITEMS:,} to {MOST_ITEMS:,})")
    if seed < 0:
        raise InputError(f"invalid `seed`: {seed} (must be 0 or more)")
    rng = {part: np.random.default_rng([seed, number]) for number, part in enumerate(SEEDED_PARTS)}
    where = draw_context(items, rng["setting"])
    what = draw_content(where, rng["nature"])
    text = compose_texts(where, what, rng["texts"])
    short = (text.str.len_chars() < SHORT).to_numpy()
    scored = model_scores(what, short, rng["scores"])
    done = moderate(where, what, scored["model_a"].to_numpy(), rng["moderation"])
    ids = _numbered("c", np.arange(items))
    columns = {**_rater_columns(what, rng["raters"]), **scored, **class_probabilities(what, rng["probabilities"])}
    table = _items_table(ids, text, where, what, columns, done)
    hidden = item_truths(ids, what, done.visible, pl.Series(group_shifts(what, short)))
    who = judgements.draw_annotators(items, rng["people"])
    labels = judgements.draw_labels(who, what, ids, rng["labels"])
    events = moderation_history(where, done, ids, rng["history"])
    return Community(table, who, labels, events, hidden, community_truth(table, hidden, labels, who, seed=seed))


COMMUNITY_CONTENTS = FolderContents((*(f"{name}.parquet" for name in COLUMNS), "truth.json", "README.md"))


def write_community(made: Community, folder: Path) -> None:
    """The tables, the truth, and a page that says what each column is."""
    with staged_folder(folder, COMMUNITY_CONTENTS) as staging:
        for name in COLUMNS:
            _write_parquet(getattr(made, name), staging / f"{name}.parquet")
        (staging / "truth.json").write_text(json.dumps(made.truth, indent=2) + "\n", encoding="utf-8")
        (staging / "README.md").write_text(community_readme(made.truth), encoding="utf-8")


def _write_parquet(frame: pl.DataFrame, path: Path) -> None:
    try:
        frame.write_parquet(path)
    except pl.exceptions.PolarsError as error:  # how a full disk can show
        raise OSError(0, failure_reason(error)) from None


def _items_table(
    ids: pl.Series,
    text: pl.Series,
    where: ItemContext,
    what: ItemContent,
    columns: dict[str, pl.Series],
    done: ModerationOutcomes,
) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "id": ids,
            "text": text,
            "language": pl.Series(list(LANGUAGES)).gather(where.language),
            "community": pl.Series(list(PLACES)).gather(where.place),
            "thread": _numbered("t", where.thread),
            "author": _numbered("u", where.author),
            "period": pl.Series(list(PERIODS)).gather(where.period),
            "created": pl.Series(where.created).cast(pl.Datetime("us")),
            "kind": pl.Series(KINDS).gather(what.kind),
            **columns,
            **done.columns(),
        }
    )


def _rater_columns(what: ItemContent, rng: np.random.Generator) -> dict[str, pl.Series]:
    """`toxicity`, the share of ten raters who call an item violating, and the share who see each group mentioned.

    Some items were never shown with the question about groups: their shares are null, which is not 0.
    """
    chance = np.asarray([CALLED_VIOLATING[look] for look in LOOKS])[what.look]
    annotated = rng.random(len(chance)) < ASKED_ABOUT_GROUPS
    toxicity = pl.Series(rng.binomial(RATERS, chance) / RATERS)
    return {
        "toxicity": toxicity,
        **{name: _mention_shares(inside, annotated, rng) for name, inside in what.groups.items()},
    }


def _mention_shares(inside: Bools, annotated: Bools, rng: np.random.Generator) -> pl.Series:
    seen = pl.Series(rng.binomial(RATERS, np.where(inside, 0.9, 0.01)) / RATERS)
    return pl.select(pl.when(pl.Series(annotated)).then(seen)).to_series()


def _numbered(letter: str, numbers: np.typing.NDArray[np.int64]) -> pl.Series:
    digits = pl.Series(numbers).cast(pl.String).str.zfill(7)
    return pl.select(pl.format(f"{letter}{{}}", digits)).to_series()
