"""What a user allows a model to do, for every command that opens one; what it means: `classifiers.permissions`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, TypedDict

from evenhand.choices.choice import Choice, repeated_kind, text_kind


class PermissionOptions(TypedDict, total=False):
    """What a model of somebody else may build, and what may be sent where."""

    trust: Annotated[
        Annotated[Sequence[str] | None, repeated_kind("TYPE")],
        Choice(
            "Type that a skops file may create; read its code first; repeatable.",
            '["our_package.tokens.Splitter"]  # types that a skops file may create',
        ),
    ]
    send_to: Annotated[
        Annotated[str | None, text_kind("URL")],
        Choice(
            "For an endpoint: where texts may be sent, as https://host.", '"https://host.example"  # of an endpoint'
        ),
    ]
    secrets: Annotated[
        Annotated[Sequence[str] | None, repeated_kind("VARIABLE")],
        Choice(
            "Environment variable that may be sent there; repeatable.",
            '["MODERATION_KEY"]  # variables that may be sent there',
            flags=("--secret",),
        ),
    ]
