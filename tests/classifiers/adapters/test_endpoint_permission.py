"""Descriptions by strangers: nothing leaves this machine that is not allowed, and the refusal says how to allow it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
import polars as pl
import pytest

from classifiers.server import Asked, Reply, serving
from cli.program import Program, fails
from evenhand.classifiers.adapters import Endpoint, EndpointClassifier
from evenhand.classifiers.adapters.endpoint_permission import Origin, check_permission
from evenhand.classifiers.models import open_model
from evenhand.errors import InputError

SECRETS = ("AWS_KEY", "API_KEY")
TOML = """
kind = "endpoint"
url = "{url}"
response = "p"
[headers]
Authorization = "Bearer ${{API_KEY}}"
[body]
text = "{{text}}"
also = ["${{AWS_KEY}}"]
"""


@pytest.fixture(autouse=True)
def secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in SECRETS:
        monkeypatch.setenv(name, f"s3cr3t-{name}")


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[httpx.Request]:
    """What any client would send, to any host; nothing goes out."""
    found: list[httpx.Request] = []

    def handle(_: Any, request: httpx.Request) -> httpx.Response:
        found.append(request)
        return httpx.Response(200, json={"p": 0.5})

    monkeypatch.setattr(httpx.HTTPTransport, "handle_request", handle)
    return found


def described(url: str) -> Path:
    Path("model.toml").write_text(TOML.format(url=url))
    pl.DataFrame({"text": ["a secret text"]}).write_csv("in.csv")
    return Path("model.toml")


def told(url: str, **more: Any) -> Endpoint:
    return Endpoint(**{"url": url, "response": "p", "body": {"text": "{text}"}, **more})


def test_nothing_is_sent_unless_it_is_allowed(program: Program, sent: list[httpx.Request]) -> None:
    score = ("score", described("https://api.example.com/v1/score?x=${API_KEY}"), "in.csv", "-o", "out.csv")
    line = fails(program, *score, says=["model.toml", "your texts and the environment variables API_KEY, AWS_KEY"])
    options = "--send-to https://api.example.com --secret API_KEY --secret AWS_KEY"
    assert line.endswith(f"to https://api.example.com; nothing was sent; allow it with {options}")
    assert "s3cr3t" not in line
    for some in (["--send-to", "https://api.example.com"], ["--secret", "API_KEY", "--secret", "AWS_KEY"]):
        fails(program, *score, *some, says=["nothing was sent"])
    fails(program, *score, "--send-to", "https://evil.example.com", *options.split()[2:], says=["nothing was sent"])
    assert sent == []
    assert program(*score, *options.split()).code == 0
    (request,) = sent
    assert request.url.host == "api.example.com"
    assert request.headers["Authorization"] == "Bearer s3cr3t-API_KEY"


def test_in_python(sent: list[httpx.Request], program: Program) -> None:
    file = described("https://api.example.com:8443/score")
    with pytest.raises(InputError, match=r"`send_to` https://api.example.com:8443 `secrets` API_KEY `secrets` AWS_KEY"):
        open_model(file)
    with pytest.raises(InputError, match="nothing was sent"):
        EndpointClassifier(told("https://api.example.com"))
    open_model(file, send_to="https://api.example.com:8443", secrets=SECRETS).score(["a"])
    EndpointClassifier(told("https://api.example.com"), send_to="api.example.com").score(["a"])
    assert [request.url.port for request in sent] == [8443, None]


def test_a_program_on_this_machine_is_asked_by_who_writes_its_address_and_not_by_a_file(program: Program) -> None:
    def answer(asked: Asked, _: int) -> Reply:
        return Reply({"p": 0.5})

    with serving(answer) as server:
        EndpointClassifier(told(server.url)).score(["a"])
        refusal = r"your texts and the environment variables API_KEY, AWS_KEY to http://127.0.0.1:\d+; nothing"
        with pytest.raises(InputError, match=refusal):
            open_model(described(server.url))
        assert len(server.asked) == 1
        open_model(described(server.url), secrets=SECRETS, send_to=server.url).score(["a"])
        assert server.asked[1].headers["Authorization"] == "Bearer s3cr3t-API_KEY"


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1@evil.example/",
        "http://127.0.0.1:80@evil.example/",
        "http://localhost.evil.example/",
        "http://127.0.0.1.evil.example/",
        "http://2130706433/",
        "http://0.0.0.0/",
        "http://169.254.169.254/latest/meta-data/",
        "http://10.0.0.1/",
        "http://[::ffff:1.2.3.4]/",
        "http://localhost\\@evil.example/",
        "http://evil.example#@127.0.0.1/",
        "http://evil.example?@127.0.0.1/",
        "HTTP://EVIL.example/",
        "http://l\u043ecalhost/",
    ],
)
def test_what_only_looks_like_this_machine(url: str, sent: list[httpx.Request]) -> None:
    with pytest.raises(InputError):
        EndpointClassifier(told(url)).score(["a"])
    assert sent == []


@pytest.mark.parametrize(
    "url", ["http://localhost:5000/x", "http://127.0.0.1", "http://127.9.9.9:1/", "http://[::1]:8/"]
)
def test_this_machine(url: str) -> None:
    assert check_permission(told(url), send_to=None, secrets=()).is_this_machine


def test_keys_never_go_without_encryption(sent: list[httpx.Request], program: Program) -> None:
    with pytest.raises(
        InputError, match=r"API_KEY, AWS_KEY would be sent to http://api.example.com without encryption: use https"
    ):
        open_model(described("http://api.example.com/"), send_to="http://api.example.com", secrets=SECRETS)
    with pytest.raises(InputError, match=r"`send_to` http://api.example.com"):
        EndpointClassifier(told("http://api.example.com/"), send_to="https://api.example.com")
    EndpointClassifier(told("http://api.example.com/"), send_to="http://api.example.com").score(["a"])
    assert len(sent) == 1


@pytest.mark.parametrize("value", ["x@evil.example/", "x@evil.example:443#", "@evil.example?"])
def test_a_variable_cannot_change_the_host(sent: list[httpx.Request], monkeypatch: Any, value: str) -> None:
    monkeypatch.setenv("API_KEY", value)
    endpoint = told("https://me:${API_KEY}@api.example.com/")
    asking = EndpointClassifier(endpoint, send_to="https://api.example.com", secrets=["API_KEY"])
    with pytest.raises(InputError, match=r"would change the host|cannot be sent"):
        asking.score(["a"])
    assert sent == []


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_takes_nothing_elsewhere(status: int) -> None:
    with serving(lambda *_: Reply({"p": 0.5})) as other:
        away = Reply({}, status=status, headers={"Location": other.url})
        with serving(lambda *_: away) as server, pytest.raises(InputError, match=f"status {status}"):
            EndpointClassifier(told(server.url, headers={"X-Key": "${API_KEY}"}), secrets=["API_KEY"]).score(["a"])
        assert other.asked == []


def test_variables_that_were_not_named_are_not_read(sent: list[httpx.Request]) -> None:
    endpoint = told("https://api.example.com", headers={"X-Key": "${API_KEY}"})
    asking = EndpointClassifier(endpoint, send_to="https://api.example.com", secrets=["API_KEY"])
    object.__setattr__(endpoint, "headers", {"X-Key": "${AWS_KEY}"})
    with pytest.raises(
        InputError, match=r"'headers\.X-Key' refers to the environment variable AWS_KEY, which is not set"
    ):
        asking.score(["a"])
    assert sent == []


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://a.org:443/x", "https://a.org"),
        ("http://a.org:8080", "http://a.org:8080"),
        ("https://[2001:db8::1]:8443/", "https://[2001:db8::1]:8443"),
        ("https://MÜNCHEN.example", "https://münchen.example"),
    ],
)
def test_hosts_as_they_are_shown(url: str, shown: str) -> None:
    assert str(Origin.parse(url)) == shown
    assert Origin.parse(shown) == Origin.parse(url)


def test_an_address_that_is_none() -> None:
    with pytest.raises(InputError, match="write it as https://host"):
        check_permission(told("https://a.org"), send_to="https://a.org:port", secrets=())


def test_permissions_go_with_models_that_use_them(program: Program) -> None:
    with pytest.raises(InputError, match="`send_to` goes with endpoints"):
        open_model("default", send_to="https://a.org")
    with pytest.raises(InputError, match="`trust` goes with skops files"):
        open_model(described("https://a.org"), trust="a.B")
    with pytest.raises(TypeError):
        open_model("default", sent_to="https://a.org")
