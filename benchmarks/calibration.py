"""What is promised about the speed of calibration numbers, as ratios of one run on this machine."""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from pathlib import Path

import numpy as np
from run import measured

ROWS, SHARES = 1_800_000, (0.68, 0.19, 0.07, 0.06)
FASTER, EXACT, ALIKE = 2.5, 1e-12, 1e-6  # what is promised; netcal's quantiles are those of single precision


def make(folder: str, rows: int = ROWS, seed: int = 0) -> None:
    """Four classes, two of them rare, and a model that is too sure of itself; float32."""
    rng = np.random.default_rng(seed)
    logit = np.log(SHARES) + 1.5 * rng.standard_normal((rows, len(SHARES)))
    honest, sure = (np.exp(factor * logit) for factor in (1.0, 1.4))
    label = (rng.random((rows, 1)) * honest.sum(axis=1, keepdims=True) > np.cumsum(honest, axis=1)).sum(axis=1)
    np.save(Path(folder) / "p.npy", (sure / sure.sum(axis=1, keepdims=True)).astype(np.float32))
    np.save(Path(folder) / "label.npy", label)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--peers", required=True, help="Python of the environment that holds the peers")
    peers = parser.parse_args().peers
    with tempfile.TemporaryDirectory() as folder:
        make(folder)
        ours, netcal = (
            measured(sys.executable, "calibrated.py", folder),
            measured(peers, "calibrated_netcal.py", folder),
        )
    mine, theirs = (
        {name: statistics.median(seconds) for name, seconds in found["seconds"].items()} for found in (ours, netcal)
    )
    as_named = theirs["ece"] + theirs["own ace"] + theirs["sce"]
    same = theirs["ece"] + theirs["ace"] + theirs["sce"]
    off = abs(ours["values"]["ece"] - ours["exact"])
    print("calibration of four classes, 1.8 M rows, float32")
    print(f"  netcal: ECE, SCE and what it calls ACE    {as_named:6.2f} s   {netcal['peak_mb']:6.0f} MB")
    print(f"  netcal: ECE, SCE and ACE as defined here  {same:6.2f} s")
    print(f"  Evenhand: {len(ours['values'])} numbers and 9 curves         {mine['all']:6.2f} s", end="")
    print(f"   {ours['peak_mb']:6.0f} MB")
    print(f"  {as_named / mine['all']:.1f} and {same / mine['all']:.1f} times faster (promised {FASTER})")
    print(f"  again with labels redrawn                 {mine['redrawn']:6.2f} s")
    apart = {name: netcal["values"][name] / ours["values"][name] - 1.0 for name in ("ece", "sce", "ace")}
    print(
        "  netcal beside ours, relative: " + ", ".join(f"{name.upper()} {x:+.1e}" for name, x in apart.items()), end=""
    )
    print(f"; ours beside exact sums: {off:.1e}")
    if as_named / mine["all"] < FASTER or off > EXACT or max(map(abs, apart.values())) > ALIKE:
        sys.exit("a promise is broken")


if __name__ == "__main__":
    main()
