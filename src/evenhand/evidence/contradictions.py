"""What a declaration may not say: names that do not exist, roles that exclude one another, roles that need others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evenhand.errors import CONTROL, InputError, nearest
from evenhand.evidence.scales import SCALES

if TYPE_CHECKING:
    from evenhand.evidence.declaration import Declaration

# Roles that no column has two of.
EXCLUSIVE = (
    *("item", "annotator", "score", "probabilities", "label", "groups", "group_by"),
    *("text", "id", "count", "inclusion", "decision"),
)
BESIDES_TEXT = ("slices", "uncertainty", "stratum", "annotator_groups", "within")  # a text is nothing else
DUPLICATES = ("refuse", "first", "last", "drop")
# What slices and records of findings are made of.
RESERVED = {"audit", "measure", "slice", "value", "low", "high", "level", "method", "n", "note", "flags", "p_value"}
RESERVED |= {"model", "against", "group", "length", "of", "strategy", "capacity", "class", "bins", "as_if"}
RESERVED |= {"calibrator", "annotators", "cluster", "with", "sets", "pool"}


def check_declaration(declaration: Declaration) -> None:
    """Refuse what contradicts itself, before anything is read."""
    _check_scales(declaration)
    _check_groups(declaration)
    _check_thresholds(declaration)
    if len(declaration.uncertainty) > 1 and len(declaration.uncertainty) != len(declaration.score):
        raise InputError("uncertainty takes one column for all models, or one for each of them, in their order")
    for name in ("score", "probabilities", "classes", "groups", "slices"):
        _check_twice(name, getattr(declaration, name))
    _check_classes(declaration)
    _check_annotators(declaration)
    _check_design(declaration)
    _check_one_meaning(declaration)
    for column in declaration.slices:
        if column in RESERVED:
            raise InputError(f"a slice cannot be called '{column}', which findings use themselves: rename the column")


def _check_scales(declaration: Declaration) -> None:
    for scale in declaration.scale:
        if scale not in SCALES:
            raise InputError(f"there is no scale '{scale}'; {nearest(scale, SCALES)}")
    if len(declaration.scale) not in (1, len(declaration.score) or 1):
        raise InputError(f"{len(declaration.scale)} scales for {len(declaration.score)} scores: give one, or one each")


def _check_groups(declaration: Declaration) -> None:
    ways = [name for name in ("groups", "group_by", "terms") if getattr(declaration, name)]
    if len(ways) > 1:
        raise InputError(f"groups are declared in more than one way ({' and '.join(ways)}): choose one")
    if declaration.terms and not declaration.text:
        raise InputError("groups by words in the text need the text column: declare text")


def _check_thresholds(declaration: Declaration) -> None:
    for name in ("label_threshold", "group_threshold"):
        value = getattr(declaration, name)
        if not 0.0 < value <= 1.0:
            raise InputError(f"{name} is {value}: a share of annotators lies above 0 and up to 1")


def _check_classes(declaration: Declaration) -> None:
    columns, names = declaration.probabilities, declaration.classes
    if columns and declaration.score:
        raise InputError("score and probabilities are both declared: one score, or one probability for each class")
    if len(columns) == 1:
        raise InputError(f"one column of probabilities ('{columns[0]}'): name one for each class, or declare a score")
    if names and len(names) != len(columns):
        raise InputError(f"{len(names)} classes for {len(columns)} columns of probabilities: name one for each")
    if declaration.positive and columns:
        raise InputError("positive says which label is violating; with probabilities of several classes each counts")


def _check_annotators(declaration: Declaration) -> None:
    if bool(declaration.annotator) != bool(declaration.item):
        raise InputError("item and annotator go together: a row is one annotator's label of one item")
    if declaration.annotator_groups and not declaration.annotator:
        raise InputError("groups of annotators need item and annotator to be declared")
    _check_twice("annotator_groups", declaration.annotator_groups)
    if declaration.duplicates not in DUPLICATES:
        raise InputError(
            f"duplicates: there is no '{declaration.duplicates}'; {nearest(declaration.duplicates, DUPLICATES)}"
        )
    for column in declaration.spellings:
        if column not in (*declaration.annotator_groups, declaration.within):
            raise InputError(f"there are spellings of '{column}', which is no column of annotators that was declared")


def _check_design(declaration: Declaration) -> None:
    if declaration.removes and not declaration.decision:
        raise InputError("removes says which decision takes an item down: declare decision too")
    if declaration.stratum and not declaration.inclusion:
        raise InputError("a stratum is one of a sample's design: declare inclusion too")


def _check_twice(name: str, columns: tuple[str, ...]) -> None:
    twice = sorted({column for column in columns if columns.count(column) > 1})
    if twice:
        raise InputError(f"'{twice[0]}' is named twice in {name}")


def _check_one_meaning(declaration: Declaration) -> None:
    """Names that can be shown, and no column for two things that exclude one another."""
    meanings: dict[str, str] = {}
    for role in EXCLUSIVE:
        given = getattr(declaration, role)
        for column in (given,) if isinstance(given, str) else given or ():
            if column in meanings:
                raise InputError(f"the column '{column}' is declared as {meanings[column]} and as {role}")
            meanings[column] = role
    for role in BESIDES_TEXT:
        given = getattr(declaration, role)
        if declaration.text and declaration.text in ((given,) if isinstance(given, str) else given or ()):
            raise InputError(f"the column '{declaration.text}' is declared as text and as {role}")
    for name in (*meanings, *declaration.slices, *declaration.terms, *declaration.classes):
        if CONTROL.search(name):
            raise InputError(f"the name '{name}' holds a control character: rename it")
