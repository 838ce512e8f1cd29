"""Submission: whatever the server does and whenever a run is killed, every statement is stored once, none twice."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from evenhand.errors import InputError
from evenhand.exchange.dsa import submission
from evenhand.exchange.dsa.statements import StatementSource, read_statements, write_statements
from evenhand.exchange.dsa.submission import Destination, Ledger, submit_statements
from exchange.dsa import corpus
from exchange.dsa.local_database import TOKEN, Database, running


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    folder = tmp_path_factory.mktemp("statements")
    path = corpus.jsonl(folder / "d.jsonl", corpus.decisions(550))
    write_statements(StatementSource.read(path), folder / "s.jsonl")
    return (folder / "s.jsonl").read_bytes()


@pytest.fixture
def statements(made: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DSA_KEY", TOKEN)
    monkeypatch.setattr(submission, "backoff_wait", lambda failures, draw: 0.01)
    (tmp_path / "s.jsonl").write_bytes(made)
    return tmp_path / "s.jsonl"


def send(path: Path, server: Database, **settings: object) -> submission.SubmissionResult:
    destination = Destination.named(server.url, "DSA_KEY", **{"rate": 1000.0, "timeout": 5.0, **settings})
    return submit_statements(read_statements(path), Ledger(path), destination)


def test_batches_of_a_hundred_are_stored_once(statements: Path) -> None:
    with running() as server:
        assert send(statements, server).sent == 550
        assert server.sizes == [100, 100, 100, 100, 100, 50]
        assert len(server.stored) == 550
        assert send(statements, server) == submission.SubmissionResult(0, 550)
        assert len(server.sizes) == 6
    assert '"uuid": "u-case-0"' in Ledger(statements).path.read_text()


FAULTS = {
    "too many requests": (429, None, 429, 429, None),
    "server errors": (500, 503, None, None, 500),
    "answers that are lost": ("lost", None, "lost", None, None, "lost"),
    "answers that are late": ("late", None, "late"),
    "connections that break": ("cut", "cut", None, "cut"),
    "all of them": (429, "lost", 500, "cut", None, "lost", 503, 429, "cut", "lost"),
}


FAST = ("answers that are late", "all of them")


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in FAST else pytest.mark.verify) for name in FAULTS]
)
def test_faults_lead_to_no_double_and_no_gap(statements: Path, name: str) -> None:
    with running(*FAULTS[name]) as server:
        assert send(statements, server, timeout=0.5).sent == 550
        assert (len(server.stored), server.doubles) == (550, 0)
    assert len(Ledger(statements).puids) == 550


def test_a_run_that_gave_up_is_resumed(statements: Path) -> None:
    with running(None, None, "lost", 500, 500, 500) as server:
        with pytest.raises(InputError, match="run the same command again"):
            send(statements, server, tries=2)
        assert len(Ledger(statements).puids) == 200
        assert len(server.stored) == 300  # a batch was stored, and its answer lost
        send(statements, server)
        assert (len(server.stored), server.doubles) == (550, 0)


def test_a_slow_server_is_a_time_out(statements: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import httpx

    calls = []

    def stream(self: httpx.Client, method: str, url: str, **sent: object) -> object:
        calls.append(method)
        raise httpx.ReadTimeout("slow")

    monkeypatch.setattr(httpx.Client, "stream", stream)
    with running() as server, pytest.raises(InputError, match="no answer within 5 s after 3 tries"):
        send(statements, server, tries=3)
    assert calls == ["POST"] * 3


@pytest.mark.verify
@pytest.mark.parametrize("after", [1, 3], ids=["early", "late"])
def test_a_killed_process_is_resumed(statements: Path, after: int) -> None:
    command = [sys.executable, "-m", "evenhand", "statements", "submit", str(statements), "--secret", "DSA_KEY"]
    with running() as server:
        command += ["--send-to", server.url, "--rate", "20"]
        process = subprocess.Popen(command, env={**os.environ, "DSA_KEY": TOKEN}, stderr=subprocess.PIPE)
        until = time.monotonic() + 60
        while len(server.sizes) < after and time.monotonic() < until:
            time.sleep(0.005)
        process.kill()
        process.communicate()
        assert len(server.stored) > 0
        done = subprocess.run(command, env={**os.environ, "DSA_KEY": TOKEN}, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert (len(server.stored), server.doubles) == (550, 0)


def test_half_a_line_of_a_killed_run_is_no_entry(statements: Path) -> None:
    path = Ledger(statements).path
    path.write_text('{"puid": "case-0", "uuid": "u"}\n{"puid": "case-1", "uu')
    assert Ledger(statements).puids == {"case-0"}
    with running() as server:
        send(statements, server)
        assert len(server.stored) == 549
    assert all(line.endswith("}") for line in path.read_text().splitlines())


def test_a_refused_statement_is_named(statements: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = statements.read_text().splitlines()
    lines[120] = lines[120].replace("The item 120", "x@example.org")
    statements.write_text("\n".join(lines))
    monkeypatch.setattr("evenhand.exchange.dsa.statements.check_statement", lambda statement: [])
    with running() as server, pytest.raises(InputError, match=r"'case-120' was refused.*nothing of") as raised:
        send(statements, server)
    assert TOKEN not in str(raised.value)
    assert len(server.stored) == 100


def test_a_wrong_key_ends_at_once_and_is_not_shown(statements: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DSA_KEY", "wrong-key-456")
    with running() as server, pytest.raises(InputError, match="status 401") as raised:
        send(statements, server)
    assert len(server.requests) == 1
    assert "wrong-key-456" not in str(raised.value)


@pytest.mark.parametrize(
    ("send_to", "secret", "said"),
    [
        (None, "DSA_KEY", "nothing was sent"),
        ("https://example.org", None, "nothing was sent"),
        ("http://example.org", "DSA_KEY", "without encryption"),
    ],
    ids=["no host", "no key", "no encryption"],
)
def test_nothing_is_sent_unless_it_is_allowed(send_to: str | None, secret: str | None, said: str) -> None:
    with pytest.raises(InputError, match=said):
        Destination.named(send_to, secret)


def test_the_address_is_that_of_the_interface() -> None:
    assert Destination.named("host.example", "K").url == "https://host.example/api/v1"
    assert Destination.named("https://host.example/api/v1/", "K").url == "https://host.example/api/v1"


def test_the_pace_is_kept(statements: Path) -> None:
    with running() as server:
        start = time.monotonic()
        destination = Destination.named(server.url, "DSA_KEY", rate=20.0)
        submit_statements(read_statements(statements), Ledger(statements), destination)
    assert time.monotonic() - start >= 5 / 20
