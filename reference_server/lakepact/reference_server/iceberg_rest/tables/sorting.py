"""Sort orders: validation against a schema, and comparison."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakepact.reference_server.iceberg_rest.documents import as_text, objects, refusal
from lakepact.reference_server.iceberg_rest.tables.transforms import check_transform

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lakepact.generated.iceberg_rest.documents import SortOrder
    from lakepact.reference_server.iceberg_rest.tables.schemas import Column

UNSORTED_ID = 0  #: the order without fields has this id, and no other has it

_CHOICES = {"direction": ("asc", "desc"), "null-order": ("nulls-first", "nulls-last")}


def check_order(order: SortOrder, columns: Mapping[int, Column], where: str) -> None:
    """Refuse a sort order that is not valid for a schema with these columns."""
    for index, field in enumerate(objects(order, "fields", where)):
        here = f"{where}/fields/{index}"
        check_transform(field, columns, here)
        for member, choices in _CHOICES.items():
            if field.get(member) not in choices:
                raise refusal(
                    f"{here}/{member}",
                    f"expected {' or '.join(choices)}, found {as_text(field.get(member))}",
                )


def order_meaning(order: SortOrder) -> tuple[Any, ...]:
    """Return how an order sorts: equal for orders that sort in the same way, and only for them."""
    return tuple(
        (field["source-id"], field["transform"], field["direction"], field["null-order"])
        for field in order["fields"]
    )


def following_id(order: SortOrder, highest: int = UNSORTED_ID) -> int:
    """Return the id of a new order: 0 when it does not sort, else the one behind the highest."""
    return highest + 1 if order["fields"] else UNSORTED_ID


def unsorted() -> SortOrder:
    """Return the order of a table that is not sorted."""
    return {"order-id": UNSORTED_ID, "fields": []}
