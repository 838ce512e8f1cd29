"""How fast items come in over HTTP with scoring, beside `evenhand score` on the same texts; memory stays as it is."""

from __future__ import annotations

import os
import random
import time
from pathlib import Path

import httpx
import polars as pl
import pytest
from benchmarks.load import ServiceProcess, running_service

from evenhand.classifiers.scoring import score_file
from evenhand.service.tokens import TokenFile, write_tokens
from evenhand.store import DeskPolicy, create_store, open_store, perform, seal, verify

pytestmark = pytest.mark.verify
ITEMS = int(os.environ.get("EVENHAND_ITEMS", "8000"))
BATCH = 500
LEAST = 0.10  # of the rate of `evenhand score`, by seconds of a core
MOST_GROWTH = 1.15  # of the memory after a third of the items
WORDS = (
    *("the", "of", "bridge", "people", "vote", "kind", "stupid", "never", "always", "thread", "page", "source"),
    *("edit", "article", "please", "why", "idiot"),
)


def comments(number: int) -> list[str]:
    """About 400 characters each, the mean of the talk pages of Wikipedia."""
    chance = random.Random(5)
    return [" ".join(chance.choices(WORDS, k=chance.randint(20, 120))) + f" {place}" for place in range(number)]


def prepared(folder: Path) -> str:
    """A desk that takes items of the platform; its token."""
    with create_store(str(folder / "desk.db")) as store:
        perform(store, "invite", actor="system", person="forum", role="service")
        policy = DeskPolicy.from_thresholds(upper=0.9, lower=0.1)
        perform(store, "activate", actor="system", policy=policy)
    tokens, token = TokenFile().issue("forum", ["items"])
    write_tokens(tokens, folder / "tokens.json")
    return token


def sent(service: ServiceProcess, texts: list[str], token: str) -> tuple[float, list[float]]:
    """Seconds of a core, and the memory after each batch."""
    before, memory = service.cpu_seconds(), []
    with httpx.Client(timeout=120, headers={"Authorization": f"Bearer {token}"}) as client:
        for first in range(0, len(texts), BATCH):
            items = [
                {"id": f"c{first + place}", "text": text} for place, text in enumerate(texts[first : first + BATCH])
            ]
            answer = client.post(f"http://127.0.0.1:{service.port}/api/v1/items", json={"items": items})
            assert answer.status_code == 200, answer.text
            memory.append(service.resident_mb())
    return service.cpu_seconds() - before, memory


def test_items_come_in_at_a_tenth_of_the_rate_of_scoring_alone(tmp_path: Path) -> None:
    texts = comments(ITEMS)
    pl.DataFrame({"text": texts}).write_parquet(tmp_path / "texts.parquet")
    began = time.process_time()
    score_file(tmp_path / "texts.parquet", tmp_path / "scored.parquet")
    alone = time.process_time() - began
    token = prepared(tmp_path)
    options = ("--store", str(tmp_path / "desk.db"), "--token-file", str(tmp_path / "tokens.json"))
    with running_service(*options) as service:
        seconds, memory = sent(service, texts, token)
    print(
        f"{ITEMS / seconds:,.0f} items a second of a core, {alone / seconds:.3f} of scoring alone; {memory[-1]:.0f} MB"
    )
    assert alone / seconds >= LEAST
    assert memory[-1] <= MOST_GROWTH * memory[len(memory) // 3]
    with open_store(str(tmp_path / "desk.db")) as store:
        seal(store)
        assert verify(store).contents == ITEMS
