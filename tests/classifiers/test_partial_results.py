"""A long run that is broken off, however that happens: nothing is scored twice, nothing is lost, nothing is wrong."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from classifiers.made import Told, comments, contents
from classifiers.server import Asked, Reply, serving
from evenhand.classifiers.scoring import ScoringResult, score_file
from evenhand.errors import InputError

ROWS = 50
BROKEN = [InputError("the model is tired"), OSError(5, "Input/output error"), KeyboardInterrupt(), RuntimeError("bug")]
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    comments(ROWS).write_csv("in.csv")
    return tmp_path


def undisturbed(name: str = "out.csv") -> bytes:
    Path("whole").mkdir(exist_ok=True)
    score_file("in.csv", f"whole/{name}", model=Told())
    return Path(f"whole/{name}").read_bytes()


def broken_off(error: BaseException | None = None, until: int = 25, out: str = "out.csv", **options: Any) -> Told:
    model = Told(until=until, error=error or InputError("the model is tired"))
    with pytest.raises((InputError, KeyboardInterrupt, RuntimeError)) as caught:
        score_file("in.csv", out, model=model, **options)
    if isinstance(caught.value, InputError) and until >= 7:
        assert "the scores so far are kept: run the same command again to continue" in str(caught.value)
    assert not Path(out).exists()
    return model


def left() -> list[str]:
    return sorted(path.name for path in Path().iterdir() if path.name not in ("in.csv", "whole"))


@pytest.mark.parametrize("error", BROKEN, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("out", ["out.csv", "out.parquet"])
def test_it_goes_on_where_it_was(here: Path, error: BaseException, out: str) -> None:
    first, second = broken_off(error, out=out), Told()
    assert len(first.seen) == 21
    assert left() == [f".{out}.pieces"]
    assert score_file("in.csv", out, model=second) == ScoringResult(ROWS, 21, 0)
    assert first.seen + second.seen == comments(ROWS)["text"].to_list()
    assert left() == [out]
    assert Path(out).read_bytes() == undisturbed(out)


def test_it_can_break_off_again_and_again(here: Path) -> None:
    seen = [text for until in (7, 7, 8, 20) for text in broken_off(until=until).seen]
    last = Told()
    assert score_file("in.csv", "out.csv", model=last).resumed == 7 + 7 + 7 + 14
    assert seen + last.seen == comments(ROWS)["text"].to_list()
    assert Path("out.csv").read_bytes() == undisturbed()


def test_a_run_that_scored_nothing_leaves_nothing(here: Path) -> None:
    broken_off(until=3, out="new/er/out.csv")
    assert left() == []


def test_a_frame_cannot_be_known_again(here: Path) -> None:
    with pytest.raises(InputError) as caught:
        score_file(comments(ROWS), "out.csv", model=Told(until=25, error=InputError("the model is tired")))
    assert "kept" not in str(caught.value)
    assert left() == []
    Path(".out.csv.pieces").mkdir()  # as a run that was killed leaves it
    Path(".out.csv.pieces/job.json").write_text("null")
    comments(7).write_parquet(".out.csv.pieces/000000000000.parquet")
    assert score_file(comments(ROWS), "out.csv", model=Told()).resumed == 0
    assert Path("out.csv").read_bytes() == undisturbed()


@pytest.mark.parametrize("change", ["version", "name", "batch", "file", "text", "prefix"])
def test_another_job_starts_anew(here: Path, change: str) -> None:
    broken_off()
    table = comments(ROWS).with_columns(other=pl.col("text").str.reverse())
    options: dict[str, Any] = {"text": "text"}
    model = Told()
    if change in ("version", "name"):
        setattr(model, change, "2")
    elif change == "batch":
        model.batch = 8
    elif change == "prefix":
        options["prefix"] = "x_"
    else:
        table.write_csv("in.csv")
        options["text"] = "other" if change == "text" else "text"
    assert score_file("in.csv", "out.csv", model=model, **options) == ScoringResult(ROWS, 0, 0)
    assert len(model.seen) == ROWS
    assert left() == ["out.csv"]
    found = pl.read_csv("out.csv")
    assert len(found) == ROWS
    assert set(found[f"{options.get('prefix', '')}model_version"].cast(pl.String)) == {model.version}


def pieces() -> list[Path]:
    return sorted(Path(".out.csv.pieces").glob("*.parquet"))


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-20])


def scratch(path: Path) -> None:
    whole = path.read_bytes()
    path.write_bytes(whole[:4] + b"\xff" * 200 + whole[204:])


DAMAGE = {"missing": Path.unlink, "empty": lambda path: path.write_bytes(b""), "cut": cut, "scratched": scratch}


@pytest.mark.parametrize("which", [0, 1, 2])
@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_piece_and_all_after_it_are_scored_again(here: Path, damage: str, which: int) -> None:
    broken_off()
    DAMAGE[damage](pieces()[which])  # type: ignore[operator]
    model = Told()
    assert score_file("in.csv", "out.csv", model=model) == ScoringResult(ROWS, 7 * which, 0)
    assert model.seen == comments(ROWS)["text"].to_list()[7 * which :]
    assert Path("out.csv").read_bytes() == undisturbed()
    assert left() == ["out.csv"]


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"{}"])
def test_a_damaged_note_of_the_job_starts_anew(here: Path, content: bytes) -> None:
    broken_off()
    Path(".out.csv.pieces/job.json").write_bytes(content)
    assert score_file("in.csv", "out.csv", model=Told()) == ScoringResult(ROWS, 0, 0)
    assert Path("out.csv").read_bytes() == undisturbed()


def test_leftovers_of_a_piece_that_was_being_written_do_no_harm(here: Path) -> None:
    broken_off()
    Path(".out.csv.pieces/.evenhand-new-abcd1234/content").mkdir(parents=True)
    Path(".out.csv.pieces/.evenhand-new-abcd1234/content/000000000021.parquet").write_bytes(b"PAR1 and no more")
    assert score_file("in.csv", "out.csv", model=Told()).resumed == 21
    assert Path("out.csv").read_bytes() == undisturbed()
    assert left() == ["out.csv"]


def test_a_folder_of_this_name_that_leads_elsewhere_is_refused(here: Path, tmp_path: Path) -> None:
    Path("theirs").mkdir()
    comments(7).write_parquet("theirs/000000000000.parquet")
    before = Path("theirs/000000000000.parquet").read_bytes()
    Path(".out.csv.pieces").symlink_to("theirs")
    with pytest.raises(InputError, match=r"\.out\.csv\.pieces: the scores so far are kept here, and this is a link"):
        score_file("in.csv", "out.csv", model=Told())
    assert [path.name for path in Path("theirs").iterdir()] == ["000000000000.parquet"]
    assert Path("theirs/000000000000.parquet").read_bytes() == before


@pytest.mark.parametrize("name", ["lock", "job.json"])
def test_a_link_within_it_is_not_followed(here: Path, name: str) -> None:
    Path("theirs.txt").write_text("theirs")
    Path(".out.csv.pieces").mkdir()
    Path(".out.csv.pieces", name).symlink_to(Path("theirs.txt").absolute())
    with pytest.raises(InputError):
        score_file("in.csv", "out.csv", model=Told())
    assert Path("theirs.txt").read_text() == "theirs"


def test_what_somebody_put_beside_the_pieces_stays(here: Path) -> None:
    broken_off()
    Path(".out.csv.pieces/mine.parquet").write_text("mine")
    score_file("in.csv", "out.csv", model=Told(), prefix="x_")
    assert Path(".out.csv.pieces/mine.parquet").read_text() == "mine"


def test_an_earlier_result_stays_until_the_new_one_is_whole(here: Path) -> None:
    Path("out.csv").write_text("earlier")
    with pytest.raises(InputError):
        score_file("in.csv", "out.csv", model=Told(until=25, error=InputError("the model is tired")))
    assert Path("out.csv").read_text() == "earlier"
    score_file("in.csv", "out.csv", model=Told())
    assert Path("out.csv").read_bytes() == undisturbed()


CHILD = """
import resource, signal, sys, time
import classifiers.made as made
from evenhand.classifiers.scoring import score_file
from evenhand.errors import InputError

class Slow(made.Told):
    def score(self, texts):
        if len(self.seen) >= int(sys.argv[1]):
            print("waiting", flush=True)
            time.sleep(60)
        return super().score(texts)

if len(sys.argv) > 2:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), resource.RLIM_INFINITY))
try:
    score_file("in.csv", sys.argv[3] if len(sys.argv) > 3 else "out.csv", model=Slow())
except InputError as error:
    sys.exit(str(error))
"""


def child(*arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", CHILD, *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT)


@pytest.mark.verify
def test_a_run_that_is_killed(here: Path) -> None:
    with child(21) as run:
        assert run.stdout is not None
        assert run.stdout.readline() == "waiting\n"
        run.send_signal(signal.SIGKILL)
    assert left() == [".out.csv.pieces"]
    model = Told()
    assert score_file("in.csv", "out.csv", model=model) == ScoringResult(ROWS, 21, 0)
    assert len(model.seen) == ROWS - 21
    assert Path("out.csv").read_bytes() == undisturbed()
    assert left() == ["out.csv"]


@pytest.mark.parametrize("done", [0, 21])
def test_two_runs_at_once(here: Path, done: int) -> None:
    with child(done) as run:
        assert run.stdout is not None
        assert run.stdout.readline() == "waiting\n"
        before = contents(here)
        second = Told()
        with pytest.raises(InputError, match=r"out\.csv: another run is writing this file"):
            score_file("in.csv", "out.csv", model=second)
        assert second.seen == []
        assert contents(here) == before
        run.send_signal(signal.SIGKILL)
    assert score_file("in.csv", "out.csv", model=Told()).resumed == done


@pytest.mark.parametrize("out", ["out.csv", "out.parquet", "out.jsonl", "out.arrow"])
@pytest.mark.verify
def test_a_full_disk_when_all_is_scored(here: Path, out: str) -> None:
    table = comments(ROWS).with_columns(long=pl.Series([os.urandom(300).hex() for _ in range(ROWS)]))
    table.write_csv("in.csv")
    with child(10**6, 20_000, out) as run:
        _, said = run.communicate()
    assert said.startswith(f"{out}: "), said
    assert "File too large" in said
    assert said.strip().endswith("the scores so far are kept: run the same command again to continue")
    assert len(said.strip().splitlines()) == 1
    assert left() == [f".{out}.pieces"]
    model = Told()
    assert score_file("in.csv", out, model=model, text="text") == ScoringResult(ROWS, ROWS, 0)
    assert model.seen == []
    assert left() == [out]
    assert Path(out).read_bytes() == undisturbed(out)


def test_a_full_disk_before_the_first_piece(here: Path) -> None:
    with child(10**6, 1500) as run:
        _, said = run.communicate()
    assert said.startswith("out.csv: the scores could not be stored, the disk may be full: ")
    assert len(said.strip().splitlines()) == 1
    assert left() == []


def test_an_endpoint_that_goes_down_and_comes_back(program: Any) -> None:
    comments(ROWS).write_csv("in.csv")
    back = False
    good: list[str] = []

    def answer(asked: Asked, number: int) -> Reply:
        if len(good) >= 30 and not back:
            return Reply({"error": "down"}, status=503)
        good.append(asked.body["text"])
        return Reply({"score": len(asked.body["text"]) / 100})

    with serving(answer) as server:
        lines = ['kind = "endpoint"', f'url = "{server.url}"', 'body = { text = "{text}" }', 'response = "score"']
        Path("endpoint.toml").write_text("\n".join([*lines, "tries = 1"]))
        failed = program("score", "endpoint.toml", "in.csv", "-o", "out.csv", "--send-to", server.url)
        assert failed.code == 2
        assert failed.err.startswith(f"evenhand: {server.url}: status 503 after one try; the scores so far are kept")
        assert len(failed.err.strip().splitlines()) == 1
        assert not Path("out.csv").exists()
        back, kept = True, len(good)
        done = program("score", "endpoint.toml", "in.csv", "-o", "out.csv", "--send-to", server.url)
    assert done.code == 0, done.err
    assert "went on after 24 rows" in done.out
    assert kept == 30  # six of them in a piece that was not finished
    assert good[30:] == comments(ROWS)["text"].to_list()[24:]
    table = pl.read_csv("out.csv")
    assert table["p"].to_list() == [len(text) / 100 for text in comments(ROWS)["text"]]
    assert set(table["model"]) == {"endpoint"}
    assert left() == ["endpoint.toml", "out.csv"]


def test_a_fault_of_the_data_is_not_one_to_run_again(here: Path) -> None:
    with Path("in.csv").open("ab") as file:
        file.write(b"50,caf\x81,calm,true,0.1,true,test\n")
    with pytest.raises(InputError, match=r"in\.csv: column 'text', row 51: not CP1252") as caught:
        score_file("in.csv", "out.csv", model=Told())
    assert "again" not in str(caught.value)
    comments(ROWS).write_csv("in.csv")
    score_file("in.csv", "out.csv", model=Told())
    assert Path("out.csv").read_bytes() == undisturbed()
    assert left() == ["out.csv"]
