"""What is promised about the speed of the collaborative measures, as ratios of one run on this machine."""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from run import HERE, furthest, measured

FASTER, EXACT = 60.0, 1e-9  # what is promised


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--peers", required=True, help="Python of the environment that holds the peers")
    peers = parser.parse_args().peers
    with tempfile.TemporaryDirectory() as folder:
        table = str(Path(folder) / "table.parquet")
        subprocess.run([sys.executable, str(HERE / "table.py"), table], check=True)
        ours, today = measured(sys.executable, "together.py", table), measured(peers, "together_notebook.py", table)
    mine, theirs = (
        {way: statistics.median(seconds) for way, seconds in found["seconds"].items()} for found in (ours, today)
    )
    difference = furthest(ours["values"], today["values"])
    print("five collaborative measures, 1.8 M rows × 8 capacities × 2 strategies")
    for way, floor in (("memory", "sort"), ("parquet", "read and sort")):
        print(f"  from {way:8} the notebook way {theirs[way]:6.2f} s, Evenhand {mine[way]:.3f} s: ", end="")
        print(f"{theirs[way] / mine[way]:.0f} times faster (promised {FASTER:.0f}); ", end="")
        print(f"{mine[way] / mine[floor]:.1f} times NumPy to {floor} once ({mine[floor]:.3f} s)")
    print(f"  peak {ours['peak_mb']:.0f} MB beside {today['peak_mb']:.0f} MB; largest difference {difference:.1e}")
    if min(theirs[way] / mine[way] for way in theirs) < FASTER or difference > EXACT:
        sys.exit("a promise is broken")


if __name__ == "__main__":
    main()
