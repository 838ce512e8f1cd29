"""The target after a batch: reached or not, what is still needed, and in which words."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from evenhand.catalogue.accuracy import PREVALENCE
from evenhand.catalogue.shared import RECALL
from evenhand.estimate import Estimate
from evenhand.measurement.target_progress import TargetProgress, duration
from evenhand.sampling.sizes import Variation, Width, Within


def progress(excess: float, *, found: float = 40.0, lacking: str = "", labels: int = 400) -> TargetProgress:
    return TargetProgress(RECALL, Within(0.2), labels, excess, found, 100_000, lacking)


def test_the_half_width_that_is_published_is_held_against_the_target() -> None:
    share = Estimate(0.1, 0.08, 0.13, 0.95, "wilson", 500)
    assert Within(0.2).excess(share) == pytest.approx(0.025 / 0.02)
    assert Width(0.1).excess(share) == pytest.approx(0.5)
    assert Variation(0.1).excess(share) == pytest.approx(0.025 / (0.1 * 0.1 * 1.959964), rel=1e-6)
    assert Within(0.2).excess(Estimate(0.0, 0.0, 0.01, 0.95, "wilson", 500)) == math.inf
    assert not Within(0.2).kept_by(share)
    assert Within(0.25).kept_by(share)


def test_what_is_needed_grows_with_the_square_of_the_excess() -> None:
    now = progress(1.5)
    assert (now.reached, now.more) == (False, 500)
    low, high = now.range
    spread = math.exp(1.2816 / math.sqrt(40))
    assert (low, high) == (math.ceil(900 / spread) - 400, math.ceil(900 * spread) - 400)
    assert now.line(600.0) == (
        f"Target for recall: ±20 %; now ±30 %. About 500 more labels are expected ({low:,} to {high:,}), "
        "50 min at 600 per hour."
    )
    assert now.next_batch == 400  # at most as many as there are
    assert now.extended == 800
    assert progress(1.2).next_batch == 194
    assert progress(1.01).next_batch == 80  # and no small step


def test_reached_means_the_interval_that_is_published() -> None:
    """The usual interval is narrow enough; the one that is published, which allows for a blind spot, is not."""
    blind = replace(progress(2.1), usual_excess=0.9)
    assert not blind.reached
    assert blind.line().startswith(
        "Target for recall: ±20 %; now ±42 % (±18 % if the score misses no kind of violation). About "
    )
    record = blind.record()
    assert (record["reached"], record["now"], record["now_usual"]) == (False, pytest.approx(0.42), pytest.approx(0.18))


def test_what_gold_items_add_does_not_shrink_with_labels() -> None:
    """A fifth of the variance is of gold items: only the rest falls."""
    now = replace(progress(1.5), fixed=0.2)
    total = 400 + now.more
    assert 1.5**2 * (0.2 + 0.8 * 400 / total) == pytest.approx(1.0, abs=2e-3)
    never = replace(progress(1.5), fixed=0.5)
    assert never.more == 100_000 - 400
    assert "More labels alone cannot reach it: it takes more gold items." in never.line()


def test_the_next_batch_goes_where_the_width_comes_from() -> None:
    """All labels of a pool come near to what drives the width; a pool that has enough gets none."""
    now = replace(progress(1.2), drives={"removed": 1.0, "visible": 9.0})
    drawn, left = {"removed": 200, "visible": 200}, {"removed": 300, "visible": 300}
    assert now.next_of_pools(drawn, left) == {"removed": 0, "visible": 194}
    even = replace(now, drives={"removed": 1.0, "visible": 2.0})
    assert even.next_of_pools(drawn, left) == {"removed": 0, "visible": 194}
    assert replace(now, drives={"removed": 1.0, "visible": 1.0}).next_of_pools(drawn, left) == {
        "removed": 97,
        "visible": 97,
    }
    assert now.next_of_pools(drawn, {"removed": 300, "visible": 50}) == {"removed": 144, "visible": 50}


def test_reached_needs_ten_violations_in_each_pool() -> None:
    assert progress(0.9).reached
    assert progress(0.9).line() == "Target for recall: ±20 %; now ±18 %. Reached: labelling can stop here."
    few = progress(0.9, found=4.0, lacking="visible")
    assert not few.reached
    assert "only 4 violations were found among visible items" in few.line()
    assert few.more == 600
    assert progress(math.inf).more == 100_000 - 400
    assert "now unknown" in progress(math.inf).line()


def test_as_data() -> None:
    record = TargetProgress(PREVALENCE, Width(0.02), 300, 1.2, 50.0, 9000).record()
    assert record["now"] == pytest.approx(0.024)
    assert (record["reached"], record["more_labels"], record["target"]) == (False, 132, {"width": 0.02})


@pytest.mark.parametrize(("hours", "said"), [(0.001, "1 min"), (0.5, "30 min"), (1.0, "1 h"), (1.07, "1 h 4 min")])
def test_durations(hours: float, said: str) -> None:
    assert duration(hours) == said
