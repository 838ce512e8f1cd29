"""Estimates and findings in a notebook."""

from __future__ import annotations

from evenhand.estimate import Estimate
from evenhand.finding import Finding, Measured, Reading


def test_an_estimate_says_how_sure_it_is() -> None:
    e = Estimate(0.5, 0.4, 0.6, 0.95, "wilson", 1200, flags=("stands_out",))
    assert e._repr_html_() == (
        "<b>0.500</b> <small>(0.400 to 0.600; 95% wilson)</small> <small>n = 1,200</small> <em>stands out</em>"
    )
    assert Estimate.exact(12.0, level=0.95, n=12)._repr_html_() == "<b>12</b> <small>n = 12</small>"
    assert "p = 0.03" in Estimate.tested(0.1, 0.03, level=0.95, method="permutation", n=5)._repr_html_()


def test_an_undefined_one_says_why_and_is_escaped() -> None:
    e = Estimate.undefined("nobody is in '<b>'", level=0.95, n=0)
    assert e._repr_html_() == "<i>undefined: nobody is in &#x27;&lt;b&gt;&#x27;</i>"


def test_a_finding_shows_its_question_readings_numbers_and_caveats() -> None:
    e = Estimate(0.5, 0.4, 0.6, 0.95, "wilson", 12)
    estimates = tuple(Measured("share", {"group": f"<g{n}>"}, e) for n in range(20))
    finding = Finding("x", "Is it <so>?", estimates, ("Beware & be kind.",), {}, (Reading({"group": "<g1>"}, "High."),))
    page = finding._repr_html_()
    assert "Is it &lt;so&gt;?" in page
    assert "<b>&lt;g1&gt;</b>: High." in page
    assert page.count("<tr>") == 1 + 15
    assert "5 more" in page
    assert "Beware &amp; be kind." in page
    assert "<so>" not in page
    assert "<g" not in page
