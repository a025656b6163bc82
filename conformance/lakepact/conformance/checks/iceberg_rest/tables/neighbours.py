"""Checks of tables whose locations begin with the same characters: …/t and …/t2 are different
folders.
"""

from __future__ import annotations

import time

from lakepact.conformance.checks.iceberg_rest.api import (
    CatalogLab,
    NotOffered,
    Reply,
    Table,
    check,
    expect,
    op,
    set_properties,
    states,
)
from lakepact.conformance.checks.iceberg_rest.kit.tables.files import metadata_files, missing_files

ENDINGS = ("2", "-2", ".old")  #: what a neighbour's location has more than the table's
PURGING_SECONDS = 1.0  #: for which a purge may go on after its answer


def create_at(
    lab: CatalogLab, beside: Table, location: str, *, name: str = ""
) -> tuple[Table, Reply]:
    """Return a table that was to be created at a location, and the answer."""
    name = name or lab.name()
    lab.drop_afterwards(beside.namespace, name)
    reply = lab.try_create_table(beside.namespace, name, location=location)
    return Table(beside.namespace, name, reply), reply


def lies_at(reply: Reply, location: str) -> bool:
    """Return whether a table was created where it was to be."""
    return reply.status == 200 and str(reply.at("metadata", "location")).rstrip("/") == location


def takes_locations(lab: CatalogLab, table: Table) -> bool:
    """Return whether the target puts tables at requested locations beside another table."""
    location = f"{table.location.rstrip('/').rpartition('/')[0]}/{lab.name()}"
    return lies_at(create_at(lab, table, location)[1], location)


@check("IRC-TBL-CREATE-033")
def locations_with_a_common_prefix_are_accepted(lab: CatalogLab) -> None:
    """Creating a table at …/t2 beside …/t, or at …/t beside …/t2, returns 200."""
    table = lab.make_table()
    if not takes_locations(lab, table):
        lab.skip("IRC-TBL-CREATE-033", "the target does not put tables at requested locations")
        return
    base = table.location.rstrip("/")
    locations_with_neighbours = [(f"{base}{ending}", base) for ending in ENDINGS]
    longer = f"{base.rpartition('/')[0]}/{lab.name()}2"
    if lies_at(create_at(lab, table, longer)[1], longer):
        locations_with_neighbours.append((longer.removesuffix("2"), longer))

    with lab.judge_each("IRC-TBL-CREATE-033") as case:
        for location, neighbour in locations_with_neighbours:
            with case():
                reply = create_at(lab, table, location)[1]
                expect.status(
                    reply, 200, about=f"for the location {location} beside a table at {neighbour}"
                )


@check("IRC-TBL-DROP-012")
def purges_keep_locations_with_a_common_prefix(lab: CatalogLab) -> None:
    """Purging the table `t` at …/t keeps `t2` and others at …/t2 and …/t-2 with all their files."""
    table = lab.make_table()
    base = table.location.rstrip("/")
    creations = [
        create_at(lab, table, f"{base}{ending}", name=f"{table.name}x{number}")
        for number, ending in enumerate(ENDINGS)
    ]
    neighbours = [neighbour for neighbour, reply in creations if reply.status == 200]
    if not neighbours:
        lab.skip(
            "IRC-TBL-DROP-012",
            "the target does not create tables at locations beside another",
        )
        return
    before = [lab.commit(neighbour, set_properties(lakepact="kept")) for neighbour in neighbours]
    files = []
    for neighbour in before:
        try:
            files.append(metadata_files(lab, neighbour))
        except NotOffered:
            files.append([])
    reply = lab.send(op.drop_table, purge_requested=True, **table.at)
    if 400 <= reply.status < 500:
        lab.skip("IRC-TBL-DROP-012", f"the target does not purge: {reply.summary}")
        return
    lab.require(reply, 204)
    time.sleep(PURGING_SECONDS)

    with lab.judge_each("IRC-TBL-DROP-012") as case:
        for neighbour, own_files in zip(before, files, strict=True):
            with case():
                states.expect_no_change(lab, neighbour)
                expect.equal(
                    [],
                    missing_files(own_files),
                    f"of the files of the table at {neighbour.location}, these to be removed:",
                    at=None,
                )
                again = lab.try_commit(neighbour, set_properties(lakepact="still kept"))
                expect.status(
                    again, 200, about=f"for a commit to the table at {neighbour.location}"
                )
