"""python -m studies.mutation [--mutants N|all] [--seed N] [--workers N]: the study of mutants, with options."""

from __future__ import annotations

import argparse
from dataclasses import replace

from studies.mutation import STUDY

if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m studies.mutation")
    parser.add_argument("--mutants", default=STUDY.mutants, type=lambda text: None if text == "all" else int(text))
    parser.add_argument("--seed", default=STUDY.seed, type=int)
    parser.add_argument("--workers", default=STUDY.workers, type=int)
    study = replace(STUDY, **vars(parser.parse_args()))
    study.write(study.everything())
