"""The conclusions of a collaboration finding: what review achieves, and which strategy achieves more.

Verdicts are about one capacity: what is still missed and removed by mistake. Strategies are ordered by accuracy, or by
F1 where violations are so rare that accuracy is uninformative. Readings compare the two usual strategies over all
shares, and say where the better one changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import combinations, pairwise
from typing import NamedTuple

from evenhand.audits.collaboration.exhibits import CollaborationExhibit
from evenhand.audits.collaboration.settings import USUAL_STRATEGIES as PAIR
from evenhand.audits.collaboration.settings import (
    capacity_in_words,
    capacity_share,
    headline_capacity,
)
from evenhand.audits.collaboration.statements import review_statements
from evenhand.audits.collaboration.system_statements import system_statements
from evenhand.catalogue import Direction, Measure
from evenhand.catalogue.collaboration import (
    CALIBRATION_AUPRC,
    OC_ACCURACY,
    OC_AUROC,
    OC_F1,
    OC_PRECISION,
    OC_RECALL,
    REVIEW_EFFECTIVENESS,
    REVIEW_EFFICIENCY,
)
from evenhand.catalogue.shared import ACCURACY, AUROC, BRIER, ECE, POSITIVE_SHARE, PRECISION, RECALL
from evenhand.estimate import Estimate
from evenhand.finding import Exhibit, Finding, Reading, Slice, SliceKey, Status, Verdict
from evenhand.formatting import format_percent, format_share, names_in_sentence

ACCURACY_PAIR = ((ACCURACY, OC_ACCURACY),)  # of the model alone, and with review
RARE_PAIRS = ((RECALL, OC_RECALL), (PRECISION, OC_PRECISION))
RANKING_PAIR = ((AUROC, OC_AUROC),)
MODEL_RANKINGS = (BRIER, ECE, CALIBRATION_AUPRC)  # by which a model would be called better


class CollaborationTopic(StrEnum):
    """What a reading is about."""

    NO_ERRORS = "no_errors"
    RARE_VIOLATIONS = "rare_violations"  # so that accuracy says little
    RANKING = "ranking"  # which strategy ranks better
    ERRORS_FOUND = "errors_found"  # which strategy finds more of them, and where the two cross
    MODELS = "models"  # which score orders the models as review does


class ReviewChange(NamedTuple):
    """A measure of the model alone, and what review by a strategy makes of it."""

    measure: Measure
    alone: float
    together: float
    strategy: str


def collaboration_verdicts(finding: Finding) -> Iterator[Verdict]:
    """At the capacity of the headline, by the strategy that is worth most there."""
    at = headline_capacity(finding.values(SliceKey.CAPACITY))
    for _, model in finding.models:
        ranked = _ranked_strategies(finding, model, at)
        if not ranked:
            why = _at(finding, OC_ACCURACY, model, finding.values(SliceKey.STRATEGY)[0], at).note
            yield Verdict(Status.OPEN, model, f"The effect of review could not be measured: {why}.")
            continue
        certainty = _errors_found(finding, model, ranked[0], at)
        yield from review_statements(finding, model, ranked, at, certainty)
        yield from system_statements(finding, model, ranked[0], at)


def headline_exhibits(finding: Finding) -> Iterator[Exhibit]:
    """What a headline shows of each model: the strategies in order of worth, what changes, and the best ranking."""
    at = headline_capacity(finding.values(SliceKey.CAPACITY))
    for _, model in finding.models:
        slice_, ranked = {**model, SliceKey.CAPACITY: at}, _ranked_strategies(finding, model, at)
        yield Exhibit(CollaborationExhibit.STRATEGIES, slice_, {"strategy": ranked})
        if ranked:
            changes = _headline_changes(finding, model, ranked[0], at)
            yield _change_table(CollaborationExhibit.HEADLINE, slice_, changes)
        rankings = [change for name in ranked for change in _changes(finding, model, name, at, RANKING_PAIR)]
        if rankings:
            best = max(rankings, key=lambda change: change.together)
            yield _change_table(CollaborationExhibit.RANKING, slice_, [best])


def _change_table(kind: CollaborationExhibit, slice_: Slice, changes: Sequence[ReviewChange]) -> Exhibit:
    columns = zip(*changes, strict=True)
    return Exhibit(
        kind, slice_, {name: list(column) for name, column in zip(ReviewChange._fields, columns, strict=True)}
    )


def _ranked_strategies(finding: Finding, model: Slice, at: str) -> list[str]:
    """Strategies that have a value, the one that is worth most first: by OC-F1 where accuracy says little."""
    right = _strategy_values(finding, model, at, OC_ACCURACY)
    other = _strategy_values(finding, model, at, OC_F1) if _accuracy_says_little(finding, model) else {}
    return sorted(right, key=lambda name: (-other.get(name, 0.0), -right[name]))


def _strategy_values(finding: Finding, model: Slice, at: str, measure: Measure) -> dict[str, float]:
    values = {name: _at(finding, measure, model, name, at).value for name in finding.values(SliceKey.STRATEGY)}
    return {name: value for name, value in values.items() if value is not None}


def _headline_changes(finding: Finding, model: Slice, strategy: str, at: str) -> list[ReviewChange]:
    """What the headline shows."""
    rare = _changes(finding, model, strategy, at, RARE_PAIRS) if _accuracy_says_little(finding, model) else []
    return rare or _changes(finding, model, strategy, at, ACCURACY_PAIR)


def _changes(
    finding: Finding, model: Slice, strategy: str, at: str, pairs: Sequence[tuple[Measure, Measure]]
) -> list[ReviewChange]:
    """Those of the pairs that have both values."""
    changes = []
    for plain, reviewed in pairs:
        alone, together = finding.get(plain, **model).value, _at(finding, reviewed, model, strategy, at).value
        if alone is not None and together is not None:
            changes.append(ReviewChange(plain, alone, together, strategy))
    return changes


def _errors_found(finding: Finding, model: Slice, strategy: str, at: str) -> str:
    e = _at(finding, REVIEW_EFFECTIVENESS, model, strategy, at)
    if e.value is None or e.low is None or e.high is None:
        return ""
    within = f"{format_percent(e.low)} to {format_percent(e.high)}"
    return f"Review by {strategy} finds {format_percent(e.value)} of the model's errors ({within})."


def collaboration_readings(finding: Finding) -> Iterator[Reading]:
    """The claims of the paper that can be looked at here, each as it turns out."""
    names = finding.values(SliceKey.STRATEGY)
    known = {text: share for text in finding.values(SliceKey.CAPACITY) if (share := capacity_share(text)) is not None}
    shares = sorted(known, key=lambda text: known[text])
    for _, model in finding.models:
        yield from _accuracy_reading(finding, model)
        if set(PAIR) <= set(names) and shares and finding.get(ACCURACY, **model).value != 1.0:
            yield Reading(model, _ranking_sentence(finding, model, shares), topic=CollaborationTopic.RANKING)
            yield Reading(model, _efficiency_sentence(finding, model, shares), topic=CollaborationTopic.ERRORS_FOUND)
    if len(finding.models) > 2 and PAIR[0] in names and shares:
        yield Reading({}, _agreement_sentence(finding, shares), topic=CollaborationTopic.MODELS)


def _accuracy_says_little(finding: Finding, model: Slice) -> bool:
    """Whether flagging nothing would be as accurate as the model, so that accuracy is uninformative."""
    accuracy, violating = (finding.get(measure, **model).value for measure in (ACCURACY, POSITIVE_SHARE))
    return accuracy is not None and violating is not None and accuracy < 1.0 and accuracy <= 1.0 - violating


def _accuracy_reading(finding: Finding, model: Slice) -> Iterator[Reading]:
    """When accuracy is uninformative: there are no errors, or flagging nothing would be as accurate."""
    accuracy, violating = (finding.get(measure, **model).value or 0.0 for measure in (ACCURACY, POSITIVE_SHARE))
    if accuracy == 1.0:
        text = "The model makes no errors on these items, so review cannot find any."
        yield Reading(model, text, topic=CollaborationTopic.NO_ERRORS)
    elif _accuracy_says_little(finding, model):
        text = (
            f"Flagging nothing would have an accuracy of {format_share(1.0 - violating)}, the model has "
            f"{format_share(accuracy)}: accuracy is uninformative here, use recall and precision."
        )
        yield Reading(model, text, topic=CollaborationTopic.RARE_VIOLATIONS)


def _ranking_sentence(finding: Finding, model: Slice, shares: Sequence[str]) -> str:
    both = {text: _pair(finding, OC_AUROC, model, text) for text in shares}
    known = {
        text: (_lead(u, t), _differs(finding, OC_AUROC, model, text))
        for text, (u, t) in both.items()
        if u.defined and t.defined
    }
    if not known:
        return f"The strategies cannot be compared by {OC_AUROC.title}: {_why(both.values())}."
    leads = {text: lead for text, (lead, _) in known.items()}
    clear = [capacity_in_words(text) for text, (_, differs) in known.items() if differs]
    certainty = "; at no capacity is the difference statistically significant"
    if clear:
        listed = names_in_sentence(clear, len(clear))
        certainty = "" if len(clear) == len(known) else f"; the difference is statistically significant at {listed}"
    return f"By {OC_AUROC.title}, {_better_where(leads)}{certainty}."


def _better_where(leads: Mapping[str, float]) -> str:
    """Which of the two is better at which capacities; the one that is better at more of them first."""
    uncertain, highest = "reviewing the most uncertain items", "reviewing the highest scores"
    ways = {
        f"{uncertain} is better than {highest}": [text for text, lead in leads.items() if lead > 0.0],
        f"{highest} is better than {uncertain}": [text for text, lead in leads.items() if lead < 0.0],
        f"{uncertain} and {highest} are equal": [text for text, lead in leads.items() if lead == 0.0],
    }
    parts = []
    for way, texts in sorted(ways.items(), key=lambda pair: -len(pair[1])):
        where = f"at {names_in_sentence([capacity_in_words(text) for text in texts], len(texts))}"
        if texts:
            parts.append(f"{way} {'at every capacity' if len(texts) == len(leads) else where}")
    return "; ".join(parts)


def _efficiency_sentence(finding: Finding, model: Slice, shares: Sequence[str]) -> str:
    both = {text: _pair(finding, REVIEW_EFFICIENCY, model, text) for text in shares}
    known = [
        (text, _lead(u, t), _differs(finding, REVIEW_EFFICIENCY, model, text))
        for text, (u, t) in both.items()
        if u.defined and t.defined
    ]
    leads = [(text, lead) for text, lead, _ in known if lead]
    turns = [(first[0], second[0]) for first, second in pairwise(leads) if first[1] * second[1] < 0.0]
    title = REVIEW_EFFICIENCY.title
    if not known:
        return f"The strategies cannot be compared by {title}: {_why(both.values())}."
    if not leads:
        return f"By {title}, the two strategies are equal at these capacities."
    clear = "" if any(differs for *_, differs in known) else " No difference is statistically significant."
    if not turns:
        ahead = PAIR[0] if leads[-1][1] > 0.0 else PAIR[1]
        more = "more errors" if len(leads) == len(known) else "at least as many errors"
        return f"By {title}, review by {ahead} finds {more} at every capacity.{clear}"
    spans = " and ".join(f"between {capacity_in_words(low)} and {capacity_in_words(high)}" for low, high in turns)
    early = PAIR[0] if leads[0][1] > 0.0 else PAIR[1]
    return (
        f"By {title}, review by {early} is better at low capacities; the order reverses {spans} of the items. "
        f"{format_share(finding.get(POSITIVE_SHARE, **model).value or 0.0)} of the items are violating.{clear}"
    )


def _agreement_sentence(finding: Finding, shares: Sequence[str]) -> str:
    """Which measure ranks the models as Review Efficiency does, averaged over the capacities."""
    models = [model for _, model in finding.models]
    efficiency = [
        _mean([_at(finding, REVIEW_EFFICIENCY, model, PAIR[0], text).value for text in shares]) for model in models
    ]
    agreements = []
    for measure in MODEL_RANKINGS:
        values = [_model_rank(finding, measure, model) for model in models]
        pairs = list(combinations(zip(values, efficiency, strict=True), 2))
        agree = sum((value - other) * (first - second) > 0.0 for (value, first), (other, second) in pairs)
        agreements.append(f"{measure.title} {agree} of {len(pairs)}")
    return f"Pairs of models that other measures rank as mean {REVIEW_EFFICIENCY.title} does: {', '.join(agreements)}."


def _model_rank(finding: Finding, measure: Measure, model: Slice) -> float:
    """Higher is better; a measure of the order of review is that of the most uncertain first."""
    by = {SliceKey.STRATEGY: PAIR[0]} if measure == CALIBRATION_AUPRC else {}
    value = finding.get(measure, **model, **by).value or 0.0
    return value if measure.direction is Direction.HIGHER else -value


def _at(finding: Finding, measure: Measure, model: Slice, strategy: str, capacity: str) -> Estimate:
    return finding.get(measure, **model, strategy=strategy, capacity=capacity)


def _pair(finding: Finding, measure: Measure, model: Slice, text: str) -> tuple[Estimate, Estimate]:
    first, second = (_at(finding, measure, model, name, text) for name in PAIR)
    return first, second


def _lead(first: Estimate, second: Estimate) -> float:
    return (first.value or 0.0) - (second.value or 0.0)


def _differs(finding: Finding, measure: Measure, model: Slice, text: str) -> bool:
    """Whether the interval of the difference between the two, on the same items, is all on one side of 0."""
    for one, other in (PAIR, PAIR[::-1]):
        slice_ = {**model, SliceKey.STRATEGY: one, SliceKey.AGAINST: other, SliceKey.CAPACITY: text}
        if finding.has(measure, **slice_):
            difference = finding.get(measure, **slice_)
            return (
                difference.low is not None
                and difference.high is not None
                and not difference.low <= 0.0 <= difference.high
            )
    return False


def _why(pairs: Iterable[tuple[Estimate, Estimate]]) -> str:
    return next((str(one.note) for pair in pairs for one in pair if not one.defined), "no capacity was compared")


def _mean(values: Sequence[float | None]) -> float:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else 0.0
