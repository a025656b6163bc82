"""Updates of partition specs and sort orders."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakepact.reference_server.iceberg_rest.documents import INT32, child, children, exact, refusal
from lakepact.reference_server.iceberg_rest.tables.partitioning import (
    NONE_ASSIGNED,
    check_spec,
    highest_field_id,
    with_field_ids,
)
from lakepact.reference_server.iceberg_rest.tables.sorting import (
    UNSORTED_ID,
    check_order,
    following_id,
)
from lakepact.reference_server.iceberg_rest.updates.draft import resolve_id

if TYPE_CHECKING:
    from lakepact.generated.iceberg_rest import documents
    from lakepact.reference_server.iceberg_rest.updates.draft import Draft


def add_spec(draft: Draft, update: documents.AddPartitionSpecUpdate) -> None:
    """Add a partition spec under the next id, or return the id of an equal one; fields without an
    id get one.
    """
    where = f"{draft.where}/spec"
    spec: documents.PartitionSpec = child(update, "spec", draft.where)
    check_spec(spec, draft.columns(where), where)
    specs = draft.members("partition-specs")
    last_id: int = draft.get("last-partition-id") or NONE_ASSIGNED
    complete = with_field_ids(
        spec,
        draft.partition_fields,
        where,
        last_id=last_id,
        format_version=draft.format_version,
    )
    twin = specs.twin(complete)
    if twin is not None:
        draft.added_spec = twin["spec-id"]
        return
    draft.added_spec = specs.highest(-1) + 1
    draft.append("partition-specs", {**complete, "spec-id": draft.added_spec})
    draft.set("last-partition-id", max(last_id, highest_field_id([complete])))


def set_default_spec(draft: Draft, update: documents.SetDefaultSpecUpdate) -> None:
    """Set the default partition spec."""
    spec_id = resolve_id(draft, update, "spec-id", newest=draft.added_spec, kind="spec")
    if draft.members("partition-specs").get(spec_id) is None:
        raise refusal(f"{draft.where}/spec-id", f"the table has no partition spec {spec_id}")
    if draft.get("default-spec-id") != spec_id:
        draft.set("default-spec-id", spec_id)


def remove_partition_specs(draft: Draft, update: documents.RemovePartitionSpecsUpdate) -> None:
    """Remove partition specs, ignoring unknown ones; the default spec cannot be removed."""
    where = f"{draft.where}/spec-ids"
    spec_ids = {
        exact(value, f"{where}/{index}", within=INT32)
        for index, value in enumerate(children(update, "spec-ids", draft.where))
    }
    if draft.get("default-spec-id") in spec_ids:
        raise refusal(
            where,
            f"partition spec {draft.get('default-spec-id')} is the default; set another one first",
        )
    specs, fields = draft.members("partition-specs"), draft.partition_fields
    removals = [spec for spec_id in spec_ids if (spec := specs.get(spec_id)) is not None]
    draft.discard("partition-specs", spec_ids)
    fields.remove(removals, specs.has)
    if draft.added_spec in spec_ids:
        draft.added_spec = None


def add_sort_order(draft: Draft, update: documents.AddSortOrderUpdate) -> None:
    """Add a sort order under the next id, or return the id of an equal one; the unsorted order has
    id 0.
    """
    where = f"{draft.where}/sort-order"
    order: documents.SortOrder = child(update, "sort-order", draft.where)
    check_order(order, draft.columns(where), where)
    orders = draft.members("sort-orders")
    twin = orders.twin(order)
    if twin is not None:
        draft.added_order = twin["order-id"]
        return
    draft.added_order = following_id(order, orders.highest(UNSORTED_ID))
    draft.append("sort-orders", {**order, "order-id": draft.added_order})


def set_default_sort_order(draft: Draft, update: documents.SetDefaultSortOrderUpdate) -> None:
    """Set the default sort order."""
    order_id = resolve_id(
        draft, update, "sort-order-id", newest=draft.added_order, kind="sort order"
    )
    if draft.members("sort-orders").get(order_id) is None:
        raise refusal(f"{draft.where}/sort-order-id", f"the table has no sort order {order_id}")
    if draft.get("default-sort-order-id") != order_id:
        draft.set("default-sort-order-id", order_id)
