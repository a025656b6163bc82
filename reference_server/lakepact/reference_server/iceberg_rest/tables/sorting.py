"""Sort orders: what makes one valid for a schema, and when two are the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakepact.reference_server.iceberg_rest.documents import objects, refused, shown
from lakepact.reference_server.iceberg_rest.tables.transforms import check_transform

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lakepact.reference_server.iceberg_rest.documents import Document
    from lakepact.reference_server.iceberg_rest.tables.schemas import Column

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
    """Return whether two orders sort in the same way."""
    return order_meaning(one) == order_meaning(other)


def order_meaning(order: Document) -> tuple[Any, ...]:
    """Return how an order sorts: equal for orders that sort in the same way, and only for them."""
    return tuple(tuple(field[member] for member in ("source-id", "transform", *_CHOICES)) for field in order["fields"])


def following_id(order: Document, highest: int = UNSORTED_ID) -> int:
    """Return the id of a new order: 0 when it does not sort, else the one behind the highest."""
    return highest + 1 if order["fields"] else UNSORTED_ID


def unsorted() -> dict[str, Any]:
    """Return the order of a table that is not sorted."""
    return {"order-id": UNSORTED_ID, "fields": []}
