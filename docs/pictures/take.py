"""The pictures of the documentation (`make pictures`): a report as the tutorial makes it, and pages of the desk.

Those of the desk are taken by the tests that look at its pages.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
TUTORIAL = HERE.parent / "tutorial.md"
PICTURE = HERE / "report.png"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
WIDTH, HEIGHT = 1060, 1322
DESK = (HERE / "desk.png", HERE / "desk-today.png")  # as `tests/browser/test_pages.py` calls them
LOOKS = HERE.parents[1] / "tests" / "browser" / "test_pages.py"


def browser() -> str | None:
    """The program that takes pictures, where there is one; EVENHAND_BROWSER names another."""
    named = (os.environ.get("EVENHAND_BROWSER"), *BROWSERS)
    return next((found for name in named if name and (found := shutil.which(name))), None)


def report(folder: Path) -> Path:
    """The report of the tutorial, made in a folder by the commands that stand there."""
    blocks = re.findall(r"```sh\n(.*?)```", TUTORIAL.read_text(), re.DOTALL)
    for line in "".join(blocks[:2]).splitlines():
        subprocess.run([sys.executable, "-m", *shlex.split(line)], cwd=folder, check=True, timeout=300)
    return folder / "report" / "report.html"


def take(page: Path, picture: Path) -> None:
    """A picture of the top of a page."""
    program = browser()
    if program is None:
        raise SystemExit(f"no browser: install one of {', '.join(BROWSERS)}, or name one with EVENHAND_BROWSER")
    with tempfile.TemporaryDirectory() as profile:
        subprocess.run(
            [
                program,
                *("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-dev-shm-usage"),
                f"--user-data-dir={profile}",
                f"--window-size={WIDTH},{HEIGHT}",
                f"--screenshot={picture.resolve()}",
                page.resolve().as_uri(),
            ],
            check=True,
            capture_output=True,
            timeout=120,
        )


def take_desk(folder: Path) -> None:
    """The pages of the demo that the documentation shows, as the tests see them."""
    those = [f"{LOOKS}::{name}" for name in ("test_covered_words_too", "test_no_violation_and_no_overflow[lena]")]
    command = [sys.executable, "-m", "pytest", "-q", "-n0", *those]
    subprocess.run(command, check=True, timeout=600, env={**os.environ, "EVENHAND_PICTURES": str(folder)})
    for picture in DESK:
        shutil.copy(folder / picture.name, picture)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        take(report(Path(made)), PICTURE)
    with tempfile.TemporaryDirectory() as made:
        take_desk(Path(made))
    print(*(PICTURE, *DESK), sep="\n")
