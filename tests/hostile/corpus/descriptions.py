"""Hostile TOML for `evenhand score`: endpoints that ask for secrets, downloads nobody asked for, absurd numbers."""

from __future__ import annotations

from hostile.command_lines import TORCH
from hostile.corpus.declarations import toml
from hostile.corpus.places import BIDI, ESCAPE
from hostile.corpus.registry import hostile
from hostile.site import SECRET_NAME, Site


def _endpoint(site: Site, *lines: str, url: str | None = None) -> str:
    head = [
        'kind = "endpoint"',
        f'url = "{url or site.url + "/score"}"',
        'response = "p"',
        "tries = 1",
        "timeout = 2.0",
    ]
    return site.write("in.toml", "\n".join([*head, *lines]) + "\n").name


@hostile("model", refused=True)
def endpoint_that_asks_for_a_secret(site: Site) -> str:
    return _endpoint(site, 'body = {text = "{text}", key = "${' + SECRET_NAME + '}"}')


@hostile("model", refused=True)
def endpoint_with_a_secret_in_a_header(site: Site) -> str:
    return _endpoint(site, 'body = {text = "{text}"}', 'headers = {X-Thing = "${' + SECRET_NAME + '}"}')


@hostile("model", refused=True)
def endpoint_with_a_secret_in_the_query(site: Site) -> str:
    return _endpoint(site, 'method = "GET"', 'query = {q = "{text}", v = "${' + SECRET_NAME + '}"}')


@hostile("model", refused=True)
def endpoint_with_a_secret_in_the_address(site: Site) -> str:
    return _endpoint(site, 'body = {text = "{text}"}', url=f"{site.url}/${{{SECRET_NAME}}}")


@hostile("model", refused=True)
def endpoint_with_a_secret_in_the_path(site: Site) -> str:
    """What is missing is named in an error; its value must not be."""
    lines = ('body = {text = "{text}"}', f'headers = {{A = "${{{SECRET_NAME}}}", B = "${{EVENHAND_TEST_NOT_SET}}"}}')
    return _endpoint(site, *lines)


@hostile("model", refused=True)
def endpoint_of_a_stranger(site: Site) -> str:
    """Texts would be sent to whoever wrote the file."""
    return _endpoint(site, 'body = {text = "{text}"}', url="https://evenhand-test.invalid/score")


@hostile("model", refused=True)
def endpoint_on_this_machine(site: Site) -> str:
    """Other programs listen here, and some do what they are told by anybody who reaches them."""
    return _endpoint(
        site, 'method = "PUT"', 'body = {delete = "everything", text = "{text}"}', 'headers = {X-Do = "it"}'
    )


@hostile("model", refused=True)
def endpoint_in_a_file(site: Site) -> str:
    return _endpoint(site, 'body = {text = "{text}"}', url=f"file://{site.precious}/precious.txt")


@hostile("model", refused=True)
def endpoint_with_absurd_numbers(site: Site) -> str:
    lines = ('body = {texts = "{texts}"}', f"batch = {10**15}", f"parallel = {10**9}", "rate = 1e308")
    return _endpoint(site, *lines)


@hostile("model", refused=True)
def endpoint_with_characters(site: Site) -> str:
    name = f"name = {toml(f'{ESCAPE}{BIDI}')}"
    return _endpoint(site, 'body = {text = "{text}"}', name, url="https://evenhand-test.invalid/\u202e")


@hostile("model", refused=True)
def endpoint_nested_deep(site: Site) -> str:
    return _endpoint(site, "body = " + "[" * 50_000 + '"{text}"' + "]" * 50_000)


@hostile("model", refused=True)
def endpoint_with_a_deep_body(site: Site) -> str:
    return _endpoint(site, "body" + ".a" * 900 + ' = "{text}"')


@hostile("model", refused=True, imports=TORCH)
def description_that_downloads(site: Site) -> str:
    words = 'kind = "transformers"\npath = "evenhand-test/no-such-model"\npositive = "rude"\ndownload = true\n'
    return site.write("in.toml", words).name


@hostile("model", refused=True, imports=TORCH)
def prompt_that_downloads(site: Site) -> str:
    words = 'kind = "prompt"\npath = "evenhand-test/no-such-model"\nprompt = "{text} rude?"\ndownload = true\n'
    return site.write("in.toml", words + '[labels]\nyes = " yes"\nno = " no"\n').name


@hostile("model", refused=True, imports=TORCH)
def description_of_a_device(site: Site) -> str:
    return site.write("in.toml", 'kind = "transformers"\npath = "/dev/zero"\npositive = "rude"\n').name


@hostile("model", refused=True, reads=True, imports=("skops.io",))
def description_of_another_file(site: Site) -> str:
    return site.write("in.toml", f'kind = "skops"\npath = "{site.precious}/precious.txt"\n').name


@hostile("model", refused=True)
def description_of_a_foreign_kind(site: Site) -> str:
    return site.write("in.toml", 'kind = "__import__"\npath = "os"\n').name


@hostile("model", refused=True)
def description_nested_deep(site: Site) -> str:
    return site.write("in.toml", "kind = " + "[" * 100_000).name
