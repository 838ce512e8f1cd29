"""python -m benchmarks.side MODULE:FUNCTION OUT ARGUMENT …: one function in this process; what it gives goes to OUT.

Arguments and what is given are JSON. The module says which side it is of, and the caller which Python it runs in.
"""

from __future__ import annotations

import json
import sys
from importlib import import_module
from pathlib import Path


def main(called: str, out: str, *arguments: str) -> None:
    module, function = called.split(":")
    found = getattr(import_module(module), function)(*map(json.loads, arguments))
    Path(out).write_text(json.dumps(found))


if __name__ == "__main__":
    main(*sys.argv[1:])
