"""Registering tables: never over another one."""

from __future__ import annotations

from lakepact.conformance.checks.iceberg_rest.api import Wrong, expect, op
from lakepact.conformance.checks.iceberg_rest.kit.tables.registration import (
    left_behind,
    location_of,
    register,
)
from lakepact.conformance.checks.iceberg_rest.kit.tables.states import expect_no_change
from lakepact.conformance.checks.watsonx_data.lab import WatsonxLab
from lakepact.conformance.checks.watsonx_data.suite import check


@check("WXD-TBL-001")
def registering_existing_tables_returns_409(lab: WatsonxLab) -> None:
    """Registering an existing table's name returns 409 with AlreadyExistsException and leaves the
    table unchanged.
    """
    table = lab.table_with_snapshot()
    former = left_behind(lab, lab.make_table(table.namespace))
    before = lab.load(table)
    for location in lab.each((location_of(former), location_of(before))):
        reply = register(lab, table.namespace, table.name, location)
        with lab.judge("WXD-TBL-001"):
            expect.status(reply, 409, mutation=Wrong.PRESENT("table"))
            expect.member("AlreadyExistsException", reply.place("error", "type"), "error type")
            expect_no_change(lab, before)


@check("WXD-TBL-002")
def metadata_location_in_camel_case_is_noted(lab: WatsonxLab) -> None:
    """Registering with `metadataLocation`, as in the documentation's example, returns 200 or
    400.
    """
    table = lab.make_table()
    former = left_behind(lab, table)
    name = lab.name()
    body = {"name": name, "metadataLocation": location_of(former)}
    reply = lab.send(op.register_table, namespace=table.namespace, body=body)
    lab.drop_afterwards(table.namespace, name)

    with lab.judge("WXD-TBL-002", remark=f"returned status {reply.status}"):
        expect.status(reply, 200, 400)
