"""What a run of a command may not have done, whatever the files were that it was given."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import evenhand
from hostile.sandbox import BUSY, BYTES, SECONDS, Observation
from hostile.site import PRECIOUS, SECRET

DEVICES = ("/dev/null", "/dev/tty")
PACKAGES = str(Path(np.__file__).parents[1])  # not below sys.prefix where an environment borrows from another
LIBRARIES = tuple(
    {sys.prefix, os.path.realpath(sys.prefix), sys.base_prefix, PACKAGES, "/lib", "/usr/lib", "/lib64", "/usr/lib64"}
)
OWN_CHILD = "evenhand/evidence/xlsx_trial.py"  # the one process that Evenhand starts: it tries a workbook
NOTICE = re.compile(r"^Reading .*; change with --separator|: using the columns? '")  # how an input is read
HIDDEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
UNEXPLAINED = ("Traceback", "internal error", "panicked")


def misdeeds(
    seen: Observation, *, outputs: Sequence[str] = (), codes: Sequence[int] = (0, 2), reads: bool = False
) -> list[str]:
    """Everything that was wrong, in a line each; nothing if all was well.

    `outputs` are paths below the folder of work that the command line names to be written, `codes` how the command may
    end, and with `reads` it may look at files that the command line does not name.
    """
    return [
        *_ending(seen, codes),
        *_words(seen),
        *_limits(seen),
        *forbidden_changes(seen.changes, outputs),
        *_events(seen, reads=reads),
        *(f"the network: somebody was contacted ({said[:60]!r})" for said in seen.contacts),
        *_secrets(seen, outputs),
    ]


def _ending(seen: Observation, codes: Sequence[int]) -> Iterator[str]:
    if not seen.stopped and seen.code not in codes:
        yield f"the end: exit code {seen.code}, not {' or '.join(map(str, codes))}"
    if seen.left:
        yield "the end: a process was left behind"


def _words(seen: Observation) -> Iterator[str]:
    lines = [line for line in seen.err.splitlines() if not NOTICE.search(line)]
    if not seen.stopped and len(lines) != 1 and (seen.code != 0 or lines):
        yield f"words: {len(lines)} lines on the error channel"
    for word in UNEXPLAINED:
        if word in seen.err or word in seen.out:
            yield f"words: '{word}'"
    for channel, said in (("error", seen.err), ("output", seen.out)):
        if found := HIDDEN.search(said):
            yield f"words: U+{ord(found[0]):04X} on the {channel} channel"


def _limits(seen: Observation) -> Iterator[str]:
    if seen.stopped == "time" or seen.computing > SECONDS * BUSY:
        yield f"limits: {seen.seconds:.0f} seconds"
    if seen.stopped == "memory" or seen.bytes > BYTES:
        yield f"limits: {seen.bytes / 2**30:.1f} GiB"


def forbidden_changes(changes: Mapping[str, str], outputs: Sequence[str]) -> Iterator[str]:
    """Nothing but the outputs is other than before; in an output nothing that somebody keeps, and no pipe or device."""
    for path, what in sorted(changes.items()):
        inside = any(path == f"work/{out}" or path.startswith(f"work/{out}/") for out in outputs)
        kept = PRECIOUS in Path(path).name or (PRECIOUS in path and what != "new")
        if not inside or kept or what == "replaced":
            yield f"files: {path} is {what}"


def _events(seen: Observation, *, reads: bool) -> Iterator[str]:
    root = str(seen.site.root)
    started = any(one["event"] == "subprocess.Popen" and is_own_child(one["arguments"][1]) for one in seen.events)
    for event in seen.events:
        if not (reads and event["kind"] == "read") and (fault := _event(event, root, started=started)):
            yield fault


def _event(event: dict[str, Any], root: str, *, started: bool) -> str | None:
    """What is wrong about an event; `started`: a child of our own was, and may be ended."""
    kind, name, given = event["kind"], event["event"], event["arguments"]
    told = f"{name}({', '.join(str(one)[:120] for one in given[:2])}) at {event['at']}"
    if kind in ("write", "change"):
        paths = [one for one in given[: 2 if name in ("os.rename", "os.link") else 1] if isinstance(one, str)]
        outside = [path for path in paths if not _is_within(path, root) and path not in DEVICES]
        return f"files: {told}" if outside else None
    if kind == "process":
        ours = name == "subprocess.Popen" and is_own_child(given[1])
        return None if ours or (name == "os.kill" and started) else f"a process: {told}"
    if name == "ctypes.dlopen":
        library = given[0]
        known = library is None or "/" not in str(library) or str(library).startswith(LIBRARIES)
        return None if known else f"code: {told}"
    return f"{'the network' if kind == 'network' else kind}: {told}"


def _is_within(path: str, root: str) -> bool:
    whole = os.path.normpath(path if os.path.isabs(path) else f"{root}/work/{path}")
    return whole.startswith(root + os.sep)


def is_own_child(command: Sequence[str]) -> bool:
    """This interpreter with that very script, in isolation from the folder it runs in."""
    script = Path(evenhand.__file__).parents[1] / OWN_CHILD
    return len(command) == 5 and list(command[:3]) == [sys.executable, "-P", str(script)]


def _secrets(seen: Observation, outputs: Sequence[str]) -> Iterator[str]:
    """A value of the environment is nowhere in what was said, written or sent."""
    for where, said in (
        ("output", seen.out),
        ("error", seen.err),
        *((f"contact {c[:20]!r}", str(c)) for c in seen.contacts),
    ):
        if SECRET in said:
            yield f"a secret on the {where} channel"
    for out in outputs:
        place = seen.site.work / out
        for path in [place] if place.is_file() else place.rglob("*") if place.is_dir() else ():
            if not path.is_symlink() and path.is_file() and SECRET.encode() in path.read_bytes():
                yield f"a secret in {path.relative_to(seen.site.work)}"
