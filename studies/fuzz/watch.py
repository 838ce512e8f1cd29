"""What may come out of anything a user gives: a result, or one line that says what is wrong. All else is a fault."""

from __future__ import annotations

import json
import signal
import time
import traceback
import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

from evenhand.errors import EvenhandError

LONGEST = 20.0  # seconds that one small input may take
LONGEST_LINE = 2500  # characters
PACKAGE = str(Path(__import__("evenhand").__file__).parent)


class Hang(BaseException):
    """Something took longer than it may; no `except Exception` holds it up."""


@dataclass(frozen=True)
class Fault:
    """What went wrong, where, and on which input first."""

    key: str
    told: str
    given: str


@dataclass
class Watch:
    """Runs things, and keeps what must not happen; `places` are the different ways they ended."""

    executions: int = 0
    faults: dict[str, Fault] = field(default_factory=dict)
    places: set[str] = field(default_factory=set)

    def look(self, action: Callable[[], Any], given: Any) -> str:
        """Do it, and say how it ended: a place in the code, or "done". `given` can be shown."""
        self.executions += 1
        try:
            with warnings.catch_warnings(), Alarm(LONGEST):
                warnings.simplefilter("error")
                action()
            ended = "done"
        except EvenhandError as error:
            ended = place(error)
            if len(str(error).splitlines()) != 1 or len(str(error)) > LONGEST_LINE:
                self._fault(f"{ended}: not one line", error, given)
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:
            ended = f"{type(error).__name__} at {place(error)}"
            self._fault(ended, error, given)
        self.places.add(ended)
        return ended

    def as_json(self, **more: float) -> str:
        """For another process."""
        faults = [asdict(fault) for fault in self.faults.values()]
        return json.dumps({"executions": self.executions, "faults": faults, "places": sorted(self.places), **more})

    def _fault(self, key: str, error: BaseException, given: Any) -> None:
        if key not in self.faults:
            told = "".join(traceback.format_exception(error))
            self.faults[key] = Fault(key, told[-4000:], given if isinstance(given, str) else repr(given))


class Alarm:
    """Interrupts what takes too long."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def __enter__(self) -> None:
        self.before = signal.signal(signal.SIGALRM, self._ring)
        signal.setitimer(signal.ITIMER_REAL, self.seconds)
        self.started = time.monotonic()

    def __exit__(self, *_: object) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, self.before)

    def _ring(self, _number: int, _frame: FrameType | None) -> None:
        raise Hang(f"longer than {self.seconds:g} s")


def place(error: BaseException) -> str:
    """The line of ours in which it was raised, or through which it passed last, and the one before it."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename.startswith(PACKAGE)]
    if not frames:
        return "outside"
    return " < ".join(f"{Path(frame.filename).relative_to(PACKAGE)}:{frame.lineno}" for frame in frames[:-3:-1])
