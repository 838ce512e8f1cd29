"""A client of the service and the desk: `Client("http://127.0.0.1:8717").score("some text")`.

Requests that the service had no time for (429, 503) are sent again after the time that it names. Long series of texts
are sent in batches, and their scores come one by one, in order. What is sent to a desk carries a key, so that a request
that is sent again is done once.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import random
import secrets
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any

import httpx

from evenhand.classifiers.adapters.endpoint_requests import backoff_wait, retry_after
from evenhand.errors import EvenhandError, InputError

RETRIED = frozenset({429, 502, 503, 504})


class ServiceError(EvenhandError):
    """The service refused a request, or did not answer; `status` and `code` say why, and are None then."""

    def __init__(self, detail: str, *, status: int | None = None, code: str | None = None) -> None:
        super().__init__(detail)
        self.status, self.code = status, code


@dataclass(frozen=True)
class TextScore:
    """What a model says of one text, by class; all are None where the text is blank or the model gave no answer."""

    probabilities: Mapping[str, float] | None
    uncertainty: Mapping[str, float] | None
    model_uncertainty: Mapping[str, float] | None
    model: str
    version: str
    calibrated: bool


@dataclass(frozen=True)
class RemoteModel:
    """A model that the service has."""

    name: str
    version: str
    task: str
    classes: tuple[str, ...]
    calibrated: bool
    card: Mapping[str, Any] | None = field(default=None, repr=False)


@dataclass(frozen=True)
class SentItem:
    """What became of an item that was sent to a desk: new, edited or known; and the route that the policy gave it."""

    item: str
    id: str
    outcome: str
    route: str | None


@dataclass(frozen=True)
class DeskDecision:
    """What holds of an item since the event of this number; without an action, it is being reviewed."""

    number: int
    at: str
    item: str
    id: str
    kind: str
    action: str | None
    account_action: str | None = None
    verdict: str | None = None
    basis: str | None = None
    clause: str | None = None
    ground: str | None = None
    territory: str | None = None
    until: str | None = None
    automated: bool = False
    reason: str | None = None


@dataclass(frozen=True)
class PlannedStudy:
    """A study that was opened at a desk: its number, labels planned, and items of its population."""

    study: str
    labels: int
    items: int


@dataclass(frozen=True)
class StudyTask:
    """The next item of a study to label, with the codebook; without a task nothing waits."""

    study: str
    title: str
    codebook: str
    task: str | None
    version: int | None
    text: str | None
    language: str | None
    done: int
    waiting: int
    per_hour: float | None


class Client:
    """Asks a service. `model` is asked unless another is named; `transport` and `sleep` are there for tests."""

    def __init__(
        self,
        url: str = "http://127.0.0.1:8717",
        *,
        token: str | None = None,
        model: str | None = None,
        timeout: float = 60.0,
        tries: int = 6,
        transport: httpx.BaseTransport | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        if tries < 1:
            raise InputError(f"invalid `tries`: {tries} (must be 1 or more)")
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._http = httpx.Client(base_url=url, headers=headers, timeout=timeout, transport=transport)
        self._model, self._tries, self._sleep = model, tries, sleep

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def score(self, text: str, *, model: str | None = None) -> TextScore:
        """The score of one text."""
        return self._scores([text], model)[0]

    def score_all(self, texts: Iterable[str], *, batch: int = 100, model: str | None = None) -> Iterator[TextScore]:
        """The scores of any number of texts, one by one and in order; so many are sent at a time."""
        if batch < 1:
            raise InputError(f"invalid `batch`: {batch} (must be 1 or more)")
        rest = iter(texts)
        while part := list(islice(rest, batch)):
            yield from self._scores(part, model)

    def models(self) -> tuple[RemoteModel, ...]:
        """The models that the service has; the first answers where none is named."""
        listed = self._ask("GET", "/api/v1/models")["models"]
        return tuple(RemoteModel(**{**one, "classes": tuple(one["classes"])}) for one in listed)

    def send_items(self, items: Iterable[Mapping[str, Any]], *, batch: int = 100) -> Iterator[SentItem]:
        """Send items to the desk, as mappings with `id` and `text` and what else is known; so many at a time."""
        if batch < 1:
            raise InputError(f"invalid `batch`: {batch} (must be 1 or more)")
        rest = iter(items)
        while part := list(islice(rest, batch)):
            yield from (SentItem(**one) for one in self._ask("POST", "/api/v1/items", {"items": part})["items"])

    def send_notice(self, id: str, reason: str, **more: Any) -> int:
        """Report an item to the desk, by the platform's id; how many notices there are about it now."""
        return int(self._ask("POST", "/api/v1/notices", {"id": id, "reason": reason, **more}, once=True)["notices"])

    def send_appeal(self, id: str, reason: str, **more: Any) -> None:
        """Complain about the decision on an item, by the platform's id."""
        self._ask("POST", "/api/v1/appeals", {"id": id, "reason": reason, **more}, once=True)

    def decisions(self, after: int = 0) -> Iterator[DeskDecision]:
        """What the desk decided after a number, up to now; keep the number of the last one for the next call."""
        while True:
            page = self._ask("GET", f"/api/v1/decisions?after={int(after)}&limit=1000")
            yield from (DeskDecision(**one) for one in page["decisions"])
            if page["next"] == after:
                return
            after = page["next"]

    def open_study(self, title: str, annotators: Sequence[str], **more: Any) -> PlannedStudy:
        """Plan a study over the items of a desk: `n`, or a target such as `within`; `design`, `codebook`, …"""
        body = {"title": title, "annotators": list(annotators), **more}
        return PlannedStudy(**self._ask("POST", "/api/v1/studies", body, once=True))

    def import_study(
        self, title: str, annotators: Sequence[str], *, plan: Path, items: Path, **more: Any
    ) -> PlannedStudy:
        """Open a study by a sealed plan, and the file of items that it was made on: an export of the desk's store."""
        document = base64.b64encode(items.read_bytes()).decode()
        files = {"plan": plan.read_text(encoding="utf-8"), "items": document}
        body = {"title": title, "annotators": list(annotators), **more, **files}
        return PlannedStudy(**self._ask("POST", "/api/v1/studies/import", body, once=True))

    def draw_batch(self, study: str, number: int) -> int:
        """Draw the next batch of a study, which must have this number; how many items it has."""
        return int(self._ask("POST", f"/api/v1/studies/{study}/batches", {"number": number}, once=True)["items"])

    def study(self, study: str) -> Mapping[str, Any]:
        """How far a study is, the estimate after each batch, and labels still expected."""
        answer: dict[str, Any] = self._ask("GET", f"/api/v1/studies/{study}")
        return answer

    def stop_study(self, study: str, batches: int, reason: str | None = None) -> int:
        """End a study by the rule, or with a reason; how many labels its estimate rests on."""
        body = {"batches": batches, "reason": reason}
        return int(self._ask("POST", f"/api/v1/studies/{study}/stop", body, once=True)["labels"])

    def next_label(self, study: str) -> StudyTask:
        """Your next item of a study."""
        return StudyTask(**self._ask("GET", f"/api/v1/studies/{study}/next"))

    def label(self, shown: StudyTask, answer: str, *, note: str | None = None) -> None:
        """Answer to an item: yes, no or cannot tell."""
        body = {"task": shown.task, "version": shown.version, "answer": answer, "note": note}
        self._ask("POST", f"/api/v1/studies/{shown.study}/labels", body, once=True)

    def undo_label(self, study: str) -> None:
        """Take your last answer in a study back."""
        self._ask("POST", f"/api/v1/studies/{study}/undo", {}, once=True)

    def study_finding(self, study: str) -> Mapping[str, Any]:
        """The finding from all finished batches, as `evenhand sample estimate --json` prints it."""
        answer: dict[str, Any] = self._ask("GET", f"/api/v1/studies/{study}/finding")
        return answer

    def _scores(self, texts: Sequence[str], model: str | None) -> list[TextScore]:
        named = model or self._model
        answer = self._ask("POST", "/api/v1/score", {"texts": texts} | ({"model": named} if named else {}))
        about = {key: answer[key] for key in ("model", "version", "calibrated")}
        return [TextScore(**{"model_uncertainty": None, **result, **about}) for result in answer["results"]]

    def _ask(self, method: str, path: str, document: Mapping[str, Any] | None = None, *, once: bool = False) -> Any:
        """What the service answers, after as many tries as it takes; `once` where a repeated request must not count."""
        body = None if document is None else json.dumps(document).encode()
        headers = {} if body is None else {"Content-Type": "application/json"}
        if once:
            headers["Idempotency-Key"] = secrets.token_hex(16)
        for number in range(1, self._tries + 1):
            try:
                answer = self._http.request(method, path, content=body, headers=headers)
            except httpx.HTTPError as error:
                failure = ServiceError(f"{self._http.base_url} cannot be reached ({type(error).__name__})")
                wait = backoff_wait(number, random.uniform)
            else:
                if answer.is_success:
                    return answer.json()
                failure, wait = _refusal(answer), _wait(answer, number)
                if answer.status_code not in RETRIED:
                    raise failure
            if number < self._tries:
                self._sleep(wait)
        raise failure


def verify_webhook(
    secret: str, header: str, body: bytes, *, now: float | None = None, tolerance: float = 300.0
) -> bool:
    """Whether a desk with this secret sent the body of a webhook, at most so many seconds ago.

    `header` is the value of Evenhand-Signature, and `body` the bytes as they came.
    """
    parts = dict(part.partition("=")[::2] for part in header.split(","))
    if not parts.get("t", "").isdecimal() or len(parts["t"]) > 12:
        return False
    expected = hmac.digest(secret.encode(), f"{parts['t']}.".encode() + body, hashlib.sha256).hex()
    fresh = abs((time.time() if now is None else now) - int(parts["t"])) <= tolerance
    return hmac.compare_digest(expected.encode(), parts.get("v1", "").encode()) and fresh


def _refusal(answer: httpx.Response) -> ServiceError:
    try:
        document = answer.json()
        detail, code = str(document["detail"]), str(document["type"]).rpartition(":")[2]
    except (ValueError, KeyError, TypeError):
        detail, code = f"the service returned status {answer.status_code}", ""
    return ServiceError(detail, status=answer.status_code, code=code or None)


def _wait(answer: httpx.Response, number: int) -> float:
    """At least as long as the service says."""
    retry = retry_after(answer.headers.get("Retry-After"), datetime.now(UTC)) or 0.0
    return retry + backoff_wait(number, random.uniform)
