"""Any HTTP endpoint that scores texts, as a description: where it is, what it is sent and where its answer stands.

Nothing here speaks to a network: a description can be read, checked and given a version anywhere. Keys are named as
`${NAME}` and looked up in the environment only when a text is scored.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any
from urllib.parse import urlsplit

from evenhand.classifiers import fingerprint
from evenhand.classifiers.adapters.environment import NAME, strings
from evenhand.classifiers.adapters.json_path import Path
from evenhand.classifiers.protocol import Kind, Targets
from evenhand.errors import InputError, nearest

TEXT, TEXTS = "{text}", "{texts}"
METHODS = ("GET", "POST", "PUT")
SCALES = ("probability", "percent", "logit")
KEYS = ("authorization", "cookie", "key", "password", "secret", "token")  # in the name of a header or parameter
SILENT = {"name", "batch", "parallel", "rate", "timeout", "tries"}  # how it is asked, which changes no answer


@dataclass(frozen=True, kw_only=True)
class Endpoint:
    """One endpoint.

    `response` is the path to the probability, or a table of paths, one per class; `variance` likewise, where the
    endpoint says how sure it is. In `body` and `query` the string {text} stands for one text, or in `body` {texts} for
    the list of a batch. A status in `skip` means that this text cannot be scored.
    """

    url: str
    response: str | Mapping[str, str]
    body: Any = None
    query: Mapping[str, str] = field(default_factory=dict)
    method: str = "POST"
    headers: Mapping[str, str] = field(default_factory=dict)
    variance: str | Mapping[str, str] = field(default_factory=dict)
    positive: str = "positive"
    task: Kind | None = None
    scale: str = "probability"
    batch: int = 1
    parallel: int = 1
    rate: float | None = None
    timeout: float = 30.0
    tries: int = 6
    skip: tuple[int, ...] = ()
    name: str | None = None

    def __post_init__(self) -> None:
        _check_address(self.url)
        if self.method not in METHODS:
            raise InputError(f"there is no method '{self.method}'; {nearest(self.method, METHODS)}")
        if self.scale not in SCALES:
            raise InputError(f"there is no scale '{self.scale}'; {nearest(self.scale, SCALES)}")
        _check_keys(self)
        _check_numbers(self)
        _check_texts(self)
        _check_paths(self)
        self.targets  # noqa: B018 (refuses what is no set of classes)

    @property
    def address(self) -> str:
        """The url as it may be shown: without query, user and password, and with the names of keys only."""
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"

    @property
    def title(self) -> str:
        """What findings call it."""
        return self.name or urlsplit(self.url).netloc.rpartition("@")[2]

    @property
    def targets(self) -> Targets:
        """What it tells apart."""
        names = tuple(self.paths)
        if len(names) > 1 and self.task not in ("multi-class", "multi-label"):
            raise InputError(
                "several classes: say task = 'multi-label' or, if exactly one is true, task = 'multi-class'"
            )
        return Targets(self.task or "binary", names)

    @cached_property
    def paths(self) -> dict[str, Path]:
        """The path of each class."""
        return self._named(self.response)

    @cached_property
    def variances(self) -> dict[str, Path]:
        """The path of each variance; none where the endpoint gives none."""
        return self._named(self.variance)

    @property
    def version(self) -> str:
        """The hash of what could change an answer. No key is in it: the description has none."""
        told = {one.name: getattr(self, one.name) for one in fields(self) if one.name not in SILENT}
        return fingerprint.of_options(told)

    def _named(self, given: str | Mapping[str, str]) -> dict[str, Path]:
        named = {self.positive: given} if isinstance(given, str) else given
        return {name: Path.of(path) for name, path in named.items()}


def _check_address(url: str) -> None:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise InputError("url must begin with https:// (or http://) and name a host")
    if TEXT in url:
        raise InputError(f"{TEXT} cannot stand in url: put it into query or body")


def _check_keys(endpoint: Endpoint) -> None:
    """What looks like a key by its name must come from the environment: files are shared and kept."""
    password = urlsplit(endpoint.url).password
    named = {**endpoint.headers, **endpoint.query, **({"password": password} if password else {})}
    for name, value in named.items():
        if any(word in name.lower() for word in KEYS) and not NAME.search(value):
            raise InputError(f"a key does not belong into a file: set a variable and write '{name}' as ${{VARIABLE}}")


def _check_numbers(endpoint: Endpoint) -> None:
    for name in ("batch", "parallel", "tries"):
        if getattr(endpoint, name) < 1:
            raise InputError(f"{name} must be 1 or more")
    for name in ("timeout", "rate"):
        value = getattr(endpoint, name)
        if value is not None and not 0.0 < value < float("inf"):
            raise InputError(f"{name} must be above 0")
    for status in endpoint.skip:
        if not 400 <= status <= 599:
            raise InputError(f"skip takes statuses from 400 to 599, not {status}")


def _check_texts(endpoint: Endpoint) -> None:
    try:
        json.dumps(endpoint.body)
    except TypeError:
        raise InputError(
            "body must be something that JSON can say: texts, numbers, true, false, lists, tables"
        ) from None
    places = list(strings(endpoint.body))
    one = any(TEXT in text for text in (*places, *endpoint.query.values()))
    many = sum(text == TEXTS for text in places)
    if one == bool(many) or many > 1:
        raise InputError(f"body must contain {TEXT} for one text, or {TEXTS} once for a list of them")
    if endpoint.batch > 1 and not many:
        raise InputError(f"a batch of {endpoint.batch} texts needs {TEXTS} in body, and not {TEXT}")


def _check_paths(endpoint: Endpoint) -> None:
    many = TEXTS in strings(endpoint.body)
    for path in (*endpoint.paths.values(), *endpoint.variances.values()):
        if path.many != many:
            need = "needs [] where the list of results stands" if many else f"has [], and {TEXTS} is not in body"
            raise InputError(f"the path '{path.written}' {need}")
    if endpoint.variances and list(endpoint.variances) != list(endpoint.paths):
        raise InputError("variance must name the classes that response names, in their order")
    if endpoint.variances and endpoint.scale == "logit":
        raise InputError("a variance on the scale of logits is none of a probability: leave it out")
