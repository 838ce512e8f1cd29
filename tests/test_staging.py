"""Hidden folders: nobody can foresee or use them, none stays, and those of dead processes go."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from evenhand import staging
from evenhand.errors import InputError
from evenhand.files import fresh_file, write_text
from evenhand.staging import hidden_folder, locked

KILLED = """
import os, signal, sys
from pathlib import Path
from evenhand.staging import hidden_folder

with hidden_folder(Path(sys.argv[1])) as folder:
    (folder / "half").write_text("half")
    print(folder.parent, flush=True)
    sys.stdin.read()
    os.kill(os.getpid(), signal.SIGKILL)
"""


def other_run(folder: Path) -> subprocess.Popen[str]:
    """Another process that writes into the folder, until it is told to die."""
    paths = os.pathsep.join(path for path in sys.path if path)
    return subprocess.Popen(
        [sys.executable, "-c", KILLED, folder],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": paths},
    )


def test_a_planted_link_is_never_followed(tmp_path: Path) -> None:
    """The name that was used once: anybody who may write into the folder could have put a link there."""
    victim = tmp_path / "victim"
    victim.write_text("theirs")
    (tmp_path / ".out.csv.new").symlink_to(victim)
    write_text(tmp_path / "out.csv", "ours")
    assert victim.read_text() == "theirs"
    assert (tmp_path / "out.csv").read_text() == "ours"
    assert (tmp_path / ".out.csv.new").is_symlink()


def test_it_is_for_us_alone_and_the_file_as_any_other(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        with fresh_file(tmp_path / "out.csv") as fresh:
            assert stat.S_IMODE(fresh.parent.parent.stat().st_mode) == 0o700
            fresh.write_text("ours")
        write_text(tmp_path / "mine.csv", "mine", private=True)
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "out.csv").stat().st_mode) == 0o644
    assert stat.S_IMODE((tmp_path / "mine.csv").stat().st_mode) == 0o600
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine.csv", "out.csv"]


def test_what_a_killed_run_left_goes_and_what_a_living_one_needs_stays(tmp_path: Path) -> None:
    run = other_run(tmp_path)
    assert run.stdout
    left = Path(run.stdout.readline().strip())
    write_text(tmp_path / "out.csv", "ours")
    assert (left / "content" / "half").exists(), "its run is alive"
    run.communicate("")
    assert run.returncode == -9
    assert left.exists()
    write_text(tmp_path / "out.csv", "ours")
    assert [path.name for path in tmp_path.iterdir()] == ["out.csv"]


@pytest.mark.parametrize("name", [".evenhand-training", ".evenhand-new-short", ".evenhand-new-abcd1234", "other"])
def test_folders_that_are_not_surely_ours_stay(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    (tmp_path / name / "thesis.docx").write_text("theirs")
    (tmp_path / "elsewhere" / "content").mkdir(parents=True)
    (tmp_path / ".evenhand-new-efgh5678").symlink_to(tmp_path / "elsewhere")
    write_text(tmp_path / "out.csv", "ours")
    assert (tmp_path / name / "thesis.docx").read_text() == "theirs"
    assert (tmp_path / "elsewhere" / "content").is_dir()


def test_one_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inside, most = [0], [0]

    def work() -> None:
        for _ in range(5):
            with locked(tmp_path):
                inside[0] += 1
                most[0] = max(most[0], inside[0])
                threading.Event().wait(0.002)
                inside[0] -= 1

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1]
    monkeypatch.setattr(staging, "PATIENCE", 0.05)
    with locked(tmp_path), pytest.raises(InputError, match="another run is writing"), locked(tmp_path):
        pass


def test_without_locks_it_works_and_removes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".evenhand-new-abcd1234" / "content").mkdir(parents=True)
    monkeypatch.setitem(sys.modules, "fcntl", None)
    with hidden_folder(tmp_path) as one, hidden_folder(tmp_path) as two:
        assert one != two
    assert [path.name for path in tmp_path.iterdir()] == [".evenhand-new-abcd1234"]
