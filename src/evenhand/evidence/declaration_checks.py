"""What a declaration may not say: names that do not exist, roles that exclude one another, roles that need others."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

from evenhand import limits
from evenhand.errors import CONTROL, InputError, nearest
from evenhand.evidence.scales import SCALES

if TYPE_CHECKING:
    from evenhand.evidence.declaration import Declaration

# Roles that no column has two of.
EXCLUSIVE = (
    *("item", "annotator", "score", "probabilities", "label", "groups", "group_by"),
    *("text", "id", "count", "inclusion", "weight", "decision", "reviews", "gold"),
)
BESIDES_TEXT = ("slices", "uncertainty", "stratum", "cluster", "annotator_groups", "within")  # a text is nothing else
NEAR_DUPLICATES = "near-duplicates"  # a cluster that is found in the texts, not in a column
MOST_WAYS = 2  # of belonging together
DUPLICATES = ("refuse", "first", "last", "drop")


def check_declaration(declaration: Declaration) -> None:
    """Refuse what contradicts itself, before anything is read."""
    _check_scales(declaration)
    _check_groups(declaration)
    _check_thresholds(declaration)
    if len(declaration.uncertainty) > 1 and len(declaration.uncertainty) != len(declaration.score):
        raise InputError("`uncertainty` takes one column for all models, or one for each model, in the same order")
    for name in ("score", "probabilities", "classes", "groups", "slices", "reviews"):
        _check_twice(name, getattr(declaration, name))
    _check_classes(declaration)
    _check_annotators(declaration)
    _check_design(declaration)
    _check_clusters(declaration)
    _check_reviews(declaration)
    _check_one_meaning(declaration)


def _check_scales(declaration: Declaration) -> None:
    for scale in declaration.scale:
        if scale not in SCALES:
            raise InputError(f"there is no scale '{scale}'; {nearest(scale, SCALES)}")
    if len(declaration.scale) not in (1, len(declaration.score) or 1):
        counts = f"the number of scales ({len(declaration.scale)}) is not that of the scores ({len(declaration.score)})"
        raise InputError(f"{counts}: give one scale for all, or one for each score in `scale`")


def _check_groups(declaration: Declaration) -> None:
    ways = [name for name in ("groups", "group_by", "terms") if getattr(declaration, name)]
    if len(ways) > 1:
        raise InputError(
            f"groups are declared in more than one way ({' and '.join(f'`{way}`' for way in ways)}): choose one"
        )
    if declaration.terms and not declaration.text:
        raise InputError("groups by words in the text need the text column: set `text`")
    lengths = [len(word) for words in declaration.terms.values() for word in words]
    for number, most, what in (
        (len(declaration.terms), limits.TERM_GROUPS, "groups"),
        (len(lengths), limits.TERM_WORDS, "words"),
        (sum(lengths), limits.TERM_CHARACTERS, "characters"),
        (max(lengths, default=0), limits.TERM_LENGTH, "characters in one word"),
    ):
        if number > most:
            raise InputError(f"terms: {number:,} {what}, and at most {most:,} are looked for")


def _check_thresholds(declaration: Declaration) -> None:
    if not 0.0 < declaration.group_threshold <= 1.0:
        raise InputError(f"invalid `group_threshold`: {declaration.group_threshold:g} (must be above 0 and at most 1)")
    if not 0.0 < declaration.label_threshold < math.inf:
        raise InputError(f"invalid `label_threshold`: {declaration.label_threshold:g} (must be a number above 0)")


def _check_classes(declaration: Declaration) -> None:
    columns, names = declaration.probabilities, declaration.classes
    if columns and declaration.score:
        raise InputError(
            "`score` and `probabilities` are both set: choose one score, or one probability for each class"
        )
    if len(columns) == 1:
        raise InputError(
            f"one column of probabilities ('{columns[0]}'): name one for each class, or set `score` instead"
        )
    if names and len(names) != len(columns):
        raise InputError(f"`classes`: {len(names)} for {len(columns)} columns of probabilities; name one for each")
    if declaration.positive and columns:
        raise InputError(
            "`positive` names the violating label of a score; leave it out with probabilities of several classes"
        )


def _check_annotators(declaration: Declaration) -> None:
    if bool(declaration.annotator) != bool(declaration.item):
        raise InputError("`item` and `annotator` go together: a row is one annotator's label of one item")
    if declaration.annotator_groups and not declaration.annotator:
        raise InputError("groups of annotators need `item` and `annotator`")
    _check_twice("annotator_groups", declaration.annotator_groups)
    if declaration.duplicates not in DUPLICATES:
        raise InputError(
            f"invalid `duplicates`: '{declaration.duplicates}'; {nearest(declaration.duplicates, DUPLICATES)}"
        )
    for column in declaration.spellings:
        if column not in (*declaration.annotator_groups, declaration.within):
            raise InputError(f"there are spellings of '{column}', which is not a declared column of annotators")


def _check_design(declaration: Declaration) -> None:
    if declaration.removes and not declaration.decision:
        raise InputError("`removes` names the decisions that remove an item: set `decision` too")
    if declaration.stratum and not declaration.inclusion:
        raise InputError("`stratum` is part of a sampling design: set `inclusion` too")
    others = [name for name in ("count", "inclusion", "annotator") if getattr(declaration, name)]
    if declaration.weight and others:
        raise InputError(f"`weight` cannot be used together with `{others[0]}`: leave out one of them")


def _check_clusters(declaration: Declaration) -> None:
    _check_twice("cluster", declaration.cluster)
    if len(declaration.cluster) > MOST_WAYS:
        raise InputError(f"`cluster`: {len(declaration.cluster)} columns; at most {MOST_WAYS} can be used together")
    if NEAR_DUPLICATES in declaration.cluster and not declaration.text:
        raise InputError("near-duplicates are found in the texts: set `text`, the text column")
    if declaration.cluster and declaration.annotator:
        raise InputError("`cluster` is for items; where a row is an annotator's label, items and people are redrawn")
    for column in declaration.cluster:
        if column in (*declaration.score, *declaration.probabilities, declaration.label, declaration.count):
            raise InputError(f"the column '{column}' is declared as `cluster` and as something else; choose one")


def _check_reviews(declaration: Declaration) -> None:
    if declaration.gold and not declaration.reviews:
        raise InputError("`gold` is for reviewers' errors: set `reviews`, the columns of their decisions, too")
    if declaration.reviews and not declaration.score:
        raise InputError("`reviews` are decisions about items with a score: set `score`, the score column, too")
    if declaration.reviews and declaration.annotator:
        raise InputError("`reviews` are columns of a table of items; here a row is an annotator's label")


def _check_twice(name: str, columns: tuple[str, ...]) -> None:
    twice = sorted(column for column, times in Counter(columns).items() if times > 1)
    if twice:
        raise InputError(f"'{twice[0]}' is named twice in `{name}`: name it once")


def _check_one_meaning(declaration: Declaration) -> None:
    """Names that can be shown, and no column for two things that exclude one another."""
    meanings: dict[str, str] = {}
    for role in EXCLUSIVE:
        columns = getattr(declaration, role)
        for column in (columns,) if isinstance(columns, str) else columns or ():
            if column in meanings:
                raise InputError(
                    f"the column '{column}' is declared as `{meanings[column]}` and as `{role}`; choose one"
                )
            meanings[column] = role
    for role in BESIDES_TEXT:
        columns = getattr(declaration, role)
        if declaration.text and declaration.text in ((columns,) if isinstance(columns, str) else columns or ()):
            raise InputError(f"the column '{declaration.text}' is declared as `text` and as `{role}`; choose one")
    for name in (*meanings, *declaration.slices, *declaration.terms, *declaration.classes):
        if CONTROL.search(name):
            raise InputError(f"the name '{name}' holds a control character: rename it")
