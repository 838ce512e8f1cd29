"""Programs that do what no command may do, one thing each: by them the sandbox shows that it sees it."""

from __future__ import annotations

import ctypes
import os
import pickle
import runpy
import shutil
import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

from hostile.hook import MARK
from hostile.site import SECRET_NAME

PRECIOUS = Path("../precious/precious.txt")


def nothing() -> None:
    print("all is well")


def write_elsewhere() -> None:
    Path.home().joinpath("left.txt").write_text("x")


def write_beside_the_output() -> None:
    Path("beside.csv").write_text("x")


def write_in_native_code() -> None:
    import polars as pl

    pl.DataFrame({"a": [1]}).write_csv(str(PRECIOUS.resolve()))


def write_for_a_moment_elsewhere() -> None:
    path = Path.home().joinpath("moment.txt")
    path.write_text("x")
    path.unlink()


def leave_a_temporary_file() -> None:
    Path("../tmp/left").write_text("x")


def change_an_input() -> None:
    with Path("items.csv").open("a") as file:
        file.write("more\n")


def touch_an_input() -> None:
    os.utime("items.csv")


def remove_a_file() -> None:
    PRECIOUS.unlink()


def remove_a_folder() -> None:
    shutil.rmtree(PRECIOUS.parent)


def rename_a_file() -> None:
    PRECIOUS.rename("../precious/renamed.txt")


def replace_somebodys_file_in_the_output() -> None:
    Path("out/precious.csv").write_text("ours now")


def make_a_link() -> None:
    Path("link").symlink_to("/etc")


def change_permissions() -> None:
    PRECIOUS.chmod(0o777)


def read_what_nobody_named() -> None:
    PRECIOUS.read_text()


def read_through_a_link() -> None:
    Path("out/way").symlink_to(PRECIOUS.resolve())
    Path("out/way").read_text()


def connect() -> None:
    with socket.create_connection(("127.0.0.1", int(sys.argv[1]))):
        pass


def connect_in_native_code() -> None:
    import psycopg

    with suppress(psycopg.OperationalError):
        psycopg.connect(host="127.0.0.1", port=int(sys.argv[1]), connect_timeout=2)


def send_a_datagram() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.sendto(b"x", ("127.0.0.1", int(sys.argv[1])))


def look_up_a_name() -> None:
    with suppress(OSError):
        socket.getaddrinfo("evenhand-test.invalid", 80)


def listen() -> None:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))


def start_a_process() -> None:
    subprocess.run(["true"], check=True)


def start_python() -> None:
    subprocess.run([sys.executable, "-c", "pass"], check=True)


def ask_a_shell() -> None:
    os.system("true")


def fork() -> None:
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)


def leave_a_process() -> None:
    subprocess.Popen(["sleep", "60"])


def load_a_library() -> None:
    Path("out/thing.so").write_bytes(b"no library")
    with suppress(OSError):
        ctypes.CDLL(str(Path("out/thing.so").resolve()))


def import_a_module_beside() -> None:
    sys.path.insert(0, os.getcwd())
    import usercustomize  # noqa: F401


def run_a_file_beside() -> None:
    Path("out/thing.py").write_text("x = 1\n")
    runpy.run_path(str(Path("out/thing.py").resolve()))


def run_a_text() -> None:
    exec(f"{MARK} = 1")


class _Thing:
    pass


def load_a_pickle() -> None:
    pickle.loads(pickle.dumps(_Thing()))


def tell_the_secret() -> None:
    print(os.environ[SECRET_NAME])


def write_the_secret() -> None:
    Path("out/told.txt").write_text(os.environ[SECRET_NAME])


def fail_without_words() -> None:
    sys.exit(2)


def fail_in_two_lines() -> None:
    print("one\ntwo", file=sys.stderr)
    sys.exit(2)


def end_with_one() -> None:
    print("evenhand: something", file=sys.stderr)
    sys.exit(1)


def raise_an_error() -> None:
    raise ValueError("x")


def blame_itself() -> None:
    print("evenhand: internal error (x); please report it", file=sys.stderr)
    sys.exit(2)


def move_the_cursor() -> None:
    print("evenhand: \x1b[2J", file=sys.stderr)
    sys.exit(2)


def turn_the_direction() -> None:
    print("a\u202eb")


def take_time() -> None:
    time.sleep(30)


def wait_in_a_thread() -> None:
    import threading

    threading.Thread(target=time.sleep, args=(30,)).start()


def take_memory() -> None:
    held = bytearray(1 << 30)
    time.sleep(5)
    print(len(held))


def crash() -> None:
    os.abort()
