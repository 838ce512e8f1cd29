"""Holds what a run gives against what was recorded, and names every difference by its address.

Numbers agree to 1e-12, relative and absolute; everything else is equal. An address is the keys on the way, joined by
slashes: `files/report/findings.json/findings/bias/estimates/bpsn_auc{group=a}/value`. What is changed on purpose is
listed in changed_on_purpose.toml, with the reason.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from guard.collect import Tree

TOLERANCE = 1e-12
ALLOWED = Path(__file__).parent / "changed_on_purpose.toml"
KINDS = {"changed": "change", "added": "be added", "gone": "be gone"}


@dataclass(frozen=True, slots=True)
class Difference:
    """`kind` is changed, added or gone."""

    path: str
    kind: str
    recorded: object = None
    found: object = None

    def __str__(self) -> str:
        if self.kind == "changed":
            return f"{self.path}: {_short(self.recorded)} was recorded, {_short(self.found)} is found"
        return f"{self.path}: {self.kind} ({_short(self.found if self.kind == 'added' else self.recorded)})"


@dataclass(frozen=True)
class Allowed:
    """A row of the list: for which runs and addresses, and what may happen there. `*` is any run of characters."""

    where: str
    may: tuple[str, ...]
    reason: str
    _run: re.Pattern[str] = field(init=False)
    _path: re.Pattern[str] = field(init=False)

    def __post_init__(self) -> None:
        run, colon, path = self.where.partition(" : ")
        if not colon or not run.strip() or not path.strip():
            raise ValueError(f"'{self.where}' must be a pattern of runs and one of addresses, as 'audit-* : out/*'")
        if not self.may or set(self.may) - set(KINDS.values()):
            raise ValueError(f"'{self.where}' may: some of {', '.join(KINDS.values())}")
        if not self.reason.strip():
            raise ValueError(f"'{self.where}' has no reason")
        object.__setattr__(self, "_run", _pattern(run.strip()))
        object.__setattr__(self, "_path", _pattern(path.strip()))

    def covers(self, run: str, difference: Difference) -> bool:
        kind = KINDS[difference.kind] in self.may
        return kind and bool(self._run.fullmatch(run)) and bool(self._path.fullmatch(difference.path))


def _pattern(glob: str) -> re.Pattern[str]:
    return re.compile(".*".join(re.escape(part) for part in glob.split("*")), re.DOTALL)


def allowed(path: Path = ALLOWED) -> list[Allowed]:
    """The list of what was changed on purpose."""
    rows = tomllib.loads(path.read_text(encoding="utf-8")).get("allowed", [])
    return [Allowed(row["where"], tuple(row["may"]), row["reason"]) for row in rows]


def unexpected(run: str, found: Iterable[Difference], listed: Sequence[Allowed]) -> list[Difference]:
    """The differences that nobody meant."""
    return [one for one in found if not any(row.covers(run, one) for row in listed)]


def differences(recorded: Tree, found: Tree, *, tolerance: float = TOLERANCE, path: str = "") -> Iterator[Difference]:
    """Every difference between two trees."""
    if isinstance(recorded, dict) and isinstance(found, dict):
        yield from _of_keys(recorded, found, tolerance, path)
    elif isinstance(recorded, list) and isinstance(found, list):
        first, second = ({str(number): part for number, part in enumerate(whole)} for whole in (recorded, found))
        yield from _of_keys(first, second, tolerance, path)
    elif not _same(recorded, found, tolerance):
        yield Difference(path, "changed", recorded, found)


def _of_keys(recorded: dict[str, Tree], found: dict[str, Tree], tolerance: float, path: str) -> Iterator[Difference]:
    for key, value in recorded.items():
        own = f"{path}/{key}" if path else key
        if key in found:
            yield from differences(value, found[key], tolerance=tolerance, path=own)
        else:
            yield Difference(own, "gone", recorded=value)
    for key, value in found.items():
        if key not in recorded:
            yield Difference(f"{path}/{key}" if path else key, "added", found=value)
    first, second = ([key for key in one if key in other] for one, other in ((recorded, found), (found, recorded)))
    if first != second and path.endswith(("/estimates", "/findings")):
        yield Difference(f"{path}/<order>", "changed", first, second)


def _same(recorded: object, found: object, tolerance: float) -> bool:
    if _number(recorded) and _number(found):
        return math.isclose(recorded, found, rel_tol=tolerance, abs_tol=tolerance)  # type: ignore[arg-type]
    return type(recorded) is type(found) and recorded == found


def _number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _short(value: object) -> str:
    told = repr(value)
    return told if len(told) <= 160 else f"{told[:157]}…"
