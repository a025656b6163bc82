"""Updates of sort orders."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakepact.reference_server.iceberg_rest.documents import child, refused
from lakepact.reference_server.iceberg_rest.tables.sorting import UNSORTED_ID, check_order, following_id
from lakepact.reference_server.iceberg_rest.updates.draft import chosen_id

if TYPE_CHECKING:
    from lakepact.generated.iceberg_rest.documents import AddSortOrderUpdate, SetDefaultSortOrderUpdate, SortOrder
    from lakepact.reference_server.iceberg_rest.updates.draft import Draft


def add_sort_order(draft: Draft, update: AddSortOrderUpdate) -> None:
    """Add a sort order under the next id, or return the id of an equal one; the unsorted order has id 0."""
    where = f"{draft.where}/sort-order"
    order: SortOrder = child(update, "sort-order", draft.where)
    check_order(order, draft.columns(where), where)
    known = draft.members("sort-orders")
    twin = known.twin(order)
    if twin is not None:
        draft.added_order = twin["order-id"]
        return
    draft.added_order = following_id(order, known.highest(UNSORTED_ID))
    draft.append("sort-orders", {**order, "order-id": draft.added_order})


def set_default_sort_order(draft: Draft, update: SetDefaultSortOrderUpdate) -> None:
    """Set the default sort order."""
    order_id = chosen_id(draft, update, "sort-order-id", added=draft.added_order, kind="sort order")
    if draft.members("sort-orders").get(order_id) is None:
        raise refused(f"{draft.where}/sort-order-id", f"the table has no sort order {order_id}")
    if draft.get("default-sort-order-id") != order_id:
        draft.set("default-sort-order-id", order_id)
