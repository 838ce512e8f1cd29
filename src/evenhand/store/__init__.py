"""The desk's memory: append-only events, the state derived from them, and proof that nobody changed them.

`create_store` and `open_store` give a `Store`; `perform` does one of `ACTIONS` as somebody; `verify`, `rebuild` and
`signed_head` show that history is as it was.
"""

from evenhand.store.actions import ACTIONS, perform
from evenhand.store.chain import ChainHead, seal, signed_head
from evenhand.store.intake import NewItem, NewScore
from evenhand.store.ledger import ConflictError, ForbiddenError
from evenhand.store.live_audits import audit_store
from evenhand.store.policy import DeskPolicy
from evenhand.store.rebuilding import Rebuild, rebuild
from evenhand.store.store import Store, create_store, open_store
from evenhand.store.verification import ChainCheck, verify

__all__ = [
    "ACTIONS",
    "ChainCheck",
    "ChainHead",
    "ConflictError",
    "DeskPolicy",
    "ForbiddenError",
    "NewItem",
    "NewScore",
    "Rebuild",
    "Store",
    "audit_store",
    "create_store",
    "open_store",
    "perform",
    "rebuild",
    "seal",
    "signed_head",
    "verify",
]


def __dir__() -> list[str]:
    """The public names, for tab completion."""
    return sorted(__all__)
