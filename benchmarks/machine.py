"""What a run was made on and with, measured and not written down by hand."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from benchmarks.place import Place

OURS = ("evenhand", "numpy", "polars", "scipy", "scikit-learn")
PEERS = Path(__file__).parent / "peers" / "requirements.txt"


def hardware() -> dict[str, Any]:
    return {
        "cpu": _cpu(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "memory_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        "system": f"{platform.system()} {platform.machine()}",
        "load_at_start": [round(load, 2) for load in os.getloadavg()],
    }


def versions(place: Place) -> dict[str, dict[str, str]]:
    """Of both environments; the peers' only where they are set up."""
    named = [line.split("==")[0].strip() for line in PEERS.read_text().splitlines() if "==" in line]
    peers = place.theirs("machine:installed", named) if place.peers.exists() else {}
    return {"ours": installed(list(OURS)), "peers": peers}


def installed(names: list[str]) -> dict[str, str]:
    found = {"python": platform.python_version()}
    for name in names:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return found


def _cpu() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    named = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return named[0] if named else platform.processor() or platform.machine()
