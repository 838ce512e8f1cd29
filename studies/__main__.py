"""python -m studies [NAME …] [--seconds N]: run all studies, or some. A study is any module here that has a `STUDY`.

`--seconds` is how long each of the two parts of `fuzz` goes on.
"""

from __future__ import annotations

import argparse
import pkgutil
from dataclasses import replace
from importlib import import_module

import studies

MODULES = [
    import_module(f"studies.{found.name}")
    for found in pkgutil.iter_modules(studies.__path__)
    if found.name != "__main__"
]
STUDIES = {module.STUDY.name: module.STUDY for module in MODULES if hasattr(module, "STUDY")}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m studies")
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--seconds", type=float)
    asked = parser.parse_args()
    if asked.seconds:
        STUDIES["fuzz"] = replace(STUDIES["fuzz"], seconds=asked.seconds)
    for name in asked.names or STUDIES:
        STUDIES[name].write(STUDIES[name].everything())
