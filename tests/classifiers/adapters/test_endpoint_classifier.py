"""An endpoint that misbehaves: no text is scored wrongly or out of order, and nothing that is secret is said."""

from __future__ import annotations

import datetime
import email.utils
import gzip
import hashlib
import logging
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from classifiers.server import Asked, Reply, serving
from evenhand.classifiers.adapters import Endpoint, EndpointClassifier
from evenhand.classifiers.adapters.endpoint_requests import largest_answer
from evenhand.errors import InputError
from evenhand.version import __version__

TEXTS = [f"comment {number} 'quoted' \"twice\" é🙂 ${{HOME}} {{text}}" for number in range(23)]
SECRET = "s3cr3t/k+y=="


class Time:
    """A clock that only sleeping moves; every worker's sleep counts."""

    def __init__(self) -> None:
        self.now, self.slept, self.lock = 1000.0, [], threading.Lock()

    def clock(self) -> float:
        with self.lock:
            return self.now

    def sleep(self, seconds: float) -> None:
        with self.lock:
            self.now += seconds
            self.slept.append(seconds)


def truth(text: str) -> float:
    """A score that only this text has."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4]) / 2**32


def single(asked: Asked, _: int) -> Reply:
    return Reply({"scores": {"toxic": truth(asked.body["comment"]["text"])}})


def batched(asked: Asked, _: int) -> Reply:
    return Reply({"results": [{"score": truth(text)} for text in asked.body["texts"]]})


def described(url: str, **changes: Any) -> Endpoint:
    told = {"url": url, "body": {"comment": {"text": "{text}"}}, "response": "scores.toxic", **changes}
    return Endpoint(**told)


def in_batches(url: str, **changes: Any) -> Endpoint:
    told = {"url": url, "body": {"texts": "{texts}"}, "response": "results[].score", "batch": 4, **changes}
    return Endpoint(**told)


def classifier(endpoint: Endpoint, time: Time | None = None) -> EndpointClassifier:
    watch = time or Time()
    waiting = {"clock": watch.clock, "sleep": watch.sleep, "draw": lambda low, high: high}
    return EndpointClassifier(endpoint, secrets=["EVENHAND_TEST_KEY"], **waiting)


EXPECTED = np.array([truth(text) for text in TEXTS])


def check(found: Any) -> None:
    np.testing.assert_array_equal(found.probabilities[:, 0], EXPECTED)


def test_one_text_a_request_in_order() -> None:
    with serving(single) as server:
        endpoint = described(server.url, parallel=4)
        check(classifier(endpoint).score(TEXTS))
        assert len(server.asked) == len(TEXTS)
        assert {asked.headers["User-Agent"] for asked in server.asked} == {f"evenhand/{__version__}"}
        assert classifier(endpoint).targets.classes == ("positive",)
        assert classifier(endpoint).score([]).probabilities.shape == (0, 1)


def test_a_batch_a_request_in_order() -> None:
    with serving(batched) as server:
        check(classifier(in_batches(server.url, parallel=3)).score(TEXTS))
        assert sorted(len(asked.body["texts"]) for asked in server.asked) == [3, 4, 4, 4, 4, 4]


def test_a_text_that_is_no_unicode_is_sent_all_the_same() -> None:
    with serving(lambda asked, number: Reply({"scores": {"toxic": len(asked.body["comment"]["text"]) / 10}})) as server:
        found = classifier(described(server.url)).score(["a\ud800b", "", "\x00\n"])
    assert found.probabilities[:, 0].tolist() == [0.3, 0.0, 0.2]


def test_requests_run_beside_one_another() -> None:
    """Four workers can only all be answered if all four are asking."""
    together = threading.Barrier(4, timeout=10)

    def answer(asked: Asked, number: int) -> Reply:
        together.wait()
        return single(asked, number)

    with serving(answer) as server:
        classifier(described(server.url, parallel=4)).score(TEXTS[:8])
        assert server.most_busy == 4


TROUBLE = [
    Reply({"error": "later"}, status=503),
    Reply({"error": "later"}, status=429, headers={"Retry-After": "7"}),
    Reply(drop=True),
    Reply({"scores": {"toxic": 0.5}}, drop=True),  # a whole answer in a broken parcel is none
    Reply({}, status=500),
]


@pytest.mark.parametrize("parallel", [1, 5])
@pytest.mark.parametrize(("ask", "answer"), [(described, single), (in_batches, batched)])
def test_whatever_goes_wrong_every_text_gets_its_own_score(
    parallel: int, ask: Callable[..., Endpoint], answer: Callable[[Asked, int], Reply]
) -> None:
    def now_and_then(asked: Asked, number: int) -> Reply:
        return TROUBLE[number // 2 % len(TROUBLE)] if number % 2 else answer(asked, number)

    with serving(now_and_then) as server:
        check(classifier(ask(server.url, parallel=parallel, tries=40)).score(TEXTS))


def test_an_endpoint_that_stalls_is_asked_again() -> None:
    def answer(asked: Asked, number: int) -> Reply:
        return Reply(stall=True) if number == 0 else single(asked, number)

    with serving(answer) as server:
        check(classifier(described(server.url, timeout=0.5)).score(TEXTS))
        assert len(server.asked) > len(TEXTS)


def test_nobody_there() -> None:
    with serving(single) as server:
        url = server.url
    with pytest.raises(InputError, match=r"/score: no connection \(.*\) after 3 tries; the scores so far are kept"):
        classifier(described(url, tries=3)).score(TEXTS)


def test_waits_grow_and_yield_to_the_endpoint() -> None:
    later = datetime.datetime.now(datetime.UTC) + datetime.timedelta(seconds=100)
    date = email.utils.format_datetime(later, usegmt=True)
    replies = [
        Reply({}, status=503),
        Reply({}, status=503),
        Reply({}, status=503, headers={"Retry-After": "nonsense"}),
        Reply({}, status=429, headers={"Retry-After": "17"}),
        Reply({}, status=429, headers={"Retry-After": date}),
        Reply({}, status=429, headers={"Retry-After": "100000"}),
        Reply({}, status=429, headers={"Retry-After": "-5"}),
    ]
    time = Time()
    with serving(lambda asked, number: replies[number] if number < len(replies) else single(asked, number)) as server:
        classifier(described(server.url, tries=8), time).score(TEXTS[:1])
    waits = time.slept
    assert waits[:4] == [0.5, 1.0, 2.0, 17.0]
    assert 90.0 < waits[4] <= 100.0
    assert waits[5:] == [300.0, 30.0]


def test_a_pause_that_is_asked_for_holds_for_all_workers() -> None:
    starts: list[float] = []
    time = Time()

    def answer(asked: Asked, number: int) -> Reply:
        starts.append(time.clock())
        return Reply({}, status=429, headers={"Retry-After": "50"}) if number == 0 else single(asked, number)

    with serving(answer) as server:
        asking = classifier(described(server.url), time)
        asking.score(TEXTS[:2])
    assert starts[1] - starts[0] >= 50.0


def test_the_rate_is_kept_by_all_workers_and_between_calls() -> None:
    """The clock moves only by sleeping, so that n requests at 4 a second must have slept for (n - 1) / 4 seconds."""
    time = Time()
    starts: list[float] = []

    def answer(asked: Asked, number: int) -> Reply:
        starts.append(time.clock())
        return Reply({}, status=503) if number == 3 else single(asked, number)

    with serving(answer) as server:
        asking = classifier(described(server.url, rate=4.0, parallel=3), time)
        asking.score(TEXTS[:10])
        asking.score(TEXTS[10:12])
    assert len(starts) == 13
    assert time.now - 1000.0 >= 12 / 4.0


def test_at_a_rate_one_worker_is_never_early() -> None:
    time, starts = Time(), []

    def answer(asked: Asked, number: int) -> Reply:
        starts.append(time.clock())
        return single(asked, number)

    with serving(answer) as server:
        classifier(described(server.url, rate=2.0), time).score(TEXTS[:6])
    np.testing.assert_allclose(np.diff(starts), 0.5)


@pytest.mark.parametrize("status", [301, 307, 400, 401, 403, 404, 418, 501])
def test_other_statuses_fail_at_once(status: int) -> None:
    reply = Reply({"error": "no such thing"}, status=status, headers={"Location": "http://example.invalid/"})
    with serving(lambda asked, number: reply) as server:
        with pytest.raises(InputError, match=rf'^http://127.0.0.1:\d+/score: status {status}: {{"error": "no such'):
            classifier(described(server.url)).score(TEXTS[:1])
        assert len(server.asked) == 1


def test_the_first_failure_ends_the_others() -> None:
    together = threading.Barrier(3, timeout=10)

    def answer(asked: Asked, number: int) -> Reply:
        together.wait()
        return Reply({}, status=403) if number == 0 else Reply({}, status=503, headers={"Retry-After": "300"})

    with serving(answer) as server:
        asking = EndpointClassifier(described(server.url, parallel=3))  # with a real sleep: it must be interrupted
        with pytest.raises(InputError, match="status 403"):
            asking.score(TEXTS)
        assert len(server.asked) == 3


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"<html>hello</html>", "the answer is not JSON: <html>hello</html>"),
        (b"", r"the answer is not JSON: \(empty\)"),
        (b"\xff\xfe\x00", "the answer is not JSON"),
        (b"[" * 100_000, "the answer is not JSON"),
        ({"scores": {}}, "the answer has nothing at 'scores.toxic'"),
        ({"scores": [1]}, "the answer has nothing at 'scores.toxic'"),
        (None, "the answer has nothing at 'scores'"),
        ({"scores": {"toxic": None}}, "no number at 'scores.toxic'"),
        ({"scores": {"toxic": True}}, "no number"),
        ({"scores": {"toxic": "0.4"}}, "no number"),
        ({"scores": {"toxic": 1.5}}, r"text 1: 1.5 is not on the scale 'probability' \(it is above 1"),
        (
            {"scores": {"toxic": -0.1}},
            "-0.1 is not on the scale 'probability'.*set scale = 'logprob' for log-probabilities, 'logit' for log-odds",
        ),
        ({"scores": {"toxic": float("nan")}}, r"nan is not on the scale 'probability' \(it must be a number"),
        ({"scores": {"toxic": 10**400}}, "inf is not on the scale 'probability'"),
    ],
)
def test_an_answer_that_is_none(body: Any, words: str) -> None:
    with serving(lambda asked, number: Reply(body)) as server:
        with pytest.raises(InputError, match=words):
            classifier(described(server.url)).score(TEXTS[:1])
        assert len(server.asked) == 1


@pytest.mark.parametrize("extra", [-1, 1])
def test_a_wrong_number_of_results(extra: int) -> None:
    def answer(asked: Asked, number: int) -> Reply:
        return Reply({"results": [{"score": 0.5}] * (len(asked.body["texts"]) + extra)})

    with serving(answer) as server, pytest.raises(InputError, match=f"{4 + extra} results at .* for 4 texts"):
        classifier(in_batches(server.url)).score(TEXTS)


def test_a_text_that_cannot_be_scored_is_left_out_alone() -> None:
    bad = {TEXTS[5], TEXTS[6], TEXTS[22]}

    def answer(asked: Asked, number: int) -> Reply:
        return Reply({"error": "language"}, status=400) if bad & {*asked.body["texts"]} else batched(asked, number)

    with serving(answer) as server:
        found = classifier(in_batches(server.url, skip=(400,))).score(TEXTS).probabilities[:, 0]
    expected = np.where([text in bad for text in TEXTS], np.nan, EXPECTED)
    np.testing.assert_array_equal(found, expected)


def test_a_status_that_may_pass_is_tried_before_it_is_skipped() -> None:
    with serving(lambda asked, number: Reply({}, status=500)) as server:
        found = classifier(described(server.url, skip=(500,), tries=3)).score(TEXTS[:1])
        assert np.isnan(found.probabilities).all()
        assert len(server.asked) == 3


def test_an_answer_that_never_ends_is_refused() -> None:
    with (
        serving(lambda asked, number: Reply(b" " * (2 << 20))) as server,
        pytest.raises(InputError, match="larger than any list of scores"),
    ):
        classifier(described(server.url)).score(TEXTS[:1])


def test_answers_that_come_at_a_time_fit_into_memory_together() -> None:
    sizes = [
        largest_answer(in_batches("http://localhost", batch=batch, parallel=parallel))
        for batch in (1, 100, 10_000)
        for parallel in (1, 8, 64)
    ]
    assert max(sizes) == 32 << 20
    assert min(sizes) == 1 << 20
    assert largest_answer(in_batches("http://localhost", batch=10_000, parallel=64)) * 64 == 64 << 20


def test_a_compressed_answer_is_not_unpacked() -> None:
    """Half a gigabyte of spaces is half a megabyte."""
    packed = gzip.compress(b" " * (8 << 20))
    with serving(lambda asked, number: Reply(packed, headers={"Content-Encoding": "gzip"})) as server:
        with pytest.raises(InputError, match="the answer is compressed"):
            classifier(described(server.url)).score(TEXTS[:1])
        assert server.asked[0].headers["Accept-Encoding"] == "identity"


def test_an_answer_of_many_values_is_not_parsed() -> None:
    values = b"[" + b"[]," * 300_000 + b"[]]"
    with serving(lambda *_: Reply(values)) as server, pytest.raises(InputError, match="the answer is not JSON"):
        classifier(described(server.url, parallel=64)).score(TEXTS[:1])


SECRETIVE = {
    "headers": {"Authorization": "Bearer ${EVENHAND_TEST_KEY}"},
    "query": {"key": "${EVENHAND_TEST_KEY}"},
    "body": {"comment": {"text": "{text}"}, "token": "${EVENHAND_TEST_KEY}"},
}


def test_keys_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVENHAND_TEST_KEY", SECRET + "\n")  # as a file of a key ends
    with serving(single) as server:
        asking = classifier(described(server.url, **SECRETIVE))
        check(asking.score(TEXTS))
        for asked, text in zip(server.asked, TEXTS, strict=True):
            assert asked.headers["Authorization"] == f"Bearer {SECRET}"
            assert asked.query == {"key": [SECRET]}
            assert asked.body == {"comment": {"text": text}, "token": SECRET}
        before = asking.version
        monkeypatch.setenv("EVENHAND_TEST_KEY", "another one")
        assert asking.version == before
        assert SECRET not in repr(asking)
    monkeypatch.delenv("EVENHAND_TEST_KEY")
    with pytest.raises(InputError, match="environment variable EVENHAND_TEST_KEY, which is not set"):
        asking.score(TEXTS)


@pytest.mark.parametrize("reply", ["status", "garbage", "path", "drop", "passing"])
def test_keys_and_texts_are_never_said(
    reply: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("EVENHAND_TEST_KEY", SECRET)
    caplog.set_level(logging.DEBUG)

    def answer(asked: Asked, _: int) -> Reply:
        echo = f"no: {asked.query['key'][0]} {asked.headers['Authorization']} {asked.body['comment']['text']}"
        told = {
            "status": Reply({"error": echo}, status=403),
            "garbage": Reply(echo.encode()),
            "path": Reply({echo: 1}),
            "drop": Reply(drop=True),
            "passing": Reply({"error": echo}, status=503),
        }
        return told[reply]

    with serving(answer) as server:
        address = server.url.replace("http://", "http://user:${EVENHAND_TEST_KEY}@") + "?key2=${EVENHAND_TEST_KEY}"
        with pytest.raises(InputError) as caught:
            classifier(described(address, tries=2, **SECRETIVE)).score(["a private comment"])
    said = str(caught.value) + caplog.text
    assert "s3cr3t" not in said
    assert "private" not in said
    assert "user" not in str(caught.value).split("/score")[0]
    assert "/score: " in str(caught.value)


def test_a_key_that_cannot_be_a_header(monkeypatch: pytest.MonkeyPatch) -> None:
    for value in ("s3cr3t\nX-Evil: 1", "s3cr3té"):
        monkeypatch.setenv("EVENHAND_TEST_KEY", value)
        with serving(single) as server, pytest.raises(InputError, match="the request cannot be sent") as caught:
            classifier(described(server.url, headers={"X-Key": "${EVENHAND_TEST_KEY}"})).score(TEXTS[:1])
        assert "s3cr3t" not in str(caught.value)


def test_a_redirect_is_not_followed_with_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVENHAND_TEST_KEY", SECRET)
    with serving(single) as other:
        reply = Reply({}, status=307, headers={"Location": other.url})
        with serving(lambda asked, number: reply) as server, pytest.raises(InputError, match="status 307"):
            classifier(described(server.url, **SECRETIVE)).score(TEXTS[:1])
        assert other.asked == []


def test_several_classes_scales_and_variances() -> None:
    def answer(asked: Asked, _: int) -> Reply:
        p = truth(asked.body["comment"]["text"])
        labels = [{"label": "b", "score": 100 * (1 - p)}, {"label": "a", "score": 100 * p}]
        return Reply([{"out": sorted(labels, key=lambda one: -one["score"]), "var": {"a.x": 16, "b": 4}}])

    paths = {"A": "[0].out[label=a].score", "B": "[0].out[label=b].score"}
    with serving(answer) as server:
        told = {"response": paths, "variance": {"A": '[0].var["a.x"]', "B": "[0].var.b"}, "scale": "percent"}
        found = classifier(described(server.url, task="multi-class", **told)).score(TEXTS)
    np.testing.assert_allclose(found.probabilities[:, 0], EXPECTED)
    np.testing.assert_allclose(found.probabilities.sum(axis=1), 1.0)
    assert found.variance is not None
    np.testing.assert_allclose(found.variance, [[0.0016, 0.0004]] * len(TEXTS))
    assert found.targets.classes == ("A", "B")


def test_logits_and_a_get_request() -> None:
    def answer(asked: Asked, _: int) -> Reply:
        p = truth(asked.query["q"][0])
        return Reply(float(np.log(p / (1 - p))) if asked.method == "GET" else None)

    with serving(lambda asked, number: Reply({"x": answer(asked, number).body})) as server:
        endpoint = Endpoint(
            url=server.url + "?v=1", method="GET", query={"q": "{text}"}, response="x", scale="logit", positive="toxic"
        )
        found = classifier(endpoint).score(TEXTS)
        assert all(asked.query["v"] == ["1"] for asked in server.asked)
    np.testing.assert_allclose(found.probabilities[:, 0], EXPECTED)


def test_a_variance_that_no_probability_has() -> None:
    with serving(lambda asked, number: Reply({"p": 0.5, "v": 0.3})) as server:
        endpoint = described(server.url, response="p", variance="v")
        with pytest.raises(InputError, match=r"variance outside 0 to 0.25"):
            classifier(endpoint).score(TEXTS[:1])


def test_probabilities_of_exclusive_classes_must_sum_to_one() -> None:
    with serving(lambda asked, number: Reply({"a": 0.7, "b": 0.7})) as server:
        told = {"response": {"a": "a", "b": "b"}}
        with pytest.raises(InputError, match=r"the classes sum to 1.4 instead of 1: set task = 'multi-label'"):
            classifier(described(server.url, task="multi-class", **told)).score(TEXTS[:1])
        found = classifier(described(server.url, task="multi-label", **told)).score(TEXTS[:1])
        assert found.probabilities.tolist() == [[0.7, 0.7]]


LOG_THIRDS = {"a": float(np.log(1 / 3)), "b": float(np.log(2 / 3))}


def test_log_probabilities_have_a_scale_of_their_own() -> None:
    told: dict[str, Any] = {"response": {"a": "a", "b": "b"}, "task": "multi-class"}
    with serving(lambda asked, number: Reply(LOG_THIRDS)) as server:
        found = classifier(described(server.url, scale="logprob", **told)).score(TEXTS[:2])
        np.testing.assert_allclose(found.probabilities, [[1 / 3, 2 / 3]] * 2)
        with pytest.raises(
            InputError, match=r"on the scale 'logit'.*the values are log-probabilities: set scale = 'log"
        ):
            classifier(described(server.url, scale="logit", **told)).score(TEXTS[:1])


@pytest.mark.parametrize("on_error", ["stop", "empty"])
def test_values_that_contradict_the_scale_always_stop(on_error: str) -> None:
    """Half of them would pass: those below 0."""

    def answer(asked: Asked, _: int) -> Reply:
        return Reply({"results": [{"score": -0.2 if text != TEXTS[6] else 0.4} for text in asked.body["texts"]]})

    with serving(answer) as server:
        endpoint = in_batches(server.url, scale="logprob", on_error=on_error)
        with pytest.raises(
            InputError, match=r"text 7: 0.4 is not on the scale 'logprob' \(a log-probability is at most 0"
        ):
            classifier(endpoint).score(TEXTS)
        np.testing.assert_allclose(classifier(endpoint).score(TEXTS[:4]).probabilities, np.exp([[-0.2]] * 4))


def test_of_a_batch_only_the_unreadable_answers_are_left_empty() -> None:
    def answer(asked: Asked, number: int) -> Reply:
        results = [{"score": truth(text) if text != TEXTS[2] else "?"} for text in asked.body["texts"]]
        return Reply({"results": results}) if TEXTS[9] not in asked.body["texts"] else Reply(b"<html>")

    with serving(answer) as server:
        found = classifier(in_batches(server.url, on_error="empty")).score(TEXTS)
        with pytest.raises(InputError, match=r"text 3: the answer has no number at 'results\[\].score'"):
            classifier(in_batches(server.url)).score(TEXTS)
    empty = np.flatnonzero(np.isnan(found.probabilities[:, 0]))
    assert empty.tolist() == [2, 9]
    np.testing.assert_array_equal(np.delete(found.probabilities[:, 0], empty), np.delete(EXPECTED, empty))
