"""Is the model right as often as it says? (the paper's Figures 5 and 6)"""

from __future__ import annotations

from evenhand.figures import reliability as drawing
from evenhand.figures.figure import Figure
from evenhand.finding import Exhibit

FRAME = drawing.Frame("how sure the model is", "how often it is right", start=0.5)


def reliability(model: str, exhibit: Exhibit) -> Figure:
    """How often the model is right by how sure it is, and how many items that rests on."""
    return Figure(
        "collaboration",
        "reliability",
        f"Is it right as often as it says? {model}",
        "On the dashed line the model is right exactly as often as it says. Above it the model is too modest, below it "
        "too sure of itself. The bars count the items (square-root scale).",
        drawing.reliability(exhibit.columns, FRAME).to_dict(),
        {"model": model},
    )
