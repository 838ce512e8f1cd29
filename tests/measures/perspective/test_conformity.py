"""Deltas, majorities, fingerprints and F1 beside loops over rows, on made-up annotations of any shape."""

from __future__ import annotations

import numpy as np
import pytest

import brute_perspective as brute
from evenhand.errors import InputError, Undefined
from evenhand.measures.perspective import (
    F1,
    F1_GAP,
    MACRO_F1,
    MEAN_DELTA,
    Annotations,
    ConformityDeltas,
    conformity_scores,
    decided_classes,
    delta_fingerprints,
    group_confusions,
    majority_labels,
    sums_by_group,
)
from evenhand.measures.perspective.conformity import delta_bins
from evenhand.measures.perspective.divergence import uncertainty_divergence
from measures.annotated import ITEMS, PEOPLE, made, rows

EXACT = {"rel": 0, "abs": 1e-12}


@pytest.mark.parametrize("classes", [2, 3, 5])
@pytest.mark.parametrize("ties", ["drop", "lowest", "highest", "violating"])
@pytest.mark.parametrize("leave_one_out", [False, True])
@pytest.mark.parametrize("refer", [False, True])
@pytest.mark.parametrize("repeats", [0, 25])
def test_majorities(classes: int, ties: str, leave_one_out: bool, refer: bool, repeats: int) -> None:
    annotations, p, group = made(classes, repeats=repeats)
    reference = (group == 1) if refer else None
    found = majority_labels(annotations, reference=reference, leave_one_out=leave_one_out, ties=ties)
    expected = brute.majorities(rows(annotations), ties, reference, leave_one_out)
    assert [y if k else None for y, k in zip(found.label.tolist(), found.kept.tolist(), strict=True)] == expected
    assert found.tied + found.alone + int(found.kept.sum()) == len(annotations)
    assert (found.tied > 0) == (ties == "drop")
    deltas = ConformityDeltas.from_labels(annotations, p, found)
    beside = [x for x in brute.deltas(rows(annotations), p.tolist(), expected) if x is not None]
    np.testing.assert_allclose(deltas.values, beside, rtol=0, atol=1e-12)


def test_what_ties_and_lone_labels_are_counted_as() -> None:
    annotations = Annotations.from_columns([0, 0, 1, 1, 1, 2], [0, 1, 0, 1, 2, 0], [0, 1, 1, 1, 0, 1])
    plain = majority_labels(annotations)
    assert (plain.tied, plain.items_tied, plain.alone) == (2, 1, 0)
    assert plain.share_differing(annotations) == 1 / 4
    others = majority_labels(annotations, leave_one_out=True)
    assert (others.alone, others.tied, others.items_tied) == (1, 2, 1)  # item 2 has one label; two others are 1 and 0
    with pytest.raises(Undefined, match=r"^no annotation has a majority to be compared with$"):
        majority_labels(annotations, reference=np.zeros(3, bool)).share_differing(annotations)
    assert majority_labels(annotations, ties="violating").label.tolist() == [1, 1, 1, 1, 1, 1]


@pytest.mark.parametrize("classes", [2, 4])
def test_conformity_and_the_closed_form(classes: int) -> None:
    annotations, p, _ = made(classes, 3)
    own = conformity_scores(p[annotations.item], annotations.label)
    expected = [brute.conformity(p[t].tolist(), y) for t, _, y in rows(annotations)]
    np.testing.assert_allclose(own, expected, rtol=0, atol=1e-12)
    found = majority_labels(annotations, ties="lowest")
    deltas = ConformityDeltas.from_labels(annotations, p, found)
    np.testing.assert_allclose(
        deltas.values, own - conformity_scores(p[annotations.item], found.label), rtol=0, atol=1e-12
    )
    assert (deltas.values[~deltas.differs] == 0.0).all()
    assert np.abs(deltas.values).max() <= 1.0
    if classes == 2:
        violating = p[annotations.item, 1]
        np.testing.assert_allclose(own, (annotations.label - violating) ** 2, rtol=0, atol=1e-12)


def test_the_ends_of_the_scale() -> None:
    """A model that is sure of the majority's label, and of the other."""
    annotations = Annotations.from_columns([0, 0, 0, 1, 1, 1], [0, 1, 2, 0, 1, 2], [1, 1, 0, 1, 1, 0])
    deltas = ConformityDeltas.from_labels(annotations, [[0.0, 1.0], [1.0, 0.0]], majority_labels(annotations))
    assert deltas.values.tolist() == [0.0, 0.0, 1.0, 0.0, 0.0, -1.0]
    undecided = ConformityDeltas.from_labels(annotations, [[0.5, 0.5]] * 2, majority_labels(annotations))
    assert not undecided.values.any()
    assert undecided.differs.sum() == 2


@pytest.mark.parametrize("seed", range(3))
def test_sums_signs_and_divergence_by_group(seed: int) -> None:
    annotations, p, group = made(3, seed, repeats=9)
    deltas = ConformityDeltas.from_labels(annotations, p, majority_labels(annotations))
    sums = sums_by_group(deltas.annotations, deltas.columns, group, 3)
    counts = np.array([deltas.signs_by_annotator[group == g].sum(axis=0) for g in range(3)])
    everybody = deltas.signs_by_annotator.sum(axis=0)
    assert brute.signs(deltas.values.tolist()) == everybody.tolist()
    for g, inside in enumerate([*(group[deltas.annotations.annotator] == g for g in range(3)), slice(None)]):
        values = deltas.values[inside].tolist()
        below, none, above = brute.signs(values)
        assert MEAN_DELTA.of(sums[g, [0, 1]]) == pytest.approx(sum(values) / len(values), **EXACT)
        assert sums[g, 1:].tolist() == [len(values), below, above, deltas.differs[inside].sum()]
        if g < 3:
            assert counts[g].tolist() == [below, none, above]
            expected = brute.kl([n + 0.5 for n in everybody], [n + 0.5 for n in (below, none, above)])
            found = uncertainty_divergence(everybody, counts[g], smoothing=0.5)
            assert found == pytest.approx(expected, **EXACT)
            if min(counts[g]):
                plain = uncertainty_divergence(everybody, counts[g])
                assert plain == pytest.approx(brute.kl(everybody.tolist(), counts[g].tolist()), **EXACT)


def test_fingerprints() -> None:
    annotations, p, _ = made(2, 5, repeats=4)
    deltas = ConformityDeltas.from_labels(annotations, p, majority_labels(annotations))
    found = delta_fingerprints(deltas, fewest=12)
    labels = np.bincount(deltas.annotations.annotator, minlength=PEOPLE)
    assert found.annotator.tolist() == np.flatnonzero(labels >= 12).tolist()
    assert 0 < len(found.annotator) < PEOPLE
    assert found.left_out == PEOPLE - len(found.annotator)
    np.testing.assert_allclose(found.shares.sum(axis=1), 1.0, rtol=0, atol=1e-12)
    for person, shares in zip(found.annotator, found.shares, strict=True):
        values = deltas.values[deltas.annotations.annotator == person].tolist()
        np.testing.assert_allclose(shares, brute.fingerprint(values, 40), rtol=0, atol=1e-12)
    everyone = delta_fingerprints(deltas, fewest=12, labels=annotations.labels_given, bins=10)
    assert everyone.shares.shape == (int((annotations.labels_given >= 12).sum()), 10)


def test_edges_of_bins_belong_to_the_bin_above() -> None:
    for bins in (1, 2, 10, 40, 100, 7):
        edges = np.array([-1 + 2 * j / bins for j in range(bins + 1)])
        expected = [*range(bins), bins - 1]
        assert delta_bins(edges, bins).tolist() == expected
        below = delta_bins(np.nextafter(edges[1:], -2.0), bins)
        assert below.tolist() == list(range(bins))
    assert delta_bins(np.array([0.0, -0.0]), 40).tolist() == [20, 20]


@pytest.mark.parametrize("classes", [2, 3])
def test_f1_and_its_gap(classes: int) -> None:
    annotations, p, group = made(classes, 7)
    decided = decided_classes(p)
    assert decided.tolist() == [max(range(classes), key=lambda k: (q[k], k)) for q in p.tolist()]
    tables = group_confusions(annotations, decided, group, 3)
    inside = [*(group[annotations.annotator] == g for g in range(3)), np.ones(len(annotations), bool)]
    expected = []
    for table, mine in zip(tables, inside, strict=True):
        said, labels = decided[annotations.item][mine].tolist(), annotations.label[mine].tolist()
        each = [brute.f1(said, labels, k) for k in range(classes)]
        assert F1.of(table) == pytest.approx(each[-1], **EXACT)
        assert MACRO_F1.of(table) == pytest.approx(sum(each) / classes, **EXACT)
        expected.append(each[-1])
    assert F1_GAP.of(tables[[0, -1]]) == pytest.approx(expected[0] - expected[-1], **EXACT)
    assert decided_classes([[0.5, 0.5], [0.6, 0.4]]).tolist() == [1, 0]
    assert decided_classes([[0.5, 0.5], [0.6, 0.4]], threshold=0.4).tolist() == [1, 1]
    with pytest.raises(Undefined, match=r"^no label is violating and no item is flagged$"):
        F1.of(np.diag([3.0, 0.0]))
    with pytest.raises(Undefined, match=r"^no label is violating and no item is flagged$"):
        F1_GAP.of([np.diag([3.0, 0.0]), np.diag([3.0, 1.0])])


def test_neither_the_order_of_rows_nor_names_matter() -> None:
    annotations, p, group = made(3, 8)
    rng = np.random.default_rng(1)
    order, people, items = (rng.permutation(n) for n in (len(annotations), PEOPLE, ITEMS))
    other = Annotations.from_columns(
        items[annotations.item[order]],
        people[annotations.annotator[order]],
        annotations.label[order],
        size=(ITEMS, PEOPLE, 3),
    )
    q, renamed = np.empty_like(p), np.empty_like(group)
    q[items], renamed[people] = p, group
    found = []
    for a, table, member in ((annotations, p, group), (other, q, renamed)):
        deltas = ConformityDeltas.from_labels(a, table, majority_labels(a))
        prints = delta_fingerprints(deltas, fewest=1).shares
        found.append((sums_by_group(deltas.annotations, deltas.columns, member, 3), prints))
    np.testing.assert_allclose(found[0][0], found[1][0], rtol=0, atol=1e-12)
    np.testing.assert_allclose(found[0][1], found[1][1][people], rtol=0, atol=1e-12)


def test_items_again_count_as_weights_would() -> None:
    """Every item twice: the same means and shares, twice the sums."""
    annotations, p, group = made(2, 9)
    twice = Annotations.from_columns(
        np.concatenate((annotations.item, annotations.item + ITEMS)),
        np.tile(annotations.annotator, 2),
        np.tile(annotations.label, 2),
        size=(2 * ITEMS, PEOPLE, 2),
    )
    one, two = (
        ConformityDeltas.from_labels(a, q, majority_labels(a))
        for a, q in ((annotations, p), (twice, np.tile(p, (2, 1))))
    )
    sums = [sums_by_group(d.annotations, d.columns, group, 3) for d in (one, two)]
    np.testing.assert_allclose(sums[1], 2 * sums[0], rtol=1e-13)
    shares = [delta_fingerprints(d, fewest=1).shares for d in (one, two)]
    np.testing.assert_allclose(shares[0], shares[1], rtol=0, atol=1e-13)


def test_wrong_arguments() -> None:
    with pytest.raises(InputError, match="equally many"):
        Annotations.from_columns([0, 1], [0], [0])
    with pytest.raises(InputError, match=r"^items must be one column of whole numbers$"):
        Annotations.from_columns([0.5], [0], [0])
    with pytest.raises(InputError, match=r"^labels are counted from 0: none may be negative$"):
        Annotations.from_columns([0], [0], [-1])
    with pytest.raises(InputError, match=r"^label 2 is out of range: they are counted from 0 to 1$"):
        Annotations.from_columns([0], [0], [2], size=(1, 1, 2))
    annotations, p, group = made(2)
    with pytest.raises(InputError, match=r"^there is no rule 'dorp' for ties: did you mean 'drop'\?$"):
        majority_labels(annotations, ties="dorp")
    with pytest.raises(InputError, match=r"^the reference must say yes or no for each of the 13 annotators$"):
        majority_labels(annotations, reference=group)
    with pytest.raises(InputError, match="40 items and 2 classes"):
        ConformityDeltas.from_labels(annotations, p[:-1], majority_labels(annotations))
    with pytest.raises(InputError, match=r"^a probability must be from 0 to 1$"):
        ConformityDeltas.from_labels(annotations, np.full_like(p, np.nan), majority_labels(annotations))
    deltas = ConformityDeltas.from_labels(annotations, p, majority_labels(annotations))
    with pytest.raises(InputError, match=r"^groups are counted from 0 to 1; -1 is for annotators in none of them$"):
        sums_by_group(deltas.annotations, deltas.columns, np.full(PEOPLE, 2), 2)
    with pytest.raises(InputError, match=r"^there must be at least one bin, and annotators with at least one label$"):
        delta_fingerprints(deltas, bins=0)
    empty = sums_by_group(deltas.annotations, deltas.columns, np.full(PEOPLE, -1), 1)
    with pytest.raises(Undefined, match=r"^there are no annotations$"):
        MEAN_DELTA.of(empty[0, [0, 1]])
    assert empty[1, 1] == len(deltas.annotations)


def test_decisions_and_conformity_of_whole_numbers() -> None:
    assert decided_classes([[1, 0], [0, 1]]).tolist() == [0, 1]
    assert decided_classes([[0.5, 0.5], [0.6, 0.4]], threshold=0.4).tolist() == [1, 1]
    assert conformity_scores([[1, 0], [1, 0]], [0, 1]).tolist() == [0.0, 1.0]
    small = np.array([[200, 55]], dtype=np.uint8)  # what would run over in its own precision
    assert conformity_scores(small, [0])[0] == pytest.approx((199.0**2 + 55.0**2) / 2)


def test_fingerprints_of_one_bin_and_of_one_label() -> None:
    annotations = Annotations.from_columns([0, 1, 1, 2], [0, 0, 1, 2], [0, 1, 0, 1], size=(3, 4, 2))
    deltas = ConformityDeltas(annotations, np.array([-0.5, 0.0, 0.5, 1.0]), np.zeros(4, dtype=bool))
    one = delta_fingerprints(deltas, bins=1, fewest=1)
    assert one.shares.tolist() == [[1.0], [1.0], [1.0]]
    assert (one.annotator.tolist(), one.left_out) == ([0, 1, 2], 0)
    some = delta_fingerprints(deltas, bins=4, fewest=2)
    assert some.shares.tolist() == [[0.0, 0.5, 0.5, 0.0]]  # an edge belongs to the bin above it
    assert (some.annotator.tolist(), some.left_out) == ([0], 2)
    assert delta_bins(np.array([-1.0, -0.5, -1e-17, 0.0, 0.5, 1.0]), 4).tolist() == [0, 1, 1, 2, 3, 3]
    with pytest.raises(InputError) as raised:
        delta_fingerprints(deltas, bins=2, labels=[1, 1])
    assert str(raised.value) == "labels must be one number for each of the 4 annotators"
