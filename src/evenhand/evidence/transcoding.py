"""A copy in UTF-8 of a table in another encoding: UTF-8 is the only one that the reader of tables knows.

A letter takes four bytes at most, so a copy is at most four times as long as what was checked before.
"""

from __future__ import annotations

import codecs
import gzip
import os
import tempfile
import weakref
from contextlib import suppress
from pathlib import Path
from typing import IO

from evenhand.errors import InputError
from evenhand.evidence.text_layout import open_text
from evenhand.files import failure_reason

BLOCK = 1 << 20
OPEN_FILES = Path("/proc/self/fd")  # of Linux: another way to a file that has no name


class Utf8Copy:
    """A temporary file; `path` leads to it as long as this object lives. On Linux a killed run leaves nothing either.

    `UnicodeDecodeError` where bytes are not of the encoding.
    """

    def __init__(self, source: Path, encoding: str) -> None:
        try:
            copy = self._create()
            with open_text(source) as text:
                _transcode(text, codecs.getincrementaldecoder(encoding)(), copy)
            copy.flush()
        except gzip.BadGzipFile:
            raise
        except OSError as error:
            problem = f"the file is converted to UTF-8, and in {tempfile.gettempdir()} that fails"
            raise InputError(f"{problem}: {failure_reason(error)}", source=str(source)) from None

    def _create(self) -> IO[bytes]:
        if OPEN_FILES.is_dir():
            copy: IO[bytes] = tempfile.TemporaryFile(prefix="evenhand-")  # noqa: SIM115 (it stays open)
            self.path = OPEN_FILES / str(copy.fileno())
        else:
            handle, name = tempfile.mkstemp(prefix="evenhand-", suffix=".csv")
            copy, self.path = os.fdopen(handle, "wb"), Path(name)
        weakref.finalize(self, _remove, copy, self.path)
        return copy


def _remove(copy: IO[bytes], path: Path) -> None:
    with suppress(OSError):
        copy.close()
        if path.parent != OPEN_FILES:
            path.unlink()


def _transcode(text: IO[bytes], decoder: codecs.IncrementalDecoder, out: IO[bytes]) -> None:
    while block := text.read(BLOCK):
        out.write(decoder.decode(block).encode())
    out.write(decoder.decode(b"", final=True).encode())
