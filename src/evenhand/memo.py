"""A memo: what is worked out once and used again.

Objects that are asked for the same thing many times keep what they found in a memo. It belongs to one object and goes
with it; a changed copy of the object starts with an empty one. What has no arguments is a `functools.cached_property`
instead.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

T = TypeVar("T")


class Memo(dict[Hashable, Any]):
    """Results by what was asked for. A key says both what was worked out and of what: `("split", group)`.

    As an attribute of an immutable object it is a `cached_property`:

        @cached_property
        def kept(self) -> Memo:
            return Memo()
    """

    def once(self, key: Hashable, make: Callable[[], T]) -> T:
        """What is known by this key; made now if nobody asked before. An error is not kept."""
        if key not in self:
            self[key] = make()
        known: T = self[key]
        return known
