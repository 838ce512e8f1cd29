"""alt-profanity-check, what people install today: scores of some texts, and how long that took."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from profanity_check import predict_prob

REPEATS = 5


def main(folder: Path) -> None:
    texts = json.loads((folder / "timed.json").read_text())
    seconds = []
    for _ in range(REPEATS):
        started = time.perf_counter()
        predict_prob(texts)
        seconds.append(time.perf_counter() - started)
    for path in sorted(folder.glob("set_*.json")):
        scores = [float(p) for p in predict_prob(json.loads(path.read_text()))]
        (folder / path.name.replace("set_", "peer_")).write_text(json.dumps(scores))
    print(json.dumps({"seconds": seconds}))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
