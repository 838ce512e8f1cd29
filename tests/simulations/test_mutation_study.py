"""Mutants of a made-up module are found, tried and told apart; the committed study keeps its bar."""

from __future__ import annotations

from pathlib import Path

import pytest
from studies.mutation import STUDY
from studies.mutation.study import Mutation, read

BAR = 0.85

SHARES = '''"""Shares."""

from dataclasses import dataclass

LIMIT = 10
NAME = "share"


@dataclass(frozen=True)
class Share:
    part: float
    whole: float

    @property
    def value(self) -> float:
        """A property, which mutmut itself leaves alone."""
        return self.part / self.whole


def capped(number: int) -> int:
    return LIMIT if number > LIMIT else number


def endless(number: int) -> int:
    while number > 0:
        number -= 1
    return number


def unseen(number: int) -> int:
    return number + 1
'''

TESTS = """
from shares.shares import NAME, Share, capped, endless

def test_name():
    assert NAME == "share"

def test_share():
    assert Share(1, 4).value == 0.25

def test_capped():
    assert capped(3) == 3
    assert capped(30) == 10

def test_endless():
    assert endless(3) == 0
"""


INI = "[pytest]\naddopts = -p no:schemathesis"  # which takes seconds of each fresh start


@pytest.fixture
def made_up(tmp_path: Path) -> Mutation:
    pytest.importorskip("mutmut", reason="mutants are made with the extra 'study'")
    for name, text in {"src/shares/shares.py": SHARES, "tests/test_shares.py": TESTS, "pytest.ini": INI}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return Mutation(tmp_path / "src", ("shares",), ("tests",), mutants=None, patience=12.0, results=tmp_path)


@pytest.mark.verify
def test_what_tests_notice_is_told_from_what_they_do_not(made_up: Mutation) -> None:
    found = {row["change"]: row["outcome"] for row in made_up.everything()}
    assert found["return self.part / self.whole → return self.part * self.whole"] == "killed"
    assert found["LIMIT = 10 → LIMIT = 11"] == "killed"
    # by a test that runs no line of the module, in a fresh process whose start may outlast its time on a busy machine
    assert found['NAME = "share" → NAME = "SHARE"'].startswith("killed")
    assert found["number -= 1 → number += 1"] == "killed late"
    assert (
        found["return LIMIT if number > LIMIT else number → return LIMIT if number >= LIMIT else number"] == "survived"
    )
    assert found["return number + 1 → return number + 2"] == "survived"
    assert not any("frozen" in change or "->" in change for change in found)


def test_counts_and_survivors_are_kept_with_what_was_said(made_up: Mutation) -> None:
    row = {"file": "shares/shares.py", "function": "capped", "line": 20}
    rows = [{**row, "change": str(n), "outcome": "survived" if n == 3 else "killed"} for n in range(10)]
    made_up.survivors.write_text("file,function,change,why\nshares/shares.py,capped,3,the same\n")
    made_up.write(rows)
    of_all = made_up.read()[-1]
    assert (of_all["module"], of_all["tried"], of_all["killed"], of_all["score"]) == ("all", 10, 9, 0.9)
    assert (of_all["low"], of_all["high"]) == pytest.approx((0.5958, 0.9821), abs=1e-4)  # Wilson's, of nine in ten
    assert [line["why"] for line in read(made_up.survivors)] == ["the same"]


def test_a_sample_takes_of_each_module_in_proportion(made_up: Mutation) -> None:
    other = made_up.folder / "shares" / "twice.py"
    other.write_text(SHARES + SHARES.replace("class Share", "class Other"))
    few = Mutation(made_up.folder, ("shares",), ("tests",), mutants=30)
    drawn = [mutant.source.name for mutant in few.drawn()]
    assert (drawn.count("shares/shares.py"), drawn.count("shares/twice.py")) == (10, 20)
    assert len({mutant.text for mutant in few.drawn()}) == 30
    assert [mutant.change for mutant in few.drawn()] == [mutant.change for mutant in few.drawn()]


def test_the_bar_is_kept_and_every_survivor_is_explained() -> None:
    rows = {row["module"]: row for row in STUDY.read()}
    for name in (*STUDY.packages, "all"):
        assert rows[name]["score"] >= BAR, name
    survivors = read(STUDY.survivors)
    assert len(survivors) == rows["all"]["survived"]
    assert all(row["why"] for row in survivors)
