"""What the first sentence of a plan may say."""

from __future__ import annotations

import re

SENTENCE = re.compile(
    r"(?:(?P<people>[\d,.]+) reviewers? can review (?P<reviews>[\d,]+) items a day"
    r"|The cost is lowest with (?P<cheapest>[\d,.]+) reviewers? and (?P<cheap>[\d,]+) reviews a day"
    r"|(?P<least>[\d,.]+) reviewers? (?:is|are) needed, for (?P<needed>[\d,]+) reviews a day)\. "
    r"Remove (?:items that score (?P<upper>[\d.e-]+)(?P<percent> %)? or more, about (?P<removed>[\d,]+) a day"
    r"|nothing without review); "
    r"review (?:the (?P<next>[\d,]+) items with the next-highest scores"
    r"|the (?P<highest>[\d,]+) items with the highest scores|the (?P<worth>[\d,]+) items whose review is worth most"
    r"|(?P<other>[\d,]+) items by \w+|nothing)"
    r"(?: and (?P<drawn>[\d,]+) drawn at random for measurement)?; leave the rest up\. "
    r"(?:This finds (?P<found>[\d,.]+) of 1,000 violations \((?P<low>[\d,.]+) to (?P<high>[\d,.]+)\)"
    r"|The history has no violations)"
    r"(?:; (?P<wrong>[\d,.]+) of 1,000 removals without review are wrong "
    r"\((?P<wlow>[\d,.]+) to (?P<whigh>[\d,.]+)\))?\."
)


def number(text: str) -> float:
    return float(text.replace(",", ""))


def half_a_unit(text: str) -> float:
    """By how much rounding may have moved a number as it is written; the ends of its interval have the same unit."""
    return 0.501 * 10.0 ** -len(text.partition(".")[2])
