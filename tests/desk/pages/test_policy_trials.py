"""Trying a policy: its effects are those of the judged items, and only a guarantee that holds is activated."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from desk.desks import STAFF, TestDesk
from desk.pages.browsers import Browser, plain_desk
from evenhand.catalogue.collaboration import OC_RECALL, REVIEWED, WRONG_REMOVALS
from evenhand.desk.pages.judged_items import judged_history
from evenhand.desk.pages.policy_trials import PolicyDraft, drafted_policy, propose, try_policy
from evenhand.desk.pages.words import PhraseError, words
from evenhand.desk.people import Role
from evenhand.formatting import format_share
from evenhand.store import DeskPolicy

SAY, LEAD, AUDITOR = words(), STAFF[Role.LEAD], STAFF[Role.AUDITOR]


def judged_desk(folder: Path, *, measured: float, items: int = 130) -> TestDesk:
    """Items whose score is nearly their truth, all of them judged."""
    desk, rng = plain_desk(folder, upper=None, lower=None, measured=measured, reserved=0.0), np.random.default_rng(2)
    scores = rng.random(items).round(3)
    desk.desk.receive(*map(float, scores))
    for _ in range(items):
        held = desk.desk.do("claim", "ana", queue="review")
        violates = float(held["text"].split()[-1]) > 0.45
        desk.desk.do(
            "decide", "ana", task=held["task"], version=held["version"], verdict="violating" if violates else "benign"
        )
    return desk


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestDesk]:
    made = judged_desk(tmp_path_factory.mktemp("random"), measured=1.0)
    yield made
    made.store.close()


def policy_of(desk: TestDesk) -> tuple[int, DeskPolicy]:
    with desk.store.database.reading() as connection:
        return desk.store.policy(connection)


def test_a_trial_is_counted_from_the_judged_items(desk: TestDesk) -> None:
    history, (_, policy) = judged_history(desk.store), policy_of(desk)
    assert history is not None
    assert history.is_random
    assert history.size == 130
    assert sum(history.scores) == 130
    draft = PolicyDraft(0.4, 0.2, "uncertainty", 10**6)
    trial = try_policy(policy, draft, history)
    assert trial is not None
    p, y = history.sample.p, history.sample.y
    estimates = trial.tried[0].estimates
    assert estimates[OC_RECALL].value == pytest.approx(1.0 - (y & (p < 0.2)).sum() / y.sum())
    assert estimates[WRONG_REMOVALS].value == pytest.approx((~y & (p >= 0.4)).sum() / (p >= 0.4).sum())
    assert estimates[REVIEWED].value == pytest.approx(((p >= 0.2) & (p < 0.4)).mean())
    assert trial.reviews.value == pytest.approx(estimates[REVIEWED].value * history.sample.items_per_day)
    assert trial.in_force[0].estimates[OC_RECALL].value == pytest.approx(1.0)
    assert not trial.is_certified


def test_the_page_says_what_the_trial_holds(desk: TestDesk) -> None:
    page = Browser(desk, AUDITOR).get("/policy?upper=0.4&lower=0.2&strategy=toxicity&reviews=1000000")
    trial = try_policy(policy_of(desk)[1], PolicyDraft(0.4, 0.2, "toxicity", 10**6), judged_history(desk.store))
    assert trial is not None
    for estimate in trial.tried[0].estimates.values():
        assert estimate.value is not None
        assert format_share(estimate.value) in page.text
    assert SAY("trial.exploratory_hint") in page.text
    assert SAY("trial.guarantee", n=130) in page.text
    assert not any(form["attributes"].get("action") == "/policy/new" for form in page.forms)


@pytest.mark.parametrize(
    ("query", "key"),
    [
        ("upper=0.2&lower=0.4", "thresholds"),
        ("upper=2", "share"),
        ("lower=much", "share"),
        ("reviews=-1", "reviews"),
        ("strategy=luck", "strategy"),
    ],
)
def test_a_draft_that_makes_no_sense_is_said_so(desk: TestDesk, query: str, key: str) -> None:
    page = Browser(desk, LEAD).get(f"/policy?{query}", 422)
    assert SAY(f"error.{key}") in page.text
    values = dict(part.split("=") for part in query.split("&"))
    with pytest.raises(PhraseError):
        PolicyDraft.from_values(values, PolicyDraft(None, None, "uncertainty", 0))


def test_a_lead_activates_a_draft_with_a_reason_and_rolls_back(tmp_path: Path) -> None:
    desk = judged_desk(tmp_path, measured=1.0)
    browser, before = Browser(desk, LEAD), policy_of(desk)
    page = browser.get("/policy?upper=0.8&lower=&strategy=toxicity&reviews=40")
    fields = page.form("draft card narrow")
    assert SAY("error.reason") in browser.send("/policy/new", 422, **{**fields, "reason": " "}).text
    assert policy_of(desk)[0] == before[0]
    after = browser.send("/policy/new", **{**fields, "reason": "fewer mistakes"})
    assert SAY("policy.reason", reason="fewer mistakes") in after.text
    version, policy = policy_of(desk)
    assert version == before[0] + 1
    assert (policy.thresholds.upper, policy.thresholds.lower, policy.thresholds.n) == (0.8, None, 0)
    assert (policy.strategy, dict(policy.capacity)) == ("toxicity", {"review": 40})
    assert (policy.measured, policy.reserved) == (before[1].measured, before[1].reserved)
    browser.send("/policy/new", 409, **{**fields, "reason": "again"})  # another is in force meanwhile
    again = next(form["fields"] for form in after.forms if "version" in form["fields"])
    browser.send("/policy", **{**again, "reason": "back"})
    assert policy_of(desk)[1].thresholds.upper is None
    desk.store.close()


def test_only_the_thresholds_of_the_proposal_carry_its_guarantee(desk: TestDesk) -> None:
    history, (_, policy) = judged_history(desk.store), policy_of(desk)
    assert history is not None
    draft = PolicyDraft(None, None, "uncertainty", 10)
    chosen = propose(draft, history).policy
    assert chosen.upper is not None
    taken = PolicyDraft(chosen.upper, chosen.lower, "uncertainty", 10)
    assert drafted_policy(policy, taken, history).thresholds.n == 130
    other = PolicyDraft(chosen.upper + 0.01, chosen.lower, "uncertainty", 10)
    assert drafted_policy(policy, other, history).thresholds.n == 0
    page = Browser(desk, LEAD).get(f"/policy?upper={chosen.upper}&lower={'' if chosen.lower is None else chosen.lower}")
    assert SAY("trial.certified_hint") in page.text


def test_labels_that_are_no_random_sample_promise_nothing(tmp_path: Path) -> None:
    desk = judged_desk(tmp_path, measured=1e-9)
    history = judged_history(desk.store)
    assert history is not None
    assert not history.is_random
    draft = PolicyDraft(None, None, "uncertainty", 10)
    chosen = propose(draft, history).policy
    taken = PolicyDraft(chosen.upper, chosen.lower, "uncertainty", 10)
    assert drafted_policy(policy_of(desk)[1], taken, history).thresholds.n == 0
    page = Browser(desk, LEAD).get("/policy")
    assert SAY("trial.no_guarantee") in page.text
    assert SAY("trial.not_random") in page.text
    desk.store.close()


def test_nothing_judged_nothing_to_try(tmp_path: Path) -> None:
    desk = plain_desk(tmp_path)
    assert SAY("trial.nothing") in Browser(desk, LEAD).get("/policy").text
    desk.store.close()
