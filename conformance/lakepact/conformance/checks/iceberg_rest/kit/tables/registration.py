"""Requests that register tables from metadata files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakepact.conformance.checks.iceberg_rest.kit.lab import Table
from lakepact.conformance.checks.iceberg_rest.kit.tables.states import state, without_its_own
from lakepact.conformance.evidence.differences import kind_of
from lakepact.conformance.evidence.outcome import Blocked
from lakepact.conformance.judging import expect
from lakepact.generated.iceberg_rest import op

if TYPE_CHECKING:
    from lakepact.conformance.checks.iceberg_rest.kit.lab import CatalogLab, Namespace
    from lakepact.conformance.evidence.exchanges import Reply


#: Members of a metadata file that are compared with the registered table.
TAKEN_OVER = ("table-uuid", "schemas", "snapshots", "refs", "properties")


def location_of(table: Table) -> str:
    """Return the location of the metadata file of a table.

    Raises:
        Blocked: the target does not say it.
    """
    if not table.metadata_location:
        raise Blocked(f"the answer has no metadata-location; {table.reply.shown}")
    return table.metadata_location


def left_behind(lab: CatalogLab, table: Table) -> Table:
    """Return the table as it was last loaded; it is dropped, and its files stay.

    Raises:
        Blocked: it cannot be dropped.
    """
    last = lab.load(table)
    lab.require(lab.send(op.drop_table, **table.at))
    return last


def register(lab: CatalogLab, namespace: Namespace, name: str, location: str, **members: Any) -> Reply:
    """Return the answer to a request that registers a metadata file; the table is dropped afterwards, should there be one."""
    lab.drop_afterwards(namespace, name)
    return lab.send(op.register_table, namespace=namespace, body={"name": name, "metadata-location": location, **members})


def loaded(lab: CatalogLab, namespace: Namespace, name: str) -> Table:
    """Return a table that the target has to have.

    Raises:
        Unmet: it cannot be loaded.
    """
    reply = lab.send(op.load_table, namespace=namespace, table=name)
    expect.status(reply, 200)
    return Table(namespace, name, reply)


def takes_over(lab: CatalogLab, file: Table, actual: Table) -> None:
    """A table has the UUID, schemas, snapshots, refs and properties of a metadata file, those apart that are the target's own.

    Raises:
        Unmet: it has not; it names the first member in which they differ.
    """
    wanted, found = state(file), state(actual)
    if wanted.get("properties") != found.get("properties"):
        wanted, found = state(without_its_own(lab, file)), state(without_its_own(lab, actual))
    for member in TAKEN_OVER:
        if wanted.get(member) != found.get(member):
            expected, kind = (
                f"`{member}` of the registered file, {expect.shown(wanted.get(member))}",
                kind_of(wanted.get(member), found.get(member)),
            )
            raise expect.unmet(expected, expect.shown(found.get(member)), at=actual.place(member), kind=kind)


def is_registered(lab: CatalogLab, file: Table, name: str, reply: Reply) -> None:
    """Expect that a metadata file is registered: the answer to the registration and to loading the table have its content.

    Raises:
        Unmet: it is not.
    """
    expect.status(reply, 200)
    takes_over(lab, file, Table(file.namespace, name, reply))
    takes_over(lab, file, loaded(lab, file.namespace, name))
