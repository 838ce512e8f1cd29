"""python -m studies [NAME …]: run all studies, or some. A study is any module here that has a `STUDY`."""

from __future__ import annotations

import pkgutil
import sys
from importlib import import_module

import studies

MODULES = [
    import_module(f"studies.{found.name}")
    for found in pkgutil.iter_modules(studies.__path__)
    if found.name != "__main__"
]
STUDIES = {module.STUDY.name: module.STUDY for module in MODULES if hasattr(module, "STUDY")}

if __name__ == "__main__":
    for name in sys.argv[1:] or STUDIES:
        STUDIES[name].write(STUDIES[name].everything())
