"""The settings of `evenhand serve`: options, variables, the TOML file and the docs are made from these rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, TypedDict

from evenhand.choices.choice import (
    Choice,
    FileValue,
    FlagValue,
    NamesValue,
    NameValue,
    ValueKind,
    WholeValue,
    list_kind,
    repeated_kind,
    text_kind,
)
from evenhand.choices.permissions import PermissionOptions

ServedModelsValue = Annotated[Sequence[str] | None, repeated_kind("MODEL")]
ServedCalibratorsValue = Annotated[Sequence[str] | None, repeated_kind("[NAME=]FILE")]
AddressValue = Annotated[str | None, text_kind("ADDRESS")]
AddressesValue = Annotated[str | Sequence[str] | None, list_kind("ADDRESS")]
OriginsValue = Annotated[str | Sequence[str] | None, list_kind("URL")]
StoreValue = Annotated[str | None, text_kind("STORE")]
SecondsValue = Annotated[float | None, ValueKind(float | None, "SECONDS")]


class ServedModelOptions(TypedDict, total=False):
    """What is served."""

    model: Annotated[
        ServedModelsValue,
        Choice(
            "Model to serve, as [NAME=]MODEL[@VERSION]: default, a folder, a TOML file or preset:NAME; "
            "repeatable; the first is used if a request names none (default).",
            '["default"]  # or tables: [models.NAME] with source, version and calibrator',
        ),
    ]
    calibrator: Annotated[
        ServedCalibratorsValue,
        Choice(
            "Calibrator that 'evenhand calibrate fit' wrote, as [NAME=]FILE; NAME is that of the model.",
            '["default=calibrator.json"]  # applied to the probabilities of that model',
        ),
    ]
    device: Annotated[NameValue, Choice("For encoders: cuda or cpu.", '"cpu"  # of encoders; or cuda')]


class DeskOptions(TypedDict, total=False):
    """Where people work."""

    store: Annotated[
        StoreValue,
        Choice(
            "Open the desk on a store, a file (desk.db) or a PostgreSQL URL; the first start prints a one-time link.",
            '"desk.db"  # a store: people sign in and moderate',
        ),
    ]
    store_key: Annotated[
        FileValue,
        Choice("Key file of the store (beside a file: STORE.key; or EVENHAND_STORE_KEY).", '"desk.db.key"'),
    ]
    shadow: Annotated[
        NamesValue,
        Choice(
            "Served models whose scores the desk records beside those that decide, by name, comma-separated (none).",
            '["candidate"]  # served models that score at the desk and decide nothing',
        ),
    ]
    require_second_factor: Annotated[
        FlagValue,
        Choice(
            "Require a second factor of leads and administrators at the desk: codes of an authenticator app.",
            "true  # of leads and administrators at the desk",
        ),
    ]
    webhook_networks: Annotated[
        AddressesValue,
        Choice("Private networks that webhooks of the desk may reach, comma-separated (none)."),  # not from a file
    ]
    coop_fields: Annotated[
        NamesValue,
        Choice(
            "Fields of items that come in the shape of Coop's API, as ROLE=FIELD, comma-separated; roles: text, "
            "author, thread, language, community, created_at (each the field of its name).",
            '["text=body", "author=creator"]  # fields of items in the shape of Coop\'s API',
        ),
    ]


class ListeningOptions(TypedDict, total=False):
    """Where it listens, and to whom."""

    host: Annotated[
        AddressValue,
        Choice("Address to listen on (127.0.0.1); one that other machines can reach requires a token.", '"127.0.0.1"'),
    ]
    port: Annotated[WholeValue, Choice("Port to listen on (8717).", "8717")]
    token_file: Annotated[
        FileValue,
        Choice(
            "File of hashed tokens, made by 'evenhand serve tokens add' (~/.config/evenhand/tokens.json).",
            '"tokens.json"  # hashed tokens',
        ),
    ]
    require_token: Annotated[
        FlagValue, Choice("Require a token for requests from this machine too.", "true  # also on 127.0.0.1")
    ]
    trusted_proxies: Annotated[
        AddressesValue,
        Choice(
            "Proxies whose X-Forwarded-For is trusted: addresses or networks, comma-separated. "
            "If set, every request needs a token.",
            '["10.0.0.0/8"]  # whose X-Forwarded-For is trusted; every request then needs a token',
        ),
    ]
    allowed_hosts: Annotated[
        NamesValue,
        Choice(
            "Accepted host names (the Host header), comma-separated.",
            '["scores.example.org"]  # accepted host names',
        ),
    ]
    cors_origins: Annotated[
        OriginsValue,
        Choice(
            "Origins of web pages that may call it, comma-separated (none).",
            '["https://example.org"]  # web pages that may call it',
        ),
    ]


class LimitOptions(TypedDict, total=False):
    """How much it takes."""

    max_body: Annotated[
        WholeValue,
        Choice("Maximum size of a request body, in bytes, also when decompressed (8388608).", "8388608  # bytes"),
    ]
    max_text: Annotated[WholeValue, Choice("Maximum length of a text, in characters (100000).", "100000  # characters")]
    max_texts: Annotated[
        WholeValue, Choice("Maximum number of texts in one JSON body (1000).", "1000  # in one JSON body")
    ]
    max_lines: Annotated[WholeValue, Choice("Maximum number of lines in a stream (100000).", "100000  # of a stream")]
    max_depth: Annotated[WholeValue, Choice("Maximum nesting depth of a JSON body (32).", "32  # of a JSON body")]
    max_waiting: Annotated[
        WholeValue,
        Choice(
            "Maximum number of texts waiting for a model; further requests get 429 (20000).", "20000  # texts per model"
        ),
    ]
    max_requests: Annotated[
        WholeValue,
        Choice("Maximum number of requests in progress; further ones get 429 (512).", "512  # in progress at once"),
    ]
    timeout: Annotated[
        SecondsValue, Choice("Time limit of a request, in seconds (30).", "30.0  # seconds for a request")
    ]
    stop_timeout: Annotated[
        SecondsValue,
        Choice("Time to finish accepted requests on shutdown, in seconds (60).", "60.0  # seconds to stop in"),
    ]


class ServiceOptions(ServedModelOptions, PermissionOptions, DeskOptions, ListeningOptions, LimitOptions, total=False):
    """Every setting of the service."""
