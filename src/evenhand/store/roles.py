"""Who works here: the roles, and what each of them may take.

An annotator labels: their verdicts decide nothing about content. So they are given only tasks whose verdict is for the
record: a blind second review, the panel of the measurement, and gold items.
"""

from __future__ import annotations

from dataclasses import dataclass

from evenhand.store.cases import GOLD, PANEL, SECOND

ADMINISTRATOR, LEAD, MODERATOR, ANNOTATOR, AUDITOR, SERVICE = ROLES = (
    *("administrator", "lead", "moderator", "annotator", "auditor", "service"),
)
SYSTEM = "system"  # who acts where nobody does
REVIEWERS = frozenset({LEAD, MODERATOR, ANNOTATOR})
DECIDERS = frozenset({LEAD, MODERATOR})
LABELLERS = frozenset({LEAD, MODERATOR, ANNOTATOR})  # in studies
LEADS = frozenset({ADMINISTRATOR, LEAD})
SUBMITTERS = frozenset({ADMINISTRATOR, SERVICE})
LABELLED = frozenset({SECOND, PANEL, GOLD})  # purposes whose verdict decides nothing by itself


@dataclass(frozen=True)
class StaffMember:
    """Who acts. Without a role it is the program itself, which may do anything; without queues, all of them."""

    id: str
    role: str | None
    queues: tuple[str, ...] = ()

    def may_use(self, queue: str) -> bool:
        """Whether they have access to a queue."""
        return not self.queues or queue in self.queues

    def may_take(self, purpose: str) -> bool:
        """Whether their verdict may answer a task of this purpose."""
        return self.role != ANNOTATOR or purpose in LABELLED
