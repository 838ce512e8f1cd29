"""Three audits from one command read the table once and take less than twice as long as the slowest of them alone."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from run import HERE, measured

AUDITS = ("bias", "collaboration", "calibration")
AT_MOST, READS = 2.0, 1  # what is promised


def audit(path: str, *names: str) -> None:
    """In a process of its own: what one command does after its imports."""
    import evenhand.reports  # noqa: F401
    from evenhand import audit as run
    from evenhand.evidence.source import Source

    reads, collect = [], Source.collect

    def counted(self, build):  # type: ignore[no-untyped-def]
        reads.append(self.name)
        return collect(self, build)

    Source.collect = counted  # type: ignore[method-assign]
    started = time.perf_counter()
    run(path, audits=names, score="p", label="toxic", groups=[f"g{number}" for number in range(24)])
    seconds = time.perf_counter() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": seconds, "cpu": time.process_time(), "peak_mb": peak, "reads": len(reads)}))


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        table = str(Path(folder) / "table.parquet")
        subprocess.run([sys.executable, str(HERE / "table.py"), table], check=True)
        asked = [(name,) for name in AUDITS] + [AUDITS]
        found = {names: measured(sys.executable, "one_pass.py", table, *names) for names in asked}
    print("bias, collaboration and binary calibration, 1.8 M rows × 24 groups, every number with its interval")
    for names, one in found.items():
        title = "all three in one command" if len(names) > 1 else f"{names[0]} alone"
        print(f"  {title:26}{one['seconds']:8.1f} s {one['cpu']:8.1f} s of a core {one['peak_mb']:6.0f} MB", end="")
        print(f"   read {'once' if one['reads'] == 1 else one['reads']}")
    together = found.pop(AUDITS)
    slowest = max(found.values(), key=lambda one: one["seconds"])
    ratio, apart = together["seconds"] / slowest["seconds"], sum(one["seconds"] for one in found.values())
    cores = together["cpu"] / max(one["cpu"] for one in found.values())
    print(f"  {ratio:.2f} times the slowest alone (promised {AT_MOST:.0f}), {cores:.2f} times by seconds of a core")
    print(f"  one after the other they take {apart:.1f} s")
    print(f"  memory {together['peak_mb'] / max(one['peak_mb'] for one in found.values()):.2f} times the largest alone")
    if ratio > AT_MOST or together["reads"] > READS:
        sys.exit("a promise is broken")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        audit(*sys.argv[1:])
    else:
        main()
