"""Hostile findings, plans and calibrators: JSON that was forged and, where there is a seal, sealed again."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from evenhand.files import content_hash
from hostile import ordinary
from hostile.corpus.places import BIDI, ESCAPE, TITLE
from hostile.corpus.registry import hostile, put
from hostile.corpus.tables import MARKUP
from hostile.site import Site

HUGE = 10**30
Change = Callable[[Any], Any]


def everywhere(value: Any, change: Change) -> Any:
    """A nest with every leaf changed; names stay."""
    if isinstance(value, dict):
        return {name: everywhere(one, change) for name, one in value.items()}
    if isinstance(value, list):
        return [everywhere(one, change) for one in value]
    return change(value)


def _numbers(new: Any) -> Change:
    return lambda value: new if isinstance(value, (int, float)) and not isinstance(value, bool) else value


def _words(add: str) -> Change:
    return lambda value: value + add if isinstance(value, str) else value


CHANGES: dict[str, Change] = {
    "markup_in_every_word": _words(MARKUP),
    "characters_in_every_word": _words(f"{ESCAPE}{BIDI}{TITLE}"),
    "huge_numbers_everywhere": _numbers(HUGE),
    "negative_numbers_everywhere": _numbers(-1),
    "nan_everywhere": _numbers(float("nan")),
    "infinity_everywhere": _numbers(float("inf")),
    "zero_everywhere": _numbers(0),
    "long_words_everywhere": _words("x" * 5000),
    "half_characters_everywhere": _words("\ud800"),
    "nothing_everywhere": lambda value: None,
}


def _findings(change: Change) -> Callable[[Site], str]:
    """Findings of two audits, each with every text or number changed; the name of the audit stays."""

    def build(site: Site) -> str:
        data = json.loads(ordinary.findings())
        data["findings"] = [{**everywhere(finding, change), "audit": finding["audit"]} for finding in data["findings"]]
        return site.write("in.json", json.dumps(data)).name

    return build


def sealed_plan(content: dict[str, Any]) -> str:
    """A plan that was changed, with seals as if it had been written so."""
    batches = content.pop("batches", [])
    content.pop("seal", None)
    try:
        before = seal = content_hash(content)
        sealed = []
        for batch in batches:
            plain = {name: value for name, value in batch.items() if name != "seal"}
            before = content_hash({**plain, "before": before})
            sealed.append({**plain, "seal": before})
    except (ValueError, AttributeError):  # NaN, or no plan at all: there is no seal of it
        return json.dumps({**content, "seal": "0" * 64, "batches": batches})
    return json.dumps({**content, "seal": seal, "batches": sealed})


def forged_plan(site: Site, change: Callable[[dict[str, Any]], None]) -> str:
    content = json.loads(ordinary.campaign()["plan.json"])
    change(content)
    ordinary.provide(site, "items.csv")
    return site.write("in.json", sealed_plan(content)).name


def _plan(change: Change) -> Callable[[Site], str]:
    def alter(content: dict[str, Any]) -> None:
        for part in ("measurement", "items", "columns", "design", "level", "seed", "pools", "groups"):
            content[part] = everywhere(content[part], change)

    return lambda site: forged_plan(site, alter)


def sealed_calibrator(content: dict[str, Any]) -> str:
    content.pop("seal", None)
    try:
        seal = content_hash(content)
    except ValueError:
        seal = "0" * 64
    return json.dumps({**content, "seal": seal})


def _calibrator(change: Change) -> Callable[[Site], str]:
    def build(site: Site) -> str:
        content = json.loads(ordinary.calibrator())
        for part in ("classes", "parameters", "fitted_on", "options", "warnings", "passing"):
            content[part] = everywhere(content[part], change)
        return site.write("in.json", sealed_calibrator(content)).name

    return build


def _policy(change: Change) -> Callable[[Site], str]:
    def build(site: Site) -> str:
        content = json.loads(ordinary.policy())
        return site.write("in.json", json.dumps({**everywhere(content, change), "kind": content["kind"]})).name

    return build


for _name, _change in CHANGES.items():
    put(f"policy: {_name}", ("policy",), _policy(_change))
    put(f"findings: {_name}", ("findings",), _findings(_change))
    put(f"plan: {_name}", ("plan",), _plan(_change))
    put(f"calibrator: {_name}", ("calibrator",), _calibrator(_change))


@hostile("findings", "plan", "calibrator", "policy", "tokens", "store record", refused=True)
def json_nested_deep(site: Site) -> str:
    return site.write("in.json", '{"findings": ' + "[" * 500_000).name


@hostile("findings", "plan", "calibrator", "policy", "tokens", "store record", refused=True)
def json_number_without_end(site: Site) -> str:
    return site.write("in.json", '{"format": 1, "findings": [{"n": ' + "9" * 500_000 + "}]}").name


@hostile("store record", refused=True)
def store_records_of_other_shapes(site: Site) -> str:
    """A head, a key file and a policy at once, with nothing in it that is one."""
    thresholds = {"kind": "evenhand-policy-1", "upper": [1], "notes": {}, "lower": "\u202e"}
    policy = {
        "kind": "evenhand-desk-policy-1",
        "thresholds": thresholds,
        "queues": [[]],
        "number": 10**30,
        "signing": 1,
    }
    return site.write("in.json", json.dumps(policy)).name


@hostile("findings")
def findings_without_end(site: Site) -> str:
    data = json.loads(ordinary.findings())
    finding = data["findings"][0]
    finding["estimates"] = finding["estimates"] * 3000
    return site.write("in.json", json.dumps(data)).name


@hostile("findings")
def findings_of_other_shapes(site: Site) -> str:
    data = json.loads(ordinary.findings())
    for finding in data["findings"]:
        finding["exhibits"] = [{"kind": "scatter", "slice": {}, "columns": {"x": [1] * 50_000, "y": []}}]
        finding["verdicts"] = [
            {"status": "measured", "slice": {BIDI: ESCAPE}, "statement": "", "certainty": "", "action": ""}
        ]
        finding["provenance"] = {"source": {"deep": [[[MARKUP]]]}, "settings": 5}
    return site.write("in.json", json.dumps(data)).name


ITEM_FILES = {
    "precious": "../precious/precious.csv",
    "absolute": "PRECIOUS/precious.csv",
    "device": "/dev/zero",
    "address": "URL/items.csv",
    "database": "sqlite:///WORK/new.db",
    "pipe": "pipe.csv",
    "characters": f"{ESCAPE}{BIDI}.csv",
}


def _plan_of_items(file: str) -> Callable[[Site], str]:
    def build(site: Site) -> str:
        import os

        os.mkfifo(site.work / "pipe.csv")
        meant = file.replace("PRECIOUS", str(site.precious)).replace("URL", site.url).replace("WORK", str(site.work))

        def alter(content: dict[str, Any]) -> None:
            content["items"]["file"] = meant

        return forged_plan(site, alter)

    return build


for _name, _file in ITEM_FILES.items():
    put(f"plan: items in a place: {_name}", ("plan",), _plan_of_items(_file), reads=True)

PLAN_NUMBERS: dict[str, Callable[[dict[str, Any]], None]] = {
    "labels": lambda content: content["pools"][0].update(labels=10**15),
    "items": lambda content: content["pools"][0].update(items=10**15),
    "grid": lambda content: content["pools"][0]["cells"].update(grid=10**12),
    "counts": lambda content: content["pools"][0]["cells"].update(
        items=[10**18] * len(content["pools"][0]["cells"]["items"])
    ),
    "cells": lambda content: content["pools"][0]["cells"].update(
        steps=list(range(200_000)), items=[1] * 200_000, logits=[0.0] * 200_000
    ),
    "groups": lambda content: content.update(groups=[f"g{n}" for n in range(100_000)]),
    "pools": lambda content: content.update(pools=content["pools"] * 20_000),
    "level": lambda content: content.update(level=1.0 - 1e-18),
    "seed": lambda content: content.update(seed=10**4000),
    "design": lambda content: content.update(design={"name": "__class__", "__init__": 1}),
}


def _plan_of_numbers(change: Callable[[dict[str, Any]], None]) -> Callable[[Site], str]:
    return lambda site: forged_plan(site, change)


for _name, _alter in PLAN_NUMBERS.items():
    put(f"plan: absurd {_name}", ("plan",), _plan_of_numbers(_alter))


@hostile("calibrator")
def calibrator_of_many_classes(site: Site) -> str:
    content = json.loads(ordinary.calibrator())
    names = [f"c{n}" for n in range(100_000)]
    content["classes"] = names
    content["fitted_on"]["items"] = dict.fromkeys(names, 1)
    return site.write("in.json", sealed_calibrator(content)).name


@hostile("calibrator")
def calibrator_with_other_columns(site: Site) -> str:
    content = json.loads(ordinary.calibrator())
    content["fitted_on"]["columns"] = ["../precious", f"{ESCAPE}{BIDI}", "^.*$"]
    content["fitted_on"]["data"] = f"{MARKUP}{ESCAPE}"
    content["warnings"] = [f"{ESCAPE}{BIDI}evenhand: all is well\nTraceback"]
    return site.write("in.json", sealed_calibrator(content)).name


@hostile("sheet", refused=True)
def tasks_nested_deep(site: Site) -> str:
    return site.write("in.json", "[" * 500_000).name


@hostile("sheet")
def tasks_of_other_shapes(site: Site) -> str:
    tasks = [{"data": {"item": {"deep": [MARKUP]}}, "annotations": [{"result": [{"from_name": "label", "value": 5}]}]}]
    return site.write("in.json", json.dumps(tasks)).name


@hostile("sheet")
def tasks_with_characters(site: Site) -> str:
    said = {"from_name": "label", "value": {"choices": [f"{ESCAPE}{BIDI}"]}}
    tasks = [{"data": {"item": f"{ESCAPE}{n}"}, "annotations": [{"result": [said]}]} for n in range(3)]
    return site.write("in.json", json.dumps(tasks)).name
