"""A reviewer as a process of its own: takes and decides until nothing is left, and says what was acknowledged.

Run as `python worker.py STORE KEY PERSON`; a test kills it in the middle.
"""

from __future__ import annotations

import sys
from pathlib import Path

from evenhand.store import open_store, perform


def main(location: str, key: str, person: str) -> None:
    with open_store(location, key=Path(key)) as store:
        while (view := perform(store, "claim", actor=person, queue="review"))["task"]:
            done = {"task": view["task"], "version": view["version"], "verdict": "benign"}
            perform(store, "decide", actor=person, key=view["task"], **done)
            print(view["item"], flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
