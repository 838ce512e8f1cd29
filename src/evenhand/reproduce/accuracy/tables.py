"""Table 1 on labelled comments: labels needed, and what that saves."""

from __future__ import annotations

from collections.abc import Iterator

from evenhand.audits.simulation.bench import NEEDED
from evenhand.estimate import Estimate
from evenhand.reproduce.accuracy.printed import PROMISES
from evenhand.reproduce.accuracy.simulated import DEFAULT_MODEL, UNIGRAM, Simulated
from evenhand.reproduce.published import published
from evenhand.reproduce.result import Cell, Row, Table, fact

ORACLE = {"design": "optimal", "strata_by": "oracle", "strata": "8"}
PILOT = {"design": "pilot", "strata_by": "quantile", "strata": "8", "pilot": "50"}
DEFAULT = {"design": "default"}
RANDOM = {"design": "random"}
DESIGNS = {"oracle:8 optimal": ORACLE, "quantile:8 pilot:50": PILOT}
OTHERS = ("roberta", "distilbert")


def tables(one: Simulated) -> Iterator[Table]:
    """Labels needed, and the share of labels saved against random sampling, which does not hang on the prevalence."""
    yield _table(one, saved=False)
    yield _table(one, saved=True)


def _table(one: Simulated, *, saved: bool) -> Table:
    printed = published("accuracy")["table_1"]
    rows: list[Row] = []
    if not saved:
        known = [printed["random"][r] for r in PROMISES]
        rows.append(("random sampling", _cells(one, one.models[0], RANDOM, known, saved=False)))
    for model in one.models:
        for title, design in DESIGNS.items():
            known = [_known(printed, UNIGRAM, title, r, saved) if model == UNIGRAM else None for r in PROMISES]
            rows.append((f"{model}: {title}", _cells(one, model, design, known, saved=saved)))
        nothing: list[float | None] = [None] * len(PROMISES)
        rows.append((f"{model}: default design", _cells(one, model, DEFAULT, nothing, saved=saved)))
    for model in OTHERS:
        for title in DESIGNS:
            cells = tuple(Cell(None, _known(printed, model, title, r, saved)) for r in PROMISES)
            rows.append((f"paper only, {model}: {title}", cells))
    title = "percent of labels saved against random sampling" if saved else "labels needed"
    return Table(
        "table_1_saved" if saved else "table_1",
        f"Table 1: {title}",
        "classifier and design",
        tuple(f"within {r}" for r in PROMISES),
        tuple(rows),
        on=f"{one.on}, {100 * one.prevalence:.1f} % violating",
        same=one.same,
        digits=1 if saved else 0,
        notes=_notes(one, saved=saved),
    )


def _notes(one: Simulated, *, saved: bool) -> tuple[str, ...]:
    counted = (
        "A pilot counts with all its labels, also where fewer would have done; ranges are the Monte-Carlo error. "
        f"“Default design” is ours. The {DEFAULT_MODEL} was trained on Wikipedia talk pages."
    )
    other = "Another prevalence than the paper's 5.9 %: labels needed fall as it rises. Compare what is saved."
    return (counted,) if one.same or saved else (counted, other)


def _known(printed: dict[str, dict[str, dict[str, float]]], model: str, title: str, r: str, saved: bool) -> float:
    labels, random = printed[model][title][r], float(printed["random"][r])  # type: ignore[arg-type]
    return 100.0 * (1.0 - labels / random) if saved else labels


def _cells(
    one: Simulated, model: str, design: dict[str, str], known: list[float | None], *, saved: bool
) -> tuple[Cell, ...]:
    cells = []
    for within, theirs in zip(PROMISES.values(), known, strict=True):
        found = one.get(NEEDED, model, design, within=within)
        if saved and found is not None:
            found = _saved(found, one.value(NEEDED, model, RANDOM, within=within))
        cells.append(Cell(found, theirs))
    return tuple(cells)


def _saved(needed: Estimate, random: float) -> Estimate:
    if needed.value is None or needed.low is None or needed.high is None:
        return needed
    value, low, high = (100.0 * (1.0 - labels / random) for labels in (needed.value, needed.high, needed.low))
    return fact(value) if low == high else Estimate(value, low, high, needed.level, needed.method, needed.n)
