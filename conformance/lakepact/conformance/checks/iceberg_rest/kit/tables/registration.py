"""Requests that register tables from metadata files."""

from __future__ import annotations

from typing import Any

import orjson

from lakepact.conformance.checks.iceberg_rest.kit.lab import CatalogLab, Namespace, Table
from lakepact.conformance.checks.iceberg_rest.kit.tables.files import has_files_here, metadata_file
from lakepact.conformance.checks.iceberg_rest.kit.tables.metadata_members import members
from lakepact.conformance.checks.iceberg_rest.kit.tables.states import state, without_its_own
from lakepact.conformance.evidence.differences import kind_of
from lakepact.conformance.evidence.exchanges import Reply
from lakepact.conformance.evidence.outcome import LOWEST_ERROR, Blocked
from lakepact.conformance.evidence.shared_files import READABLE_FILES
from lakepact.conformance.judging import expect
from lakepact.generated.iceberg_rest import op

NO_FILE = (
    "99999-00000000-0000-4000-8000-000000000000.metadata.json"  #: a name that no metadata file has
)

#: Members of a metadata file that are compared with the registered table.
TAKEN_OVER = ("table-uuid", "schemas", "snapshots", "refs", "properties")


def location_of(table: Table) -> str:
    """Return the location of the metadata file of a table.

    Raises:
        Blocked: the target does not say it.
    """
    if not table.metadata_location:
        raise Blocked(f"the answer has no metadata-location; {table.reply.summary}")
    return table.metadata_location


def left_behind(lab: CatalogLab, table: Table) -> Table:
    """Return the table as it was last loaded; it is dropped. Its metadata file is put back if the
    drop removed it and files are shared.

    Raises:
        Blocked: it cannot be dropped.
        StepFailed: the file is not that of the state that was loaded.
    """
    last = lab.load(table)
    location_of(last)
    file = (
        metadata_file(lab, last)
        if lab.feature(READABLE_FILES) and has_files_here(lab, last)
        else None
    )
    content = file.read() if file else b""
    if file:
        with lab.step("IRC-TBL-LOAD-001"):
            answer = last.member("last-updated-ms")
            stored = orjson.loads(content).get("last-updated-ms")
            expect.equal(
                answer,
                stored,
                "last-updated-ms in the metadata file",
                at=last.reply.place("metadata-location"),
            )
    lab.require(lab.send(op.drop_table, **table.at))
    if file and not file.exists():
        file.write(content)
    return last


def expect_file(lab: CatalogLab, table: Table) -> None:
    """Check that the metadata file of a dropped table is there, for checks whose registration of it
    was refused.

    Raises:
        StepFailed: registering it is answered like registering a missing file, and unlike
            registering the file of another table.
    """
    other = lab.load(lab.make_table(table.namespace))
    # where no other table is: some servers let no two share a folder
    nowhere = f"{location_of(table).rpartition('/')[0]}/{NO_FILE}"
    replies = [
        register(lab, table.namespace, lab.name(), location)
        for location in (nowhere, location_of(other), location_of(table))
    ]
    missing, there, left = ((reply.status, error_type(reply)) for reply in replies)
    if left == missing and left != there:
        with lab.step("IRC-TBL-DROP-003"):
            expect.status(replies[-1], 200, about="for the metadata file of a dropped table")


def error_type(reply: Reply) -> Any:
    """Return the type of the error in an answer; `None` if it has none."""
    error = members(reply.exchange.json).get("error")
    return members(error).get("type")


def register(
    lab: CatalogLab, namespace: Namespace, name: str, location: str, **members: Any
) -> Reply:
    """Return the answer to registering a metadata file; the clean-up drops the table."""
    lab.drop_afterwards(namespace, name)
    return lab.send(
        op.register_table,
        namespace=namespace,
        body={"name": name, "metadata-location": location, **members},
    )


def load_table(lab: CatalogLab, namespace: Namespace, name: str) -> Table:
    """Return a table, which must load.

    Raises:
        Unmet: it cannot be loaded.
    """
    reply = lab.send(op.load_table, namespace=namespace, table=name)
    expect.status(reply, 200)
    return Table(namespace, name, reply)


def takes_over(lab: CatalogLab, file: Table, actual: Table) -> None:
    """Expect the UUID, schemas, snapshots, refs and properties of a metadata file, except for
    properties that the server owns.

    Raises:
        Unmet: they differ; it names the first such member.
    """
    file_state, table_state = state(file), state(actual)
    if file_state.get("properties") != table_state.get("properties"):
        file_state = state(without_its_own(lab, file))
        table_state = state(without_its_own(lab, actual))
    for member in TAKEN_OVER:
        if file_state.get(member) != table_state.get(member):
            expected = (
                f"`{member}` of the registered file, {expect.excerpt(file_state.get(member))}"
            )
            kind = kind_of(file_state.get(member), table_state.get(member))
            raise expect.unmet(
                expected,
                expect.excerpt(table_state.get(member)),
                at=actual.place(member),
                kind=kind,
            )


def expect_registration(lab: CatalogLab, file: Table, name: str, reply: Reply) -> None:
    """Expect that a metadata file is registered: the answer to the registration and to loading the
    table have its content.

    Raises:
        Unmet: it is not.
    """
    if reply.status >= LOWEST_ERROR:
        expect_file(lab, file)
    expect.status(reply, 200)
    takes_over(lab, file, Table(file.namespace, name, reply))
    takes_over(lab, file, load_table(lab, file.namespace, name))
