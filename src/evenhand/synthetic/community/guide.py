"""What each column of a made-up community means, in words; and the page that lies beside its files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evenhand.synthetic.community.planted import GROUPS, KINDS

COLUMNS: dict[str, dict[str, str]] = {
    "items": {
        "id": "the item",
        "text": "what was written; made up, in the language that `language` names",
        "language": "en, es, de, fr, it or pt",
        "community": "where: eight places that differ in topic, prevalence and how readily people report",
        "thread": "the conversation; items of one thread violate together more often than by chance",
        "author": "who wrote it",
        "period": "2026-H1 or 2026-H2: in the second more violates, topics are new, some groups come up more",
        "created": "when it was posted",
        "kind": f"one of {', '.join(KINDS)}",
        "toxicity": "the share of ten raters who called it violating",
        **{name: f"the share of raters who saw {name} mentioned; null where nobody was asked" for name in GROUPS},
        "model_a": "score of a first model, which shifts some groups",
        "model_b": "score of a second one, which shifts them less",
        "model_a_uncertainty": "how far the members of an ensemble would differ about it",
        **{f"p_{kind}": f"probability of '{kind}' by a third model, too sure of itself" for kind in KINDS},
        "reports": "how many people reported it",
        "decision": "kept or removed, before any appeal",
        "decided_by": "model or moderator; null where nobody looked",
        "appealed": "whether the author appealed against the removal",
        "reinstated": "whether the appeal brought it back",
    },
    "annotators": {
        "id": "the annotator",
        "gender": "woman, man or nonbinary",
        "ethnicity": "as the annotator would say",
        "country": "where the annotator lives",
        "age": "a band of years",
        "handedness": "right or left: has nothing to do with any label, so that there is something not to find",
    },
    "annotations": {"item": "the item", "annotator": "who said it", "label": "1 violating, 0 not"},
    "history": {
        "item": "the item",
        "event": "posted, reported, removed, kept (looked at, left up), appealed, upheld or reinstated",
        "by": "an author, a reader, a moderator or model_a",
        "at": "when; events are in the order of time and never change",
    },
    "truths": {
        "id": "the item",
        "kind": "as among the items",
        "violates": "whether it truly violates",
        "veiled": "it violates without a rude word",
        "rough": "it has a rude word and does not violate",
        "visible": "whether it can be read after decisions and appeals",
        "shift": "by how many logits model_a moved it because of the groups it mentions",
        **{f"is_{name}": f"whether it truly mentions {name}" for name in GROUPS},
    },
}


def guide(truth: Mapping[str, Any]) -> str:
    """The README of the folder of the community with this truth."""
    size, seed = truth["items"], truth["seed"]
    lines = [
        "# A made-up community",
        "",
        f"{size:,} items, seed {seed}. Everybody and everything here is made up, and says nothing about real people;",
        "the texts hold insults and threats. `truth.json` says what was planted and what came of it; an audit should",
        "look at neither it nor `truths.parquet`.",
    ]
    for name, columns in COLUMNS.items():
        lines += ["", f"## {name}.parquet", "", "| column | what it is |", "|---|---|"]
        lines += [f"| `{column}` | {words} |" for column, words in columns.items()]
    return "\n".join(lines) + "\n"
