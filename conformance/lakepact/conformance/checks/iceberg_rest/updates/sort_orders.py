"""Checks of the updates `add-sort-order` and `set-default-sort-order`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lakepact.conformance.checks.iceberg_rest.api import (
    CatalogLab,
    Members,
    Table,
    Wrong,
    check,
    expect,
    upd,
)
from lakepact.conformance.checks.iceberg_rest.kit.steps import stored

UNSORTED = 0  #: the id of the order that has no fields


def order_ids(table: Table) -> list[Any]:
    """Return the ids of a table's sort orders."""
    return [order.get("order-id") for order in table.member("sort-orders")]


def ids_of_orders_by(table: Table, sources: Sequence[int]) -> list[Any]:
    """Return the ids of those orders that sort by exactly these columns, in this sequence."""
    orders = table.member("sort-orders")
    return [
        order.get("order-id")
        for order in orders
        if [field.get("source-id") for field in order["fields"]] == list(sources)
    ]


@check("IRC-UPD-029")
def server_assigns_sort_order_ids(lab: CatalogLab) -> None:
    """An added sort order gets an unused id; the order without fields has the id 0."""
    table = lab.make_table(write_order={"order-id": 1, "fields": [upd.sort_field(2)]})
    source = upd.column(table, "id")

    with lab.judge("IRC-UPD-029"):
        after = lab.commit_and_load(
            table, upd.add_sort_order(upd.sort_field(source), order_id=upd.REQUESTED)
        )
        ids = ids_of_orders_by(after, [source])
        expect.equal(1, len(ids), "sort orders by the new column:", at=after.place("sort-orders"))
        upd.expect_own_id(ids[0], [*order_ids(table), UNSORTED], at=after.place("sort-orders"))
    with lab.judge("IRC-UPD-029"):
        after = lab.commit_and_load(
            table,
            upd.add_sort_order(order_id=UNSORTED),
            upd.set_default_sort_order(upd.LAST_ADDED),
        )
        expect.member(
            UNSORTED, after.place("default-sort-order-id"), "for the order without fields the id"
        )
        expect.equal(
            [UNSORTED],
            ids_of_orders_by(after, []),
            "ids of orders without fields",
            at=after.place("sort-orders"),
        )


@check("IRC-UPD-030")
def equal_order_is_reused(lab: CatalogLab) -> None:
    """Adding a sort order that the table already has does not make another one."""
    table = lab.make_table(write_order={"order-id": 1, "fields": [upd.sort_field(2)]})

    with lab.judge("IRC-UPD-030"):
        after = lab.commit_and_load(
            table, upd.add_sort_order(upd.sort_field(upd.column(table, "name")))
        )
        expect.same_items(
            order_ids(table),
            order_ids(after),
            "the same sort orders",
            at=after.place("sort-orders"),
        )


@check("IRC-UPD-031")
def invalid_sort_orders_return_400(lab: CatalogLab) -> None:
    """A sort order with an unknown source column, transform, direction or null order returns
    400.
    """
    table = lab.make_table()
    name = upd.column(table, "name")
    cases = {
        "an unknown source column": upd.unknown_id(
            upd.add_sort_order(upd.sort_field(upd.NOWHERE)), "sort-order/fields/*/source-id"
        ),
        "the transform `sideways`": _invalid(
            "transform", upd.sort_field(name, transform="sideways")
        ),
        "the direction `upwards`": _invalid("direction", upd.sort_field(name, direction="upwards")),
        "the null order `nulls-nowhere`": _invalid(
            "null-order", upd.sort_field(name, null_order="nulls-nowhere")
        ),
    }
    upd.judge_refusals(lab, "IRC-UPD-031", table, cases)


def _invalid(member: str, field: Members) -> upd.Refusal:
    """Return a commit that adds a sort order with an invalid `member` in its field."""
    return Wrong.VALUE(f"/updates/*/sort-order/fields/*/{member}"), [upd.add_sort_order(field)]


@check("IRC-UPD-032")
def orders_become_default(lab: CatalogLab) -> None:
    """`set-default-sort-order` makes an order the default, by its id or by -1 for the last added
    one.
    """
    table = lab.make_table()
    first = table.member("default-sort-order-id")
    earlier, later = upd.column(table, "name"), upd.column(table, "at")

    with lab.judge("IRC-UPD-032"):
        orders = [
            upd.add_sort_order(upd.sort_field(source), order_id=number)
            for number, source in enumerate((earlier, later), start=1)
        ]
        after = lab.commit_and_load(table, *orders, upd.set_default_sort_order(upd.LAST_ADDED))
        expect.one_of(
            ids_of_orders_by(after, [later]),
            after.member("default-sort-order-id"),
            "the order that was added last,",
            at=after.place("default-sort-order-id"),
        )
    with_order = stored(lab, table, upd.add_sort_order(upd.sort_field(earlier)))
    with lab.judge_each("IRC-UPD-032") as case:
        for order_id in (*ids_of_orders_by(with_order, [earlier]), first):
            with case():
                after = lab.commit_and_load(table, upd.set_default_sort_order(order_id))
                expect.member(order_id, after.place("default-sort-order-id"))


@check("IRC-UPD-033", "IRC-UPD-034")
def unknown_default_sort_orders_return_400(lab: CatalogLab) -> None:
    """`set-default-sort-order` with an unknown id, or with -1 and no added order, returns 400."""
    table = lab.make_table()
    upd.judge_refusals(
        lab,
        "IRC-UPD-033",
        table,
        {
            "-1 without add-sort-order": (
                upd.NOT_ADDED,
                [upd.set_default_sort_order(upd.LAST_ADDED)],
            )
        },
    )
    upd.judge_refusals(
        lab,
        "IRC-UPD-034",
        table,
        {
            f"the order id {upd.NOWHERE}": upd.unknown_id(
                upd.set_default_sort_order(upd.NOWHERE), "sort-order-id"
            )
        },
    )
