"""What a verification and a rebuild found, in sentences: the answer first."""

from __future__ import annotations

from evenhand.store.chain import ChainHead
from evenhand.store.rebuilding import Rebuild
from evenhand.store.verification import ChainCheck


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def verification_lines(result: ChainCheck, head: ChainHead | None) -> list[str]:
    """Whether history is as it was, what was checked, and what was not."""
    if result.fault is not None:
        return [f"not as it was: {result.fault}", f"{_count(result.events, 'event')} before it fit"]
    against = f", and as the head of event {head.number:,} says" if head else ""
    lines = [f"unchanged: {_count(result.events, 'event')} and {_count(result.contents, 'content')}{against}"]
    if result.unsealed:
        lines.append(f"not sealed yet: {_count(result.unsealed, 'event')}")
    if head is None:
        lines.append(
            "Without a head that was kept elsewhere, a cut-off or rewritten history cannot be told from a true one."
        )
    return lines


def rebuild_line(result: Rebuild, *, repaired: bool) -> str:
    """Whether the stored state is what the events give."""
    size = f"{_count(result.items, 'item')} from {_count(result.events, 'event')}"
    if repaired:
        return f"rebuilt: {size}"
    return f"the same: {size}" if result.same else f"different: {result.difference}; repair it with `repair`"
