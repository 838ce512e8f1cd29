"""What is shipped: everything that runs, the default model and templates included, and nothing else."""

from __future__ import annotations

from pathlib import Path
from zipfile import ZipFile

import pytest
from hatchling.builders.wheel import WheelBuilder

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src"


@pytest.fixture(scope="module")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    (wheel,) = WheelBuilder(str(ROOT)).build(directory=str(tmp_path_factory.mktemp("wheel")), versions=["standard"])
    with ZipFile(wheel) as opened:
        return {name for name in opened.namelist() if ".dist-info/" not in name}


def test_the_wheel_is_the_package_and_nothing_else(shipped: set[str]) -> None:
    files = (path for path in (SOURCE / "evenhand").rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    assert shipped == {path.relative_to(SOURCE).as_posix() for path in files}


def test_model_templates_and_types_are_inside(shipped: set[str]) -> None:
    assert "evenhand/py.typed" in shipped
    for folder, ending in (
        ("classifiers/shipped/default", ".npz"),
        ("classifiers/shipped/default", "card.md"),
        ("reports/templates", "page.html"),
        ("reports/templates", "style.css"),
        ("synthetic", ".py"),
        ("desk/pages/templates", "review.html"),
        ("desk/pages/static", "htmx.min.js"),
        ("desk/pages/static", "htmx.LICENSE.txt"),
        ("desk/pages/catalogue", "en.toml"),
    ):
        assert any(name.startswith(f"evenhand/{folder}/") and name.endswith(ending) for name in shipped), folder


def test_no_data_and_no_tests_are_inside(shipped: set[str]) -> None:
    assert not [name for name in shipped if "test" in Path(name).name or name.endswith((".parquet", ".csv", ".xlsx"))]
