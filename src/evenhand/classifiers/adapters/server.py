"""What every description of a server says: its address, its keys, how fast it may be asked, and what bad answers do.

Nothing here uses the network: a description can be read, checked and given a version anywhere.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Literal, NamedTuple, get_args
from urllib.parse import urlsplit

from evenhand.arrays import AnyFloats
from evenhand.classifiers import fingerprint
from evenhand.classifiers.adapters.environment_keys import VARIABLE, variable_places
from evenhand.classifiers.adapters.json_path import JsonValue
from evenhand.classifiers.protocol import Targets
from evenhand.errors import InputError, nearest

TEXT, TEXTS = "{text}", "{texts}"
KEY_WORDS = ("authorization", "cookie", "key", "password", "secret", "token")  # in the name of a header or parameter
HIGHEST = {"batch": 10_000, "parallel": 64, "tries": 100}
LONGEST_TIMEOUT, SLOWEST_RATE = 600.0, 0.001  # seconds; requests per second
NOT_IN_VERSION = {"name", "batch", "parallel", "rate", "timeout", "tries", "on_error"}  # these change no score
OnError = Literal["stop", "empty"]
ScoreRows = tuple[AnyFloats, AnyFloats | None]  # probabilities and, where there are any, variances: [texts, classes]


class RequestTemplate(NamedTuple):
    """A request before texts and keys are put into it."""

    method: str
    url: str
    query: Mapping[str, str]
    body: JsonValue


class UnreadableAnswer(Exception):  # noqa: N818 (reported with its row by those who know the rows)
    """An answer that does not hold the scores; `text` is the one at fault in its request, from 0, if that is known."""

    def __init__(self, problem: str, text: int | None = None) -> None:
        super().__init__(problem)
        self.text = text


class ScaleContradiction(UnreadableAnswer):
    """Values that cannot be on the declared scale. The description is at fault, so no row is left empty for it."""


@dataclass(frozen=True, kw_only=True)
class Server(ABC):
    """A server that scores texts. A status in `skip` means that a text cannot be scored.

    `on_error` says what an answer that cannot be read does: "stop" ends the run and names the row, "empty" leaves the
    row without a score.
    """

    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    batch: int = 1
    parallel: int = 1
    rate: float | None = None
    timeout: float = 30.0
    tries: int = 6
    skip: tuple[int, ...] = ()
    on_error: OnError = "stop"
    name: str | None = None

    @property
    @abstractmethod
    def targets(self) -> Targets:
        """The classes that it gives probabilities of."""

    @property
    @abstractmethod
    def request(self) -> RequestTemplate:
        """What is sent."""

    @abstractmethod
    def read(self, answer: JsonValue, texts: int) -> ScoreRows:
        """The scores of so many texts in their order; raises `UnreadableAnswer`."""

    def filled_body(self, texts: Sequence[str], fill: Callable[[str], str]) -> JsonValue:
        """The body with the texts, and by `fill` the keys, in their places."""
        return fill_template(self.request.body, texts, fill)

    @property
    def gives_variances(self) -> bool:
        """Whether its answers hold variances beside the probabilities."""
        return False

    @property
    def address(self) -> str:
        """The url as it may be shown: without query, user and password, and with the names of keys only."""
        parts = urlsplit(self.request.url)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"

    @property
    def title(self) -> str:
        """What findings call it."""
        return self.name or urlsplit(self.url).netloc.rpartition("@")[2]

    @property
    def templates(self) -> dict[str, JsonValue]:
        """Everything that may refer to variables of the environment, by its key in the description."""
        request = self.request
        return {"url": request.url, "headers": self.headers, "query": request.query, "body": request.body}

    @property
    def variables(self) -> list[str]:
        """The names of all environment variables that would be sent."""
        return list(variable_places(self.templates))

    @property
    def version(self) -> str:
        """The hash of what could change a score. It contains no key: the description has none."""
        options = {one.name: getattr(self, one.name) for one in fields(self) if one.name not in NOT_IN_VERSION}
        return fingerprint.fingerprint_options(options)

    def check(self) -> None:
        """Refuse what no server could be."""
        _check_address(self.url)
        check_choice("on_error", self.on_error, get_args(OnError))
        _check_keys(self.url, {**self.headers, **self.request.query})
        _check_numbers(self)
        check_json(self.request.body, "body")


def fill_template(template: JsonValue, texts: Sequence[str], fill: Callable[[str], str]) -> JsonValue:
    """Nested tables and lists with the texts and the keys in their places; a text is never searched itself."""
    if isinstance(template, str):
        return list(texts) if template == TEXTS else texts[0].join(fill(part) for part in template.split(TEXT))
    if isinstance(template, dict):
        return {name: fill_template(value, texts, fill) for name, value in template.items()}
    if isinstance(template, (list, tuple)):
        return [fill_template(value, texts, fill) for value in template]
    return template


def check_choice(key: str, value: str, choices: tuple[str, ...]) -> None:
    """One of several words."""
    if value not in choices:
        raise InputError(f"invalid {key}: '{value}'; {nearest(value, choices)}")


def check_json(value: JsonValue, key: str) -> None:
    """TOML has dates, which JSON has not."""
    try:
        json.dumps(value)
    except TypeError:
        raise InputError(f"{key} must be valid JSON: texts, numbers, true, false, lists and tables") from None


def _check_address(url: str) -> None:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise InputError("url must begin with https:// (or http://) and name a host")
    if TEXT in url:
        raise InputError(f"{TEXT} cannot be part of url: put it into query or body")
    if "$" in parts.netloc.rpartition("@")[2]:
        raise InputError("the host in url must be written out: a variable cannot stand for it")


def _check_keys(url: str, named: Mapping[str, str]) -> None:
    """What looks like a key by its name must come from the environment: files are shared and kept."""
    password = urlsplit(url).password
    for name, value in {**named, **({"password": password} if password else {})}.items():
        if any(word in name.lower() for word in KEY_WORDS) and not VARIABLE.search(value):
            raise InputError(f"a key must not be written in a file: set a variable and write '{name}' as ${{VARIABLE}}")


def _check_numbers(server: Server) -> None:
    for name, highest in HIGHEST.items():
        if not 1 <= getattr(server, name) <= highest:
            raise InputError(f"{name} must be 1 or more, and at most {highest:,}")
    if not 0.0 < server.timeout <= LONGEST_TIMEOUT:
        raise InputError(f"timeout must be above 0, and at most {LONGEST_TIMEOUT:g} seconds")
    if server.rate is not None and not SLOWEST_RATE <= server.rate < float("inf"):
        raise InputError(f"rate must be {SLOWEST_RATE:g} requests per second or more")
    for status in server.skip:
        if not 400 <= status <= 599:
            raise InputError(f"skip takes statuses from 400 to 599, not {status}")
