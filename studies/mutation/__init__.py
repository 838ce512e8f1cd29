"""Would the tests notice? Small wrong changes (mutants) to the code that counts, and the share that some test notices.

`python -m studies mutation` tries a seeded sample, spread over the modules in proportion to their mutants;
`python -m studies.mutation --mutants all` tries all, which takes hours. A mutant that nobody notices is a survivor: it
is listed, and either a test is missing, or a line does nothing, or the change makes no difference.
"""

from __future__ import annotations

from pathlib import Path

from studies.mutation.study import Mutation

LIBRARIES = (
    "hypothesis.strategies numpy polars scipy.optimize scipy.sparse scipy.spatial scipy.special scipy.stats "
    "sklearn.calibration sklearn.isotonic sklearn.linear_model sklearn.metrics"
)
ROOT = Path(__file__).parents[2]
STUDY = Mutation(
    ROOT / "src",
    packages=("evenhand/measures", "evenhand/intervals", "evenhand/sampling"),
    tests=("tests/measures", "tests/intervals", "tests/sampling", "tests/invariants"),
    libraries=tuple(LIBRARIES.split()),
)
