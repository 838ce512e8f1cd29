"""Items that belong together: declared, found as near-duplicates, or noticed."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from evenhand.errors import InputError
from evenhand.evidence import Declaration, open_evidence
from evenhand.evidence.near_duplicates import near_duplicate_codes

ROLES = {"score": "p", "label": "y"}


def table(**more: Any) -> dict[str, Any]:
    return {"p": np.linspace(0, 1, 40), "y": [True, False] * 20, "author": [f"u{n % 8}" for n in range(40)], **more}


def opened(data: dict[str, Any], **more: Any) -> Any:
    return open_evidence(data, Declaration.of({**ROLES, **more}))


def test_rows_know_their_clusters() -> None:
    clusters = opened(table(), cluster="author").rows.clusters
    assert clusters.counts == (8,)
    assert clusters.names == ("author",)
    assert clusters.codes[0][0] == clusters.codes[0][8] != clusters.codes[0][1]


def test_an_item_without_an_author_is_a_cluster_by_itself() -> None:
    data = table(author=[None, "", *(f"u{n % 4}" for n in range(38))])
    evidence = opened(data, cluster="author")
    assert evidence.rows.clusters.counts == (6,)
    assert "2 items have no 'author': each counts as a cluster by itself." in evidence.notes


def test_two_ways() -> None:
    evidence = opened(table(thread=[n // 10 for n in range(40)]), cluster=["author", "thread"])
    assert evidence.rows.clusters.counts == (8, 4)
    assert [way.sign for way in evidence.rows.clusters.ways] == [1.0, 1.0, -1.0]


@pytest.mark.parametrize(
    ("roles", "says"),
    [
        ({"cluster": "writer"}, "no column 'writer'"),
        ({"cluster": ["author", "author"]}, "named twice in `cluster`"),
        ({"cluster": ["author", "p1", "p2"]}, "at most 2"),
        ({"cluster": "y"}, "declared as `cluster` and as something else"),
        ({"cluster": "near-duplicates"}, "set `text`"),
        ({"cluster": "same"}, "all items are of one cluster"),
    ],
    ids=["missing", "twice", "three", "label", "no-text", "one"],
)
def test_what_is_refused(roles: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError, match=says):
        opened(table(same=["x"] * 40), **roles)


def test_authors_that_repeat_are_noticed() -> None:
    (note,) = opened(table()).notes
    assert note.startswith("The 40 items have 8 values of 'author'")
    assert note.endswith("set `cluster` to author.")


@pytest.mark.parametrize("column", ["user_id", "AuthorName", "thread", "conversation_id", "reply_user", "template"])
def test_names_that_are_looked_at(column: str) -> None:
    data = table(**{column: [n % 8 for n in range(40)]})
    del data["author"]
    assert len(opened(data).notes) == 1


@pytest.mark.parametrize(
    ("more", "roles"),
    [
        ({}, {"cluster": "author"}),
        ({}, {"slices": "author"}),
        ({"author": list(range(40))}, {}),
        ({"author": ["x"] * 40}, {}),
    ],
    ids=["declared", "has-a-role", "all-differ", "one-value"],
)
def test_nothing_is_said_without_reason(more: dict[str, Any], roles: dict[str, Any]) -> None:
    assert not opened(table(**more), **roles).notes


def test_texts_that_occur_twice_are_noticed() -> None:
    data = {**table(), "text": [f"Text {n % 35} " for n in range(40)]}
    del data["author"]
    (note,) = opened(data, text="text").notes
    assert note.startswith("10 of 40 items have the text of another item")
    assert not opened({**data, "text": [f"t{n}" for n in range(40)]}, text="text").notes


def test_near_duplicates_are_found() -> None:
    rest = ", only for a short time, while what we have lasts, and tell your friends about it too"
    texts = pl.Series(
        [
            f"buy cheap watches now at our shop today{rest}",
            f"buy cheap watches now at our shop today{rest}!!",
            f"buy cheap watches now at our shop tonight{rest}",
            "I do not think that this is what the article says about rivers",
            "",
            "",
        ]
    )
    codes = near_duplicate_codes(texts).tolist()
    assert codes[0] == codes[1] == codes[2]
    assert len(set(codes)) == 4


def test_near_duplicates_against_all_pairs() -> None:
    """Beside the overlap of the sets themselves: pairs far on either side of the limit are told apart."""
    rng = np.random.default_rng(5)
    words = [f"word{n}" for n in range(300)]
    base = [" ".join(rng.choice(words, 30)) for _ in range(60)]
    changed = [" ".join((*text.split()[:-1], str(rng.choice(words)))) for text in base]
    half = [" ".join((*text.split()[:15], *rng.choice(words, 15))) for text in base]
    codes = near_duplicate_codes(pl.Series([*base, *changed, *half]))
    assert np.mean(codes[:60] == codes[60:120]) > 0.95  # nine tenths in common
    assert not (codes[:60] == codes[120:]).any()  # a third in common
    assert len(np.unique(codes[:60])) == 60


def test_near_duplicates_as_clusters() -> None:
    data = {**table(), "text": [f"a text about {n % 10} {'very ' * (n % 10)} different things" for n in range(40)]}
    clusters = opened(data, text="text", cluster="near-duplicates").rows.clusters
    assert clusters.codes[0][0] == clusters.codes[0][10]
