"""Every fault that fuzzing found stays mended: one line that says what is wrong, or a sound result."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
from studies.fuzz import audited, mended
from studies.fuzz.parsers import TARGETS
from studies.fuzz.watch import Watch

import evenhand as eh
from evenhand.errors import EvenhandError, Undefined
from evenhand.measures import bias, rates
from evenhand.measures.score_cells import ScoreCells
from evenhand.tally import Membership, PlacedRows, Rows, Weights

FILES = [(target, what) for target, rows in mended.FILES.items() for what in rows]


@pytest.mark.parametrize(("target", "what"), FILES, ids=[f"{target}: {what}" for target, what in FILES])
def test_files(target: str, what: str, tmp_path: Path) -> None:
    if target == "encoder checkpoint":  # what cannot be read is not there: training begins anew
        assert TARGETS[target].feed(mended.FILES[target][what](), tmp_path) is None
        return
    with pytest.raises(EvenhandError) as caught:
        TARGETS[target].feed(mended.FILES[target][what](), tmp_path)
    assert len(str(caught.value).splitlines()) == 1
    assert caught.value.exit_code == 2


@pytest.mark.parametrize("what", mended.TABLES)
def test_tables(what: str) -> None:
    make, options = mended.TABLES[what]
    watch = Watch()
    watch.look(lambda: audited.check(eh.audit(make(), **options), drawn=False), what)
    assert [fault.told for fault in watch.faults.values()] == []


def test_a_threshold_beyond_the_precision_of_the_scores() -> None:
    score = np.array([0.2, 0.7], dtype=np.float32)
    tally = PlacedRows.from_rows(score, Rows(np.array([False, True]), {})).tally()
    for threshold, share in ((1e300, 0.0), (-1e300, 1.0)):
        assert rates.tpr(tally.confusion(threshold)).value == share
        assert ScoreCells.from_tally(tally).cut(threshold) == (2 if share == 0.0 else 0)


def test_a_number_with_more_digits_than_any_is_read_as_it_is_written(tmp_path: Path) -> None:
    rows = [f"{10**30 + number},0.{number + 1},{number % 2},{number % 3 == 0}" for number in range(8)]
    (tmp_path / "items.csv").write_text("\n".join(["id,p,y,g", *rows]))
    report = eh.audit(tmp_path / "items.csv", score="p", label="y", groups=["g"], id="id", audits="bias")
    assert report.findings[0].get("count").value == 8


def test_a_long_value_is_cut_short(tmp_path: Path) -> None:
    (tmp_path / "items.csv").write_text(f"id,p,y,g\n1,{'x' * 9000},1,1\n2,0.5,0,0\n")
    with pytest.raises(EvenhandError, match="column 'p', row 1: scores must be numbers") as caught:
        eh.audit(tmp_path / "items.csv", score="p", label="y", groups=["g"], audits="bias")
    assert len(str(caught.value)) < 1500


def test_a_compressed_file_is_known_by_its_content(tmp_path: Path) -> None:
    """Plain text that is called .gz is read; bytes before the compressed ones are told."""
    (tmp_path / "items.csv.gz").write_text("id,p,y,g\n1,0.2,1,1\n2,0.5,0,0\n")
    told = eh.Declaration(score=("p",), label="y")
    assert eh.open_evidence(tmp_path / "items.csv.gz", told).size == 2
    packed = gzip.compress((tmp_path / "items.csv.gz").read_bytes())
    (tmp_path / "items.csv.gz").write_bytes(b"\xef\xbb\xbf" + packed)
    with pytest.raises(EvenhandError, match="set `encoding`"):
        eh.open_evidence(tmp_path / "items.csv.gz", told)


def test_a_background_that_weighs_nothing_beside_the_group() -> None:
    weights = Weights.from_columns(count=np.array([1.0, 1e15, 1.0]), inclusion=np.array([1e-3, 1e-12, 1.0]))
    group = {"g": Membership(np.array([1, 2], dtype=np.int32))}
    tally = PlacedRows.from_rows(np.array([0.0, 0.9, 0.1]), Rows(np.array([True, True, False]), group, weights)).tally()
    with pytest.raises(Undefined, match="violating items outside the group have no weight"):
        bias.bpsn_auc(tally.split("g"))
