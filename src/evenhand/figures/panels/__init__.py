"""Charts of panels drawn as SVG directly: what a report has most of, and in a hundredth of the time of a converter.

`draw_panels` knows what our most frequent figures use of Vega-Lite, and draws it in the same places; it returns None
for any other chart.
"""

from evenhand.figures.panels.drawing import draw_panels

__all__ = ["draw_panels"]
