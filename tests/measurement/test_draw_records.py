"""Draws as they are written into the file of a plan."""

from __future__ import annotations

import numpy as np
import pytest

from evenhand.errors import InputError
from evenhand.measurement.draw_records import part_as_data
from evenhand.measurement.plan import DrawnPart
from evenhand.measurement.plan_file import check_plan_path
from evenhand.sampling.clusters import ClusterDraw


def test_the_file_of_a_draw_of_clusters(tmp_path) -> None:
    drawn = ClusterDraw(np.array([3, 4, 9]), np.array([0, 0, 1]), 2, 8)
    content = part_as_data(DrawnPart("all", ("a", "b", "c"), drawn))
    assert content["items"] == {"id": ["a", "b", "c"], "row": [3, 4, 9], "cluster": [0, 0, 1], "inclusion": [0.25] * 3}
    assert content["clusters"] == {"drawn": 2, "total": 8}
    (tmp_path / "other.json").write_text("{}")
    with pytest.raises(InputError) as raised:
        check_plan_path(tmp_path / "other.json")
    said = "another file with this name exists: choose another name for the plan"
    assert str(raised.value) == f"{tmp_path / 'other.json'}: {said}"
