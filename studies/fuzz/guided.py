"""python -m studies.fuzz.guided SECONDS FOLDER TARGET …: parsers under atheris, led by the lines of ours they reach.

Everything is loaded once; each target is a child of this process. A child writes what it found to watch.json in a
folder of its own again and again, and ends when its time is up. If it dies before, another one goes on.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

LARGEST = 1 << 16  # bytes of one input
TRIES = 5
LOADED = ("evenhand", "tomllib", "tarfile", "zipfile")  # packages whose lines lead


def main(seconds: float, folder: Path, names: list[str]) -> None:
    """One target after the other."""
    import atheris

    with atheris.instrument_imports(include=list(LOADED)):
        import evenhand.cli
        import evenhand.reports
        import evenhand.reproduce.corpora  # noqa: F401
        from studies.fuzz.parsers import TARGETS

        for name in names:
            left = seconds
            for number in range(1, TRIES + 1):
                place = folder / name.replace(" ", "-") / str(number)
                place.mkdir(parents=True)
                _child(partial(fuzz, TARGETS[name], left, place, number), place)
                left -= max(_spent(place), 1.0)
                if left <= 1.0:
                    break


def _child(action: Any, place: Path) -> None:
    """In a process of its own, which says nothing here."""
    pid = os.fork()
    if pid:
        os.waitpid(pid, 0)
        return
    out = os.open(place / "told", os.O_CREAT | os.O_WRONLY)
    os.dup2(out, 1)
    os.dup2(out, 2)
    try:
        action()
    finally:
        os._exit(3)


def _spent(place: Path) -> float:
    kept = place / "watch.json"
    return float(json.loads(kept.read_text())["seconds"]) if kept.exists() else 0.0


def fuzz(target: Any, seconds: float, place: Path, seed: int) -> None:
    """Alter files until the time is up; never comes back."""
    import atheris

    from studies.fuzz.watch import Watch

    corpus, scratch, watch = place / "corpus", place / "scratch", Watch()
    corpus.mkdir()

    def look(content: bytes) -> None:
        shutil.rmtree(scratch, ignore_errors=True)
        scratch.mkdir()
        watch.look(lambda: target.feed(content, scratch), repr(content))

    for number, content in enumerate(target.seeds()):
        (corpus / str(number)).write_bytes(content)
        look(content)  # loads what the target needs, too
    state = {"started": time.monotonic(), "kept": 0.0}

    def one(content: bytes) -> None:
        (place / "last").write_bytes(content)
        before = len(watch.faults)
        look(content)
        now = time.monotonic()
        spent = now - state["started"]
        if len(watch.faults) > before or now - state["kept"] > 1.0 or spent > seconds:
            state["kept"] = now
            (place / "watch.new").write_text(watch.as_json(seconds=spent))
            os.replace(place / "watch.new", place / "watch.json")
        if spent > seconds:
            sys.stderr.flush()
            os._exit(0)

    def change(content: bytes, largest: int, number: int) -> bytes:
        rng = random.Random(number)

        def plain(inside: bytes) -> bytes:
            return bytes(atheris.Mutate(inside, len(inside) + 64))

        if target.change is None or rng.random() < 0.25:
            return bytes(atheris.Mutate(content, largest))
        return bytes(target.change(content, plain, rng))[:largest]

    options = [f"-max_len={LARGEST}", "-timeout=60", "-rss_limit_mb=6000", f"-seed={seed}", "-len_control=0"]
    atheris.Setup([sys.argv[0], *options, f"-artifact_prefix={place}/", str(corpus)], one, custom_mutator=change)
    atheris.Fuzz()


if __name__ == "__main__":
    main(float(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:])
