"""Checks of set-location with the location that the table has."""

from __future__ import annotations

from lakepact.conformance.checks.iceberg_rest.api import CatalogLab, check, expect, req, upd


@check("IRC-UPD-094")
def own_locations_are_accepted(lab: CatalogLab) -> None:
    """`set-location` with the table's own location returns 200 and keeps it, as when an engine
    replaces a table.
    """
    table = lab.load(lab.make_table())

    with lab.judge_each("IRC-UPD-094") as case:
        for requirements in ([], [req.assert_uuid(table.uuid)]):
            with case():
                update = upd.set_location(table.location)
                reply = lab.try_commit(table, update, requirements=requirements)
                expect.status(reply, 200, about="for the location that the table has")
                expect.member(table.location, lab.load(table).place("location"))
