"""What an endpoint may be, and the parts that calls are made of."""

from __future__ import annotations

import datetime
from typing import Any

import pytest

from evenhand.classifiers.adapters.endpoint import Endpoint
from evenhand.classifiers.adapters.endpoint_requests import RateLimiter, backoff_wait, retry_after
from evenhand.classifiers.adapters.environment_keys import EnvironmentKeys
from evenhand.classifiers.adapters.json_path import JsonPath, PathNotFound
from evenhand.classifiers.adapters.server import fill_template
from evenhand.errors import InputError

GOOD: dict[str, Any] = {"url": "https://example.org/score", "body": {"text": "{text}"}, "response": "score"}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"url": "ftp://example.org"}, "url must begin with https://"),
        ({"url": "example.org/score"}, "url must begin with https://"),
        ({"url": "https://example.org/{text}"}, "put it into query or body"),
        ({"url": "https://me:pass@example.org"}, "a key must not be written in a file.*'password'"),
        ({"headers": {"X-Api-Key": "abc"}}, r"write 'X-Api-Key' as \$\{VARIABLE\}"),
        ({"query": {"token": "abc"}}, "a key must not be written in a file"),
        ({"body": {"text": "{text}", "since": datetime.date(2026, 1, 1)}}, "body must be valid JSON"),
        ({"method": "PSOT"}, "did you mean 'POST'"),
        ({"scale": "percents"}, "did you mean 'percent'"),
        ({"batch": 0}, "batch must be 1 or more"),
        ({"tries": 0}, "tries must be 1 or more"),
        ({"timeout": 0.0}, "timeout must be above 0"),
        ({"timeout": 1e9}, "timeout must be above 0, and at most 600 seconds"),
        ({"rate": float("nan")}, r"rate must be 0.001 requests per second or more"),
        ({"rate": 1e-9}, r"rate must be 0.001 requests per second or more"),
        ({"parallel": 100_000}, "parallel must be 1 or more, and at most 64"),
        ({"tries": 10**9}, "tries must be 1 or more, and at most 100"),
        ({"url": "file:///etc/passwd"}, "url must begin with https://"),
        ({"url": "https://${HOST}/score"}, "the host in url must be written out"),
        ({"url": "https://me:${PASS}@api.${HOME}.org"}, "the host in url must be written out"),
        ({"skip": (200,)}, "not 200"),
        ({"body": {"text": "hello"}}, r"must contain \{text\}"),
        ({"body": None}, r"must contain \{text\}"),
        ({"body": {"a": "{text}", "b": "{texts}"}}, r"must contain \{text\}"),
        ({"batch": 2}, r"needs \{texts\}"),
        ({"response": "a[].b"}, r"has \[\]"),
        ({"body": {"texts": "{texts}"}}, r"needs \[\]"),
        ({"response": "a..b"}, "cannot be read from '..b'"),
        ({"response": "a[b"}, r"cannot be read from '\[b'"),
        ({"response": ""}, "must lead to one number"),
        ({"response": "a[][]"}, "must lead to one number"),
        ({"response": {"a": "x", "b": "y"}}, "several classes: set task"),
        ({"response": {}}, "classes"),
        ({"response": {"a": "x"}, "task": "multi-class"}, "multi-class classifier cannot have 1 classes"),
        ({"variance": {"other": "v"}}, "variance must name the classes"),
        ({"variance": "v", "scale": "logit"}, "leave out variance"),
        ({"response": "choices[0].logprobs.content[0].logprob", "scale": "logit"}, "set scale = 'logprob'"),
        ({"response": "choices[0].logprobs.content[0].logprob"}, "leads to a logprob, and scale is 'probability'"),
        ({"response": "logits[0].toxic_logit", "scale": "logprob"}, "set scale = 'logit'"),
        ({"on_error": "ignore"}, "invalid on_error: 'ignore'"),
    ],
)
def test_what_no_endpoint_is(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        Endpoint(**{**GOOD, **changes})


def test_the_version_is_that_of_what_changes_an_answer() -> None:
    same = Endpoint(**GOOD).version
    assert Endpoint(**GOOD, rate=3.0, parallel=4, tries=9, name="x").version == same
    for changes in ({"scale": "percent"}, {"response": "other"}, {"headers": {"X-Model": "2"}}, {"skip": (400,)}):
        assert Endpoint(**{**GOOD, **changes}).version != same


def test_the_address_that_is_shown_has_no_secret() -> None:
    endpoint = Endpoint(**{**GOOD, "url": "https://me:${PASS}@example.org:81/a/${KEY}?key=abc#x"})
    assert endpoint.address == "https://example.org:81/a/${KEY}"
    assert endpoint.title == "example.org:81"


ANSWER = {"a": {"b.c": [1, 2], "d": [{"l": "x", "v": 3}, {"l": "y", "v": 4}]}, "hate/threat": 5, "e": [[6], [7]]}


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ('a["b.c"][1]', [2]),
        ("a.d[l=y].v", [4]),
        ("a.d[-1].v", [4]),
        ("a.d[].v", [3, 4]),
        ("hate/threat", [5]),
        ("e[][0]", [6, 7]),
    ],
)
def test_paths_that_lead_somewhere(path: str, found: list[int]) -> None:
    assert JsonPath.parse(path).find(ANSWER) == found


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("a.x.y", "nothing at 'a.x'"),
        ("a.d[7]", "nothing at 'a.d[7]'"),
        ("a.d[l=z].v", "nothing at 'a.d[l=z]'"),
        ("a[].v", "no list at 'a'"),
        ("a.d.v", "nothing at 'a.d.v'"),
        ("hate/threat[0]", "nothing at 'hate/threat[0]'"),
    ],
)
def test_paths_that_lead_nowhere(path: str, told: str) -> None:
    with pytest.raises(PathNotFound) as caught:
        JsonPath.parse(path).find(ANSWER)
    assert str(caught.value) == told


def test_a_text_is_never_looked_into() -> None:
    keys = EnvironmentKeys.read({"url": "${KEY}"}, {"KEY": "{text}${OTHER}", "OTHER": "x"})
    template = {"a": "say: {text}, {text}!", "b": ["${KEY}", 3, True, None]}
    found = fill_template(template, ["${KEY} {text} {texts}"], keys.fill)
    assert found["a"] == "say: ${KEY} {text} {texts}, ${KEY} {text} {texts}!"
    assert found["b"] == ["{text}${OTHER}", 3, True, None]
    assert fill_template({"t": "{texts}"}, ["{texts}", "b"], keys.fill) == {"t": ["{texts}", "b"]}


def test_keys_are_hidden_however_they_are_written() -> None:
    keys = EnvironmentKeys.read({"url": "${KEY} ${SHORT}"}, {"KEY": "a b/c+d", "SHORT": "is"})
    assert keys.hide("this: a b/c+d a%20b%2Fc%2Bd a+b%2Fc%2Bd") == "this: ${KEY} ${KEY} ${KEY}"
    assert "a b/c" not in repr(keys)


def test_waits_are_drawn_from_all_of_a_growing_span() -> None:
    spans = [backoff_wait(failures, lambda low, high: (low, high)) for failures in (1, 2, 3, 50)]
    assert spans == [(0.0, 0.5), (0.0, 1.0), (0.0, 2.0), (0.0, 30.0)]


def test_when_to_come_back() -> None:
    now = datetime.datetime(2026, 3, 1, 12, 0, tzinfo=datetime.UTC)
    assert retry_after(None, now) is None
    assert retry_after("12.5", now) == 12.5
    assert retry_after("Sun, 01 Mar 2026 12:00:20 GMT", now) == 20.0
    assert retry_after("Sun, 01 Mar 2026 12:00:20 -0000", now) == 20.0
    assert retry_after("Sun, 01 Mar 2026 11:00:00 GMT", now) == 0.0
    assert retry_after("inf", now) == 300.0
    assert retry_after("nan", now) is None
    assert retry_after("soon", now) is None


def test_a_pause_holds_for_who_already_waits() -> None:
    now = [0.0]
    pace = RateLimiter(1.0, clock=lambda: now[0])
    pace.wait(lambda seconds: pytest.fail("the first need not wait"))
    slept = []

    def sleep(seconds: float) -> None:
        if not slept:
            pace.hold(10.0)  # another worker is told to pause meanwhile
        slept.append(seconds)
        now[0] += seconds

    pace.wait(sleep)
    assert slept == [1.0, 9.0]
