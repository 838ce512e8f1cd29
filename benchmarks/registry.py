"""Everything that is promised about speed and memory, a row each."""

from __future__ import annotations

from benchmarks import runs
from benchmarks.benchmark import FASTER, SLOWER, Benchmark, Promise

BENCHMARKS = (
    Benchmark(
        "bias",
        "bias audit of 1.8 M rows × 24 overlapping groups from Parquet, every number with its interval",
        "the notebook way: pandas masks, scikit-learn, SciPy; five values a group",
        "read the file, sort the scores once",
        runs.bias,
        speed=Promise(FASTER, 40),
        memory=Promise(SLOWER, 700, "MB"),
        also={"largest difference": Promise(SLOWER, 1e-6, "")},
    ),
    Benchmark(
        "collaboration",
        "five collaborative measures at eight capacities with two strategies, 1.8 M rows from Parquet",
        "NumPy masks and scikit-learn",
        "read two columns, sort the scores once",
        runs.collaboration,
        speed=Promise(FASTER, 60),
        also={"largest difference": Promise(SLOWER, 1e-9, "")},
    ),
    Benchmark(
        "collaboration-in-memory",
        "the same from arrays in memory",
        "NumPy masks and scikit-learn",
        "sort the scores once",
        runs.collaboration_in_memory,
        speed=Promise(FASTER, 60),
        also={"largest difference": Promise(SLOWER, 1e-9, "")},
    ),
    Benchmark(
        "calibration",
        "every calibration number of 1.8 M rows × 4 classes, float32 in memory",
        "netcal: ECE, SCE and what it calls ACE",
        "the largest probability of each row, sorted once",
        runs.calibration,
        speed=Promise(FASTER, 2.5),
        also={
            "largest relative difference": Promise(SLOWER, 1e-6, ""),
            "ECE beside exact sums": Promise(SLOWER, 1e-12, ""),
        },
    ),
    Benchmark(
        "perspective",
        "numbers of 2 M labels by 20,000 people on 400,000 items, with 200 draws of the bootstrap",
        "a loop with one mask per annotator, again in each draw",
        "labels sorted once by item and annotator",
        runs.perspective,
        speed=Promise(FASTER, 50),
        also={"largest difference of a fingerprint": Promise(SLOWER, 1e-12, "")},
    ),
    Benchmark(
        "plan",
        "a sampling plan on 100 M items in Parquet, ids in no order, each looked at for repeats",
        "nothing does this: the floor",
        "the score column read once and counted in a thousand steps",
        runs.plan,
        speed=Promise(SLOWER, 20),
        memory=Promise(SLOWER, 1500, "MB"),
        also={"10 × the items without ids, memory": Promise(SLOWER, 1.15)},
    ),
    Benchmark(
        "draw",
        "the first batch of that plan drawn from the 100 M items; memory beside a tenth of them",
        "nothing does this: the floor",
        "the score column read once and counted in a thousand steps",
        runs.draw,
        speed=Promise(SLOWER, 10),
        memory=Promise(SLOWER, 1.15),
    ),
    Benchmark(
        "scoring",
        "the default model on 20,000 comments in memory",
        "alt-profanity-check",
        "each text in lower case, split at blanks",
        runs.scoring,
        speed=Promise(SLOWER, 3),
    ),
    Benchmark(
        "scoring-files",
        "the default model on 10 M rows from Parquet to Parquet; memory beside a tenth of them",
        "itself, on a tenth of the rows",
        "the file read and written again, piece by piece",
        runs.scoring_files,
        memory=Promise(SLOWER, 1.15),
    ),
    Benchmark(
        "three-audits",
        "bias, collaboration and binary calibration of 1.8 M rows × 24 groups from one command; memory beside the "
        "largest alone",
        "the slowest of the three alone",
        "read the file, sort the scores once",
        runs.three,
        speed=Promise(SLOWER, 2),
        also={"by seconds of a core": Promise(SLOWER, 2), "times the file is parsed": Promise(SLOWER, 1, "")},
    ),
    Benchmark(
        "help",
        "`evenhand --help` from start to end",
        "half a second",
        "start Python, import typer",
        runs.start,
        speed=Promise(SLOWER, 0.5, "s"),
    ),
)
