"""The URL of a database: read, shown without its secrets, and kept out of files.

A URL can hold a password, before the host or among the parameters. Neither a message nor a file of ours repeats it: a
declaration names an environment variable instead.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from evenhand.errors import InputError

if TYPE_CHECKING:
    from sqlalchemy import URL

VARIABLE = "DATABASE_URL"  # where a declaration looks for an address that it may not hold
PLACEHOLDER = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


def parse_address(url: str) -> URL:
    """The parts of a URL, as SQLAlchemy has them.

    An `@` that is not escaped would be taken for the end of the password, and the rest of it for the host: that would
    be sent over the network, and stand in messages.
    """
    import sqlalchemy

    start = f"{url.split('://')[0]}://…"
    try:
        address = sqlalchemy.make_url(url)
    except sqlalchemy.exc.ArgumentError:
        raise InputError(f"'{start}' is not a database URL") from None
    except ValueError:  # of a port that is none
        address = None
    if address is None or _is_ambiguous(url, address):
        raise InputError("the URL has an '@' or ':' too many: write @ as %40 and : as %3A in a password", source=start)
    return address


def _is_ambiguous(url: str, address: URL) -> bool:
    if address.username is not None:
        return url.count("@") > 1
    return address.host is not None and "@" in f"{address.host}{address.database}"


def shown_address(address: URL) -> str:
    """The URL without its password and parameters: drivers take passwords there too."""
    return str(address.set(query={}).render_as_string(hide_password=True))


def without_secrets(text: str, address: URL) -> str:
    """What a driver says, without anything that the URL kept to itself."""
    secrets = [address.password, *address.normalized_query.values()]
    for secret in (part for parts in secrets for part in ((parts,) if isinstance(parts, str) else parts or ())):
        text = re.sub(rf"(?<!\w){re.escape(secret)}(?!\w)", "***", text) if secret else text
    return text


def declared_address(url: str) -> str:
    """What a declaration may hold of a URL: that of a file itself, a variable in place of any other."""
    return url if _is_of_file(url) else f"${{{VARIABLE}}}"


def _is_of_file(url: str) -> bool:
    return parse_address(url).get_backend_name() == "sqlite" and "?" not in url


def resolve_address(data: str) -> str:
    """The data that a declaration names, taken from the environment where it says ${NAME}.

    A declaration may come from a stranger, and must not choose which server we connect to.
    """
    named = PLACEHOLDER.fullmatch(data)
    if named is None:
        if "://" in data and not _is_of_file(data):
            raise InputError(
                "a declaration may not name a server: put the URL into an environment variable, and write "
                f'data = "${{{VARIABLE}}}" for the variable {VARIABLE}'
            )
        return data
    if not os.environ.get(named[1]):
        raise InputError(f"the entry 'data' is the environment variable {named[1]}, which is not set")
    if "://" not in os.environ[named[1]]:  # its value may be a secret: a message must not show it
        raise InputError(f"the entry 'data' is the environment variable {named[1]}, which is not a database URL")
    return os.environ[named[1]]
