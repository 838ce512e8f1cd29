"""Hostile settings of a service, and hostile files of tokens."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any

from hostile import ordinary
from hostile.corpus.declarations import toml
from hostile.corpus.places import BIDI, ESCAPE
from hostile.corpus.records import CHANGES, everywhere
from hostile.corpus.registry import hostile, put
from hostile.corpus.skops_files import SKOPS, calling_a_shell
from hostile.corpus.tables import MARKUP
from hostile.site import SECRET_NAME, Site

TOKENS: dict[str, Any] = json.loads(ordinary.TOKENS)


def _changed(change: Callable[[Any], Any]) -> Callable[[Site], str]:
    def build(site: Site) -> str:
        return site.write("in.json", json.dumps({**TOKENS, "tokens": everywhere(TOKENS["tokens"], change)})).name

    return build


for _name in ("markup_in_every_word", "characters_in_every_word", "half_characters_everywhere", "nothing_everywhere"):
    put(f"tokens: {_name}", ("tokens",), _changed(CHANGES[_name]))


@hostile("tokens")
def tokens_without_end(site: Site) -> str:
    many = [{**TOKENS["tokens"][0], "name": f"n{number}"} for number in range(200_000)]
    return site.write("in.json", json.dumps({**TOKENS, "tokens": many})).name


@hostile("tokens", refused=True)
def tokens_of_other_shapes(site: Site) -> str:
    return site.write("in.json", json.dumps({**TOKENS, "tokens": {"name": [MARKUP]}, "key": 10**30})).name


@hostile("tokens", reads=True, refused=True)
def tokens_elsewhere(site: Site) -> str:
    (site.precious / "precious.txt").chmod(0o600)
    (site.work / "in.json").symlink_to(site.precious / "precious.txt")
    return "in.json"


def _settings(*lines: str) -> Callable[[Site], str]:
    def build(site: Site) -> str:
        text = (
            "\n".join(lines)
            .replace("PRECIOUS", str(site.precious))
            .replace("URL", site.url)
            .replace("HOST", site.url.removeprefix("http://"))
        )
        return site.write("in.toml", text + "\n").name

    return build


SETTINGS: dict[str, tuple[str, ...]] = {
    "service_with_a_model_in_a_device": ('model = ["x=/dev/zero"]',),
    "service_with_a_model_on_the_hub": ('model = ["x=preset:nowhere"]',),
    "service_with_tokens_in_a_device": ("require_token = true", 'token_file = "/dev/zero"'),
    "service_with_tokens_in_a_system_file": ("require_token = true", 'token_file = "/etc/passwd"'),
    "service_with_a_calibrator_in_a_device": ('calibrator = ["default=/dev/zero"]',),
    "service_on_every_address": ('host = "0.0.0.0"',),
    "service_with_characters": (f"model = {toml([f'{ESCAPE}{BIDI}=x'])}",),
    "service_of_absurd_numbers": (f"max_body = {10**30}", f"port = {10**9}", "timeout = inf"),
    "service_that_trusts_a_type": ('trust = ["os.system"]',),
    "service_that_allows_a_host": ('send_to = "https://host.invalid"',),
    "service_that_allows_a_secret": (f'secrets = ["{SECRET_NAME}"]',),
    "service_that_opens_private_networks": ('webhook_networks = ["0.0.0.0/0"]',),
    "service_with_a_store_on_a_server": ('store = "postgresql://me:x@HOST/desk"', 'store_key = "in.toml"'),
    "service_with_a_store_at_an_address_of_a_file": ('store = "sqlite:///PRECIOUS/new.db"',),
    "service_with_a_store_elsewhere": ('store = "PRECIOUS/new.db"',),
    "service_with_a_store_above": ('store = "../precious/new.db"',),
    "service_with_a_store_in_a_variable": (f'store = "${{{SECRET_NAME}}}"', 'store_key = "in.toml"'),
    "service_with_a_store_that_is_no_store": ('store = "in.toml"',),
    "service_with_a_key_elsewhere": ('store = "desk.db"', 'store_key = "PRECIOUS/precious.txt"'),
    "service_behind_a_proxy_without_tokens": ('trusted_proxies = ["0.0.0.0/0"]', 'token_file = "none.json"'),
    "service_for_every_page_on_every_address": ('cors_origins = ["*"]', 'host = "::"', 'allowed_hosts = ["*"]'),
    "service_with_a_table_of_models": ("[models.x]", 'source = "/dev/zero"', 'calibrator = "/dev/zero"'),
}
for _name, _lines in SETTINGS.items():
    put(_name, ("service",), _settings(*_lines), refused=True)


@hostile("service", refused=True)
def service_with_a_model_in_a_pipe(site: Site) -> str:
    os.mkfifo(site.work / "pipe.toml")
    return site.write("in.toml", '[models.x]\nsource = "pipe.toml"\n').name


@hostile("service", refused=True, imports=SKOPS)
def service_with_a_model_that_calls_a_shell(site: Site) -> str:
    site.write("model.skops", calling_a_shell(site))
    site.write("model.toml", 'kind = "skops"\npath = "model.skops"\ntrusted = ["os.system", "posix.system"]\n')
    return site.write("in.toml", '[models.x]\nsource = "model.toml"\n').name


@hostile("service", refused=True)
def service_with_an_endpoint_that_asks_for_a_secret(site: Site) -> str:
    lines = ['kind = "endpoint"', f'url = "{site.url}/score"', 'response = "p"']
    site.write("model.toml", "\n".join([*lines, f'body = {{text = "{{text}}", key = "${{{SECRET_NAME}}}"}}\n']))
    return site.write("in.toml", '[models.x]\nsource = "model.toml"\n').name


@hostile("service", refused=True)
def service_that_allows_its_own_endpoint(site: Site) -> str:
    """Everything that it takes to send texts and a key elsewhere, in files alone."""
    lines = ['kind = "endpoint"', f'url = "{site.url}/score"', 'response = "p"']
    site.write("model.toml", "\n".join([*lines, f'body = {{text = "{{text}}", key = "${{{SECRET_NAME}}}"}}\n']))
    allowed = f'send_to = "{site.url}"\nsecrets = ["{SECRET_NAME}"]\n'
    return site.write("in.toml", f'{allowed}[models.x]\nsource = "model.toml"\n').name


@hostile("service", refused=True, imports=SKOPS)
def service_that_trusts_its_own_model(site: Site) -> str:
    site.write("model.skops", calling_a_shell(site))
    site.write("model.toml", 'kind = "skops"\npath = "model.skops"\n')
    return site.write("in.toml", 'trust = ["os.system", "posix.system"]\nmodel = ["x=model.toml"]\n').name


@hostile("service", refused=True)
def service_with_names_of_other_interfaces(site: Site) -> str:
    name = toml(f"{ESCAPE}{BIDI}")
    return site.write("in.toml", f"[perspective.attributes.{name}]\nclass = {name}\n").name
