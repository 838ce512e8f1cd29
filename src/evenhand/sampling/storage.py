"""A plan as a file: readable JSON with a seal, and each batch sealed over the plan and the batches before it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from evenhand.errors import InputError
from evenhand.files import read_text, write_text
from evenhand.sampling.cells import Cells, Grid
from evenhand.sampling.designs import Adaptive
from evenhand.sampling.plan import AnyDesign, ItemsFile, Measurement, Plan, Pool, Round, design_named, name_of
from evenhand.sampling.stored_parts import check, part_from, part_of
from evenhand.seal import hash_of

FORMAT = 1
ALTERED = "was altered since it was written: make a new plan rather than changing this one"


def write_plan(plan: Plan, path: str | Path) -> None:
    """Write a plan, whole or not at all."""
    write_text(Path(path), as_json(plan))


def read_plan(path: str | Path) -> Plan:
    """Read a plan; refuse one that was altered."""
    try:
        return from_json(read_text(Path(path), "plan"))
    except InputError as error:
        raise error.within(str(path)) from None


def check_free(path: Path) -> None:
    """A plan may be written here: nothing is there, or a plan by which nothing was drawn."""
    if not path.exists():
        return
    try:
        drawn = len(read_plan(path).rounds)
    except InputError:
        raise InputError("this is another file already: choose another name for the plan", source=str(path)) from None
    if drawn:
        problem = "this plan is at work, batches were drawn by it: choose another name for the new one"
        raise InputError(problem, source=str(path))


def seal_of(plan: Plan) -> str:
    """The hash that estimates refer to: that of the plan without its batches."""
    return hash_of(_content(plan))


def as_json(plan: Plan) -> str:
    """The content of the file."""
    content = _content(plan)
    before = seal = hash_of(content)
    batches = []
    for drawn in plan.rounds:
        batch = _round(drawn)
        before = hash_of({**batch, "before": before})
        batches.append({**batch, "seal": before})
    return _pretty({**content, "seal": seal, "batches": batches}) + "\n"


def from_json(text: str) -> Plan:
    """A plan from the content of its file."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        raise InputError("this is not JSON, so no plan") from None
    if not isinstance(content, dict) or content.get("kind") != "evenhand sampling plan":
        raise InputError("this is no sampling plan: `evenhand sample plan` makes one")
    if content.get("format") != FORMAT:
        raise InputError(f"made by another version of Evenhand (format {content.get('format')}): make the plan again")
    batches, seal = content.pop("batches", None), content.pop("seal", None)
    try:
        if seal != hash_of(content):
            raise InputError(f"the plan {ALTERED}")
        plan = _plan(content, tuple(_rounds(batches, seal)))
        check(plan)
        if seal_of(plan) != seal:  # a number that was written as a word, a name too many
            raise ValueError
        return plan
    except (TypeError, ValueError, KeyError, AttributeError, IndexError, OverflowError, RecursionError, StopIteration):
        raise InputError("the parts of the plan do not fit together: make it again") from None


def _rounds(batches: Any, seal: str) -> list[Round]:
    before, found = seal, []
    for number, batch in enumerate(batches, start=1):
        own = batch.pop("seal", None)
        if own != hash_of({**batch, "before": before}):
            raise InputError(f"batch {number} of the plan {ALTERED}")
        before, after = own, batch["after"]
        parts = tuple(part_from(part) for part in batch["parts"])
        found.append(Round(parts, None if after is None else (int(after["labels"]), str(after["sha256"]))))
    return found


def _content(plan: Plan) -> dict[str, Any]:
    return {
        "kind": "evenhand sampling plan",
        "format": FORMAT,
        "measurement": asdict(plan.measurement),
        "items": asdict(plan.items),
        "columns": dict(plan.columns),
        "design": {"name": name_of(plan.design), **_settings(plan.design)},
        "promise": dict(plan.promise),
        "level": plan.level,
        "seed": plan.seed,
        "groups": list(plan.groups),
        "pools": [_pool(pool) for pool in plan.pools],
    }


def _plan(content: Mapping[str, Any], rounds: tuple[Round, ...]) -> Plan:
    design = dict(content["design"])
    return Plan(
        measurement=Measurement(**content["measurement"]),
        items=ItemsFile(**content["items"]),
        columns=content["columns"],
        groups=tuple(content["groups"]),
        design=design_named(design.pop("name"), design),
        pools=tuple(_pool_from(pool) for pool in content["pools"]),
        level=float(content["level"]),
        seed=int(content["seed"]),
        promise=content["promise"],
        rounds=rounds,
    )


def _settings(design: AnyDesign) -> dict[str, Any]:
    settings = design.settings if isinstance(design, Adaptive) else design
    return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(settings).items()}


def _pool(pool: Pool) -> dict[str, Any]:
    plain: dict[str, Any] = {"name": pool.name, "items": pool.items, "labels": pool.labels}
    if pool.cells is None:
        return {**plain, "clusters": pool.clusters}
    names = ("groups", "steps", "items", "logits") if pool.cells.groups.any() else ("steps", "items", "logits")
    cells = {name: getattr(pool.cells, name).tolist() for name in names}
    return {**plain, "cells": {"grid": pool.cells.grid.steps, **cells}}


def _pool_from(content: Mapping[str, Any]) -> Pool:
    cells, plain = content.get("cells"), (str(content["name"]), int(content["items"]), int(content["labels"]))
    if cells is None:
        return Pool(*plain, clusters=int(content["clusters"]))
    grid = Grid(int(cells["grid"]))
    groups = cells.get("groups", [0] * len(cells["items"]))
    found = Cells.of(groups, cells["steps"], cells["items"], cells["logits"], grid)
    return Pool(*plain, cells=found)


def _round(drawn: Round) -> dict[str, Any]:
    after = None if drawn.after is None else {"labels": drawn.after[0], "sha256": drawn.after[1]}
    return {"after": after, "parts": [part_of(part) for part in drawn.parts]}


def _pretty(content: Any, margin: str = "") -> str:
    """JSON in which a list of plain values is one line."""
    inner = margin + " "
    if isinstance(content, dict) and content:
        lines = [f"{inner}{json.dumps(str(key))}: {_pretty(value, inner)}" for key, value in content.items()]
        return "{\n" + ",\n".join(lines) + f"\n{margin}}}"
    if isinstance(content, list) and any(isinstance(one, dict | list) for one in content):
        return "[\n" + ",\n".join(f"{inner}{_pretty(one, inner)}" for one in content) + f"\n{margin}]"
    return json.dumps(content, ensure_ascii=False, allow_nan=False)
