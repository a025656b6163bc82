"""Requests of transactions, and the table states that they lead to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from lakepact.conformance.checks.iceberg_rest.kit.commits.creations import FreeTableSlot
from lakepact.conformance.checks.iceberg_rest.kit.lab import (
    CatalogLab,
    Namespace,
    Table,
    set_properties,
)
from lakepact.conformance.checks.iceberg_rest.kit.tables.states import (
    expect_no_change,
    properties_of,
)
from lakepact.conformance.evidence.exchanges import Document, Members, Reply
from lakepact.conformance.judging import expect
from lakepact.generated.iceberg_rest import op

Change = Document


def change(
    table: Table | FreeTableSlot,
    *updates: Members,
    requirements: Sequence[Members] = (),
) -> Change:
    """Return a change to one table, unconditional unless requirements are given."""
    identifier = {"namespace": list(table.namespace), "name": table.name}
    return {"identifier": identifier, "requirements": list(requirements), "updates": list(updates)}


#: Statuses of a transaction that was made. Which of them is right is a matter of requirements that
#: say so (IRC-TXN-001, IRC-GEN-006).
MADE = (200, 204)


def transact(lab: CatalogLab, *changes: Change) -> Reply:
    """Return the answer to a transaction, whatever its status is."""
    return lab.send(op.commit_transaction, body={"table-changes": list(changes)})


def make_tables(lab: CatalogLab, many: int, namespace: Namespace | None = None) -> list[Table]:
    """New tables side by side, in a new namespace unless one is given."""
    home = namespace or lab.make_namespace()
    return [lab.make_table(home) for _ in range(many)]


def marking(table: Table, mark: str) -> Change:
    """Return a change that sets a property, by which one sees later whether it was made."""
    return change(table, set_properties(lakepact=mark))


def mark_of(lab: CatalogLab, table: Table) -> Any:
    """Return the mark that a table has now."""
    return properties_of(lab.load(table)).get("lakepact")


def expect_marks(lab: CatalogLab, tables: Iterable[Table], mark: str) -> None:
    """Expect this mark on all tables.

    Raises:
        Unmet: one has another.
    """
    for number, table in enumerate(tables, start=1):
        after = lab.load(table)
        about = f"the property that the transaction set on table {number} to be"
        expect.equal(
            mark,
            properties_of(after).get("lakepact"),
            about,
            at=after.place("properties", "lakepact"),
        )


def expect_no_changes(lab: CatalogLab, before: Iterable[Table]) -> None:
    """Expect unchanged tables.

    Raises:
        Unmet: one differs.
    """
    for table in before:
        expect_no_change(lab, table)


def at_every_place(tables: Sequence[Table], wrong: Change) -> Iterator[tuple[str, list[Change]]]:
    """Yield transactions with valid changes of `tables` and a wrong one before, between and after
    them, and its position.
    """
    good = [marking(table, "refused") for table in tables]
    for place in range(len(good) + 1):
        yield f"change {place + 1} of {len(good) + 1}", [*good[:place], wrong, *good[place:]]
