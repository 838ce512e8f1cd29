"""Tables, workbooks and sheets: every hostile one, in every place that takes it, does no harm."""

from __future__ import annotations

import pytest

from hostile.cases import Case, cases
from hostile.sandbox import Sandbox


@pytest.mark.verify
@pytest.mark.parametrize("one", list(cases("table", "sheet")), ids=lambda one: one.name)
def test_no_harm_is_done(one: Case, sandbox: Sandbox) -> None:
    seen, wrong = one.run(sandbox)
    assert wrong == [], seen.err
