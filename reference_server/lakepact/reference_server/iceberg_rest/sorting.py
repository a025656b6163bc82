"""Sort orders: what makes one valid for a schema, and when two are the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .documents import objects, refused, shown
from .transforms import check_transform

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .documents import Document
    from .schemas import Column

UNSORTED_ID = 0  #: the order without fields has this id, and no other has it

_CHOICES = {"direction": ("asc", "desc"), "null-order": ("nulls-first", "nulls-last")}


def check_order(order: Document, columns: Mapping[int, Column], where: str) -> None:
    """Refuse a sort order that is not valid for a schema with these columns."""
    for index, field in enumerate(objects(order, "fields", where)):
        here = f"{where}/fields/{index}"
        check_transform(field, columns, here)
        for member, choices in _CHOICES.items():
            if field.get(member) not in choices:
                raise refused(f"{here}/{member}", f"expected {' or '.join(choices)}, found {shown(field.get(member))}")


def same_order(one: Document, other: Document) -> bool:
    """Whether two orders sort in the same way."""
    return [_meaning(field) for field in one["fields"]] == [_meaning(field) for field in other["fields"]]


def _meaning(field: Document) -> tuple[Any, ...]:
    return tuple(field[member] for member in ("source-id", "transform", *_CHOICES))


def following_id(order: Document, known: Sequence[Document]) -> int:
    """The id of a new order: 0 when it does not sort, else the next that is free."""
    if not order["fields"]:
        return UNSORTED_ID
    return max((other["order-id"] for other in known), default=UNSORTED_ID) + 1


def unsorted() -> dict[str, Any]:
    """The order of a table that is not sorted."""
    return {"order-id": UNSORTED_ID, "fields": []}
