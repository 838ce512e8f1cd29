"""The parameters of the synthetic community: everything that an audit should find again.

Nothing here says anything about real people: which group is scored how, and who is more sensitive to what, was chosen
so that audits have something to find and something not to find.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class GroupParameters:
    """How common a group is, how far the first model shifts its benign and violating items (in logits), and more.

    `lift` multiplies the chance that an item which mentions the group violates; `later` multiplies the group's share
    in the second period.
    """

    share: float
    benign: float = 0.0
    violating: float = 0.0
    lift: float = 1.0
    later: float = 1.0


GROUPS = {
    "women": GroupParameters(0.12, benign=0.5, violating=0.4, lift=1.2),
    "men": GroupParameters(0.10),
    "gay": GroupParameters(0.03, benign=2.4, violating=1.2, lift=1.5),
    "black": GroupParameters(0.03, benign=1.6, violating=0.5, lift=1.4),
    "white": GroupParameters(0.05, benign=0.7, violating=0.4),
    "asian": GroupParameters(0.04),
    "muslim": GroupParameters(0.04, benign=1.2, violating=-0.7, lift=1.5, later=1.5),
    "christian": GroupParameters(0.08, benign=-0.5, violating=-0.5),
    "jewish": GroupParameters(0.02, benign=0.8, violating=-0.6, lift=1.4),
    "older": GroupParameters(0.02, benign=-1.5, violating=-1.8, later=1.5),
    "disabled": GroupParameters(0.002, benign=1.0),
}
MODEL_B_KEEPS = 0.35  # the second model keeps this much of each shift
SHORT = 100  # a comment with fewer characters is short,
SHORT_FACTOR = 1.5  # and there the shifts are larger

KINDS = ("benign", "harassment", "hate", "threat", "sexual", "spam")
WITH_MENTION = (0.0, 0.4, 0.38, 0.06, 0.06, 0.1)  # of what violates, where a group is mentioned (hate needs one)
WITHOUT = (0.0, 0.71, 0.0, 0.07, 0.08, 0.14)
VEILED, ROUGH = 0.3, 0.06  # of violating items without a rude word; of benign items with one


@dataclass(frozen=True, slots=True)
class PlaceParameters:
    """A community: how much of everything is said there, how much of it violates, and how soon people report."""

    share: float
    prevalence: float
    reporting: float


PLACES = {
    "news": PlaceParameters(0.22, 0.08, 1.0),
    "politics": PlaceParameters(0.18, 0.14, 0.8),
    "sports": PlaceParameters(0.16, 0.09, 0.7),
    "gaming": PlaceParameters(0.15, 0.12, 0.5),
    "music": PlaceParameters(0.10, 0.05, 1.0),
    "parenting": PlaceParameters(0.08, 0.035, 1.6),
    "science": PlaceParameters(0.06, 0.025, 1.3),
    "gardening": PlaceParameters(0.05, 0.012, 1.5),
}
LANGUAGES = {"en": 0.72, "es": 0.08, "de": 0.07, "fr": 0.06, "it": 0.04, "pt": 0.03}
PERIODS = {
    "2026-H1": (datetime(2026, 1, 1), datetime(2026, 7, 1)),
    "2026-H2": (datetime(2026, 7, 1), datetime(2027, 1, 1)),
}
LATER_PREVALENCE_FACTOR = 1.3  # the chance of a violation in the second period, times that of the first
FRESH = 0.2  # of the second period's threads are about something that the first had no words for: a flood, a ferry
HEAT = 4.0  # threads differ: the chance is multiplied by a gamma variable of this shape and mean 1

RATERS = 10  # say whether an item violates, and which groups it mentions
ASKED_ABOUT_GROUPS = 0.75  # of the items were shown to raters with the question about groups
CALLED_VIOLATING = {
    "overt": 0.93,
    "veiled": 0.74,
    "rough": 0.14,
    "plain": 0.04,
}  # the chance that a rater calls it violating

TEMPERATURE = 1.8  # the true log probabilities of the kinds are multiplied by this: an overconfident model,
RARE_TEMPERATURE = 2.4  # and more so for the rarest kind
RARE = "threat"
TEMPERATURES = {kind: RARE_TEMPERATURE if kind == RARE else TEMPERATURE for kind in KINDS}

AUTOMATIC, QUEUED = 0.9, 0.65  # model_a removes from the first on, and shows to a moderator from the second on
REPORTS = 2  # so many reports also bring an item before a moderator,
MODERATOR = {"violating": 0.9, "benign": 0.08}  # who removes with these chances
APPEAL = {"violating": 0.1, "benign": 0.4}
REINSTATE = {"violating": 0.05, "benign": 0.8}


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """Annotators of whom `attribute` is `value` are this much readier (in logits) to call certain items violating."""

    attribute: str
    value: str
    items: str  # contested: veiled or rough; mention: of any group; or a kind
    shift: float


SENSITIVITIES = (
    Sensitivity("gender", "woman", "contested", 1.4),
    Sensitivity("ethnicity", "black", "mention", 1.2),
    Sensitivity("age", "18-24", "harassment", -1.0),
)
NULL_ATTRIBUTE = "handedness"  # has nothing to do with any label
SHARED_VIEW = ("gender", "man", "woman")  # model_a judges contested items more like the first than like the second
ANNOTATED, LABELS = 20_000, 5  # at most so many items have annotations, so many each
