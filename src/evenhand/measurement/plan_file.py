"""The file of a plan: readable JSON with seals, so that a file that was altered is refused.

`seal` is the hash of the plan without its batches: estimates refer to it, whatever is drawn later. Each batch has a
number and a seal, the hash of the batch and of the seal before it, so that none can be altered, swapped or left out
in front of another. `batches_seal` is the hash of the plan's seal and of the seals of all batches: without it the
last ones could be cut off, and a campaign that went badly be continued from an earlier day. A batch with a number is
of a file that has this seal, so the seal cannot be left out either. Earlier versions wrote neither: their files open
as before, and get both when the next batch is drawn. Seals are plain hashes: they show slips and edits, and are no
signature.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from evenhand.documents import parse_json
from evenhand.errors import InputError
from evenhand.files import content_hash, read_text, update_text, write_text
from evenhand.inputs import unrecorded
from evenhand.measurement.draw_records import check_draws, round_as_data, round_from_data
from evenhand.measurement.plan import Measurement, PlanPool, PlanRound, PopulationFile, SamplingPlan
from evenhand.sampling.design import SamplingDesign
from evenhand.sampling.designs import design_named
from evenhand.sampling.frame import CellCounts, ScoreGrid

FORMAT = 1
ALTERED = "was altered after it was written: make a new plan instead of editing this one"


def write_plan(plan: SamplingPlan, path: str | Path) -> None:
    """Write a plan, whole or not at all.

    >>> plan = eh.measurement.read_plan("plan.json")
    >>> eh.measurement.write_plan(plan, "copy.json")
    """
    write_text(Path(path), plan_as_json(plan))


def update_plan(plan: SamplingPlan, path: str | Path) -> None:
    """Write the plan that was read from this file, with what was drawn since."""
    update_text(Path(path), plan_as_json(plan))


def read_plan(path: str | Path) -> SamplingPlan:
    """Read a plan; refuse one that was altered.

    >>> eh.measurement.read_plan("plan.json").seed
    1
    """
    try:
        return plan_from_json(read_text(Path(path), "plan"))
    except InputError as error:
        raise error.within(str(path)) from None


def check_plan_path(path: Path) -> None:
    """A plan may be written here: nothing is there, or a plan by which nothing was drawn."""
    if not path.exists():
        return
    try:
        with unrecorded():
            drawn = len(read_plan(path).rounds)
    except InputError:
        raise InputError(
            "another file with this name exists: choose another name for the plan", source=str(path)
        ) from None
    if drawn:
        problem = "batches have been drawn with this plan: choose another name for the new one"
        raise InputError(problem, source=str(path))


def seal_of(plan: SamplingPlan) -> str:
    """The hash that estimates refer to: that of the plan without its batches."""
    return content_hash(_content(plan))


def plan_as_json(plan: SamplingPlan) -> str:
    """The content of the file."""
    content = _content(plan)
    before = seal = content_hash(content)
    batches = []
    for number, drawn in enumerate(plan.rounds, start=1):
        batch = {"number": number, **round_as_data(drawn)}
        before = content_hash({**batch, "before": before})
        batches.append({**batch, "seal": before})
    whole = _batches_seal(seal, batches)
    return _pretty({**content, "seal": seal, "batches_seal": whole, "batches": batches}) + "\n"


def _batches_seal(seal: str, batches: Sequence[Mapping[str, Any]]) -> str:
    return content_hash({"seal": seal, "batches": [batch["seal"] for batch in batches]})


def plan_from_json(text: str) -> SamplingPlan:
    """A plan from the content of its file."""
    try:
        content = parse_json(text)
    except ValueError:
        raise InputError("not a sampling plan: the file is not JSON") from None
    if not isinstance(content, dict) or content.get("kind") != "evenhand sampling plan":
        raise InputError("not a sampling plan: `evenhand sample plan` makes one")
    if content.get("format") != FORMAT:
        raise InputError(f"made by another version of Evenhand (format {content.get('format')}): make the plan again")
    batches, seal, whole = (content.pop(name, None) for name in ("batches", "seal", "batches_seal"))
    try:
        if seal != content_hash(content):
            raise InputError(f"the plan {ALTERED}")
        numbered = whole is not None or any("number" in batch for batch in batches)
        if numbered and whole != _batches_seal(seal, batches):
            raise InputError("batches of the plan are missing, or were added or altered: restore the file from a copy")
        plan = _plan(content)
        plan = replace(plan, rounds=tuple(_rounds(batches, seal, plan.design)))
        check_draws(plan)
        if seal_of(plan) != seal:  # a number that was written as a word, a name too many
            raise ValueError
        return plan
    except (TypeError, ValueError, KeyError, AttributeError, IndexError, OverflowError, RecursionError, StopIteration):
        raise InputError("the plan contradicts itself: make it again") from None


def _rounds(batches: Sequence[dict[str, Any]], seal: str, design: SamplingDesign) -> list[PlanRound]:
    before, rounds = seal, []
    for number, batch in enumerate(batches, start=1):
        own = batch.pop("seal", None)
        if own != content_hash({**batch, "before": before}):
            raise InputError(f"batch {number} of the plan {ALTERED}")
        if batch.get("number", number) != number:
            raise ValueError
        before = own
        rounds.append(round_from_data(batch, design))
    return rounds


def _content(plan: SamplingPlan) -> dict[str, Any]:
    return {
        "kind": "evenhand sampling plan",
        "format": FORMAT,
        "measurement": asdict(plan.measurement),
        "items": asdict(plan.items),
        "columns": dict(plan.columns),
        "design": {"name": plan.design.name, **plan.design.settings()},
        "promise": dict(plan.promise),
        "level": plan.level,
        "seed": plan.seed,
        "groups": list(plan.groups),
        "pools": [_pool(pool) for pool in plan.pools],
        **({"targets": dict(plan.targets)} if plan.targets else {}),
        **({} if plan.extends is None else {"extends": plan.extends}),
    }


def _population_file(file: str, sha256: str, rows: int) -> PopulationFile:
    return PopulationFile(str(file), str(sha256), int(rows))


def _plan(content: Mapping[str, Any]) -> SamplingPlan:
    design = dict(content["design"])
    return SamplingPlan(
        measurement=Measurement(**content["measurement"]),
        items=_population_file(**content["items"]),
        columns=content["columns"],
        groups=tuple(content["groups"]),
        design=design_named(design.pop("name"), design),
        pools=tuple(_pool_from(pool) for pool in content["pools"]),
        level=float(content["level"]),
        seed=int(content["seed"]),
        promise=content["promise"],
        targets={str(name): float(share) for name, share in content.get("targets", {}).items()},
        extends=None if content.get("extends") is None else str(content["extends"]),
    )


def _pool(pool: PlanPool) -> dict[str, Any]:
    plain: dict[str, Any] = {"name": pool.name, "items": pool.items, "labels": pool.labels}
    if pool.cells is None:
        return {**plain, "clusters": pool.clusters}
    names = ("groups", "steps", "items", "logits") if pool.cells.groups.any() else ("steps", "items", "logits")
    cells = {name: getattr(pool.cells, name).tolist() for name in names}
    return {**plain, "cells": {"grid": pool.cells.grid.steps, **cells}}


def _pool_from(content: Mapping[str, Any]) -> PlanPool:
    cells, plain = content.get("cells"), (str(content["name"]), int(content["items"]), int(content["labels"]))
    if cells is None:
        return PlanPool(*plain, clusters=int(content["clusters"]))
    grid = ScoreGrid(int(cells["grid"]))
    groups = cells.get("groups", [0] * len(cells["items"]))
    counts = CellCounts.from_columns(groups, cells["steps"], cells["items"], cells["logits"], grid)
    return PlanPool(*plain, cells=counts)


def _pretty(content: object, margin: str = "") -> str:
    """JSON in which a list of plain values is one line."""
    inner = margin + " "
    if isinstance(content, dict) and content:
        lines = [f"{inner}{json.dumps(str(key))}: {_pretty(value, inner)}" for key, value in content.items()]
        return "{\n" + ",\n".join(lines) + f"\n{margin}}}"
    if isinstance(content, list) and any(isinstance(one, dict | list) for one in content):
        return "[\n" + ",\n".join(f"{inner}{_pretty(one, inner)}" for one in content) + f"\n{margin}]"
    return json.dumps(content, ensure_ascii=False, allow_nan=False)
