"""What a perspective finding amounts to, by what its estimates are marked with; and that it carries all of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

import evenhand as eh
from evenhand.audits.perspective.exhibits import PerspectiveExhibit
from evenhand.audits.perspective.standing import Standing, judge_model, model_standing
from evenhand.audits.perspective.verdicts import PerspectiveTopic, with_verdicts
from evenhand.estimate import Estimate, Flag
from evenhand.finding import Finding, Status

WHY = "nothing is known"
Change = Callable[[str, Estimate], Estimate]


@pytest.fixture(scope="module")
def two(perspectives: dict[str, eh.Report]) -> Finding:
    return perspectives["two"].findings[0]


def changed(finding: Finding, change: Change) -> Finding:
    """Other estimates, judged anew."""
    estimates = tuple(replace(m, estimate=change(m.measure, m.estimate)) for m in finding)
    exhibits = tuple(e for e in finding.exhibits if e.kind != PerspectiveExhibit.STANDING)
    return with_verdicts(replace(finding, estimates=estimates, exhibits=exhibits))


OTHER_SHARES = (
    "For annotators in groups {}, the shares of labels that the model fits better or worse differ from those of all "
    "annotators."
)

OTHER_COMPOSITION = "Annotators for whom the model fits equally well differ in demographic composition."


def test_a_verdict_for_each_model_names_the_group_that_stands_out(two: Finding) -> None:
    assert [dict(verdict.slice) for verdict in two.verdicts] == [{"model": "p"}, {"model": "q"}]
    assert all(verdict.status is Status.STANDS_OUT and verdict.action for verdict in two.verdicts)
    by_delta, by_signs = two.verdicts
    assert "less with annotators in group women (57 people) than with all annotators" in by_delta.statement
    assert by_delta.certainty.startswith("Mean delta of women: +0.")
    assert by_signs.statement == OTHER_SHARES.format("women (57 people) and men (52 people)")
    assert by_signs.certainty.startswith("Uncertainty divergence of women: 0.")


def test_without_marks_it_says_what_could_have_been_seen(two: Finding) -> None:
    quiet = changed(two, lambda _, e: replace(e, flags=()))
    assert all(v.status is Status.QUIET and "±" in v.certainty for v in quiet.verdicts)
    assert not any(model_standing(quiet, model).stands_out for _, model in quiet.models)


@pytest.mark.parametrize(
    ("measure", "statement"),
    [
        (
            "uncertainty_divergence",
            OTHER_SHARES.format("women (57 people), men (52 people) and other groups (11 people)"),
        ),
        (
            "demographic_divergence",
            "Annotators for whom the model fits equally well differ in demographic composition.",
        ),
    ],
)
def test_other_marks_are_told_too(two: Finding, measure: str, statement: str) -> None:
    marked = changed(
        two, lambda name, e: replace(e, flags=(Flag.STANDS_OUT,) if name == measure and e.p_value is not None else ())
    )
    assert {v.statement for v in marked.verdicts} == {statement}


def test_a_group_below_everybody_is_shared_more(two: Finding) -> None:
    fewer = changed(two, lambda name, e: e if name != "conformity_delta" else _moved(e, -0.9 if e.p_value else 0.0))
    assert fewer.verdicts[0].statement.startswith("The model agrees more with annotators in groups women")
    assert fewer.verdicts[0].statement.endswith("than with all annotators.")
    assert "women" in model_standing(fewer, {"model": "p"}).with_delta(Standing.MORE)


def _moved(e: Estimate, by: float) -> Estimate:
    if e.value is None or e.low is None or e.high is None:
        return e
    return replace(e, value=e.value + by, low=e.low + by, high=e.high + by)


def test_nothing_known_is_said_to_be_so(two: Finding) -> None:
    empty = changed(two, lambda name, e: e if name.endswith("count") else Estimate.undefined(WHY, level=e.level, n=e.n))
    assert [(v.status, v.statement) for v in empty.verdicts] == [
        (Status.OPEN, f"Deltas could not be calculated: {WHY}.")
    ] * 2


def test_readings_have_a_topic_each(two: Finding) -> None:
    of_model = [PerspectiveTopic.GROUPS, PerspectiveTopic.CLUSTERS]
    assert [reading.topic for reading in two.readings] == [PerspectiveTopic.AGREEMENT, *of_model, *of_model]


def test_what_was_judged_is_read_back_from_the_exhibit(two: Finding) -> None:
    for _, model in two.models:
        assert model_standing(two, model) == judge_model(two, model)
    emptied = changed(two, lambda name, e: e if name.endswith("count") else Estimate.undefined(WHY, level=0.95, n=1))
    for _, model in emptied.models:
        assert model_standing(emptied, model) == judge_model(emptied, model)
