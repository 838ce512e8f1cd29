"""A calibrator comes back from its file exactly, and a file that is not what was written is refused in one line."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from calibrators.made import MULTI, NAMES, example, several
from evenhand.calibrators import METHODS, fit, read, write
from evenhand.errors import InputError
from evenhand.files import content_hash


@pytest.mark.parametrize("method", list(METHODS))
def test_it_comes_back_exactly(method, tmp_path: Path) -> None:
    p, labels = example(method, items=700, sureness=2.0)
    weights = np.random.default_rng(0).uniform(0.0, 2.0, len(p))
    names = ("benign", "toxic") if METHODS[method].binary else NAMES
    found = fit(p, labels, weights, method=method, classes=names, data="comments.parquet 1f3a")
    write(found, tmp_path / "calibrator.json")
    again = read(tmp_path / "calibrator.json", classes=names)
    assert again == found
    np.testing.assert_array_equal(again.apply(p), found.apply(p))
    assert [path.name for path in tmp_path.iterdir()] == ["calibrator.json"]


@pytest.mark.parametrize("method", MULTI)
@pytest.mark.parametrize("present", [(0, 2), (0, 1, 2), (3,)])
def test_it_comes_back_with_classes_that_pass(method, present, tmp_path: Path) -> None:
    p, labels = several(700)
    kept = np.isin(labels, present)
    found = fit(p[kept], labels[kept], method=method)
    write(found, tmp_path / "calibrator.json")
    assert read(tmp_path / "calibrator.json") == found


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "calibrator.json"
    write(fit(*several(700), method="vector", classes=NAMES, data="a file"), path)
    return path


def test_it_says_what_it_is(file: Path) -> None:
    content = json.loads(file.read_text())
    assert (content["format"], content["method"], content["classes"]) == (1, "vector", list(NAMES))
    assert content["fitted_on"]["data"] == "a file"
    assert sum(content["fitted_on"]["items"].values()) == 700
    assert len(content["parameters"]["slopes"]) == 4
    assert isinstance(content["warnings"], list)


def refused(path: Path, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        read(path)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)


def test_a_change_by_hand_is_refused(file: Path) -> None:
    whole = file.read_text()
    slope = json.loads(whole)["parameters"]["slopes"][0]
    for old, new in ((str(slope), str(slope + 1e-9)), ("hostility", "hostile"), ("a file", "b file")):
        assert old in whole
        file.write_text(whole.replace(old, new))
        refused(file, "altered since it was written")
    file.write_text(whole.replace("\n", "\n  "))  # spaces say nothing
    assert read(file).method == "vector"


@pytest.mark.parametrize(
    "key", ["method", "classes", "passing", "parameters", "fitted_on", "options", "warnings", "seal"]
)
def test_a_missing_part_is_named(file: Path, key: str) -> None:
    content = json.loads(file.read_text())
    del content[key]
    file.write_text(json.dumps(content))
    refused(file, f"not complete: {key} missing")


def test_what_is_no_calibrator(file: Path, tmp_path: Path) -> None:
    whole = file.read_text()
    for text in ("", "{", "slopes = 1", whole[:-30]):
        file.write_text(text)
        refused(file, "not JSON")
    file.write_bytes(b"\xff\xfe\x00")
    refused(file, "not JSON")
    for text in ("[]", "3", "{}", '{"model": "a"}'):
        file.write_text(text)
        refused(file, "not a calibrator file")
    file.write_text(whole.replace('"format": 1', '"format": 2'))
    refused(file, "another version of Evenhand")
    refused(tmp_path / "nothing.json", "no such file")


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_numbers_that_are_not_finite(file: Path, word: str) -> None:
    whole = file.read_text()
    slope = json.loads(whole)["parameters"]["slopes"][0]
    file.write_text(whole.replace(str(slope), word))
    refused(file, "not finite")


BROKEN = [
    {"method": "nothing"},
    {"method": "ts"},
    {"parameters": None},
    {"parameters": {"slopes": [1.0, 1.0], "offsets": [0.0, 0.0]}},
    {"parameters": {"slopes": "abcd", "offsets": [0.0] * 4}},
    {"parameters": {"slopes": [True] * 4, "offsets": [0.0] * 4}},
    {"passing": [7]},
    {"classes": ["neutral"]},
    {"fitted_on": {"data": "", "columns": [], "scale": "probability", "items": {}}},
    {"fitted_on": []},
]


@pytest.mark.parametrize("change", BROKEN, ids=str)
def test_parts_that_do_not_fit_together(file: Path, change: dict) -> None:
    """Even with a right seal, as another program might write it."""
    content = json.loads(file.read_text()) | change
    del content["seal"]
    file.write_text(json.dumps({**content, "seal": content_hash(content)}))
    refused(file, "do not fit together|no calibration method")


def test_other_classes_are_refused(file: Path) -> None:
    with pytest.raises(InputError, match="other classes: a, b"):
        read(file, classes=("a", "b"))


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be written"):
        write(fit(*several(100)), tmp_path / "nowhere" / "calibrator.json")
