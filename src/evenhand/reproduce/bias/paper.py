"""All that can be reproduced of the paper."""

from __future__ import annotations

from evenhand.reproduce.bias.comments import comments
from evenhand.reproduce.bias.hatecheck import hatecheck
from evenhand.reproduce.bias.shapes import shapes
from evenhand.reproduce.bias.templates import perspective
from evenhand.reproduce.paper import Workplace
from evenhand.reproduce.result import Omission, Result

SLIPS = (
    "Definition 2 integrates over the threshold, which gives a difference of mean scores and no area; and it has the "
    "opposite sign of Definitions 3 and 4. Table 2 follows 3 and 4, and so do we: positive means that the group "
    "is scored higher than everyone else.",
    "Theorem 3.1 (all definitions are the same) therefore does not hold as printed.",
    "Section 3.2.2 says that an AEG of 0 means identical means; it means that either score is as often the higher one.",
    "Table 5 counts 1,804,875 comments; the published file has 1,804,874.",
    "Table 6 heads the third column 'brsp'; it is BNSP.",
)


def reproduce(place: Workplace) -> Result:
    """Shapes, templates, comments."""
    always = Result(
        slips=SLIPS,
        omissions=(
            Omission("Figure 1 and Table 1", "drawings of the definitions, without data"),
            Omission("Table 4", "the list of identities that annotators chose from"),
        ),
    )
    return shapes(place) + perspective(place) + comments(place) + hatecheck(place) + always
