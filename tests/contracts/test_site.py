"""The site builds without a warning, asks nobody for anything, and its reference is the code's."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from docs.generated import commands, licences, measures, names, roles

import evenhand
from evenhand.catalogue import MEASURES
from evenhand.evidence.declaration import Declaration

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", folder],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.verify
def test_no_page_fetches_anything_from_elsewhere(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    assert len(pages) > 25
    for page in pages:
        text = page.read_text()
        assert re.findall(r'<(?:script|img|iframe)[^>]*src="(?:https?:)?//', text) == [], page
        assert re.findall(r'<link[^>]*rel="(?:stylesheet|preconnect)"[^>]*href="(?:https?:)?//', text) == [], page


@pytest.mark.verify
def test_search_works_from_a_folder(site: Path) -> None:
    assert "review_efficiency" in (site / "search" / "search_index.js").read_text()
    assert "iframe-worker.js" in (site / "index.html").read_text()


@pytest.mark.verify
def test_the_picture_of_the_readme_is_on_the_first_page(site: Path) -> None:
    (source,) = re.findall(r'src="([^"]*report\.png)"', (site / "index.html").read_text())
    assert (site / source).exists()


def test_the_reference_has_everything() -> None:
    page = commands.page()
    for name in ("audit", "calibrate fit", "sample simulate", "synthesise community", "demo"):
        assert f"## evenhand {name}\n" in page
    assert "`--fail-on-alarm`" in page
    named = names.page()
    for name in set(evenhand.__all__) - {"AUDITS", "__version__", *names.MODULES}:
        assert f"## {name}\n" in named
    for module in names.MODULES:
        assert f"reference/{module}.md" in (ROOT / "mkdocs.yml").read_text()
        page = names.module_page(module)
        for name in getattr(evenhand, module).__all__:
            assert f"## {name}\n" in page or f"| `{name}` |" in page, (module, name)
    for name, row in MEASURES.items():
        assert f"| `{name}` | {row.title} |" in measures.page()
    for name in Declaration.__dataclass_fields__:
        assert f"| `{name}` |" in roles.page()


def test_licences_are_those_of_what_is_pinned() -> None:
    page = licences.page()
    assert page == licences.PAGE.read_text(), "run: python -m docs.generated.licences"
    assert "not pinned" not in page
    assert "not said" not in page
    assert " GPL" not in page
