"""The perspective section: whose judgement is shared less, how sure that is, and what chance would give, in words."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape

import polars as pl
import pytest

import evenhand as eh
from evenhand import formatting
from evenhand.audits.perspective.exhibits import PerspectiveExhibit
from evenhand.audits.perspective.verdicts import with_verdicts
from evenhand.findings_file import from_json, to_json
from evenhand.reports.perspective import (
    AGREEMENT_MEASURES,
    DELTA_MEASURES,
    FIT_MEASURES,
    SET_GUARANTEES,
    agreement_shade,
    coverage_shade,
)
from reports.pages import NASTY, parsed, printed

GROUPS = ("women", "men", "other groups")
ROLES = {"item": "item", "annotator": "who", "label": "label", "annotator_groups": "gender"}
QUICK = {"replicates": 50, "permutations": 99, "fewest_labels": 10}


@pytest.fixture(scope="module")
def report(perspectives) -> eh.Report:
    return perspectives["one"]


@pytest.fixture(scope="module")
def two(perspectives) -> eh.Report:
    return perspectives["two"]


@pytest.fixture(scope="module")
def quiet(labelled: pl.DataFrame) -> eh.Report:
    """Groups that have nothing to do with what people say."""
    halves = pl.when(pl.col("who").str.slice(7).cast(int) % 2 == 0).then(pl.lit("right")).otherwise(pl.lit("left"))
    return eh.audit(labelled.with_columns(halves.alias("gender")), audits="perspective", score="q", **ROLES, **QUICK)


def test_the_card_says_whose_judgement_is_shared_less(report: eh.Report) -> None:
    page, (finding,) = report.html(), report.findings
    parsed(page)
    card = " ".join(page.split("</article>")[0].split())
    assert (
        "The model agrees <b>less</b> with annotators in group <b><bdi>women</bdi></b> than with all annotators."
        in card
    )
    e = finding.get("conformity_delta", annotators="women")
    assert formatting.format_number("conformity_delta", e.value) in card
    assert formatting.format_interval("conformity_delta", e) in card
    assert "<b>Next steps</b>: read items on which these annotators and the majority disagree" in card


def test_nothing_to_mend_where_nobody_stands_out(quiet: eh.Report) -> None:
    card = quiet.html().split("</article>")[0]
    assert "<b>No statistically significant difference for any group of annotators</b> (120 annotators)" in card
    assert "no action is indicated" in card
    assert "●" not in quiet.html()
    assert "No statistically significant difference for any group of annotators" in printed(quiet)


def test_a_model_that_fits_nobody_is_not_called_fine(quiet: eh.Report) -> None:
    """The same finding with an F1 of .28: no group stands out, and the model is poor; the card says both."""
    (finding,) = quiet.findings
    fit = replace(finding.get("f1"), value=0.28, low=0.2, high=0.35)
    changed = [replace(m, estimate=fit) if m.measure == "f1" and not m.slice else m for m in finding]
    earlier = tuple(e for e in finding.exhibits if e.kind != PerspectiveExhibit.STANDING)
    poor = with_verdicts(replace(finding, estimates=tuple(changed), exhibits=earlier))
    card = eh.Report((poor,)).html().split("</article>")[0]
    assert "No statistically significant difference for any group of annotators" in card
    assert "It predicts <b>all annotators' labels poorly</b>: F1 0.280" in card
    assert "no action on groups is indicated, but the model predicts labels poorly" in card
    assert "poorly" not in quiet.html().split("</article>")[0]
    assert "predicts all annotators' labels poorly (F1 0.280)" in poor.verdicts[0].statement


def test_every_number_is_on_the_page(two: eh.Report) -> None:
    page, (finding,) = two.html(), two.findings
    for model in ("p", "q"):
        for group in GROUPS:
            for measure in (*DELTA_MEASURES, *FIT_MEASURES, "differing_share", "uncertainty_divergence"):
                e = finding.get(measure, model=model, annotators=group)
                assert formatting.format_number(measure, e.value) in page
                assert formatting.format_interval(measure, e) in page
            for kind in SET_GUARANTEES:
                e = finding.get("set_size", model=model, annotators=group, sets=kind)
                assert formatting.format_number("set_size", e.value) in page
    for measure in AGREEMENT_MEASURES:
        assert formatting.format_number(measure, finding.get(measure).value) in page
    assert (
        formatting.format_number(
            "cohen_kappa", finding.get("cohen_kappa", annotators="men", **{"with": "other groups"}).value
        )
        in page
    )


def test_a_divergence_has_a_p_value_and_what_shuffling_gives(report: eh.Report) -> None:
    table = report.html().split("Comparison with chance")[1].split("</table>")[0]
    (finding,) = report.findings
    for group in GROUPS:
        e = finding.get("uncertainty_divergence", annotators=group)
        assert f"<small>{unescape(formatting.format_p_value(e.p_value))}</small>" in table
        chance = finding.get("uncertainty_divergence", annotators=group, as_if="shuffled")
        assert formatting.format_number("uncertainty_divergence", chance.value) in table


def test_models_are_ranked_by_what_is_beyond_chance(two: eh.Report) -> None:
    table = two.html().split("Groups with a statistically significant difference")[1].split("</table>")[0]
    assert table.index("<th><bdi>p</bdi></th>") < table.index("<th><bdi>q</bdi></th>")
    assert "women" in table.split("<th><bdi>q</bdi></th>")[0]
    assert two.html().count("</article>") == 2
    assert "Do models with a higher F1" not in two.html()  # two are too few to tell


@pytest.mark.verify
def test_over_five_models_or_more_f1_and_delta_are_compared(two: eh.Report) -> None:
    (finding,) = two.findings
    more = (
        eh.Measured("f1_delta_correlation", {}, eh.Estimate(-0.4, -0.9, 0.3, 0.95, "fisher_z", 6)),
        eh.Measured("f1_delta_t", {}, eh.Estimate.tested(7.25, 0.0001, level=0.95, method="t_test", n=6)),
    )
    rest = [m for m in finding if not m.measure.startswith("f1_delta")]
    page = eh.Report((replace(finding, estimates=(*rest, *more)),)).html()
    table = page.split("Do models with a higher F1")[1].split("</table>")[0]
    for said in ("−0.400", "+7.250", "p &lt; .001"):
        assert said in table


def test_sets_stand_beside_their_promise(report: eh.Report) -> None:
    page = report.html()
    assert "<b>90 %</b> of cases" in page
    for kind in SET_GUARANTEES.values():
        assert f"Coverage, {kind}" in page
    shaded = coverage_shade(0.9)
    assert shaded("set_coverage", eh.Estimate(0.8, 0.75, 0.85, 0.95, "m", 9))
    assert not shaded("set_coverage", eh.Estimate(0.88, 0.85, 0.91, 0.95, "m", 9))
    assert not shaded("set_size", eh.Estimate(0.8, 0.75, 0.85, 0.95, "m", 9))
    assert not shaded("set_coverage", eh.Estimate.undefined("why", level=0.95, n=0))


def test_agreement_is_coloured_where_it_is_known() -> None:
    assert agreement_shade("cohen_kappa", eh.Estimate(0.4, 0.3, 0.5, 0.95, "m", 9))
    assert not agreement_shade("cohen_kappa", eh.Estimate(0.7, -0.9, 1.0, 0.95, "m", 9))
    assert not agreement_shade("cohen_kappa", eh.Estimate(-0.2, -0.3, -0.1, 0.95, "m", 9))
    assert not agreement_shade("f1", eh.Estimate(0.4, 0.3, 0.5, 0.95, "m", 9))


def test_nothing_about_a_single_annotator_is_shown(report: eh.Report, two: eh.Report) -> None:
    for shown in (report.html(), report.csv(), printed(report), two.html()):
        assert "secret-" not in shown
        assert ">tiny<" not in shown
    assert "fewer than 5 annotators is not shown" in " ".join(printed(report).split())


def test_how_many_labels_items_and_people_there_are(report: eh.Report) -> None:
    assert "2,100 labels of 150 items by 120 annotators" in report.html()


@pytest.mark.parametrize("width", [80, 120])
def test_a_terminal_has_short_tables(report: eh.Report, width: int) -> None:
    said = printed(report, width)
    assert max(len(line.rstrip()) for line in said.splitlines()) <= width
    assert len(said.splitlines()) < 70
    e = report.findings[0].get("uncertainty_divergence", annotators="men")
    assert formatting.format_p_value(e.p_value) in said
    assert "statistically significant after correction" in said
    assert "The model agrees less with annotators in group 'women'" in " ".join(said.split())


@pytest.mark.verify
def test_groups_and_models_that_are_markup(labelled: pl.DataFrame) -> None:
    table = labelled.rename({"p": NASTY}).with_columns(pl.col("gender").replace("women", f"g{NASTY}"))
    page = eh.audit(table, audits="perspective", score=[NASTY, "q"], **ROLES, **QUICK).html()
    parsed(page)
    assert "<script>alert" not in page


def test_too_few_labels_for_clusters(labelled: pl.DataFrame) -> None:
    report = eh.audit(labelled, audits="perspective", score="p", **ROLES, **QUICK | {"fewest_labels": 1000})
    page = report.html()
    parsed(page)
    assert "No clusters: only 0 annotators have 1000 labels or more" in page
    assert "could not be clustered" in " ".join(printed(report).split())


@pytest.mark.parametrize("name", ["one", "two"])
def test_a_finding_read_again_is_shown_again(perspectives, name: str) -> None:
    """From its JSON: the same bytes, the same page, the same tables and every figure."""
    first = perspectives[name]
    again = eh.Report(tuple(from_json(first.json(), source="again")))
    assert to_json(again.findings) == first.json()
    pages = [re.sub(r"clip\d+", "clip", one.html()) for one in (first, again)]  # drawings number their clip paths on
    assert pages[0] == pages[1]
    assert again.tables("markdown") == first.tables("markdown")
    assert printed(again) == printed(first)
    drawn = [[(f.name, f.about, f.title, f.caption, f.spec) for f in report.figures] for report in (first, again)]
    assert drawn[0] == drawn[1]
    assert {name for name, *_ in drawn[0]} >= {"deltas", "annotators", "clusters", "inertia"}


def test_a_file_of_an_earlier_version_has_the_same_cards(two: eh.Report) -> None:
    """Without verdicts, topics and exhibits: who stands out is judged again from the estimates."""
    (finding,) = two.findings
    bare = tuple(replace(reading, topic=None) for reading in finding.readings)
    earlier = eh.Report((replace(finding, verdicts=(), exhibits=(), readings=bare),))
    cards = [report.html().split('class="headlines"')[1].split("</div>")[0] for report in (two, earlier)]
    assert cards[0] == cards[1]
    parsed(earlier.html())
