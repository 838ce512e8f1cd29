"""Where the desk stands on the curve of its capacity, and what one more reviewer would bring."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import sqlalchemy as sa

from evenhand.catalogue.collaboration import OC_RECALL
from evenhand.catalogue.shared import RECALL
from evenhand.desk.pages.judged_items import JudgedHistory
from evenhand.estimate import Estimate
from evenhand.figures.desk_charts import CurvePoint, draw_capacity_curve
from evenhand.staffing import PolicyChoice
from evenhand.store import DeskPolicy, Store, schema
from evenhand.store.cases import DONE
from evenhand.store.erasure import DAY

DAYS = 7
KNOTS = 25


@dataclass(frozen=True)
class CapacityStanding:
    """Reviews a day that follow the policy's order, what they find, and the same with one more reviewer."""

    reviews: float
    recall: Estimate
    more: float
    gain: Estimate
    chart: str  # SVG


def capacity_standing(store: Store, history: JudgedHistory | None, at: int) -> CapacityStanding | None:
    """None where nobody worked in the last days, too little was drawn and judged, or the order needs a column."""
    with store.database.reading() as connection:
        number, policy = store.policy(connection)
        shifts = _shifts(connection, at)
    if history is None or not history.is_random or not shifts or not number or policy.order.column is not None:
        return None
    ordered = 1.0 - policy.reserved
    reviews, more = ordered * sum(shifts.values()) / DAYS, ordered * sum(shifts.values()) / len(shifts)
    choice = policy_choice(policy, reviews)
    sample = history.sample
    most = max(min(sample.items_per_day, 4.0 * (reviews + more)), reviews + more)
    curve = sample.capacity_curve(choice, [most * knot / (KNOTS - 1) for knot in range(KNOTS)])
    points = [CurvePoint(point.reviews_per_day, point.recall) for point in curve]
    return CapacityStanding(
        reviews, sample.effects(choice)[0].estimates[OC_RECALL], more, sample.gain(choice, more),
        draw_capacity_curve(RECALL, points, now=reviews, then=reviews + more).svg,
    )  # fmt: skip


def policy_choice(policy: DeskPolicy, reviews: float) -> PolicyChoice:
    """A policy of the desk, with so many reviews a day."""
    return PolicyChoice(policy.thresholds.upper, policy.thresholds.lower, policy.order, reviews)


def _shifts(connection: sa.Connection, at: int) -> Counter[tuple[str, int]]:
    """Verdicts of the last days, by person and day."""
    tasks = schema.tasks
    query = sa.select(tasks.c.person, tasks.c.done_at).where(tasks.c.state == DONE, tasks.c.person.is_not(None))
    return Counter(
        (row[0], row[1] // DAY) for row in connection.execute(query.where(tasks.c.done_at > at - DAYS * DAY))
    )
