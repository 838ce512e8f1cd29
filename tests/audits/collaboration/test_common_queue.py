"""Model and reviewers together by group: equal to the queue walked through item by item, and sentences that say so."""

from __future__ import annotations

import re

import numpy as np
import polars as pl
import pytest
from scipy.special import expit

import evenhand as eh
from evenhand.errors import InputError

ROLES = {"score": "p", "label": "y", "audits": "collaboration"}
RATES = {"system_fpr": False, "system_fnr": True}


def items(n: int = 900, seed: int = 3, extra: float = 0.8) -> pl.DataFrame:
    """A group whose benign items score higher and are called violating more often by reviewers; two decisions each."""
    rng = np.random.default_rng(seed)
    y, g = rng.random(n) < 0.3, rng.random(n) < 0.4
    p = expit(2.0 * y - 1.2 + extra * (g & ~y) + rng.normal(size=n))
    columns = {"p": p, "y": y, "g": g, "by": rng.integers(0, 60, n), "u": rng.random(n), "n": rng.integers(1, 4, n)}
    error = np.where(y, 0.2, np.where(g, 0.25, 0.05))
    for name in ("first", "second"):
        decided = (rng.random(n) < error) ^ y
        columns[name] = pl.Series([bool(d) if rng.random() < 0.7 else None for d in decided])
    return pl.DataFrame(columns)


def finding(table: pl.DataFrame, **options: object) -> eh.Finding:
    return eh.audit(table, **{**ROLES, "groups": "g", "capacities": ["5%"], **options}).findings[0]


def errors(rows: list[dict]) -> dict[bool, float]:
    """How often reviewers err on benign and violating items, decision by decision."""
    decided = [(row[name], row["y"]) for row in rows for name in ("first", "second") if row[name] is not None]
    return {kind: np.mean([said != truth for said, truth in decided if truth == kind]) for kind in (False, True)}


def walked(table: pl.DataFrame, strategy: str, capacity: float, *, erring: bool) -> dict[str, dict[bool, float]]:
    """The common queue, one item after the other: how likely each is decided wrongly, averaged within and outside g."""
    rows = table.to_dicts()
    sides = {side: [row for row in rows if row["g"] is side] for side in (True, False)}
    order = {
        "uncertainty": lambda r: -r["p"] * (1 - r["p"]),
        "toxicity": lambda r: -r["p"],
        "column:u": lambda r: -r["u"],
    }
    places = int(capacity * len(rows) + 1e-9)
    for place, row in enumerate(sorted(rows, key=order[strategy])):
        row["reviewed"] = place < places
    found: dict[str, dict[bool, float]] = {
        "reviewed": {s: np.mean([r["reviewed"] for r in rs]) for s, rs in sides.items()}
    }
    for measure, kind in RATES.items():
        found[measure] = {}
        for side, own in sides.items():
            error = errors(own)[kind] if erring else 0.0
            wrong = [error if r["reviewed"] else float((r["p"] >= 0.5) != r["y"]) for r in own if r["y"] == kind]
            found[measure][side] = np.mean(wrong)
    return found


@pytest.mark.parametrize("erring", [False, True])
def test_rates_equal_the_queue_walked_through(erring: bool) -> None:
    reviews = {"reviews": ["first", "second"]} if erring else {}
    table = items().with_columns(pl.Series("g", np.random.default_rng(1).random(900) < 0.4))
    for data in (items(), table):
        found = finding(data, uncertainty="u", strategies=["uncertainty", "toxicity", "column:u"], **reviews)
        for strategy in found.values("strategy"):
            expected = walked(data, strategy, 0.05, erring=erring)
            at = {"group": "g", "strategy": strategy, "capacity": "5%"}
            for measure, sides in expected.items():
                assert found.get(measure, **at).value == pytest.approx(sides[True], abs=1e-12)
                if measure in RATES:
                    ratio, difference = (found.get(f"{measure}_{kind}", **at).value for kind in ("ratio", "difference"))
                    assert ratio == pytest.approx(sides[True] / sides[False], abs=1e-12)
                    assert difference == pytest.approx(sides[True] - sides[False], abs=1e-12)


def test_items_that_were_not_annotated_for_a_group_are_in_the_queue_and_on_neither_side() -> None:
    table = items().with_columns(pl.when(pl.col("u") < 0.2).then(None).otherwise(pl.col("g")).alias("g"))
    found = finding(table, reviews=["first", "second"])
    for strategy in found.values("strategy"):
        expected = walked(table, strategy, 0.05, erring=True)
        at = {"group": "g", "strategy": strategy, "capacity": "5%"}
        for measure, sides in expected.items():
            assert found.get(measure, **at).value == pytest.approx(sides[True], abs=1e-12)
            if measure in RATES:
                assert found.get(f"{measure}_ratio", **at).value == pytest.approx(sides[True] / sides[False], abs=1e-12)


def test_reviews_drawn_at_random_come_to_the_expected_rates() -> None:
    """Reviewers who decide every item in the queue anew, two thousand times."""
    table = items()
    found = finding(table, reviews=["first", "second"])
    rng = np.random.default_rng(5)
    p, y, g = (table[name].to_numpy() for name in ("p", "y", "g"))
    error = {side: errors([r for r in table.to_dicts() if r["g"] is side]) for side in (True, False)}
    chance = np.array([error[bool(inside)][bool(kind)] for inside, kind in zip(g, y, strict=True)])
    queue = np.argsort(-p * (1 - p), kind="stable")[:45]
    removed = np.tile(p >= 0.5, (2000, 1))
    removed[:, queue] = y[queue] ^ (rng.random((2000, 45)) < chance[queue])
    at = {"group": "g", "strategy": "uncertainty", "capacity": "5%"}
    assert found.get("system_fpr", **at).value == pytest.approx(removed[:, g & ~y].mean(), abs=0.001)
    assert found.get("system_fnr", **at).value == pytest.approx(1 - removed[:, g & y].mean(), abs=0.001)


def test_counts_are_repetitions() -> None:
    table = items()
    repeated = table.select(pl.all().repeat_by("n")).explode(pl.all())
    for one, two in zip(finding(table, count="n"), finding(repeated), strict=True):
        if one.measure.startswith("system") or one.measure == "reviewed":
            for part in ("value", "low", "high"):
                assert getattr(one.estimate, part) == pytest.approx(getattr(two.estimate, part), abs=1e-9), one


def test_clusters_widen_intervals_and_leave_values() -> None:
    """Forty copies of every item are no more information than the item."""
    table = items(200, extra=2.0).with_row_index("item")
    copies = pl.concat([table] * 40)
    plain, copied = finding(table), finding(copies, cluster="item")
    for one, two in zip(plain, copied, strict=True):
        if one.measure in ("system_fpr", "system_fnr", "reviewed") and "group" in one.slice:
            assert two.estimate.value == pytest.approx(one.estimate.value, abs=0.03)
            widths = [e.high - e.low for e in (one.estimate, two.estimate)]
            assert 0.8 < widths[1] / widths[0] < 1.4, (one.measure, one.slice, widths)


def test_reviewers_who_are_uncertain_make_rates_uncertain() -> None:
    table = items(4000, extra=0.0)
    rng = np.random.default_rng(2)
    few = table.with_columns(pl.when(pl.Series(rng.random(4000) < 0.05)).then(pl.col("first")).alias("first"))
    at = {"group": "g", "strategy": "uncertainty", "capacity": "50%"}
    sure, unsure = (finding(one, capacities=["50%"], reviews=["first"]).get("system_fpr", **at) for one in (table, few))
    assert unsure.high - unsure.low > 1.3 * (sure.high - sure.low)


def test_without_groups_nothing_is_said_of_them() -> None:
    found = eh.audit(items(), **ROLES).findings[0]
    assert not any(m.measure.startswith(("system", "reviewer_")) or m.measure == "reviewed" for m in found)


def test_too_few_gold_items_are_no_estimate() -> None:
    table = items().with_columns(gold=pl.int_range(pl.len()) < 15)
    found = finding(table, reviews=["first", "second"], gold="gold")
    assert "gold items" in found.get("reviewer_fnr", group="g").note
    at = {"group": "g", "strategy": "uncertainty", "capacity": "5%"}
    assert found.get("system_fnr", **at).note == found.get("reviewer_fnr", group="g").note


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"gold": "y"}, "set `reviews`"),
        ({"reviews": ["first"], "gold": "u"}, "must be true for gold items"),
        ({"reviews": ["by"]}, "neither 0, 1 nor a share"),
        ({"reviews": ["nothing"]}, "no item was reviewed"),
        ({"reviews": ["first"], "gold": "never"}, "no gold item was reviewed"),
        ({"reviews": ["first", "first"]}, "named twice"),
        ({"reviews": ["y"]}, "choose one"),
    ],
)
def test_bad_columns_are_refused(options: dict, problem: str) -> None:
    table = items().with_columns(nothing=pl.lit(None, dtype=pl.Boolean), never=False)
    with pytest.raises(InputError, match=problem):
        finding(table, **options)


def test_reviews_are_written_as_labels_are() -> None:
    """As words, as shares of annotators, or with NaN for what was not reviewed."""
    table = items()
    words = table.with_columns(
        pl.col(name).replace_strict({True: "bad", False: "fine"}, return_dtype=pl.String)
        for name in ("y", "first", "second")
    )
    numbers = table.with_columns(pl.col(name).cast(pl.Float64).fill_null(float("nan")) for name in ("first", "second"))
    plain = finding(table, reviews=["first", "second"])
    for other in (
        finding(words, reviews=["first", "second"], positive="bad"),
        finding(numbers, reviews=["first", "second"]),
        finding(numbers.to_pandas(), reviews=["first", "second"]),
    ):
        assert [m.estimate for m in other] == [m.estimate for m in plain]


LARGER = re.compile(
    r"(benign|violating) items in group (\w+) are (?:removed|missed) ([\d.,]+) times as often as other .*?"
    r"\(([\d.]+) % against ([\d.]+) %\)"
)
OPEN = re.compile(
    r"(benign|violating) items in group (\w+) are (?:removed|missed) between ([\d.,]+) and ([\d.,]+) times"
)
QUIET = re.compile(r"(benign|violating) items (?:removed|missed), for (?:items in group )?(both groups|\w+)")
KINDS = {"benign": "system_fpr", "violating": "system_fnr"}


def judged(found: eh.Finding, group: str, measure: str, strategy: str) -> str:
    """By the language guide, from the interval of the ratio."""
    e = found.get(f"{measure}_ratio", group=group, strategy=strategy, capacity="5%")
    if e.low > 1.25 or e.high < 0.8:
        return "apart"
    return "ruled out" if e.low >= 0.8 and e.high <= 1.25 else "undetermined"


@pytest.mark.parametrize("seed", range(6))
def test_sentences_say_what_the_numbers_say(seed: int) -> None:
    rng = np.random.default_rng(seed)
    table = items(int(rng.choice([400, 3000, 40_000])), seed, float(rng.choice([0.0, 0.1, 1.5])))
    table = table.with_columns(other=pl.Series(rng.random(len(table)) < 0.5))
    found = finding(table, groups=["g", "other"])
    strategy = next(e.columns["strategy"][0] for e in found.exhibits if e.kind == "strategies")
    told = {}
    for verdict in (v for v in found.verdicts if v.statement.startswith("After review")):
        for kind, group, times, inside, outside in LARGER.findall(verdict.statement):
            at = {"group": group, "strategy": strategy, "capacity": "5%"}
            rate, ratio = found.get(KINDS[kind], **at).value, found.get(f"{KINDS[kind]}_ratio", **at)
            assert float(times) == pytest.approx(ratio.value, rel=0.06)
            assert float(inside) / 100 == pytest.approx(rate, rel=0.02, abs=1e-4)
            assert float(outside) / 100 == pytest.approx(rate / ratio.value, rel=0.02, abs=1e-4)
            assert verdict.status == ("stands_out" if ratio.value > 1 else "measured")
            told[group, KINDS[kind]] = "apart"
        for kind, group, low, high in OPEN.findall(verdict.statement):
            ratio = found.get(f"{KINDS[kind]}_ratio", group=group, strategy=strategy, capacity="5%")
            assert (float(low), float(high)) == pytest.approx((ratio.low, ratio.high), rel=0.06)
            told[group, KINDS[kind]] = "undetermined"
        if "ruled out" in verdict.statement:
            for kind, which in QUIET.findall(verdict.statement):
                for group in ("g", "other") if which == "both groups" else (which,):
                    told[group, KINDS[kind]] = "ruled out"
    expected = {(g, m): judged(found, g, m, strategy) for g in ("g", "other") for m in RATES}
    assert {key: value for key, value in expected.items() if key in told} == told
    assert len(told) >= min(3, len(expected))


def test_the_report_shows_groups_in_one_queue() -> None:
    report = eh.audit(items(), **ROLES, groups="g", reviews=["first", "second"])
    page = report.html()
    assert "one queue for all groups" in page
    assert "Reviewers' FPR" in page or "Reviewers&#39; FPR" in page
