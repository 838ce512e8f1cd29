"""From a column as written to values that are checked: a function for each role. What the rules are is in `rules`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from scipy import special

from evenhand.arrays import Bools, Floats, Int32s
from evenhand.errors import nearest
from evenhand.evidence import rules
from evenhand.evidence.columns import YES_NO, SourceTable, is_number, label_words
from evenhand.evidence.declaration import Declaration
from evenhand.evidence.scales import ScoreScale
from evenhand.tally.order import ScoreArray


def read_scores(
    table: SourceTable, column: str, scale: ScoreScale, notes: list[str], what: str = "score"
) -> ScoreArray:
    """Finite numbers within the range of their scale, in the precision they came in."""
    values = table.numbers(column, rules.score_role(scale, what))
    if scale.name == "percent" and float(values.max()) <= 1.0:  # type: ignore[arg-type]
        notes.append(f"No score of '{column}' is above 1 per cent: are these probabilities?")
    return values.to_numpy()


def read_labels(table: SourceTable, declaration: Declaration) -> tuple[Bools, list[str]]:
    """Violating or not, and what to note about how that was decided; there must be items of both kinds."""
    mask, notes = read_violating(table, declaration)
    if not mask.any() and declaration.label_threshold > 1.0:
        table.fail(rules.below_cut(declaration.label_threshold), declaration.label or "", role="label_threshold")
    if mask.all() or not mask.any():
        table.fail(rules.one_class(violating=bool(len(mask) and mask[0])), declaration.label or "")
    return mask, notes


def read_violating(table: SourceTable, declaration: Declaration) -> tuple[Bools, list[str]]:
    """The same, whatever comes out."""
    assert declaration.label is not None
    column = declaration.label
    if declaration.positive:
        is_violating, notes = _is_positive(table, column, declaration.positive)
        return is_violating.to_numpy(), notes
    values = _label_numbers(table, column, rules.label_role(declaration))
    violating = (values >= declaration.label_threshold).to_numpy()
    if declaration.label_threshold >= 1.0 and (values > 1.0).any():
        lowest, highest = (float(end) for end in (values.min(), values.max()))  # type: ignore[arg-type]
        what = f"{lowest:g} to {highest:g}"
    elif ((values > 0) & (values < 1)).any():
        what = "between no and yes" if declaration.annotator else "a share of annotators"
    else:
        return violating, []
    note = f"The label '{column}' is {what}: {declaration.label_threshold:g} or more counts as violating."
    return violating, [note]


def _is_positive(table: SourceTable, column: str, positive: tuple[str, ...]) -> tuple[pl.Series, list[str]]:
    values = table.frame[column]
    if values.dtype.is_numeric():
        numbers = values.cast(pl.Float64).fill_nan(None)
        table.complete(column, numbers, "the label")
        try:
            return numbers.is_in([float(value) for value in positive]), []
        except ValueError:
            table.fail(rules.label_is_no_number(positive[0]), column)
    text = table.words(column, "labels")
    table.complete(column, text, "the label")
    known = text.unique().sort().to_list()
    for value in positive:
        if value not in known:
            table.fail(rules.unknown_label(value, nearest(value, known)), column)
    others = [value for value in known if value not in positive]
    rest = f"Every label but {' and '.join(repr(value) for value in positive)} counts as benign: {_listed(others)}."
    return text.is_in(list(positive)), [rest] if len(others) > 1 else []


def _listed(names: list[str]) -> str:
    return ", ".join(f"'{name}'" for name in names[:5]) + (", …" if len(names) > 5 else "")


def _label_numbers(table: SourceTable, column: str, role: rules.NumberRole) -> pl.Series:
    values = table.frame[column]
    if values.dtype in (pl.String, pl.Categorical, pl.Enum):
        classes = values.drop_nulls().cast(pl.String).unique().sort().head(6).to_list()
        if not all(is_number(value, table.decimal) for value in classes):
            table.fail(rules.labels_are_words(_listed(classes)), column)
    return table.numbers(column, role)


def read_counts(table: SourceTable, column: str) -> Floats:
    """How many equal rows each row stands for: whole numbers."""
    values = table.numbers(column, rules.COUNT)
    if values.sum() == 0:
        table.fail(rules.ALL_COUNTS_ZERO, column)
    return values.to_numpy()


def read_inclusion(table: SourceTable, column: str) -> Floats:
    """The probability with which each row came into the sample."""
    return table.numbers(column, rules.INCLUSION).to_numpy()


def read_weights(table: SourceTable, column: str) -> Floats:
    """How much each row matters."""
    values = table.numbers(column, rules.WEIGHT)
    if values.sum() == 0:
        table.fail(rules.ALL_WEIGHTS_ZERO, column)
    return values.to_numpy()


def read_decisions(table: SourceTable, column: str, removes: Sequence[str] = ()) -> Bools:
    """Which items were taken down: yes or no, or words of which some mean it; case does not matter."""
    words = label_words(table, column, "decisions").str.to_lowercase()
    table.complete(column, words, "the decision")
    if removes:
        return np.array(words.is_in([value.lower() for value in removes]).to_numpy())
    taken = words.replace_strict(YES_NO, default=None, return_dtype=pl.Boolean)
    if taken.null_count():
        wrong = table.frame[column].filter(taken.is_null())[0]
        table.fail(
            f"a decision is yes or no (true/false, 1/0), not {wrong!r}; name those that remove an item with `removes`",
            column,
            taken.is_null(),
        )
    return np.array(taken.to_numpy())


def read_uncertainty(table: SourceTable, column: str) -> Floats:
    """How unsure a model is, or how soon to review: finite numbers on any scale, higher first."""
    return table.numbers(column, rules.UNCERTAINTY).to_numpy()


def read_amounts(table: SourceTable, column: str) -> Floats:
    """Finite numbers, none of them missing."""
    return table.numbers(column, rules.AMOUNT).to_numpy()


def check_unique(table: SourceTable, column: str) -> None:
    """Ids must be there and differ."""
    values = table.frame[column]
    table.complete(column, values, "the id")
    if values.n_unique() < len(values):
        repeated = ~values.is_first_distinct()
        table.fail(rules.repeated_id(values.filter(repeated)[0]), column, repeated)


ROUNDED = 0.01  # how far the sum of a row may be from one: what rounding to two places makes of four classes or so


def read_class_probabilities(table: SourceTable, declaration: Declaration) -> tuple[Floats, list[str]]:
    """Rows × classes, each between 0 and 1 and together one; and what to note about them."""
    notes: list[str] = []
    scale = declaration.scale_of(0)
    table_of_classes = np.empty((len(table.frame), len(declaration.probabilities)))
    for number, column in enumerate(declaration.probabilities):
        table_of_classes[:, number] = read_scores(table, column, scale, notes, "probability")
    if scale.name == "logit":
        if table_of_classes.min() >= 0.0 and np.allclose(table_of_classes.sum(axis=1), 1.0, atol=ROUNDED):
            notes.append("Every row lies from 0 to 1 and sums to one: are these probabilities rather than logits?")
        return special.softmax(table_of_classes, axis=1), notes
    if scale.probability is None:
        table.fail(
            "ranks cannot be turned into probabilities of classes: give probabilities", declaration.probabilities[0]
        )
    finish = _normalised_sums if declaration.normalise else _checked_sums
    table_of_classes, more = finish(table, declaration, scale.probability(table_of_classes))
    return table_of_classes, [*notes, *more]


def _checked_sums(table: SourceTable, declaration: Declaration, probabilities: Floats) -> tuple[Floats, list[str]]:
    off = np.abs(probabilities.sum(axis=1) - 1.0)
    bad = off > ROUNDED
    if bad.any():
        worst = int(off.argmax())
        problem = (
            f"the probabilities of {int(bad.sum()):,} of {len(bad):,} rows do not sum to one; this row's sum is "
            f"{probabilities[worst].sum():.4g}, the furthest off. To divide each row by its sum, set `normalise`"
        )
        table.fail(problem, declaration.probabilities[0], pl.Series(np.arange(len(off)) == worst))
    rounded = float(off.max())
    note = f"The probabilities of a row sum to one only within {rounded:.1g}; they are used as they are."
    return probabilities, [note] if rounded > 1e-4 else []


def _normalised_sums(table: SourceTable, declaration: Declaration, probabilities: Floats) -> tuple[Floats, list[str]]:
    total = probabilities.sum(axis=1)
    if not total.all():
        problem = "every probability of this row is 0: there is nothing to share out"
        table.fail(problem, declaration.probabilities[0], pl.Series(total == 0.0))
    off = int((np.abs(total - 1.0) > ROUNDED).sum())
    note = f"The probabilities of {off:,} of {len(total):,} rows did not sum to one: each row was divided by its sum."
    return probabilities / total[:, None], [note] if off else []


def read_class_labels(table: SourceTable, declaration: Declaration) -> tuple[Int32s, list[str]]:
    """The number of each row's true class; and which classes have no items."""
    assert declaration.label is not None
    column, names = declaration.label, declaration.class_names
    words = label_words(table, column)
    table.complete(column, words, "the label")
    known = pl.Series(names)
    bad = ~words.is_in(known.implode())
    if bad.any():
        wrong = str(words.filter(bad)[0])
        hint = f"{nearest(wrong, names)}. Labels are named like the columns, or as `classes` says, in their order"
        table.fail(f"the label '{wrong}' is not one of the classes; {hint}", column, bad)
    numbers = words.replace_strict(names, list(range(len(names))), return_dtype=pl.Int32).to_numpy()
    if len(np.unique(numbers)) < 2:
        table.fail(f"every item is of the class '{names[numbers[0]]}': at least two are needed", column)
    empty = [name for number, name in enumerate(names) if not (numbers == number).any()]
    note = f"No item has the label {' or '.join(repr(name) for name in empty)}."
    return numbers, [note] if empty else []
