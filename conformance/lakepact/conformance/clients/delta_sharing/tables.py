"""Several tables in one run, tables without files, and tables with columns of every type."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakepact.conformance.clients.delta_sharing.lab import ROWS, are_rows, same_rows
from lakepact.conformance.clients.delta_sharing.members import same_values
from lakepact.conformance.clients.delta_sharing.suite import check
from lakepact.conformance.clients.delta_sharing.versions import HISTORY
from lakepact.conformance.evidence.outcome import Unmet
from lakepact.conformance.judging import expect

if TYPE_CHECKING:
    from lakepact.conformance.clients.delta_sharing.lab import SharingClientLab

EMPTY = ("empty", "emptied")
TYPED = ("types", "capitals")


@check("DS-CLI-16")
def several_tables(lab: SharingClientLab) -> None:
    """A client that reads several tables and versions with one client object returns the rows of each."""
    lab.reads()
    versions = lab.pack.tables[HISTORY].versions
    history, other = lab.address(HISTORY), lab.address(ROWS)
    wanted: list[tuple[dict[str, Any], list[dict[str, Any]], str]] = [
        ({"table": other}, lab.rows(ROWS), "that is read first"),
        ({"table": history, "version": versions[0].version}, versions[0].rows.to_pylist(), f"at version {versions[0].version}"),
        ({"table": history}, lab.rows(HISTORY), "that was read at another version before"),
        ({"table": history, "version": versions[1].version}, versions[1].rows.to_pylist(), f"at version {versions[1].version}"),
        ({"table": other}, lab.rows(ROWS), "that is read a second time"),
    ]
    done = lab.performs("read-tables", tables=[table for table, _, _ in wanted])
    with lab.judge_each("DS-CLI-16") as case:
        with case():
            if not isinstance(done.result, list) or len(done.result) != len(wanted):
                raise Unmet(f"an array with the rows of {len(wanted)} reads", done.ended.outcome)
        for found, (_, rows, how) in zip(done.result if isinstance(done.ended.value, list) else (), wanted, strict=False):
            with case():
                are_rows(found, rows, how)


@check("DS-CLI-17")
def tables_without_files(lab: SharingClientLab) -> None:
    """A client returns no rows for a table that never had rows, and for one whose rows were all deleted."""
    lab.reads()
    with lab.judge_each("DS-CLI-17") as case:
        for fixture in EMPTY:
            with case():
                same_rows(lab.performs("read-table", table=lab.address(fixture)).ended, [], "without files")


@check("DS-CLI-18")
def types_of_columns(lab: SharingClientLab) -> None:
    """A client returns the rows of tables with columns of every type, also nested, and with capitals and spaces in column names."""
    lab.reads()
    with lab.judge_each("DS-CLI-18") as case:
        for fixture in TYPED:
            with case():
                done = lab.performs("read-table", table=lab.address(fixture))
                same_values(done, lab.rows(fixture), f"the table {lab.address(fixture)}")


@check("DS-CLI-22")
def ordinary_tasks(lab: SharingClientLab) -> None:
    """A client performs each task that it offers, and returns the names, columns, versions and rows that the server has."""
    history, where = lab.pack.tables[HISTORY], {"table": lab.address(HISTORY)}
    tasks: list[tuple[str, dict[str, Any], Any]] = [
        ("list-tables", {}, [table for share in lab.catalogue().values() for table in share]),
        ("read-table", where, lab.rows(HISTORY)),
        ("read-table-at-version", {**where, "version": history.last.version}, lab.rows(HISTORY)),
        ("read-metadata", where, [field["name"] for field in history.last.schema["fields"]]),
        ("table-version", where, history.last.version),
    ]
    with lab.judge_each("DS-CLI-22", without="the client implements no task") as case:
        for task, arguments, expected in tasks:
            if (done := lab.tries(task, **arguments)) is not None:
                with case():
                    expect.true(done.ended.prints(expected), f"the result of {task}: {expect.shown(expected)}", done.ended.outcome, at=None)
                    expect.true(bool(done.exchanges), "a request to the server", "none", at=None)
