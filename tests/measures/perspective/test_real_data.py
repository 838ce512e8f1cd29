"""CREHate and SBIC: facts of the corpora, and every number on them beside loops, with the default model's scores."""

from __future__ import annotations

from collections import Counter
from itertools import permutations
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import brute_perspective as brute
import evenhand as eh
from evenhand.measures.perspective import (
    F1,
    F1_GAP,
    MEAN_DELTA,
    Annotations,
    ConformityDeltas,
    decided_classes,
    delta_fingerprints,
    group_confusions,
    majority_labels,
    sums_by_group,
)
from evenhand.measures.perspective.agreement import (
    AC1,
    ALPHA,
    KAPPA,
    coincidences,
    fold_unweighted,
    item_shares,
    label_counts,
    pair_tables,
)
from evenhand.measures.perspective.divergence import uncertainty_divergence
from measures.annotated import rows

EXACT = {"rel": 0, "abs": 1e-12}
GROUPS = [("male", True), ("female", True), ("male", False), ("female", False)]  # gender, white


def numbered(frame: pl.DataFrame, item: str, annotator: str, label: str, classes: int) -> Annotations:
    columns = (frame[name].rank("dense").to_numpy().astype(np.int64) - 1 for name in (item, annotator))
    first, second = columns
    size = (int(first.max()) + 1, int(second.max()) + 1, classes)
    return Annotations.from_columns(first, second, frame[label].to_numpy(), size=size)


@pytest.fixture(scope="module")
def crehate(real_data: Path):
    """Labels 0 and 1, the default model's probabilities, and four groups of gender and being white or not."""
    everything = pl.read_parquet(real_data / "crehate_annotations.parquet")
    frame = everything.filter(pl.col("annotation") < 2)
    annotations = numbered(frame, "ID", "annotator_id", "annotation", 2)
    texts = pl.read_parquet(real_data / "crehate_texts.parquet").filter(pl.col("ID").is_in(frame["ID"].implode()))
    p = eh.score(texts.sort("ID"), text="Text")["p"].to_numpy()
    people = frame.unique("annotator_id").sort("annotator_id")
    group = np.full(annotations.annotators, -1)
    for number, (gender, white) in enumerate(GROUPS):
        inside = (pl.col("gender") == gender) & ((pl.col("ethnicity") == "White") == white)
        group[people.select(inside.fill_null(False)).to_series().to_numpy()] = number
    return everything, annotations, np.column_stack((1.0 - p, p)), group


def test_facts_of_crehate(crehate) -> None:
    everything, annotations, _, _ = crehate
    assert everything.height == 42_546
    assert everything["ID"].n_unique() == annotations.items == 1580
    given = everything.group_by("annotator_id").len()["len"]
    assert (len(given), (given >= 20).sum()) == (1064, 616)  # "cannot tell" counts as a label here
    assert (annotations.annotators, (annotations.labels_given >= 20).sum()) == (1062, 608)  # and here not
    found = majority_labels(annotations)
    assert found.share_differing(annotations) == pytest.approx(0.220, abs=5e-4)
    assert annotations.repeated.sum() == 18  # of 19 pairs; the other has a "cannot tell"


def test_facts_of_sbic(real_data: Path) -> None:
    """A label of .5 counts as offensive. Rows repeat a label for each group it is about; once each it is 7.9 %."""
    frame = pl.read_parquet(real_data / "sbic_dev_annotations.parquet").drop_nulls("offensiveYN")
    frame = frame.with_columns(label=(pl.col("offensiveYN") >= 0.5).cast(pl.Int64))
    annotations = numbered(frame, "post", "WorkerId", "label", 2)
    assert majority_labels(annotations).share_differing(annotations) == pytest.approx(0.059, abs=5e-4)
    once_each = annotations.only(~annotations.repeated)
    assert majority_labels(once_each).share_differing(once_each) == pytest.approx(0.079, abs=5e-4)


def test_every_number_of_every_group(crehate) -> None:
    _, annotations, p, group = crehate
    assert np.bincount(group + 1)[1:].min() > 100
    triples = rows(annotations)
    most = brute.majorities(triples)
    expected = brute.deltas(triples, p.tolist(), most)
    deltas = ConformityDeltas.from_labels(annotations, p, majority_labels(annotations))
    np.testing.assert_allclose(deltas.values, [x for x in expected if x is not None], rtol=0, atol=1e-12)
    assert np.abs(deltas.values).max() <= 1.0
    sums = sums_by_group(deltas.annotations, deltas.columns, group, 4)
    tables = group_confusions(annotations, decided_classes(p), group, 4)
    signs = {}
    for g in (*range(4), None):
        own = [n for n, (_, a, _) in enumerate(triples) if g is None or group[a] == g]
        values = [expected[n] for n in own if expected[n] is not None]
        place = -1 if g is None else g
        assert MEAN_DELTA.of(sums[place, [0, 1]]) == pytest.approx(sum(values) / len(values), **EXACT)
        signs[g] = brute.signs(values)
        decided = [int(p[triples[n][0], 1] >= p[triples[n][0], 0]) for n in own]
        own_f1 = brute.f1(decided, [triples[n][2] for n in own], 1)
        assert F1.of(tables[place]) == pytest.approx(own_f1, **EXACT)
    for g in range(4):
        counts = deltas.signs_by_annotator[group == g].sum(axis=0)
        assert counts.tolist() == signs[g]
        found = uncertainty_divergence(deltas.signs_by_annotator.sum(axis=0), counts)
        assert found == pytest.approx(brute.kl(signs[None], signs[g]), **EXACT)
        assert F1_GAP.of(tables[[g, -1]]) == pytest.approx(F1.of(tables[g]) - F1.of(tables[-1]), **EXACT)


def test_fingerprints(crehate) -> None:
    _, annotations, p, _ = crehate
    deltas = ConformityDeltas.from_labels(annotations, p, majority_labels(annotations))
    found = delta_fingerprints(deltas)
    assert found.shares.shape == (608, 40)
    np.testing.assert_allclose(found.shares.sum(axis=1), 1.0, rtol=0, atol=1e-12)
    for person, shares in list(zip(found.annotator, found.shares, strict=True))[::10]:
        values = deltas.values[deltas.annotations.annotator == person].tolist()
        np.testing.assert_allclose(shares, brute.fingerprint(values, 40), rtol=0, atol=1e-12)


def test_agreement_within_and_between_groups(crehate) -> None:
    _, everybody, _, group = crehate
    annotations = everybody.only(~everybody.repeated)
    triples = rows(annotations)
    pairs: Counter = Counter()
    for people in brute.by_item(triples):
        pairs.update((group[a], group[b], y, z) for (a, y), (b, z) in permutations(people, 2))
    counts = label_counts(annotations, group, 4)
    tables = fold_unweighted(pair_tables, counts)
    for g in range(4):
        for h in range(4):
            expected = [[pairs[g, h, y, z] for z in range(2)] for y in range(2)]
            assert tables[g, h].tolist() == expected
            (a, b), (c, d) = expected
            n = a + b + c + d
            chance = ((a + b) * (a + c) + (c + d) * (b + d)) / n**2
            assert KAPPA.of(tables[g, h]) == pytest.approx(((a + d) / n - chance) / (1 - chance), **EXACT)
        own = [row for row in triples if group[row[1]] == g]
        assert ALPHA.of(fold_unweighted(coincidences, counts)[g]) == pytest.approx(brute.alpha(own), **EXACT)
        assert AC1.of(fold_unweighted(item_shares, counts)[g]) == pytest.approx(brute.ac1(own, 2), **EXACT)
