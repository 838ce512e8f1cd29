"""What a user allows a model to do, for every command that opens one; what it means: `classifiers.permissions`.

No row has an example for a TOML file: a file may come from a stranger, and allows nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, TypedDict

from evenhand.choices.choice import Choice, repeated_kind, text_kind


class PermissionOptions(TypedDict, total=False):
    """What a model of somebody else may build, and what may be sent where."""

    trust: Annotated[
        Annotated[Sequence[str] | None, repeated_kind("TYPE")],
        Choice("Type that a skops file may create; read its code first; repeatable."),
    ]
    send_to: Annotated[
        Annotated[str | None, text_kind("URL")],
        Choice("For an endpoint: where texts may be sent, as https://host."),
    ]
    secrets: Annotated[
        Annotated[Sequence[str] | None, repeated_kind("VARIABLE")],
        Choice(
            "Environment variable that may be sent there; repeatable.",
            flags=("--secret",),
        ),
    ]
