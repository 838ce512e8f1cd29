"""Opening a model from whatever names it."""

from __future__ import annotations

from pathlib import Path

import pytest

from evenhand.classifiers.models import open_model
from evenhand.errors import InputError


def test_a_skops_file_is_to_be_described(tmp_path: Path) -> None:
    (tmp_path / "model.skops").write_bytes(b"x")
    with pytest.raises(InputError, match="this is a skops file"):
        open_model(tmp_path / "model.skops")


def test_a_device_for_a_model_that_has_none(tmp_path: Path) -> None:
    (tmp_path / "m.toml").write_text('kind = "skops"\npath = "m.skops"\n')
    with pytest.raises(InputError, match="does not use `device`"):
        open_model(tmp_path / "m.toml", device="cuda")
