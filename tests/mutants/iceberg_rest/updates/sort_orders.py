"""Wrong ways with the updates `add-sort-order` and `set-default-sort-order`."""

from __future__ import annotations

from lakepact.reference_server.faults import replace_entry
from lakepact.reference_server.iceberg_rest.documents import Document
from lakepact.reference_server.iceberg_rest.updates import Draft
from mutants.iceberg_rest.operators.updates import (
    Update,
    accepting_anyway,
    fatal,
    ignored,
    in_place_of,
)
from mutants.iceberg_rest.operators.versions import ORDERS


def _renumber_added(draft: Draft, order_id: int) -> None:
    orders = draft.own_list("sort-orders")
    orders[-1] = {**orders[-1], "order-id": order_id}
    draft.added_order = order_id


def _keep_requested_id(update: Update, draft: Draft, document: Document) -> None:
    known = len(draft.items("sort-orders"))
    update(draft, document)
    if len(draft.items("sort-orders")) > known:
        _renumber_added(draft, document["sort-order"]["order-id"])


def _number_unsorted(update: Update, draft: Draft, document: Document) -> None:
    known = draft.items("sort-orders")
    following = 1 + max((order["order-id"] for order in known), default=0)
    before = len(known)
    update(draft, document)
    if not draft.creating and len(draft.items("sort-orders")) > before:
        _renumber_added(draft, following)


def _add_again(update: Update, draft: Draft, document: Document) -> None:
    known = draft.items("sort-orders")
    before = len(known)
    update(draft, document)
    if len(draft.items("sort-orders")) == before:
        draft.added_order = 1 + max(order["order-id"] for order in known)
        draft.own_list("sort-orders").append(
            {**document["sort-order"], "order-id": draft.added_order}
        )


ADD = {
    "keeps-requested-order-ids IRC-UPD-029": in_place_of("add-sort-order", _keep_requested_id),
    "numbers-the-unsorted-order IRC-UPD-029": in_place_of("add-sort-order", _number_unsorted),
    "duplicates-equal-orders IRC-UPD-030": in_place_of("add-sort-order", _add_again),
    "ignores-invalid-orders IRC-UPD-031": accepting_anyway("add-sort-order"),
    "takes-first-added-order IRC-UPD-032": in_place_of("add-sort-order", ORDERS.keep_first_added),
}


SET = {
    "default-order-stays IRC-UPD-032": ignored("set-default-sort-order"),
    "last-added-order-may-be-none IRC-UPD-033": accepting_anyway(
        "set-default-sort-order", when=ORDERS.is_last_added
    ),
    "unknown-order-is-500 IRC-UPD-033 IRC-UPD-034": fatal("set-default-sort-order"),
    "default-order-may-be-none IRC-UPD-033 IRC-UPD-034": replace_entry(
        "updates", "set-default-sort-order", ORDERS.set_whatever
    ),
}


FAULTS = {**ADD, **SET}
