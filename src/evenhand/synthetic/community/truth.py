"""The truth about a synthetic community: what was planted, as parameters, and the outcome, as exact counts."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np
import polars as pl

from evenhand.arrays import Bools
from evenhand.catalogue.bias import NEGATIVE_AEG, POSITIVE_AEG
from evenhand.synthetic.community import parameters
from evenhand.synthetic.community.items import ItemContent


def community_truth(
    items: pl.DataFrame, truths: pl.DataFrame, annotations: pl.DataFrame, annotators: pl.DataFrame, *, seed: int
) -> dict[str, Any]:
    """Plain values only, so that it can be written as JSON."""
    seen = items.select("id", "community", "language", "period", "decision", "kind", "model_a")
    table = seen.hstack(truths.drop("id", "kind"))
    return {
        "items": len(items),
        "seed": seed,
        "planted": _planted(),
        "realised": {
            "prevalence": {
                "everything": _prevalence(table),
                "visible": _prevalence(table.filter("visible")),
                "removed": _prevalence(table.filter(~pl.col("visible"))),
            },
            "moderation": {
                "everything": _moderation(table),
                "period": {name: _moderation(table.filter(period=name)) for name in parameters.PERIODS},
            },
            "kinds": _by_column(table, "kind", pl.len()),
            "agreement_with_model_a": _agreement(table, annotations, annotators),
        },
    }


def _planted() -> dict[str, Any]:
    return {
        "groups": {
            name: {**asdict(group), NEGATIVE_AEG: _sign(group.benign), POSITIVE_AEG: _sign(group.violating)}
            for name, group in parameters.GROUPS.items()
        },
        "model_b_keeps": parameters.MODEL_B_KEEPS,
        "short": {"fewer_characters_than": parameters.SHORT, "shifts_times": parameters.SHORT_FACTOR},
        "periods": {
            "names": list(parameters.PERIODS),
            "prevalence_times": parameters.LATER_PREVALENCE_FACTOR,
            "share_about_something_new": parameters.FRESH,
            "group_shares_times": {
                name: group.later for name, group in parameters.GROUPS.items() if group.later != 1.0
            },
        },
        "communities": {name: asdict(place) for name, place in parameters.PLACES.items()},
        "temperature": dict(parameters.TEMPERATURES),
        "sensitivities": [asdict(one) for one in parameters.SENSITIVITIES],
        "null_attribute": parameters.NULL_ATTRIBUTE,
        "shared_view": dict(zip(("attribute", "nearer", "farther"), parameters.SHARED_VIEW, strict=True)),
        "veiled_share": parameters.VEILED,
        "rough_share": parameters.ROUGH,
        "raters": {"number": parameters.RATERS, "call_it_violating": dict(parameters.CALLED_VIOLATING)},
        "moderation": {
            "model_removes_from": parameters.AUTOMATIC,
            "moderator_sees_from": parameters.QUEUED,
            "or_from_reports": parameters.REPORTS,
            "moderator_removes": dict(parameters.MODERATOR),
            "appealed": dict(parameters.APPEAL),
            "reinstated": dict(parameters.REINSTATE),
        },
    }


def _sign(shift: float) -> int:
    return int(np.sign(shift))


def _prevalence(table: pl.DataFrame) -> dict[str, Any]:
    """The share that violates: of all these items, and by column."""
    share = pl.col("violates").mean()
    by = {column: _by_column(table, column, share) for column in ("community", "period", "language")}
    return {"items": len(table), "all": table.select(share).item(), **by}


def _moderation(table: pl.DataFrame) -> dict[str, Any]:
    """Right and wrong decisions, as they were taken and as they stand after appeals."""
    return {
        "by_decision": _counts(table, pl.col("decision") == "removed"),
        "after_appeals": _counts(table, ~pl.col("visible")),
    }


def _by_column(table: pl.DataFrame, column: str, value: pl.Expr) -> dict[str, Any]:
    means = table.group_by(column).agg(value.alias("value")).sort(column)
    return dict(zip(means[column].to_list(), means["value"].to_list(), strict=True))


def _counts(table: pl.DataFrame, removed: pl.Expr) -> dict[str, Any]:
    out, violates = table.select(removed).to_series().to_numpy(), table["violates"].to_numpy()
    counts = {
        "violating_removed": _count(out & violates),
        "benign_removed": _count(out & ~violates),
        "violating_kept": _count(~out & violates),
        "benign_kept": _count(~out & ~violates),
    }
    hits = counts["violating_removed"]
    return {
        **counts,
        "recall": _share(hits, hits + counts["violating_kept"]),
        "precision": _share(hits, hits + counts["benign_removed"]),
    }


def _count(which: Bools) -> int:
    return int(np.count_nonzero(which))


def _share(some: int, of: int) -> float | None:
    return some / of if of else None


def _agreement(table: pl.DataFrame, annotations: pl.DataFrame, annotators: pl.DataFrame) -> dict[str, Any]:
    """How often a label on a contested item is what model_a says at one half, by the attribute whose view it shares."""
    attribute = parameters.SHARED_VIEW[0]
    contested = table.filter(pl.col("veiled") | pl.col("rough")).select("model_a", item="id")
    labels = annotations.join(contested, on="item").join(annotators.select(attribute, annotator="id"), on="annotator")
    return _by_column(labels, attribute, ((pl.col("model_a") >= 0.5) == (pl.col("label") == 1)).mean())


def item_truths(ids: pl.Series, nature: ItemContent, visible: Bools, shift: pl.Series) -> pl.DataFrame:
    """What no audit may look at: what each item truly is and mentions, and how far the first model shifted it."""
    columns = {"violates": nature.violates, "veiled": nature.veiled, "rough": nature.rough, "visible": visible}
    return pl.DataFrame(
        {
            "id": ids,
            "kind": pl.Series(parameters.KINDS).gather(nature.kind),
            **{name: pl.Series(values) for name, values in columns.items()},
            "shift": shift,
            **{f"is_{name}": pl.Series(inside) for name, inside in nature.groups.items()},
        }
    )
