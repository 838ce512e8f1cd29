"""Classifiers that do as they are told, and a client that asks from this machine."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from fastapi import FastAPI
from starlette.testclient import TestClient

from evenhand.classifiers.protocol import Scores, Targets
from evenhand.errors import InputError
from evenhand.service.models import LoadedModel

HERE = ("127.0.0.1", 50000)
TOXIC = Targets("binary", ("toxic",))
ELSEWHERE = ("192.0.2.7", 50000)


def local_client(app: FastAPI, client: tuple[str, int] = HERE, host: str = "localhost:8717") -> TestClient:
    return TestClient(app, base_url=f"http://{host}", client=client, raise_server_exceptions=False)


@dataclass
class FakeClassifier:
    """Scores a text by its length; waits for `gate`, breaks on 'break', and has no endpoint for 'down'."""

    targets: Targets = TOXIC
    name: str = "fake"
    version: str = "0123456789abcdef"
    batch: int = 1000
    gate: threading.Event = field(default_factory=threading.Event)
    asked: list[list[str]] = field(default_factory=list)

    def score(self, texts: Sequence[str]) -> Scores:
        self.asked.append(list(texts))
        assert self.gate.wait(10)
        if "break" in texts:
            raise ZeroDivisionError(f"secret-text: {texts}")
        if "down" in texts:
            raise InputError("the endpoint https://secret-host does not answer")
        lengths = np.array([[len(text)] for text in texts], dtype=np.float64)
        return Scores(self.targets, np.repeat(lengths / 1000.0, len(self.targets.classes), axis=1))


def fake_model(*, ready: bool = True, **more: object) -> LoadedModel:
    classifier = FakeClassifier(**more)  # type: ignore[arg-type]
    if ready:
        classifier.gate.set()
    return LoadedModel(classifier.name, classifier)
