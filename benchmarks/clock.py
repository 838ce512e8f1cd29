"""How long a call takes, and how much memory this process ever had. Knows the standard library alone."""

from __future__ import annotations

import gc
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

STATUS = Path("/proc/self/status")


def timed(call: Callable[[], Any], repeats: int = 1) -> tuple[dict[str, Any], Any]:
    """Seconds of each run, seconds of a core in all, the peak after the last; and what the last run gave."""
    seconds, result, before = [], None, time.process_time()
    for _ in range(repeats):
        del result  # two results are never held at once
        gc.collect()
        started = time.perf_counter()
        result = call()
        seconds.append(time.perf_counter() - started)
    return {"seconds": seconds, "cpu": time.process_time() - before, "peak_mb": peak()}, result


def started(command: list[str], repeats: int) -> dict[str, Any]:
    """Seconds from the start to the end of a command, and seconds of a core in all; its memory is not looked at."""
    before = _seconds_of_children()
    found, _ = timed(lambda: subprocess.run(command, check=True, stdout=subprocess.DEVNULL), repeats)
    return {"seconds": found["seconds"], "cpu": _seconds_of_children() - before}


def _seconds_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def peak() -> float:
    """Megabytes. Linux counts what the parent had when it started this process into ru_maxrss; VmHWM does not."""
    if STATUS.exists():
        for line in STATUS.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / (1024 * 1024 if sys.platform == "darwin" else 1024)
