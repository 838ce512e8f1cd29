"""Programs that were written for Perspective and OpenAI, unchanged but for the address, against a real server."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import uvicorn

from evenhand.service.app import create_app
from evenhand.service.mappings import CategoryMapping, ModerationTable
from evenhand.service.server import GuardedConnection, listen
from evenhand.service.settings import ServiceSettings
from evenhand.service.tokens import TokenFile, write_tokens

pytestmark = pytest.mark.verify
GOOGLE = "https://commentanalyzer.googleapis.com"
NODE_PACKAGES = (
    "@conversationai/perspectiveapi-js-client@1.0.1",
    "perspective-api-client@3.1.0",
    "googleapis-common@9.3.1",
)
NODE_SCRIPTS = {
    "@conversationai/perspectiveapi-js-client": """
        const {Client} = require('@conversationai/perspectiveapi-js-client');
        const client = new Client(KEY);
        client.perspectiveApiUrl = client.perspectiveApiUrl.replace(GOOGLE, ADDRESS);
        client.getScores(TEXT, {attributes: ['TOXICITY']}).then(found => show(found.TOXICITY), fail);
    """,
    "perspective-api-client": """
        const name = 'perspective-api-client';
        const axios = require(require.resolve('axios', {paths: [require.resolve(name)]}));
        axios.interceptors.request.use(asked => ({...asked, url: asked.url.replace(GOOGLE, ADDRESS)}));
        const Perspective = require(name);
        const read = found => show(found.attributeScores.TOXICITY.summaryScore.value);
        new Perspective({apiKey: KEY}).analyze(TEXT).then(read, fail);
    """,
    "googleapis-common": """
        const {Discovery} = require('googleapis-common');
        const body = {comment: {text: TEXT}, requestedAttributes: {TOXICITY: {}}};
        new Discovery({debug: false, includePrivate: false})
            .discoverAPI(ADDRESS + '/$discovery/rest?version=v1alpha1')
            .then(make => make({version: 'v1alpha1'}).comments.analyze({key: KEY, resource: body}))
            .then(found => show(found.data.attributeScores.TOXICITY.summaryScore.value), fail);
    """,
}


@dataclass(frozen=True)
class RunningService:
    address: str
    key: str


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """A service on a free port that asks for a key also on this machine."""
    path = tmp_path_factory.mktemp("tokens") / "tokens.json"
    tokens, key = TokenFile().issue("client", ["score"])
    write_tokens(tokens, path)
    harassment = ModerationTable({"harassment": CategoryMapping("toxic", 0.5)})
    settings = ServiceSettings(port=0, token_file=path, require_token=True, moderations=harassment)
    config = uvicorn.Config(create_app(settings), http=GuardedConnection, ws="none", log_config=None, access_log=False)
    listener, server = listen(settings), uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    yield RunningService(f"http://127.0.0.1:{listener.getsockname()[1]}", key)
    server.should_exit = True
    thread.join(30)


def google_client(service: RunningService, key: str | None = None) -> Any:
    from googleapiclient import discovery

    return discovery.build(
        "commentanalyzer",
        "v1alpha1",
        developerKey=key or service.key,
        discoveryServiceUrl=f"{service.address}/$discovery/rest?version=v1alpha1",
        static_discovery=False,
    )


def test_google_api_python_client(service: RunningService) -> None:
    from googleapiclient.errors import HttpError

    with google_client(service) as client:
        body = {"comment": {"text": "you are an idiot. thanks 🙂"}, "requestedAttributes": {"TOXICITY": {}}}
        found = client.comments().analyze(body={**body, "spanAnnotations": True}).execute()
        first, second = (span["score"]["value"] for span in found["attributeScores"]["TOXICITY"]["spanScores"])
        assert first > 0.5 > second
        assert found["languages"] == found["detectedLanguages"][:1] == ["en"]
        suggestion = {**body, "attributeScores": {"TOXICITY": {"summaryScore": {"value": 1}}}, "clientToken": "t"}
        suggestion.pop("requestedAttributes")
        assert client.comments().suggestscore(body=suggestion).execute()["clientToken"] == "t"
        for wrong, words in (
            ({**body, "requestedAttributes": {"SPAM": {}}}, "Unknown requested attribute: SPAM"),
            ({**body, "languages": ["ru"]}, "Attribute TOXICITY does not support request languages: ru"),
            ({**body, "comment": {"text": "ты дурак и ничего не понимаешь"}}, "does not support request languages: ru"),
        ):
            with pytest.raises(HttpError) as caught:
                client.comments().analyze(body=wrong).execute()
            assert caught.value.resp.status == 400
            assert words in caught.value.reason
            assert caught.value.error_details[0]["@type"].endswith("commentanalyzer.v1alpha1.Error")
    with google_client(service, "wrong") as client, pytest.raises(HttpError, match="API key not valid"):
        client.comments().analyze(body=body).execute()


def test_py_perspective(service: RunningService, monkeypatch: pytest.MonkeyPatch) -> None:
    from PyPerspective import Perspective as client
    from PyPerspective.errors import InvalidAuthKey

    monkeypatch.setattr(client, "base_url", client.base_url.replace(GOOGLE, service.address))
    found = client.Perspective(service.key).get_score("you are an idiot", tests=["TOXICITY"], langs=["en"])
    assert found["TOXICITY"].score > 0.5
    assert str(found["TOXICITY"][0]) == "you are an idiot"
    assert (found.requests_langs, found.detected_langs) == (["en"], ["en"])
    with pytest.raises(InvalidAuthKey):
        client.Perspective("wrong")


def test_openai(service: RunningService) -> None:
    import openai

    address = f"{service.address}/v1"
    with openai.OpenAI(api_key=service.key, base_url=address, max_retries=0) as client:
        found = client.moderations.create(model="omni-moderation-latest", input=["you are an idiot", "thank you"])
        rude, kind = found.results
        assert (rude.flagged, rude.categories.harassment, rude.categories.hate) == (True, True, None)
        assert (kind.flagged, kind.category_applied_input_types.hate) == (False, [])
        assert rude.category_scores.harassment > 0.5
        assert found.model.startswith("default@")
        with pytest.raises(openai.NotFoundError, match="does not exist here"):
            client.moderations.create(model="default@0000000000000000", input="a")
        with pytest.raises(openai.BadRequestError, match="images are not supported"):
            client.moderations.create(input=[{"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}])
    wrong = openai.OpenAI(api_key="wrong", base_url=address, max_retries=0)
    with wrong as client, pytest.raises(openai.AuthenticationError):
        client.moderations.create(input="a")


@pytest.fixture(scope="module")
def node_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the packages of Node, fetched from npm."""
    if not shutil.which("node") or not shutil.which("npm"):
        pytest.skip("Node is not installed")
    folder = tmp_path_factory.mktemp("node")
    command = ["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", str(folder), *NODE_PACKAGES]
    fetched = subprocess.run(command, capture_output=True, text=True, timeout=300)
    if fetched.returncode:
        pytest.skip(f"npm does not give the packages: {fetched.stderr.strip()[-200:]}")
    return folder


@pytest.mark.parametrize("package", NODE_SCRIPTS)
def test_node(service: RunningService, node_folder: Path, package: str) -> None:
    def run(key: str) -> Any:
        values = {"GOOGLE": GOOGLE, "ADDRESS": service.address, "KEY": key, "TEXT": "you are an idiot"}
        script = [f"const {name} = {json.dumps(value)};" for name, value in values.items()]
        script += ["const show = found => console.log(JSON.stringify(found));"]
        script += ["const fail = error => { console.log(JSON.stringify(String(error))); };", NODE_SCRIPTS[package]]
        environ = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()}
        done = subprocess.run(
            ["node", "-e", "\n".join(script)], cwd=node_folder, env=environ, capture_output=True, text=True, timeout=60
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    assert run(service.key) > 0.5
    refused = run("wrong")
    assert "API key not valid" in refused or "400" in refused  # one of the packages tells no more than the status
