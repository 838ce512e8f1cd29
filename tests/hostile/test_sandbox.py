"""The sandbox sees what it is there to see: each forbidden deed, done on purpose, is found out."""

from __future__ import annotations

import pytest

from hostile import deeds
from hostile.judgement import misdeeds
from hostile.ordinary import provide
from hostile.sandbox import Sandbox

SEEN = {
    "write_elsewhere": "files: ~/left.txt is new",
    "write_beside_the_output": "files: work/beside.csv is new",
    "write_in_native_code": "files: precious/precious.txt is changed",
    "write_for_a_moment_elsewhere": "files: open(",
    "leave_a_temporary_file": "files: tmp/left is new",
    "change_an_input": "files: work/items.csv is changed",
    "touch_an_input": "files: work/items.csv is changed",
    "remove_a_file": "files: precious/precious.txt is gone",
    "remove_a_folder": "files: precious is gone",
    "rename_a_file": "files: precious/renamed.txt is new",
    "replace_somebodys_file_in_the_output": "files: work/out/precious.csv is changed",
    "make_a_link": "files: work/link is new",
    "change_permissions": "files: precious/precious.txt is changed",
    "read_what_nobody_named": "read: open(",
    "read_through_a_link": "read: open(",
    "connect": "the network: socket.connect(",
    "connect_in_native_code": "the network: somebody was contacted",
    "send_a_datagram": "the network: somebody was contacted",
    "look_up_a_name": "the network: socket.getaddrinfo(",
    "listen": "the network: socket.bind(",
    "start_a_process": "a process: subprocess.Popen(",
    "start_python": "a process: subprocess.Popen(",
    "ask_a_shell": "a process: os.system(",
    "fork": "a process: os.fork(",
    "leave_a_process": "the end: a process was left behind",
    "load_a_library": "code: ctypes.dlopen(",
    "import_a_module_beside": "files: canary is new",
    "run_a_file_beside": "code: exec(",
    "run_a_text": "code: compile(",
    "load_a_pickle": "code: pickle.find_class(",
    "tell_the_secret": "a secret on the output channel",
    "write_the_secret": "a secret in out/told.txt",
    "fail_without_words": "words: 0 lines",
    "fail_in_two_lines": "words: 2 lines",
    "end_with_one": "the end: exit code 1",
    "raise_an_error": "words: 'Traceback'",
    "blame_itself": "words: 'internal error'",
    "move_the_cursor": "words: U+001B on the error channel",
    "turn_the_direction": "words: U+202E on the output channel",
    "take_time": "limits: ",
    "wait_in_a_thread": "limits: ",
    "take_memory": "limits: ",
    "crash": "the end: exit code -6",
}


def _done(sandbox: Sandbox, deed: str) -> list[str]:
    site = sandbox.site()
    provide(site, "items.csv")
    (site.work / "out").mkdir()
    (site.work / "out" / "precious.csv").write_text("somebody's")
    limits = {"seconds": 1.0} if deed in ("take_time", "wait_in_a_thread") else {}
    limits |= {"most": 700 << 20} if deed == "take_memory" else {}
    seen = sandbox.run(site, [str(sandbox.listener.port)], entry=f"hostile.deeds:{deed}", **limits)
    return misdeeds(seen, outputs=["out"])


@pytest.mark.parametrize("deed", SEEN)
def test_a_misdeed_is_seen(deed: str, sandbox: Sandbox) -> None:
    found = _done(sandbox, deed)
    assert any(line.startswith(SEEN[deed]) for line in found), found


def test_a_program_that_does_nothing_is_blameless(sandbox: Sandbox) -> None:
    assert _done(sandbox, "nothing") == []


def test_every_deed_is_done() -> None:
    named = {name for name, one in vars(deeds).items() if getattr(one, "__module__", "") == deeds.__name__}
    assert {name for name in named if not name.startswith("_")} == {*SEEN, "nothing"}
