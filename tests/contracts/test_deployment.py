"""The recipes in deploy/ name what there is: files, options, variables, versions; a builder, if any, builds them."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import tomllib
from collections.abc import Iterator
from configparser import RawConfigParser
from importlib.metadata import requires
from pathlib import Path
from typing import Any

import pytest
import yaml
from docs.generated import licences
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from typer.testing import CliRunner

from contracts.locks import CONSTRAINTS, LOCKS, pinned
from evenhand.cli.main import app
from evenhand.service.configuration_file import setting_rows, variable
from evenhand.service.settings import CONFIG_VARIABLE, read_settings
from evenhand.store.keys import FILE_VARIABLE
from evenhand.store.migrations.upgrading import newest
from evenhand.version import __version__

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
FILES = {path.name: path.read_text() for path in DEPLOY.iterdir() if path.is_file()}
COMPOSE: dict[str, Any] = yaml.safe_load(FILES["compose.yaml"])
DESKS = ("desk", "second-desk")
VARIABLES = {*map(variable, setting_rows()), CONFIG_VARIABLE, FILE_VARIABLE}
ELSEWHERE = {"EVENHAND_NAME"}  # read by the compose file itself
RUNNING = (ROOT / "docs/running.md").read_text()


def instructions() -> Iterator[tuple[str, str]]:
    """Of the recipe, with continued lines joined."""
    joined = re.sub(r"^#.*\n", "", FILES["Containerfile"], flags=re.MULTILINE).replace("\\\n", " ")
    for line in filter(None, joined.splitlines()):
        word, _, rest = line.partition(" ")
        yield word, rest


def unit() -> dict[str, list[str]]:
    """The settings of the service, each with all its values."""
    values: dict[str, list[str]] = {}
    for line in FILES["evenhand.service"].split("[Service]")[1].split("[Install]")[0].splitlines():
        if "=" in line and not line.startswith("#"):
            name, _, value = line.partition("=")
            values.setdefault(name, []).append(value)
    return values


def options_of(*command: str) -> set[str]:
    result = CliRunner().invoke(app, [*command, "--help"], prog_name="evenhand")
    assert result.exit_code == 0, result.output
    return set(re.findall(r"--[a-z][a-z-]+|(?<=  )-o(?=,)", result.output)) | {"-o", "--force"}


@pytest.mark.parametrize("name", sorted(FILES))
def test_every_variable_exists_in_the_program(name: str) -> None:
    named = set(re.findall(r"\bEVENHAND_[A-Z_]+\b", FILES[name]))
    assert named <= VARIABLES | ELSEWHERE, named - VARIABLES


def test_every_command_and_option_exists() -> None:
    """In the page, with the commands that stand inside of sentences, and in the unit."""
    commands = re.findall(r"evenhand ((?:serve|store)\b[^`\n]*)", RUNNING + FILES["evenhand.service"])
    assert len(commands) > 12
    for command in commands:
        words = re.split(r"[<>|…]", command)[0].split()
        named = [words[0]]
        for word in words[1:3]:
            if re.fullmatch(r"[a-z]+", word) and word not in ("desk", "forum"):
                named.append(word)
        named = named if named[0] != "serve" or "tokens" in named else ["serve"]
        known = options_of(*named)
        for option in (word for word in words if word.startswith("-")):
            assert option in known, (command, option)


def test_versions_are_those_of_the_project() -> None:
    labels = dict(re.findall(r'(org\.[\w.]+)="([^"]*)"', FILES["Containerfile"]))
    assert labels["org.opencontainers.image.version"] == __version__
    assert labels["org.opencontainers.image.licenses"] == "Apache-2.0"
    for name in DESKS:
        assert COMPOSE["services"][name]["image"] == f"evenhand:{__version__}"
    assert f"-t evenhand:{__version__} " in FILES["Containerfile"]
    assert set(re.findall(r"evenhand-([\d.]+)-py3", RUNNING)) == {__version__}
    asked = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["requires-python"]
    (python,) = re.findall(r"python:(\d+\.\d+)-slim", FILES["Containerfile"])
    assert asked == f">={python}"  # the version that is tested
    assert f"Python {python} or later" in RUNNING


def test_the_notes_name_the_newest_tables() -> None:
    notes = RUNNING.split("### Upgrade notes")[1].split("\n## ")[0]
    rows = re.findall(r"^\| (\d\S*) \| (\d+) \|", notes, re.MULTILINE)
    assert rows[0] == (__version__, newest())


def test_the_recipe_installs_by_hash_and_runs_as_nobody_special() -> None:
    recipe = list(instructions())
    last = [word for word, _ in recipe].index("FROM", 3)
    assert [word for word, _ in recipe].count("FROM") == 2
    final = recipe[last:]
    assert not [rest for word, rest in final if word == "RUN" and re.search(r"pip (install|wheel)|apt-get|curl", rest)]
    assert any(word == "RUN" and "pip uninstall" in rest for word, rest in final)
    installs = [part for _, rest in recipe for part in rest.split("&&") if "pip install" in part]
    for part in installs:
        assert ("--require-hashes" in part and "--only-binary :all:" in part) or "--no-index" in part, part
    locks = {name for part in installs for name in re.findall(r"--requirement (\S+)", part)}
    assert locks == {"locks/demo.txt", "locks/server.txt"}
    (user,) = [rest for word, rest in final if word == "USER"]
    assert user.split(":")[0].isdigit()
    assert int(user.split(":")[0]) >= 10_000
    (health,) = [rest for word, rest in recipe if word == "HEALTHCHECK"]
    assert re.search(r"/(livez|readyz)'", health)
    (volume,) = [rest for word, rest in recipe if word == "VOLUME"]
    settings = dict(pair.split("=", 1) for word, rest in final if word == "ENV" for pair in rest.split())
    for name in ("EVENHAND_SERVE_STORE", "EVENHAND_STORE_KEY", "EVENHAND_SERVE_TOKEN_FILE"):
        assert settings[name].startswith(yaml.safe_load(volume)[0]), name
    assert settings["EVENHAND_SERVE_PORT"] in health
    for word, rest in recipe:
        if word == "COPY" and not rest.startswith("--from"):
            for source in rest.split()[:-1]:
                assert (ROOT / source).exists(), source


def test_the_lock_of_the_server_is_what_the_program_and_postgresql_need() -> None:
    entries = {name: set(re.findall(r"^[a-z0-9].*==.*(?:\n    .*)*", LOCKS[name], re.MULTILINE)) for name in LOCKS}
    drivers = [Requirement(line) for line in requires("evenhand") or () if "'postgres'" in line.replace('"', "'")]
    needed = set(licences.everything()) | {canonicalize_name(one.name) for one in drivers}
    needed |= {"psycopg-binary"}
    server = pinned(LOCKS["server"])
    only_on_windows = {"colorama", "tzdata"}
    assert set(server) - only_on_windows == needed
    assert all(CONSTRAINTS[name] == version for name, version in server.items())
    assert not set(server) & {"hatchling", "pip", "setuptools"}

    def hashes(name: str) -> dict[str, set[str]]:
        return {re.split("==", entry)[0]: set(re.findall(r"sha256:[0-9a-f]{64}", entry)) for entry in entries[name]}

    known = hashes("test") | hashes("demo")
    assert all(known[name] == found for name, found in hashes("server").items())


def test_the_compose_file_has_no_password_and_keeps_the_key_apart() -> None:
    services = COMPOSE["services"]
    assert set(services) == {*DESKS, "database", "proxy"}
    for name, service in services.items():
        assert service["restart"] == "unless-stopped", name
        assert not service.get("privileged"), name
        for variable_name, value in service.get("environment", {}).items():
            if re.search("PASSWORD|SECRET|TOKEN", variable_name):
                assert variable_name.endswith("_FILE"), (name, variable_name)
                assert str(value).startswith("/run/secrets/"), (name, variable_name)
            assert not re.search(r"://[^@/]*:[^@/]*@", str(value)), "a password in a URL"
        assert "healthcheck" in service or name in DESKS, name  # theirs is in the image
        for secret in service.get("secrets", []):
            assert COMPOSE["secrets"][secret]["file"].startswith("./secrets/")
        assert not re.search(":latest$", service["image"]), name
    exposed = [name for name, service in services.items() if service.get("ports")]
    assert exposed == ["proxy"]
    assert COMPOSE["networks"]["inside"]["internal"] is True
    assert services["database"]["networks"] == ["inside"]
    volumes = {name: {one.partition(":")[0] for one in service["volumes"]} for name, service in services.items()}
    assert all("keys" in volumes[name] for name in DESKS)
    assert not volumes["database"] & volumes["desk"]
    assert set().union(*volumes.values()) == set(COMPOSE["volumes"])
    assert "deploy/secrets/" in (ROOT / ".gitignore").read_text().splitlines()


def test_the_desks_of_the_compose_file_can_be_set_up_like_this() -> None:
    for name in DESKS:
        service = COMPOSE["services"][name]
        assert service["depends_on"]["database"] == {"condition": "service_healthy"}
        assert service["read_only"] is True
        assert service["cap_drop"] == ["ALL"]
        environment = {key: str(value) for key, value in service["environment"].items()}
        settings = read_settings({}, environ={**environment, "EVENHAND_SERVE_ALLOWED_HOSTS": "desk.example.org"})
        assert settings.store == "postgresql://desk@database/desk"
        (proxy,) = settings.trusted_proxies
        assert COMPOSE["services"]["proxy"]["networks"]["outside"]["ipv4_address"] == proxy
        patience = int(str(service["stop_grace_period"]).removesuffix("s"))
        assert patience > settings.stop_timeout


def test_the_unit_is_closed_and_names_what_there_is() -> None:
    service = unit()
    for name, value in {
        "DynamicUser": "yes", "NoNewPrivileges": "yes", "ProtectSystem": "strict", "ProtectHome": "yes",
        "PrivateTmp": "yes", "PrivateDevices": "yes", "CapabilityBoundingSet": "", "UMask": "0077",
        "SystemCallArchitectures": "native", "StateDirectoryMode": "0700", "Restart": "on-failure",
    }.items():  # fmt: skip
        assert service[name] == [value], name
    (start,) = service["ExecStart"]
    program, *arguments = shlex.split(start)
    assert program == "/opt/evenhand/bin/evenhand"
    assert arguments[0] == "serve"
    assert {word for word in arguments if word.startswith("--")} <= options_of("serve")
    (state,) = service["StateDirectory"]
    assert f"/var/lib/{state}/desk.db" in arguments
    assert not any(state in value for value in service["LoadCredential"] if "/var/lib" in value)
    credentials = {value.partition(":")[0] for value in service["LoadCredential"]}
    assert {word.removeprefix("%d/") for word in re.findall(r"%d/[\w.]+", FILES["evenhand.service"])} == credentials
    (patience,) = service["TimeoutStopSec"]
    assert int(patience) > read_settings({}, environ={}).stop_timeout
    parser = RawConfigParser(strict=False, allow_no_value=True)
    parser.read_string(FILES["evenhand.service"])
    assert parser.sections() == ["Unit", "Service", "Install"]


def test_the_page_has_the_files_and_settings_of_the_recipes() -> None:
    for name in ("compose.yaml", "evenhand.service"):
        assert f"deploy/{name}" in RUNNING
    block = re.search(r"serve\.toml` with.*?:\n\n((?:    .*\n)+)", RUNNING)
    assert block
    assert set(tomllib.loads(block[1].replace("    ", ""))) <= set(setting_rows())


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is missing: install systemd")
def test_systemd_takes_the_unit(tmp_path: Path) -> None:
    """With the program where it will be, nothing is unknown; its exposure is what the page says."""
    text = FILES["evenhand.service"].replace("/opt/evenhand/bin/evenhand", "/bin/true")
    path = tmp_path / "evenhand.service"
    path.write_text(text)
    done = subprocess.run(["systemd-analyze", "verify", path], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert str(path) not in done.stderr
    line = ["systemd-analyze", "security", "--offline=true", "--threshold=15", path]
    done = subprocess.run(line, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout[-300:]
    (level,) = re.findall(r"exposure level for \S+: ([\d.]+)", done.stdout)
    assert f"exposure {level} of 10" in RUNNING


@pytest.mark.skipif(os.name == "nt", reason="a POSIX shell is missing")
def test_the_password_reaches_the_database_client_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "password").write_text("two words\n")
    (tmp_path / "evenhand").write_text('#!/bin/sh\nprintf "%s|%s" "${PGPASSWORD-none}" "$*"\n')
    (tmp_path / "evenhand").chmod(0o755)
    path = {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    for more, said in (({"DATABASE_PASSWORD_FILE": str(tmp_path / "password")}, "two words"), ({}, "none")):
        line = ["sh", str(DEPLOY / "start.sh"), "serve", "--port", "1"]
        done = subprocess.run(line, capture_output=True, text=True, env={**path, **more}, timeout=30)
        assert done.stdout == f"{said}|serve --port 1", done.stderr
    missing = {**path, "DATABASE_PASSWORD_FILE": str(tmp_path / "none")}
    done = subprocess.run(["sh", str(DEPLOY / "start.sh")], capture_output=True, text=True, env=missing, timeout=30)
    assert done.returncode != 0


def builder() -> tuple[str, str]:
    """A program that can build an image here, or why there is none."""
    for name, question in (("podman", "info"), ("docker", "info"), ("buildah", "info")):
        if shutil.which(name) is None:
            continue
        try:
            done = subprocess.run([name, question], capture_output=True, text=True, timeout=30)
        except (OSError, subprocess.TimeoutExpired):
            continue
        if done.returncode == 0:
            return name, ""
    return "", "nothing that builds images runs here: podman, buildah, or docker with its daemon"


@pytest.mark.verify
def test_the_image_is_built_where_something_can_build_it() -> None:
    name, missing = builder()
    if missing:
        pytest.skip(missing)
    (base,) = re.findall(r"ARG PYTHON=(\S+)", FILES["Containerfile"])
    if subprocess.run([name, "pull", base], capture_output=True, timeout=300).returncode:
        pytest.skip(f"the base image is missing, and there is no connection to fetch it: {base}")
    tag = f"evenhand-test:{__version__}"
    line = [name, "build", "--file", str(DEPLOY / "Containerfile"), "--tag", tag, str(ROOT)]
    done = subprocess.run(line, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr[-2000:]
    done = subprocess.run([name, "run", "--rm", tag, "--version"], capture_output=True, text=True, timeout=120)
    assert done.stdout.strip() == f"evenhand {__version__}"
