"""The default model on the same texts."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from evenhand.classifiers.opening import open_model
from evenhand.classifiers.protocol import in_batches

REPEATS = 5


def main(folder: Path) -> None:
    model = open_model("default")
    texts = json.loads((folder / "timed.json").read_text())
    seconds = []
    for _ in range(REPEATS):
        started = time.perf_counter()
        in_batches(model, texts)
        seconds.append(time.perf_counter() - started)
    for path in sorted(folder.glob("set_*.json")):
        scores = in_batches(model, json.loads(path.read_text())).probabilities[:, 0]
        (folder / path.name.replace("set_", "ours_")).write_text(json.dumps(scores.tolist()))
    print(json.dumps({"seconds": seconds, "version": model.version}))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
