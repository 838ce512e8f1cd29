"""What commands ask of the system while they read hostile files: under strace native code is seen too."""

from __future__ import annotations

import pytest

from hostile.cases import Case, case
from hostile.judgement import forbidden_changes
from hostile.ordinary import provide
from hostile.sandbox import BUSY, SECONDS, Sandbox
from hostile.site import differences, take_snapshot
from hostile.system_calls import STRACE, forbidden, trace

SLOWER = 6  # times as long under strace, imports included
TRACED = (
    ("audit file", "workbook_with_outside_entities"),
    ("audit file (declaration)", "declared_query_that_attaches"),
    ("audit file (declaration)", "declared_database_elsewhere"),
    ("score model (model)", "endpoint_that_asks_for_a_secret"),
    ("score model (model)", "skops_trusted_to_call_a_shell"),
    ("score model (model)", "described code_beside_the_model"),
    ("score out (output file)", "pieces_with_links"),
)


@pytest.mark.verify
@pytest.mark.skipif(STRACE is None, reason="strace is not installed: apt-get install strace")
@pytest.mark.parametrize("traced", [case(*names) for names in TRACED], ids=lambda one: one.name)
def test_no_forbidden_call_is_made(traced: Case, sandbox: Sandbox) -> None:
    site = sandbox.site()
    sandbox.listener.taken()
    arguments = traced.lay_out(site)
    before = take_snapshot(site.root)
    code, said, lines = trace(site, arguments, sandbox.home, seconds=SECONDS * BUSY * SLOWER)
    assert list(forbidden(lines, site.root)) == [], said
    assert list(forbidden_changes(differences(before, take_snapshot(site.root)), traced.line.outputs)) == []
    assert sandbox.listener.taken() == []
    assert code in traced.hostile.codes, said
    assert len(lines) > 100


@pytest.mark.verify
@pytest.mark.skipif(STRACE is None, reason="strace is not installed: apt-get install strace")
def test_strace_sees_native_code(sandbox: Sandbox) -> None:
    """A database is asked in native code, which raises no event of Python; the person who typed its address may."""
    site = sandbox.site()
    provide(site, "items.csv")
    url = f"postgresql://127.0.0.1:{site.port}/items"
    arguments = ["audit", url, "--query", "SELECT 1", "--score", "p", "--label", "y", "--json"]
    _, _, lines = trace(site, arguments, sandbox.home, seconds=SECONDS * BUSY * SLOWER)
    assert any(line.startswith("the network: ") for line in forbidden(lines, site.root))
    sandbox.listener.taken()
