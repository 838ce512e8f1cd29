"""What all drawings share."""

from __future__ import annotations

from typing import Any

import altair as alt


def data(rows: list[dict[str, Any]]) -> alt.Data:
    """Rows inside the drawing itself."""
    return alt.Data(values=rows)  # type: ignore[no-untyped-call]
