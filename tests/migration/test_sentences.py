"""No sentence contradicts a number: sentences are read back and held against the estimates of random findings.

The reader below knows the sentences and none of the rules that made them. Wrong rules, planted on purpose, must be
caught by it.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import polars as pl
import pytest

from evenhand.estimate import Estimate
from evenhand.finding import Finding
from evenhand.measures.decisions import DecisionTable
from evenhand.migration import group_sentences, verdicts
from evenhand.migration.changes import ratio_estimate
from evenhand.migration.group_sentences import group_sentence
from evenhand.migration.judgements import ChangeVerdict, comments_to_settle
from evenhand.migration.moves import GroupChange
from evenhand.migration.score_log import CommentGroup
from evenhand.migration.threshold_map import share_estimate
from migration.logs import frame, moved

NUMBER = r"[−+-]?[\d.,]*\d(?:e[+-]?\d+)?"
GROUP = re.compile(
    rf"^(?P<who>.+) are flagged (?:(?P<times>{NUMBER}) times )?as often as before "
    rf"\((?P<now>{NUMBER}) % against (?P<before>{NUMBER}) %\)(?:, |; )(?P<rest>.*): "
    rf"between (?P<low>{NUMBER}) and (?P<high>{NUMBER}) times as often(?:, allowing for (?P<all>\d+) comparisons)?\."
)
LARGER = re.compile(rf"^a change larger than the tolerance of (?P<tolerance>{NUMBER})$")
RULED_OUT = re.compile(rf"^a change by more than a factor of (?P<most>{NUMBER}) is ruled out$")
UNDETERMINED = re.compile(
    rf"^whether the change is larger than the tolerance of (?P<tolerance>{NUMBER}) is undetermined$"
)
SETTLED = re.compile(rf"About (?P<enough>{NUMBER}) such comments would settle it; there are (?P<n>{NUMBER})\.$")


def number(text: str) -> float:
    return float(text.replace(",", "").replace("−", "-"))


def near(text: str, value: float) -> bool:
    """To the three digits that are written."""
    return number(text) == pytest.approx(value, rel=6e-3, abs=1e-9)


def contradictions(sentence: str, change: GroupChange, tolerance: float, comparisons: int) -> list[str]:
    """What a sentence says that the numbers do not."""
    ratio = change.ratio
    if ratio.value is None:
        now = re.search(rf"^Of ({NUMBER}) .* none was flagged before and ({NUMBER}) % are now", sentence)
        fine = now and number(now[1]) == ratio.n and near(now[2], 100.0 * change.after.value)
        return [] if fine and change.before.value == 0.0 else ["nothing before"]
    said = GROUP.search(sentence)
    if not said:
        return ["not a sentence that is known"]
    wrong = [
        name
        for name, fits in {
            "group": said["who"].lower() == change.group.comments.lower(),
            "ratio": near(said["times"] or "1", ratio.value),
            "now": near(said["now"], 100.0 * change.after.value),
            "before": near(said["before"], 100.0 * change.before.value),
            "low": near(said["low"], ratio.low),
            "high": near(said["high"], ratio.high),
            "comparisons": int(said["all"] or 1) == comparisons,
            "direction": (number(said["times"] or "1") - 1.0) * (number(said["now"]) - number(said["before"])) >= 0.0,
        }.items()
        if not fits
    ]
    beyond = ratio.low > tolerance or ratio.high < 1.0 / tolerance
    within = 1.0 / tolerance <= ratio.low and ratio.high <= tolerance
    if larger := LARGER.match(said["rest"]):
        wrong += [] if beyond and number(larger["tolerance"]) == tolerance else ["larger"]
    elif ruled_out := RULED_OUT.match(said["rest"]):
        most = number(ruled_out["most"])
        inside = 1.0 / most - 1e-9 <= ratio.low and ratio.high <= most + 1e-9
        wrong += [] if within and inside and most <= 1.01 * tolerance else ["ruled out"]
    elif UNDETERMINED.match(said["rest"]):
        wrong += [] if not beyond and not within else ["undetermined"]
        if settled := SETTLED.search(sentence):
            wrong += [] if number(settled["enough"]) > ratio.n == number(settled["n"]) else ["settled"]
    else:
        wrong.append("no verdict")
    return wrong


def random_change(rng: np.random.Generator) -> tuple[GroupChange, float, int]:
    size = int(10 ** rng.uniform(1.0, 6.0))
    shares = rng.dirichlet([0.3, 0.15, 0.15, rng.uniform(0.5, 20.0)])
    table = DecisionTable(*(int(count) for count in rng.multinomial(size, shares)))
    comparisons = int(rng.integers(1, 300))
    each = 1.0 - 0.05 / comparisons
    before, after = (share_estimate(part, table.items, 0.95) for part in (table.old, table.new))
    group = CommentGroup({"group": "women"}, "comments that mention 'women'", np.arange(1))
    tolerance = float(rng.choice([1.1, 1.25, 2.0]))
    return GroupChange(group, before, after, ratio_estimate(table, 0.95, each)), tolerance, comparisons


CHANGES = [random_change(np.random.default_rng(seed)) for seed in range(3000)]


def test_no_sentence_about_a_group_contradicts_a_number() -> None:
    found = {}
    for change, tolerance, comparisons in CHANGES:
        sentence = group_sentence(change, tolerance, comparisons)
        if wrong := contradictions(sentence, change, tolerance, comparisons):
            found[sentence] = (wrong, change.ratio)
    assert found == {}


def test_all_kinds_of_verdicts_were_among_them() -> None:
    kinds = [group_sentences.judge_ratio(change.ratio, tolerance) for change, tolerance, _ in CHANGES]
    assert min(kinds.count(kind) for kind in ChangeVerdict) > 30


def by_value(ratio: Estimate, tolerance: float) -> ChangeVerdict:
    """A rule that looks at the value and not at the interval."""
    if ratio.value is None:
        return ChangeVerdict.UNKNOWN
    beyond = ratio.value > tolerance or ratio.value < 1.0 / tolerance
    return ChangeVerdict.LARGER if beyond else ChangeVerdict.RULED_OUT


def one_sided(ratio: Estimate, tolerance: float) -> ChangeVerdict:
    """A rule that sees a change upwards only."""
    if ratio.low is None or ratio.high is None:
        return ChangeVerdict.UNKNOWN
    if ratio.low > tolerance:
        return ChangeVerdict.LARGER
    return ChangeVerdict.RULED_OUT if ratio.low > 0.0 and ratio.high <= tolerance else ChangeVerdict.UNDETERMINED


def by_significance(ratio: Estimate, tolerance: float) -> ChangeVerdict:
    """A rule that takes any difference from 1 that is beyond chance for a large one."""
    if ratio.low is None or ratio.high is None:
        return ChangeVerdict.UNKNOWN
    return ChangeVerdict.UNDETERMINED if ratio.low <= 1.0 <= ratio.high else ChangeVerdict.LARGER


WRONG_RULES = {
    "by value": ("judge_ratio", by_value),
    "one-sided": ("judge_ratio", one_sided),
    "by significance": ("judge_ratio", by_significance),
    "bound": ("largest_change", lambda ratio: ratio.high),
    "turned round": ("times", lambda ratio, **_: f"{1.0 / max(ratio, 1e-9):.3g}"),
    "fewer than there are": ("comments_to_settle", lambda ratio, tolerance: comments_to_settle(ratio, tolerance) / 100),
}


@pytest.mark.parametrize("rule", WRONG_RULES)
def test_a_planted_wrong_rule_is_caught(rule: str, monkeypatch: pytest.MonkeyPatch) -> None:
    name, wrong = WRONG_RULES[rule]
    monkeypatch.setattr(group_sentences, name, wrong)
    caught = 0
    for change, tolerance, comparisons in CHANGES[:600]:
        caught += bool(contradictions(group_sentence(change, tolerance, comparisons), change, tolerance, comparisons))
    assert caught > 5


SET = re.compile(
    rf"^Replace the threshold (?P<old>{NUMBER}) by (?P<new>{NUMBER}): it (?P<how>keeps|comes nearest to) the "
    rf"(?P<what>.+) \((?P<now>{NUMBER}) % flagged, (?P<before>{NUMBER}) % before\)\.$"
)
LIES = re.compile(
    rf"^The 95 % interval of the new threshold is (?P<low>{NUMBER}) to (?P<high>{NUMBER})\. "
    rf"At (?P<old>{NUMBER}), the new model would flag (?P<left>{NUMBER}) %\.$"
)
MOVED = re.compile(
    rf"^Of 1,000 comments, (?P<newly>{NUMBER}) are newly flagged and (?P<gone>{NUMBER}) are no longer flagged; "
    rf"(?P<still>{NUMBER}) % of the comments flagged before are still flagged\.$"
)
HALVES = re.compile(
    rf"^Fitted on half of the comments, the threshold flags (?P<which>the same|a different) share of the other.*: "
    rf"(?P<by>{NUMBER}) percentage points \((?P<low>{NUMBER}) to (?P<high>{NUMBER})\)\.$"
)
LABELS = re.compile(
    rf"^With the same share of comments flagged, precision changes by (?P<by>{NUMBER}) percentage points "
    rf"\((?P<low>{NUMBER}) to (?P<high>{NUMBER})\)(?P<rest>.*)$"
)
WORDS = {"share of comments flagged": "flag_rate", "precision": "precision"}


def points(text: str, value: float) -> bool:
    """To the two digits that are written."""
    return number(text) == pytest.approx(100.0 * value, rel=0.06, abs=1e-9)


def check_threshold(finding: Finding, threshold: str) -> str:
    """What is said about a threshold, held against the numbers; which kind of sentence it was."""
    here = {"threshold": threshold}
    said = [verdict for verdict in finding.verdicts if verdict.slice == here]
    first = said[0]
    old_rate = finding.get("flag_rate", **here, model="old").value
    if not (match := SET.match(first.statement)):
        assert first.status == "open"
        none = rf"For an old threshold of {re.escape(threshold)} (there is no new threshold|no new .* is recommended): "
        assert re.match(none, first.statement)
        return "nothing to set"
    kept = WORDS[match["what"]]
    new = finding.get("new_threshold", **here, matched=kept)
    rate = finding.get("flag_rate", **here, model="new", matched=kept).value
    assert match["old"] == threshold
    assert number(match["new"]) == pytest.approx(new.value, rel=1e-9)
    assert near(match["now"], 100.0 * rate)
    assert near(match["before"], 100.0 * old_rate)
    if kept == "flag_rate":
        assert (match["how"] == "keeps") == (abs(rate - old_rate) <= max(0.05 * old_rate, 1.0 / new.n) + 1e-12)
    lies = LIES.match(first.certainty)
    assert lies
    assert number(lies["low"]) == pytest.approx(new.low, rel=1e-9)
    assert number(lies["high"]) == pytest.approx(new.high, rel=1e-9)
    assert near(lies["left"], 100.0 * finding.get("flag_rate", **here, model="new", matched="threshold").value)
    decided = {**here, "matched": kept}
    change = MOVED.match(said[1].statement)
    assert change
    assert near(change["newly"], 1000.0 * finding.get("newly_flagged", **decided).value)
    assert near(change["gone"], 1000.0 * finding.get("no_longer_flagged", **decided).value)
    assert near(change["still"], 100.0 * finding.get("still_flagged", **decided).value)
    check_halves(finding, said[1].certainty, here)
    return kept


def check_halves(finding: Finding, text: str, here: dict[str, str]) -> None:
    found = finding.get("flag_rate_change", **here, matched="flag_rate", pool="held_out")
    if not found.defined:
        assert "could not be checked" in text
        return
    said = HALVES.match(text)
    assert said
    assert (said["which"] == "the same") == (found.low <= 0.0 <= found.high)
    assert all(
        points(said[part], value) for part, value in (("by", found.value), ("low", found.low), ("high", found.high))
    )


def check_labels(finding: Finding, threshold: str, loss: float) -> None:
    (reading,) = [r for r in finding.readings if r.topic == "recommended" and r.slice["threshold"] == threshold]
    found = finding.get("precision_change", threshold=threshold, matched="flag_rate")
    if not found.defined:
        assert "do not show" in reading.text
        return
    said = LABELS.match(reading.text)
    assert said
    assert all(
        points(said[part], value) for part, value in (("by", found.value), ("low", found.low), ("high", found.high))
    )
    rest = said["rest"]
    assert ("a loss larger than the tolerance" in rest) == (found.high < -loss)
    assert ("is ruled out" in rest) == (found.low >= -loss)
    assert ("undetermined" in rest) == (found.low < -loss <= found.high)
    if settled := re.search(rf"about ({NUMBER}) labelled comments would settle it", rest):
        assert number(settled[1]) > found.n


def random_log(seed: int) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    table = frame(
        int(10 ** rng.uniform(1.8, 3.6)),
        seed=seed,
        lift=rng.uniform(-1.5, 1.5),
        noise=rng.choice([0.1, 0.5, 2.0]),
        digits=rng.choice([None, None, 2, 1]),
    )
    if rng.random() < 0.4:  # a new model that is much worse
        return table.with_columns(ours=pl.Series(rng.random(len(table))).round(3))
    return table


@pytest.mark.parametrize(
    "seeds", [range(6), pytest.param(range(6, 100), marks=pytest.mark.verify)], ids=["few", "many"]
)
def test_no_sentence_about_a_threshold_contradicts_a_number(seeds: range) -> None:
    kinds = set()
    for seed in seeds:
        finding = moved(random_log(seed), label="toxic", groups=["women", "men"], thresholds=[0.5, 0.8, 0.97])
        for threshold in finding.values("threshold"):
            kinds.add(check_threshold(finding, threshold))
            check_labels(finding, threshold, 0.02)
    assert {"flag_rate", "nothing to set"} <= kinds


def test_a_wrong_word_about_a_threshold_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    table = frame(600)
    wrongs: dict[str, Callable[..., object]] = {
        "format_share": lambda value: f"{50.0 * value:.3g} %",
        "signed_points": lambda value: f"{200.0 * value:+.2g}",
        "_is_kept": lambda table: False,
    }
    for name, wrong in wrongs.items():
        with monkeypatch.context() as patched:
            patched.setattr(verdicts, name, wrong)
            finding = moved(table, thresholds=[0.8])
            with pytest.raises(AssertionError):
                check_threshold(finding, "0.8")
