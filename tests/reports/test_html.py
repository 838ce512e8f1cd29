"""The HTML report: self-contained, without script or network, and nothing a user wrote gets out of its place."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

import evenhand as eh
from reports.pages import NASTY, parsed


@pytest.fixture(scope="module")
def nasty() -> eh.Report:
    import numpy as np

    rng = np.random.default_rng(0)
    table = pl.DataFrame(
        {
            "p": rng.random(400),
            NASTY: rng.random(400) < 0.4,
            "y": rng.random(400) < 0.4,
            "t": [NASTY + str(i) for i in range(400)],
            f"m{NASTY}": rng.random(400),
        }
    )
    return eh.audit(table, score=["p", f"m{NASTY}"], label="y", groups=[NASTY], text="t", examples=2, audits="bias")


def test_one_file_that_asks_for_nothing(nasty: eh.Report) -> None:
    page = nasty.html()
    tags = parsed(page)
    scripts = [attributes for tag, attributes in tags.tags if tag == "script"]
    assert scripts == [{"type": "application/json", "id": "findings"}]
    for _, attributes in tags.tags:
        for name, value in attributes.items():
            assert not name.startswith("on"), name
            if name in ("src", "href", "xlink:href"):
                assert str(value).startswith("#"), value
    outside = re.sub(r'xmlns(:\w+)?="[^"]*"', "", page)
    assert not re.search(r"https?://(?!www\.w3\.org)", outside)
    assert "Content-Security-Policy" in page


def test_nothing_written_by_a_user_is_markup(nasty: eh.Report) -> None:
    page = nasty.html()
    assert "<script>alert" not in page
    assert "alert(1)</script>" not in page
    assert "&lt;script&gt;alert(1)" in page
    for figure in nasty.figures:
        assert "<script" not in figure.svg
    assert "<script>alert" not in nasty._repr_html_()


@pytest.mark.verify
def test_texts_only_when_asked_for(small: pl.DataFrame, tmp_path: Path) -> None:
    secret = small.with_columns(pl.format("secret {}", "id").alias("text"))
    quiet = eh.audit(secret, score="first", label="y", groups="a", text="text", audits="bias")
    assert "secret" not in quiet.html() + quiet.json() + quiet.csv()
    loud = eh.audit(secret, score="first", label="y", groups="a", text="text", examples=1, audits="bias")
    assert "secret" in loud.html()


@pytest.mark.verify
def test_what_a_manager_looks_for(small: pl.DataFrame) -> None:
    page = eh.audit(small, score=["first", "second"], label="y", groups=["a", "b"], text="text", audits="bias").html()
    for piece in (
        "Main results",
        "All groups",
        "Group details",
        "Short items",
        "BPSN AUC",
        "Limitations",
        "Interpretation",
    ):
        assert piece in page
    first, second = (page.index(f"<summary><bdi>{group}</bdi></summary>") for group in "ab")
    assert first < second  # a is scored higher: worst first
    assert "<bdi>second</bdi> minus <bdi>first</bdi>" in page


@pytest.mark.verify
def test_one_model_alone(small: pl.DataFrame) -> None:
    page = eh.audit(small, score="first", label="y", groups=["a", "b"], audits="bias").html()
    parsed(page)
    assert "the model" in page
    assert "minus <bdi>first" not in page


def test_a_finding_without_a_section_of_its_own(small: pl.DataFrame) -> None:
    one = eh.audit(small, score="first", label="y", groups=["a", "b"], audits="bias").findings[0]
    report = eh.Report((eh.agreement(one, one),))
    page = report.html()
    parsed(page)
    assert "Rank correlation" in page
    assert report.figures == ()


def test_wide_tables_wrap_their_intervals_and_names_stay_whole(small: pl.DataFrame) -> None:
    page = eh.audit(small, score="first", label="y", audits="collaboration").html()
    alone = page[page.index("<h2>The model alone</h2>") :]
    assert alone[: alone.index("</thead>")].count("</th>") >= 11
    rules = styled(page[: page.index("@media print")])
    assert rules[".evenhand .heat:has(thead th:nth-child(11)) small"] == "white-space:normal"
    assert "min-width:96px" in rules[".evenhand .heat tbody th"]  # "uncertainty", bold, takes 93


def test_print_keeps_rows_and_short_tables_together(small: pl.DataFrame) -> None:
    page = eh.audit(small, score="first", label="y", audits="collaboration").html()
    rules = styled(page[page.index("@media print") : page.index("</style>")])
    for whole in ("tr", "tbody", ".scroll", "figure"):
        assert "break-inside:avoid" in rules[f".evenhand {whole}"]
    for head in ("h2", "h3", "h4", "summary", "p:has(+.scroll,+figure,+.side,+table,+h3,+h4)"):
        assert rules[f".evenhand {head}"].endswith("break-after:avoid")
    assert rules[".evenhand .scroll:has(tr:nth-child(25))"] == "break-inside:auto"  # may not fit a page
    assert rules[".evenhand thead"] == "display:table-header-group"
    assert rules[".evenhand .side"] == "display:block"  # browsers cut what stands side by side in a flexible box


def styled(style: str) -> dict[str, str]:
    """What is declared for every selector, rules of several put together."""
    found: dict[str, str] = {}
    for selectors, said in re.findall(r"^(\.evenhand[^{]*)\{([^}]*)\}", style, flags=re.MULTILINE):
        for selector in re.split(r",(?=\.evenhand)", selectors):
            found[selector] = f"{found[selector]};{said}" if selector in found else said
    return found


@pytest.mark.verify
def test_settings_are_set_apart_and_everything_is_escaped(small: pl.DataFrame) -> None:
    (finding,) = eh.audit(small, score="first", label="y", groups=["a"], audits="bias")
    caveat = "give `label_threshold`, not `<b>`; <i>`slices`</i>; run `evenhand queue`"
    report = eh.Report((replace(finding, caveats=(caveat,)),))
    rest = ", not `&lt;b&gt;`; &lt;i&gt;<code>{}</code>&lt;/i&gt;; run <code>evenhand queue</code>"
    assert f"give <code>--label-threshold</code>{rest.format('--slice')}" in report.html()
    assert f"give <code>label_threshold</code>{rest.format('slices')}" in report._repr_html_()
