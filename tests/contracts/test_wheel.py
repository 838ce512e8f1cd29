"""What is shipped: all that runs, the default model and templates included, its licence and parts, nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from zipfile import ZipFile

import pytest
from docs.generated import sbom
from hatchling.builders.wheel import WheelBuilder

from evenhand.version import __version__

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    (path,) = WheelBuilder(str(ROOT)).build(directory=str(tmp_path_factory.mktemp("wheel")), versions=["standard"])
    with ZipFile(path) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


@pytest.fixture(scope="module")
def shipped(wheel: dict[str, bytes]) -> set[str]:
    return {name for name in wheel if ".dist-info/" not in name}


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


def test_licence_version_and_bill_of_materials_are_beside_it(wheel: dict[str, bytes]) -> None:
    beside = {name.partition(".dist-info/")[2]: content for name, content in wheel.items() if ".dist-info/" in name}
    assert {name.partition("-")[2].split(".dist-info")[0] for name in wheel if ".dist-info/" in name} == {__version__}
    assert b"Apache License" in beside["licenses/LICENSE"]
    assert json.loads(beside["sboms/evenhand.cdx.json"])["bomFormat"] == "CycloneDX"
    assert beside["sboms/evenhand.cdx.json"] == sbom.FILE.read_bytes()
