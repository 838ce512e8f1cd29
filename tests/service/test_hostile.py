"""Whatever is sent: an answer or a problem, never a 500, never a hang, and the next request is answered as ever."""

from __future__ import annotations

import gzip
import json
import random
import time
from collections import Counter
from contextlib import suppress
from itertools import product
from pathlib import Path

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis.errors import Unsatisfiable
from starlette.testclient import TestClient

from evenhand.service.app import create_app
from evenhand.service.settings import ServiceSettings
from evenhand.service.tokens import TokenFile, write_tokens
from marks import smoke

SCORE = "/api/v1/score"
JSON = {"Content-Type": "application/json"}
NDJSON = {"Content-Type": "application/x-ndjson"}
ZIPPED = {**JSON, "Content-Encoding": "gzip"}
HOSTILE: dict[str, tuple[dict[str, str], bytes, int]] = {
    "deep": (JSON, b"[" * 10_000 + b"]" * 10_000, 400),
    "deep in a field": (JSON, b'{"text": ' + b'{"a":' * 10_000 + b"1" + b"}" * 10_001, 400),
    "deep and open": (JSON, b'{"a":' * 1_000_000, 400),
    "lone surrogate": (JSON, b'{"text": "\\ud800"}', 400),
    "surrogates the wrong way round": (JSON, b'{"text": "\\udc00\\ud800"}', 400),
    "NUL": (JSON, b'{"text": "a\\u0000b"}', 422),
    "a raw NUL": (JSON, b'{"text": "a\0b"}', 400),
    "a megabyte": (JSON, json.dumps({"text": "x" * 1_000_000}).encode(), 422),
    "not JSON": (JSON, b"{text: 1}", 400),
    "empty": (JSON, b"", 400),
    "not UTF-8": (JSON, b'{"text": "\xff\xfe"}', 400),
    "UTF-16": (JSON, '{"text": "a"}'.encode("utf-16"), 400),
    "NaN": (JSON, b'{"text": NaN}', 422),
    "a number without end": (JSON, b'{"text": ' + b"9" * 1_000_000 + b"}", 400),
    "a key a million times": (JSON, b"{" + b'"text":"a",' * 500_000 + b'"text":"b"}', 200),
    "a million texts": (JSON, b'{"texts": [' + b'"",' * 1_000_000 + b'""]}', 422),
    "a million errors": (JSON, b'{"texts": [' + b"1," * 1_000_000 + b"1]}", 422),
    "a million fields": (JSON, b"{" + b"".join(b'"%d":1,' % n for n in range(600_000)) + b'"text":"b"}', 422),
    "a bomb": (ZIPPED, gzip.compress(b" " * 100_000_000), 413),
    "a bomb in a bomb": (ZIPPED, gzip.compress(gzip.compress(b" " * 50_000_000)), 400),
    "not gzip": (ZIPPED, b'{"text": "a"}', 400),
    "another encoding": ({**JSON, "Content-Encoding": "br"}, b"x", 415),
    "too large": (JSON, b" " * 9_000_000, 413),
    "lines of nothing": (NDJSON, b"\n" * 8_000_000, 422),
    "lines of blanks": (NDJSON, b" " * 8_000_000, 200),
    "lines of nonsense": (NDJSON, b"x\n" * 20_000, 200),
    "a deep line": (NDJSON, b"[" * 10_000 + b"\n", 400),
    "a wrong key of the query": ({**JSON, "X-API-Key": "\xff" * 100}, b'{"text": "a"}', 200),
    "a model that is not there": (JSON, json.dumps({"text": "a", "model": "x" * 100_000}).encode(), 404),
}
QUICK = ("deep", "lone surrogate", "NUL", "a megabyte", "not JSON", "a million texts", "not gzip", "too large")
ORDERED = sorted(HOSTILE, key=lambda name: (name not in QUICK, name))


@pytest.mark.parametrize("name", smoke(ORDERED, kept=len(QUICK)))
def test_an_answer_or_a_problem(name: str, client: TestClient) -> None:
    headers, body, status = HOSTILE[name]
    began = time.process_time()
    answer = client.post(SCORE, content=body, headers={k: v.encode("latin-1") for k, v in headers.items()})
    assert time.process_time() - began < 20.0
    assert answer.status_code == status, answer.text[:300]
    if status != 200:
        assert answer.headers["content-type"] == "application/problem+json"
        assert len(answer.content) < 5000
    assert client.post(SCORE, json={"text": "you fool"}).status_code == 200


@pytest.mark.verify
def test_bodies_with_a_few_bytes_changed(client: TestClient) -> None:
    rng = random.Random(0)
    plain = json.dumps({"texts": ["good morning", 'you "fool" \\ é', "\u2028"], "model": "default"}).encode()
    for number in range(1500):
        body = bytearray(plain if number % 2 else gzip.compress(plain, mtime=0))
        for _ in range(rng.randint(1, 4)):
            body[rng.randrange(len(body))] = rng.randrange(256)
        headers = rng.choice((JSON, NDJSON)) if number % 2 else ZIPPED
        answer = client.post(SCORE, content=bytes(body), headers=headers)
        assert answer.status_code in (200, 400, 404, 413, 415, 422), (bytes(body), answer.text)


@pytest.mark.verify
def test_what_the_openapi_document_says_holds(tmp_path: Path) -> None:
    """Requests that it allows, and ones that it does not, for every operation."""
    tokens, token = TokenFile().issue("schemathesis", ["score", "models"])
    write_tokens(tokens, tmp_path / "tokens.json")
    told = ServiceSettings(require_token=True, token_file=tmp_path / "tokens.json", allowed_hosts=("testserver",))
    schema = schemathesis.openapi.from_asgi("/api/v1/openapi.json", create_app(told))
    asked = Counter[str]()
    for operation, mode in product(schema.get_all_operations(), schemathesis.GenerationMode):

        @given(case=operation.ok().as_strategy(generation_mode=mode))
        @settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
        def holds(case: schemathesis.Case) -> None:
            asked[case.path] += 1
            case.call_and_validate(headers={"Authorization": f"Bearer {token}"})

        with suppress(Unsatisfiable):  # nothing can be wrong about a request that takes nothing
            holds()
    assert asked[SCORE] >= 30
    assert len(asked) == 3
