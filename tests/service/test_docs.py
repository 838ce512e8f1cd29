"""The page on the service says what there is, and what it shows works."""

from __future__ import annotations

import json
import re
from pathlib import Path
from textwrap import dedent

import pytest
from benchmarks.load import running_service
from docs.generated import commands, service
from starlette.testclient import TestClient

from evenhand.service.settings import read_settings
from evenhand.service.tokens import SCOPES

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/service.md").read_text()
SETTINGS = service.PAGE.read_text()
SOURCES = [path.read_text() for path in (ROOT / "src/evenhand/service").glob("*.py")]


def test_the_table_of_settings_is_that_of_the_code() -> None:
    assert service.filled(SETTINGS) == SETTINGS, "run: python -m docs.generated.service"
    assert "`EVENHAND_SERVE_MAX_BODY`" in SETTINGS


def test_every_kind_of_problem_is_explained() -> None:
    made = {code for text in SOURCES for code in re.findall(r'(?:Problem\(\d+, |\(\d{3}, )"([a-z-]+)"', text)}
    assert {"overloaded", "invalid-json", "stopping", "headers-too-large"} <= made
    for code in made:
        assert f"`{code}`" in PAGE, code


def test_every_path_and_scope_is_explained(client: TestClient) -> None:
    for path in client.get("/api/v1/openapi.json").json()["paths"]:
        assert path.replace("{name}", "NAME") in PAGE
    for scope in SCOPES:
        assert f"`{scope}`" in PAGE


def test_the_request_it_shows_has_the_answer_it_shows(client: TestClient) -> None:
    body = re.search(r"-d '(.*)'", PAGE)
    assert body
    found = client.post("/api/v1/score", json=json.loads(body[1])).json()
    shown = json.loads(re.search(r'    (\{"model": "default".*?\]\})\n', PAGE, re.DOTALL)[1])  # type: ignore[index]
    assert {k: v for k, v in shown.items() if k != "results"} == {k: v for k, v in found.items() if k != "results"}
    for one, other in zip(shown["results"], found["results"], strict=True):
        assert one["probabilities"]["toxic"] == pytest.approx(other["probabilities"]["toxic"], abs=0.011)


def test_the_file_it_shows_can_be_read(tmp_path: Path) -> None:
    block = re.search(r"    # serve\.toml.*?\n\n## ", PAGE, re.DOTALL)
    assert block
    path = tmp_path / "serve.toml"
    path.write_text(dedent(block[0].removesuffix("## ")))
    first, second = read_settings({}, config=path, environ={}).models
    assert (first.name, first.version, second.source) == ("toxicity", "0f8fad5bd9cb469f", "default")


def test_the_reference_has_the_command_itself() -> None:
    assert "## evenhand serve\n" in commands.page()
    assert "`--max-body`" in commands.page()


@pytest.mark.verify
def test_the_client_it_shows_runs(capsys: pytest.CaptureFixture[str]) -> None:
    block = re.search(r"    from evenhand\.client.*?\n\n`Client`", PAGE, re.DOTALL)
    assert block
    with running_service() as running:
        code = dedent(block[0].removesuffix("`Client`")).replace("8717", str(running.port))
        exec(compile(code, "service.md", "exec"), {})
    assert capsys.readouterr().out.count("toxic") == 2
