"""Checks of tables that are shared from a version on: no request returns an earlier version."""

from __future__ import annotations

from lakepact.conformance.checks.delta_sharing.api import (
    Reply,
    SharingLab,
    Wrong,
    check,
    expect,
    op,
    reading,
    target_tables,
)
from lakepact.conformance.checks.delta_sharing.kit.reading import AnyTable

BEFORE_ALL = "1970-01-01T00:00:00Z"


def shared_late(lab: SharingLab) -> tuple[AnyTable, int]:
    """Return a table with shared history and its first shared version; of the fixture pack, the one
    that is shared late.

    Raises:
        NotOffered: no table has a shared history.
        Blocked: the target does not return the earliest version.
    """
    if lab.knows_content:
        from lakepact.conformance.fixtures.catalogue import LATE_NAME, LATE_START  # noqa: PLC0415 - where content is known

        for shared in lab.tables():
            if shared.name == LATE_NAME:
                return shared, LATE_START
    table = target_tables.with_history(lab).table
    reply = lab.require(
        lab.send(op.get_table_version, starting_timestamp=BEFORE_ALL, **table.address), 200
    )
    version = reading.version_header(reply)
    return table, int(version) if version.isdigit() else 0


@check("DS-TTV-14")
def versions_before_the_first_shared_are_refused(lab: SharingLab) -> None:
    """Queries and changes of a version before the earliest shared one return 4xx."""
    lab.needs_history()
    table, first = shared_late(lab)
    if not first:
        lab.skip("DS-TTV-14", "the first version of the table is shared")
        return
    earliest = lab.send(op.get_table_version, starting_timestamp=BEFORE_ALL, **table.address)
    usual = reading.query(lab, table, {"version": first})
    lab.require(usual, 200)
    early: dict[str, Reply] = {
        f"a query of version {first - 1}": reading.query(lab, table, {"version": first - 1}),
        f"a query since version {first - 1}": reading.query(
            lab, table, {"startingVersion": first - 1}
        ),
        "a query of version 0": reading.query(lab, table, {"version": 0}),
    }
    if lab.offers(op.query_table_changes):
        early[f"changes since version {first - 1}"] = reading.query_changes(
            lab, table, {"starting_version": first - 1}
        )

    with lab.judge_each("DS-TTV-14") as case:
        if earliest.status == 200:
            with case():
                reading.expect_version(earliest, first, f"for {BEFORE_ALL} of {table.name}")
        for what, reply in early.items():
            with case(Wrong.ABSENT("version")):
                expect.client_error(
                    reply,
                    about=f"for {what} of {table.name}, which is shared from version {first} on",
                )
