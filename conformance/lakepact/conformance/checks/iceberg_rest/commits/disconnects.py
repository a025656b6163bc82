"""Checks of changes whose caller leaves before the answer comes: all of a change is made, or
nothing of it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from lakepact.conformance.checks.iceberg_rest.api import (
    Blocked,
    CatalogLab,
    Document,
    Kind,
    Namespace,
    Place,
    Reply,
    Table,
    check,
    expect,
    op,
    set_properties,
    set_ref,
    states,
    transactions,
    upd,
)
from lakepact.conformance.checks.iceberg_rest.kit.listings import names as listed

LEAVING = (
    0.0,
    0.001,
    0.002,
    0.004,
    0.008,
    0.016,
    0.032,
)  #: seconds after which callers leave, one after the other
PATIENCE = 10.0  #: seconds in which a target ends what it began
STEP = 0.05  #: seconds between two looks at it
LOOKS = 4  #: that find the same, before it counts as what is left

UNWRITABLE = "lakepact-nowhere://nothing/at/all"  #: a location in no storage

MARK = "lakepact.unheard"  #: the property that is set

T = TypeVar("T")


def left(look: Callable[[], T]) -> T:
    """Return the state after the target has finished: the first that repeats several times.

    Raises:
        Blocked: the state still changes after `PATIENCE`, so that each look may see one part before
            and another after a change.
    """
    until = time.monotonic() + PATIENCE
    state, times = look(), 1
    while times < LOOKS:
        if time.monotonic() > until:
            raise Blocked(
                f"the target had not finished requests {PATIENCE:g} seconds after their callers"
                " left"
            )
        time.sleep(STEP)
        before, state = state, look()
        times = times + 1 if state == before else 1
    return state


def _whole(parts: Mapping[str, bool], expected: str, *, at: Place | None = None) -> None:
    """Expect that all parts of a change were made, or none; what was made is at a place.

    Raises:
        Unmet: some were.
    """
    expect.true(
        len({*parts.values()}) == 1,
        expected,
        [part for part, is_applied in parts.items() if is_applied],
        at=at,
        kind=Kind.SURPLUS,
    )


@check("IRC-COM-022")
def commits_are_atomic_when_clients_disconnect(lab: CatalogLab) -> None:
    """A commit whose client disconnects applies all of its updates or none."""
    heard, *tables = transactions.make_tables(lab, len(LEAVING) + 1)
    lab.require(lab.send(op.update_table, body=_commit(lab, heard), **heard.at), 200)
    if not all(_parts(lab, heard).values()):
        raise Blocked(
            "a commit is not atomic even if its client stays connected (IRC-UPD-035, IRC-UPD-044,"
            " IRC-UPD-045)"
        )
    for table, seconds in zip(tables, LEAVING, strict=True):
        lab.send(op.update_table, body=_commit(lab, table), disconnect_after=seconds, **table.at)

    with lab.judge("IRC-COM-022"):
        for parts in left(lambda: [_parts(lab, table) for table in tables]):
            _whole(parts, "all updates of a commit in the table, or none")


def _commit(lab: CatalogLab, table: Table) -> Document:
    """Return a commit of several updates to a new table."""
    snapshot = lab.snapshot(table)
    tag = set_ref("unheard", snapshot["snapshot-id"], kind="tag")
    main = set_ref(
        "main", snapshot["snapshot-id"]
    )  # a server that moves main by itself breaks IRC-UPD-035 alone
    return {
        "requirements": [],
        "updates": [set_properties(**{MARK: "1"}), upd.add_snapshot(snapshot), main, tag],
    }


def _parts(lab: CatalogLab, table: Table) -> dict[str, bool]:
    """Which updates of the commit a table has."""
    now = lab.load(table)
    snapshots, refs = now.metadata.get("snapshots") or (), now.metadata.get("refs") or {}
    return {
        "the property": MARK in states.properties_of(now),
        "the snapshot": bool(snapshots),
        "the tag": "unheard" in refs,
    }


@check("IRC-TXN-015")
def transactions_are_atomic_when_clients_disconnect(lab: CatalogLab) -> None:
    """A transaction whose client disconnects changes all of its tables or none."""
    heard, *together = [transactions.make_tables(lab, 3) for _ in range(len(LEAVING) + 1)]
    lab.require(lab.send(op.commit_transaction, body=_transaction(heard)))
    if not all(_changes_of(lab, heard).values()):
        raise Blocked("a transaction is not atomic even if its client stays connected")
    for tables, seconds in zip(together, LEAVING, strict=True):
        lab.send(op.commit_transaction, body=_transaction(tables), disconnect_after=seconds)

    with lab.judge("IRC-TXN-015"):
        for parts in left(lambda: [_changes_of(lab, tables) for tables in together]):
            _whole(parts, "all tables of a transaction changed, or none")


@check("IRC-TXN-015")
def transactions_with_unwritable_files_are_atomic(lab: CatalogLab) -> None:
    """A transaction that returns 5xx because the files of one table cannot be written changes all
    tables or none.
    """
    for place in lab.each((0, 1)):
        tables = transactions.make_tables(lab, 2)
        changes = [transactions.change(table, set_properties(**{MARK: "1"})) for table in tables]
        changes[place]["updates"].append(upd.set_location(UNWRITABLE))
        reply = transactions.transact(lab, *changes)
        remark = f"the transaction returned {reply.status}"
        if reply.status < 500:
            lab.skip("IRC-TXN-015", remark)
            continue
        with lab.judge("IRC-TXN-015", remark=remark):
            loads = [lab.load(table) for table in tables]
            parts = {now.name: MARK in states.properties_of(now) for now in loads}
            at = next((now.place("properties") for now in loads if parts[now.name]), None)
            _whole(parts, "all tables of a transaction changed, or none", at=at)


def _transaction(tables: Sequence[Table]) -> Document:
    return {
        "table-changes": [
            transactions.change(table, set_properties(**{MARK: "1"})) for table in tables
        ]
    }


def _changes_of(lab: CatalogLab, tables: Sequence[Table]) -> dict[str, bool]:
    """Which tables of the transaction are changed."""
    return {table.name: MARK in states.properties_of(lab.load(table)) for table in tables}


@check("IRC-TBL-CREATE-031")
def creates_are_atomic_when_clients_disconnect(lab: CatalogLab) -> None:
    """A table whose creating client disconnects loads and is listed, or can be created again."""
    home = lab.make_namespace()
    heard = lab.make_table(home)
    if listed(_listing(lab, home)) != [heard.name]:
        raise Blocked("a table that was created is not listed, or something else is")
    names = [lab.name() for _ in LEAVING]
    for name, seconds in zip(names, LEAVING, strict=True):
        lab.drop_afterwards(home, name)
        lab.send(
            op.create_table, namespace=home, body=lab.table_request(name), disconnect_after=seconds
        )

    with lab.judge("IRC-TBL-CREATE-031") as case:
        statuses = left(
            lambda: {
                name: lab.send(op.load_table, namespace=home, table=name).status for name in names
            }
        )
        for name in names:
            with case():
                if statuses[name] != 200:
                    created = lab.try_create_table(home, name)
                    expect.status(created, 200, 409, about="for creating a missing table")
                    expect.status(
                        lab.send(op.load_table, namespace=home, table=name),
                        200,
                        about=f"for loading {name} after that",
                    )
        listing = _listing(lab, home)
        expect.same_items(
            [heard.name, *names],
            listed(listing),
            "tables that load, listed:",
            at=listing.place("identifiers"),
        )


def _listing(lab: CatalogLab, home: Namespace) -> Reply:
    return lab.require(lab.send(op.list_tables, namespace=home), 200)
