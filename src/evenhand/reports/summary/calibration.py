"""Whether probabilities are honest, in a sentence a model."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from evenhand.finding import Finding
from evenhand.reports import honesty
from evenhand.reports.picking import models
from evenhand.reports.summary.point import Point, listed
from evenhand.reports.words import number
from evenhand.reports.words import points as in_points

NEXT = (
    "Mend the probabilities on labelled items that the model was not trained on (evenhand calibrate compare); until "
    "then read them as an order, not as a chance."
)


def points(finding: Finding) -> Iterator[Point]:
    """Off, honest as far as can be told, or without a value."""
    for title, model in models(finding):
        card = honesty.card(finding, title, model)
        if not card["ece"].defined:
            yield Point("open", "calibration", title, f"Whether it is honest has no value: {card['ece'].note}.")
        elif card["mend"]:
            yield Point("stands_out", "calibration", title, _off(card), _sure(card), NEXT)
        else:
            found = f"Honest as far as {card['ece'].n:,} items can tell."
            yield Point("quiet", "calibration", title, found, f"An ECE of up to {_high(card)} would fit them too.")


def _off(card: dict[str, Any]) -> str:
    classes = [one.name for one in card["off"]] + card["off_by_ace"]
    over = card["verdict"] if not card["honest_overall"] else "Honest over all, but not for every class"
    return f"{over}{f'; off for {listed(classes)}' if classes else ''}."


def _sure(card: dict[str, Any]) -> str:
    e, honest = card["ece"], card["honest"]
    chance = f", by chance alone {in_points(honest.value)}" if honest.defined else ""
    return f"How often it is right lies {in_points(e.value)} from how sure it is{chance}."


def _high(card: dict[str, Any]) -> str:
    return number("ece", card["ece"].high)
