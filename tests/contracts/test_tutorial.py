"""The tutorial, followed word by word in an empty folder: every block runs, and prints what the page says."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from docs.pictures import take

PAGE = Path(__file__).parents[2] / "docs" / "tutorial.md"
LEFT_OUT = "…"


@pytest.fixture(scope="module")
def followed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[tuple[str, str]]]:
    """The folder after all blocks have run, and pairs of what was printed and what the page says."""
    folder, printed, pairs = tmp_path_factory.mktemp("tutorial"), "", []
    for language, block in re.findall(r"```(\w+)\n(.*?)```", PAGE.read_text(), re.DOTALL):
        if language == "text":
            pairs.append((printed, block))
        else:
            commands = [["-c", block]] if language == "python" else [program(line) for line in block.splitlines()]
            printed = "".join(ran(command, folder) for command in commands)
    return folder, pairs


@pytest.mark.verify
def test_every_block_prints_what_the_page_says(followed: tuple[Path, list[tuple[str, str]]]) -> None:
    assert len(followed[1]) >= 3
    for printed, said in followed[1]:
        assert_alike(printed, said)


@pytest.mark.verify
@pytest.mark.skipif(take.browser() is None, reason="no Chromium here to take a picture of the report with")
def test_a_picture_can_be_taken_of_the_report(followed: tuple[Path, list[tuple[str, str]]], tmp_path: Path) -> None:
    picture = tmp_path / "report.png"
    take.take(followed[0] / "report" / "report.html", picture)
    assert size(picture) == (take.WIDTH, take.HEIGHT)
    assert picture.stat().st_size > 100_000  # a blank page is a few kilobytes


def test_the_picture_of_the_readme_is_small_and_of_this_size() -> None:
    assert size(take.PICTURE) == (take.WIDTH, take.HEIGHT)
    assert take.PICTURE.stat().st_size < 250_000
    assert "docs/pictures/report.png" in (PAGE.parents[1] / "README.md").read_text()


def test_the_pictures_of_the_desk_are_small_and_shown() -> None:
    page = (PAGE.parent / "reviewing.md").read_text()
    for picture in take.DESK:
        assert size(picture) == (1280, 900)
        assert picture.stat().st_size <= 200_000
        assert f"(pictures/{picture.name})" in page


def size(picture: Path) -> tuple[int, int]:
    """Width and height, from the head of a PNG."""
    head = picture.read_bytes()[:24]
    assert head.startswith(b"\x89PNG")
    return int.from_bytes(head[16:20]), int.from_bytes(head[20:24])


def program(line: str) -> list[str]:
    name, *arguments = shlex.split(line)
    assert name == "evenhand", line
    return ["-m", name, *arguments]


def ran(arguments: list[str], folder: Path) -> str:
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env={**os.environ, "COLUMNS": "80"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def assert_alike(printed: str, said: str) -> None:
    """Line by line, but for empty ones and blanks at the end; a line of three dots stands for any lines."""
    lines = lines_of(printed)
    for part in re.split(rf"^{LEFT_OUT}$", said, flags=re.MULTILINE):
        wanted = lines_of(part)
        places = range(len(lines) - len(wanted) + 1)
        found = next((start for start in places if lines[start : start + len(wanted)] == wanted), None)
        assert found is not None, f"the page says\n{part}\nbut it is\n{printed}"
        lines = lines[found + len(wanted) :]


def lines_of(text: str) -> list[str]:
    return [line.rstrip() for line in text.splitlines() if line.strip()]
