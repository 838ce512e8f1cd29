"""What calls in the shape of Coop's API have in their bodies: the fields that the desk reads; others are ignored.

`data` is what an item consists of, by the fields of its type, which every platform names itself. `CoopFields` says
which of them is the text, the author and so on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.alias_generators import to_camel

from evenhand.desk.bodies import NO_NUL, ItemBody, Reason, Word
from evenhand.errors import InputError, nearest
from evenhand.service.problems import Problem, pointer

CoopId = Annotated[str, Field(min_length=1, max_length=300, pattern=NO_NUL)]
ROLES = ("text", "author", "thread", "language", "community", "created_at")
_TIME = TypeAdapter(AwareDatetime)


class CoopBody(BaseModel):
    """A part of a request; what is not named here is ignored, as Coop's schema has more than the desk needs."""

    model_config = ConfigDict(extra="ignore", strict=True, alias_generator=to_camel)


class CoopReference(CoopBody):
    """An item or a user, by type and id."""

    id: CoopId
    type_id: Word

    @property
    def name(self) -> str:
        """The id that the desk knows it by: ids are unique within a type only."""
        return f"{self.type_id}:{self.id}"


class CoopItem(CoopReference):
    """An item with the fields of its type."""

    data: Annotated[dict[str, Any], Field(max_length=500)]


class CoopItemsBody(CoopBody):
    """Items in the shape of Coop's API."""

    items: Annotated[list[CoopItem], Field(min_length=1, max_length=1000)]


class CoopReason(CoopBody):
    """Why an item is reported."""

    policy_id: Word | None = None
    reason: Reason | None = None
    csam: bool = False


class CoopReportBody(CoopBody):
    """A report of a user in the shape of Coop's API."""

    reporter: CoopReference
    reported_item: CoopItem
    reported_for_reason: CoopReason = CoopReason()


class CoopAppealBody(CoopBody):
    """An appeal in the shape of Coop's API."""

    appeal_id: CoopId
    actioned_item: CoopItem
    appeal_reason: Reason | None = None


@dataclass(frozen=True)
class CoopFields:
    """The fields of `data` by what they are at the desk; what is not declared has the name of its role."""

    names: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def from_settings(cls, declared: Sequence[str]) -> CoopFields:
        """From ROLE=FIELD, as `coop_fields` has them."""
        names = dict[str, str]()
        for one in declared:
            role, equals, name = one.partition("=")
            if role not in ROLES:
                raise InputError(f"invalid `coop_fields`: there is no role '{role}'; {nearest(role, ROLES)}")
            if not equals or not name or role in names:
                raise InputError(f"invalid `coop_fields`: '{one}' (must be ROLE=FIELD, each role once)")
            names[role] = name
        return cls(names)

    def item_body(self, item: CoopItem, *place: int | str) -> ItemBody:
        """The item as the desk takes it; a `Problem` that names the field where that cannot be."""
        values = {role: item.data.get(self.names.get(role, role)) for role in ROLES}
        plain = {role: _plain(value) for role, value in values.items() if value is not None}
        name = self.names.get("text", "text")
        if "text" not in plain:
            raise _refused((*place, "data", name), "there is no text: name its field with coop_fields (text=FIELD)")
        try:
            if isinstance(plain.get("created_at"), str):
                plain["created_at"] = _TIME.validate_python(plain["created_at"])
            return ItemBody(id=item.name, type=item.type_id, **plain)
        except ValidationError as error:
            fault = error.errors(include_url=False, include_input=False)[0]
            role = str(fault["loc"][0]) if fault["loc"] else "created_at"
            raise _refused((*place, "data", self.names.get(role, role)), fault["msg"]) from None


def _plain(value: Any) -> Any:
    """A user or an item that a field refers to is its id."""
    return value["id"] if isinstance(value, dict) and isinstance(value.get("id"), str) else value


def _refused(place: Sequence[int | str], detail: str) -> Problem:
    errors = [{"pointer": pointer(place), "detail": detail}]
    return Problem(422, "invalid-request", f"the body is not valid: {detail}", errors)
