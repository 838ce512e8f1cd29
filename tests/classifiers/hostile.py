"""Models as somebody would make them who means harm: each small on disk, and sealed as if Evenhand had saved it."""

from __future__ import annotations

import json
import os
import signal
import struct
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from classifiers.made import saved
from evenhand.classifiers import fingerprint, model_folder

SECONDS, MEMORY = 10, 2 << 30  # what opening a model may take, whatever it is


@contextmanager
def within(seconds: int = SECONDS) -> Iterator[None]:
    """Interrupt what waits for ever."""

    def late(*_: Any) -> None:
        raise TimeoutError(f"more than {seconds} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


# VmHWM, not ru_maxrss: the latter counts what the parent held when it started this process
LOAD = """
import sys, time
from pathlib import Path
from evenhand.classifiers.models import open_model
from evenhand.errors import InputError

start = time.monotonic()
try:
    open_model(sys.argv[1]).score(["some words"])
    said = "scored"
except InputError as error:
    said = str(error)
took = time.monotonic() - start
kilobytes = next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM:"))
print(f"{took:.1f} {int(kilobytes) << 10} {said}")
"""


def cost(folder: Path) -> tuple[float, int, str]:
    """Seconds, bytes and the line of opening a model in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", LOAD, folder],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
    )
    assert done.returncode == 0, done.stderr
    seconds, memory, said = done.stdout.split(" ", 2)
    return float(seconds), int(memory), said


def sealed(folder: Path, *, hashed: bool = True, **changes: Any) -> Path:
    """The manifest of a folder, changed and sealed anew; the hashes are those of the files as they are."""
    content = json.loads((folder / "model.json").read_text())
    content.pop("seal")
    if hashed:
        content["files"] = {name: fingerprint.hash_file(folder / name) for name in content["files"]}
    (folder / "model.json").write_text(model_folder._sealed({**content, **changes}), encoding="utf-8")
    return folder


def model(folder: Path, **changes: Any) -> Path:
    """A sound model whose manifest says something else."""
    saved(folder)
    return sealed(folder, **changes)


def array_header(shape: tuple[int, ...], kind: str) -> bytes:
    """How an npy file begins; nothing need follow."""
    text = repr({"descr": kind, "fortran_order": False, "shape": shape}).ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode()


def bomb(path: Path, size: int, *, name: str = "steps.npy", begin: bytes = b"") -> None:
    """An archive with one entry of so many zeros: a thousandth of that on disk."""
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open(name, "w", force_zip64=True) as entry,
    ):
        entry.write(begin)
        block = bytes(1 << 20)
        for _ in range(size >> 20):
            entry.write(block)


def crowded(path: Path, entries: int) -> None:
    """An archive that is nothing but a list of empty entries."""
    named = b"PK\x01\x02" + bytes(24) + struct.pack("<HHHHHII", 1, 0, 0, 0, 0, 0, 0) + b"a"
    listed = named * entries
    end = b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, entries & 0xFFFF, entries & 0xFFFF, len(listed), 0, 0)
    path.write_bytes(listed + end)
