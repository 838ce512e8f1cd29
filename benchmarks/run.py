"""make bench: what is promised about speed and memory, as ratios of one run on this machine."""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
FASTER, PEAK = 40.0, 700.0  # what is promised


def measured(python: str, script: str, *arguments: str) -> dict[str, Any]:
    done = subprocess.run([python, str(HERE / script), *arguments], stdout=subprocess.PIPE, text=True, check=True)
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def furthest(one: dict[str, Any], two: dict[str, Any]) -> float:
    return max(abs(one[group][name] - two[group][name]) for group in one for name in one[group])


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--peers", required=True, help="Python of the environment that holds the peers")
    peers = parser.parse_args().peers
    with tempfile.TemporaryDirectory() as folder:
        table = str(Path(folder) / "table.parquet")
        subprocess.run([sys.executable, str(HERE / "table.py"), table], check=True)
        floor = measured(sys.executable, "floor.py", table)
        ours = measured(sys.executable, "ours.py", table)
        today = measured(peers, "notebook.py", table)
    base, mine, theirs = (statistics.median(found["seconds"]) for found in (floor, ours, today))
    print(f"{platform.machine()}, {platform.python_implementation()} {platform.python_version()}")
    print("bias audit, 1.8 M rows × 24 overlapping groups, from Parquet")
    print(f"  the notebook way, values only      {theirs:8.2f} s   {today['peak_mb']:6.0f} MB")
    print(f"  Evenhand, {ours['estimates']} estimates + intervals {mine:8.3f} s   {ours['peak_mb']:6.0f} MB", end="")
    print(f"   (first of {len(ours['seconds'])} runs {ours['seconds'][0]:.3f} s)")
    print(f"  floor: read + one sort             {base:8.3f} s   {floor['peak_mb']:6.0f} MB")
    print(f"  {theirs / mine:.0f} times faster (promised {FASTER:.0f}); {mine / base:.1f} times the floor, ", end="")
    print(f"{1 - base / mine:.0%} of our time is above it; peak {ours['peak_mb']:.0f} MB (promised {PEAK:.0f})")
    print(f"  largest difference between the two {furthest(ours['values'], today['values']):.1e}")
    if theirs / mine < FASTER or ours["peak_mb"] > PEAK:
        sys.exit("a promise is broken")


if __name__ == "__main__":
    main()
