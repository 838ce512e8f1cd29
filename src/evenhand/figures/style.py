"""What all charts share: colours, the font, and the configuration of Vega-Lite."""

from __future__ import annotations

from typing import Any

# Okabe and Ito's colours, which stay apart for colour-blind readers
BENIGN_COLOUR, VIOLATING_COLOUR = "#56b4e9", "#d55e00"
MODEL_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
INK, FAINT = "#1f2933", "#9aa5b1"
FONT = (
    "Arial, 'Liberation Sans', Helvetica, sans-serif"  # of equal widths, so that a drawing fits wherever it is opened
)

CONFIG: dict[str, Any] = {
    "background": "transparent",
    "font": FONT,
    "view": {"stroke": None},
    "axis": {
        "labelColor": INK,
        "titleColor": INK,
        "titleFontWeight": "normal",
        "titleFontSize": 12,
        "labelFontSize": 11,
        "gridColor": "#e4e7eb",
        "domainColor": FAINT,
        "tickColor": FAINT,
        "labelLimit": 220,
    },
    "header": {
        "labelFontSize": 12,
        "labelColor": INK,
        "titleFontSize": 12,
        "titleColor": INK,
        "labelFontWeight": "bold",
    },
    "legend": {"labelFontSize": 12, "titleFontSize": 12, "labelColor": INK, "titleColor": INK, "orient": "top"},
    "title": {"fontSize": 13, "color": INK, "anchor": "start"},
}
