"""Settings: one table, three ways to give them, and errors that name the place."""

from __future__ import annotations

import re
import tomllib
from dataclasses import fields
from pathlib import Path

import pytest

from evenhand.errors import InputError
from evenhand.service.configuration_file import flag, setting_rows
from evenhand.service.mappings import INTERFACES
from evenhand.service.served_models import ServedModel
from evenhand.service.settings import ServiceSettings, read_settings


def test_every_setting_has_a_row_and_every_row_a_setting() -> None:
    settings = {field.name for field in fields(ServiceSettings)} - {"models", *INTERFACES}
    assert settings == set(setting_rows()) - {"model", "calibrator"}


@pytest.mark.parametrize("name", sorted(set(setting_rows()) - {"model", "calibrator"}))
def test_the_default_in_the_help_is_the_default(name: str) -> None:
    value = getattr(ServiceSettings(), name)
    told = re.search(r"\(([\w.]+)\)[.;]", setting_rows()[name].choice.help)
    if isinstance(value, (int, float, str)) and not isinstance(value, bool):
        assert told, name
        assert told[1] == (f"{value:g}" if isinstance(value, float) else str(value))


def test_the_example_of_every_row_is_taken(tmp_path: Path) -> None:
    lines = [f"{name} = {row.choice.toml}" for name, row in setting_rows().items() if row.choice.toml]
    path = tmp_path / "serve.toml"
    path.write_text("\n".join(lines))
    found = read_settings({}, config=path, environ={})
    assert found.max_body == tomllib.loads(path.read_text())["max_body"]
    assert found.models == (ServedModel("default", calibrator="calibrator.json"),)
    assert found.require_token


def test_options_come_before_variables_and_these_before_the_file(tmp_path: Path) -> None:
    path = tmp_path / "serve.toml"
    path.write_text("port = 1\nmax_text = 1\nmax_texts = 1\ntimeout = 5\n")
    variables = {
        "EVENHAND_SERVE_CONFIG": str(path),
        "EVENHAND_SERVE_PORT": "2",
        "EVENHAND_SERVE_MAX_TEXT": "2",
        "EVENHAND_SERVE_TRUSTED_PROXIES": "10.0.0.0/8, ::1",
        "EVENHAND_SERVE_REQUIRE_TOKEN": "yes",
        "EVENHAND_SERVE_TOKEN_FILE": "/somewhere/tokens.json",
        "EVENHAND_OTHER": "x",
    }
    found = read_settings({"port": 3, "host": None}, environ=variables)
    assert (found.port, found.max_text, found.max_texts, found.timeout) == (3, 2, 1, 5.0)
    assert found.trusted_proxies == ("10.0.0.0/8", "::1")
    assert found.require_token
    assert found.token_file == Path("/somewhere/tokens.json")
    assert found.host == "127.0.0.1"


@pytest.mark.parametrize(
    ("text", "model"),
    [
        ("default", ServedModel("default")),
        ("toxicity=models/a", ServedModel("models/a", "toxicity")),
        ("models/a@0123456789abcdef", ServedModel("models/a", None, "0123456789abcdef")),
        ("t=preset:dynabench@01234567", ServedModel("preset:dynabench", "t", "01234567")),
        ("a/b=c", ServedModel("a/b=c")),
        ("me@home", ServedModel("me@home")),
    ],
)
def test_a_model_is_named_and_pinned_in_one_word(text: str, model: ServedModel) -> None:
    assert ServedModel.parse(text) == model


def test_a_file_may_have_a_table_for_each_model(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    path = tmp_path / "serve.toml"
    path.write_text(
        '[models.a]\nsource = "mine"\nversion = "01"\n[models.b]\nsource = "default"\ncalibrator = "c.json"\n'
    )
    first, second = read_settings({}, config=path, environ={}).models
    assert first == ServedModel(str(tmp_path / "mine"), "a", "01")
    assert second == ServedModel("default", "b", None, "c.json")
    with_option = read_settings({"model": ("default",)}, config=path, environ={})
    assert with_option.models == (ServedModel("default"),)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("prot = 1", "there is no setting 'prot'; did you mean 'port'?"),
        ("port = 'x'", "`port` must be a whole number"),
        ("port = 70000", "invalid `port`: 70000"),
        ("max_text = 0", "invalid `max_text`: 0 (must be 1 or more)"),
        ("timeout = -1", "invalid `timeout`"),
        ("trusted_proxies = ['proxy']", "invalid `trusted_proxies`: 'proxy' (must be an address or a network)"),
        ("model = ['a']\n[models.b]\nsource = 'b'", "not both"),
        ("[models.b]\nsuorce = 'b'", "models.b has no 'suorce'; did you mean 'source'?"),
        ("[models.b]\nversion = 'b'", "models.b must have a source"),
        ("[models.'b c']\nsource = 'b'", "models.b c is not a name"),
        ("models = 3", "models must be tables"),
        ("calibrator = ['x=c.json']", "name its model"),
        ("store = 3", "`store` must be"),
        ("port = ", "not a readable TOML file"),
    ],
)
def test_what_a_file_may_not_say(content: str, says: str, tmp_path: Path) -> None:
    path = tmp_path / "serve.toml"
    path.write_text(content)
    with pytest.raises(InputError) as refused:
        read_settings({}, config=path, environ={})
    assert says in str(refused.value)


PERMISSIONS = ("trust", "send_to", "secrets", "webhook_networks")  # what a file of a stranger may not grant


def test_which_settings_a_file_may_not_decide() -> None:
    assert {name for name, row in setting_rows().items() if not row.choice.toml} == set(PERMISSIONS)


@pytest.mark.parametrize("name", PERMISSIONS)
def test_a_permission_is_refused_in_a_file_and_taken_from_the_environment(name: str, tmp_path: Path) -> None:
    path = tmp_path / "serve.toml"
    path.write_text(f'{name} = ["10.1.0.0/16"]\n')
    with pytest.raises(InputError) as refused:
        read_settings({name: None}, config=path, environ={})
    way = f"use {flag(setting_rows()[name])} or the variable EVENHAND_SERVE_{name.upper()}"
    assert str(refused.value) == f"{path}: `{name}` may not be set in a file: {way}"
    found = read_settings({}, environ={f"EVENHAND_SERVE_{name.upper()}": "10.1.0.0/16"})
    assert getattr(found, name) in ("10.1.0.0/16", ("10.1.0.0/16",))


@pytest.mark.parametrize("url", ["postgresql://me:hidden@db.invalid/desk", "sqlite:////tmp/desk.db", "x://y"])
def test_a_file_may_name_no_server_and_no_secret_is_repeated(url: str, tmp_path: Path) -> None:
    path = tmp_path / "serve.toml"
    path.write_text(f'store = "{url}"\n')
    with pytest.raises(InputError, match="`store` may not be a URL in a file") as refused:
        read_settings({}, config=path, environ={})
    assert "hidden" not in str(refused.value)
    path.write_text('store = "${DESK_URL}"\n')
    assert read_settings({}, config=path, environ={"DESK_URL": url}).store == url
    for value, says in (("", "which is not set"), ("a-secret", "which is not a database URL")):
        with pytest.raises(InputError, match=f"the environment variable DESK_URL, {says}") as refused:
            read_settings({}, config=path, environ={"DESK_URL": value})
        assert "a-secret" not in str(refused.value)


@pytest.mark.parametrize("name", ["store", "store_key"])
def test_the_store_of_a_file_lies_in_its_folder(name: str, tmp_path: Path) -> None:
    folder = tmp_path / "service"
    folder.mkdir()
    (tmp_path / "own.db").touch()
    (folder / "linked.db").symlink_to(tmp_path / "own.db")
    path = folder / "serve.toml"
    for place in ("../own.db", str(tmp_path / "own.db"), "linked.db"):
        path.write_text(f"{name} = '{place}'\n")
        with pytest.raises(InputError, match=rf"`{name}` must be in the folder of this file: use --store"):
            read_settings({}, config=path, environ={})
    path.write_text(f"{name} = 'desk.db'\n")
    assert str(getattr(read_settings({}, config=path, environ={}), name)) == str(folder / "desk.db")


@pytest.mark.parametrize(
    ("variable", "value", "says"),
    [
        ("PROT", "1", "EVENHAND_SERVE_PROT: there is no setting 'prot'"),
        ("PORT", "x", "EVENHAND_SERVE_PORT: invalid: x (must be a whole number)"),
        ("TIMEOUT", "nan", "invalid `timeout`"),
        ("REQUIRE_TOKEN", "maybe", "EVENHAND_SERVE_REQUIRE_TOKEN: invalid: maybe (must be true or false)"),
    ],
)
def test_what_a_variable_may_not_say(variable: str, value: str, says: str) -> None:
    with pytest.raises(InputError) as refused:
        read_settings({}, environ={f"EVENHAND_SERVE_{variable}": value})
    assert says in str(refused.value)


@pytest.mark.parametrize(
    ("host", "alone"),
    [
        ("127.0.0.1", True),
        ("localhost", True),
        ("::1", True),
        ("127.9.9.9", True),
        ("0.0.0.0", False),
        ("::", False),
        ("box", False),
    ],
)
def test_which_addresses_only_this_machine_reaches(host: str, alone: bool) -> None:
    assert ServiceSettings(host=host).on_loopback is alone
