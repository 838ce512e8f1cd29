"""What a user allows a model to do: said on the command line or in Python, never in a file that comes with a model."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import TypedDict, cast

from evenhand.errors import InputError

GOES_WITH = {
    "download": "presets, encoders and descriptions that say download = true",
    "trust": "skops files",
    "send_to": "endpoints",
    "secrets": "endpoints",
}


class PermissionArguments(TypedDict, total=False):
    """The same as arguments of a function, where one name need not be in a list."""

    download: bool
    trust: str | Sequence[str]
    send_to: str | None
    secrets: str | Sequence[str]


@dataclass(frozen=True, kw_only=True)
class Permissions:
    """Nothing unless it is said.

    `download`: a model may be fetched from the Hugging Face Hub. `trust`: types beyond scikit-learn that a skops file
    may build. `send_to`: where an endpoint may be, as https://host; `secrets`: variables that may be sent there.
    """

    download: bool = False
    trust: tuple[str, ...] = ()
    send_to: str | None = None
    secrets: tuple[str, ...] = ()

    @classmethod
    def from_arguments(
        cls,
        *,
        download: bool = False,
        trust: str | Sequence[str] = (),
        send_to: str | None = None,
        secrets: str | Sequence[str] = (),
    ) -> Permissions:
        """From arguments."""
        return cls(download=download, trust=_several(trust), send_to=send_to, secrets=_several(secrets))

    def of_use(self, used: Iterable[str]) -> PermissionArguments:
        """What is allowed of that which a model has a use for, as arguments."""
        return cast("PermissionArguments", {name: getattr(self, name) for name in used})

    def only(self, *used: str) -> Permissions:
        """The same, unless something is allowed that this kind of model has no use for."""
        for one in fields(self):
            if getattr(self, one.name) and one.name not in used:
                raise InputError(f"`{one.name}` goes with {GOES_WITH[one.name]}: leave it out")
        return self


NOTHING_ALLOWED = Permissions()


def _several(names: str | Sequence[str]) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)
