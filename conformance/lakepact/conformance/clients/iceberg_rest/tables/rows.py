"""Rows as of a snapshot, a time, a branch or a tag, of changed columns, and with a filter."""

from __future__ import annotations

from operator import attrgetter

from lakepact.conformance.clients.iceberg_rest.api import (
    MAIN,
    TABLE,
    CatalogClientLab,
    Document,
    Performance,
    Script,
    as_it_is,
    check,
    expect,
    op,
    rows_of,
    set_reference,
    table_with_rows,
)
from lakepact.conformance.clients.iceberg_rest.kit.tables_with_files import (
    GrownTable,
    Rows,
    current_schema,
    set_schema,
)
from lakepact.conformance.clients.iceberg_rest.tables.scans import planning, server_planning
from lakepact.conformance.evidence.shared_files import SharedFile

EARLIER = 1000  #: milliseconds


def _reads(performance: Performance, rows: Rows, how: str) -> None:
    performance.meets(performance.prints(rows), f"the rows {how}: {expect.excerpt(rows)}")


def _at(table: GrownTable, snapshot: int) -> Document:
    return {**table.where, "snapshot-id": snapshot}


def _absent(ids: tuple[int, ...]) -> int:
    """Return an id that no snapshot has."""
    return next(number for number in range(1, len(ids) + 2) if number not in ids)


@check("IRC-CLI-037")
def snapshots(lab: CatalogClientLab) -> None:
    """A client that reads as of a snapshot returns its rows, and reports an error for an unknown
    snapshot id.
    """
    table = table_with_rows(lab)
    with lab.judge_each("IRC-CLI-037") as case:
        for number, identifier in enumerate(table.ids, 1):
            with case():
                performance = lab.performs("read-rows-at-snapshot", **_at(table, identifier))
                _reads(performance, rows_of(number), f"of snapshot {number} of {len(table.ids)}")
        with case():
            absent = _absent(table.ids)
            lab.performs("read-rows-at-snapshot", **_at(table, absent)).expect_refusal(
                f"there is no snapshot {absent}"
            )


@check("IRC-CLI-038", "IRC-CLI-039")
def timestamps(lab: CatalogClientLab) -> None:
    """A client that reads as of a time returns the rows of the snapshot that was current, by
    `snapshot-log`, and fails before it.
    """
    table = table_with_rows(lab)
    first, second = (snapshot["timestamp-ms"] for snapshot in table.snapshots)
    log = [entry["timestamp-ms"] for entry in lab.metadata(**table.where)["snapshot-log"]]
    later = min(
        (time for time in log if time > first), default=first
    )  # an append may make several snapshots
    with lab.judge_each("IRC-CLI-038") as case:
        for number, time in ((1, later - 1), (2, second + EARLIER)):
            if number == 1 and later == first:
                continue
            with case():
                performance = lab.performs("read-rows-at-timestamp", **table.where, timestamp=time)
                _reads(
                    performance,
                    rows_of(number),
                    f"at {time}, when snapshot {number} of {len(table.ids)} was current",
                )
    lab.commit(table.namespace, TABLE, set_reference(MAIN, "branch", table.ids[0]))
    rollback = lab.metadata(**table.where)["snapshot-log"][-1]
    with lab.judge_each("IRC-CLI-039") as case:
        if rollback["snapshot-id"] == table.ids[0] and rollback["timestamp-ms"] > second:
            with case():
                performance = lab.performs(
                    "read-rows-at-timestamp", **table.where, timestamp=rollback["timestamp-ms"]
                )
                _reads(
                    performance,
                    rows_of(1),
                    "of the first snapshot, to which the table was rolled back at that time",
                )
        with case():
            early = first - EARLIER
            performance = lab.performs("read-rows-at-timestamp", **table.where, timestamp=early)
            performance.expect_refusal(f"the snapshot-log begins {EARLIER} ms after {early}")


@check("IRC-CLI-040")
def references(lab: CatalogClientLab) -> None:
    """A client that reads a branch or tag returns the rows of its snapshot, and reports an error
    for an unknown name.
    """
    table = table_with_rows(lab)
    for name, kind in (("audit", "branch"), ("release-1", "tag")):
        lab.commit(table.namespace, TABLE, set_reference(name, kind, table.ids[0]))
    with lab.judge_each("IRC-CLI-040") as case:
        for name, number in (("audit", 1), ("release-1", 1), ("main", 2)):
            with case():
                _reads(
                    lab.performs("read-rows-at-ref", **table.where, ref=name),
                    rows_of(number),
                    f"of {name}",
                )
        with case():
            lab.performs("read-rows-at-ref", **table.where, ref="absent").expect_refusal(
                "the table has no reference named absent"
            )


def _returns(performance: Performance, rows: Rows, how: str) -> None:
    """Expect these rows; null and an absent member are the same."""
    actual = [
        {name: value for name, value in row.items() if value is not None}
        for row in performance.result
    ]
    expect.same_items(rows, actual, f"rows {how}:")


@check("IRC-CLI-066")
def columns_by_field_id(lab: CatalogClientLab) -> None:
    """A client reads older rows after a column was renamed, dropped, and added again with another
    field id.
    """
    table = table_with_rows(lab)
    schema = current_schema(lab.metadata(**table.where))
    (first, data), (namespace, name) = schema["fields"], table.where.values()
    lab.require_success(lab.performs("read-rows", **table.where), rows_of(2))
    changes: list[tuple[str, list[Document], Rows]] = [
        (
            "after data was renamed to text",
            [{**data, "name": "text"}],
            [{"id": row["id"], "text": row["data"]} for row in rows_of(2)],
        ),
        ("after that column was dropped", [], [{"id": row["id"]} for row in rows_of(2)]),
        (
            "after another column data was added",
            [{**data, "id": data["id"] + 1}],
            [{"id": row["id"]} for row in rows_of(2)],
        ),
    ]
    with lab.judge_each("IRC-CLI-066") as case:
        for number, (how, fields, rows) in enumerate(changes, 1):
            new_schema = {**schema, "schema-id": number, "fields": [first, *fields]}
            lab.commit(namespace, name, *set_schema(new_schema))
            with case():
                _returns(lab.performs("read-rows", **table.where), rows, how)
        with case():
            lab.require_success(
                lab.performs("append-rows", **table.where, rows=[{"id": 3, "data": "third"}])
            )
            _returns(
                lab.performs("read-rows", **table.where),
                [*changes[-1][2], {"id": 3, "data": "third"}],
                "after an append to the new column",
            )


def _plan(folder: SharedFile, residual: Document) -> Script:
    """Return a catalog that plans scans of the table: its data files, and a residual filter."""
    files = [
        file
        for file in folder.files()
        if "metadata" not in file.steps[len(folder.steps) :]
        and not file.name.startswith((".", "_"))
    ]  # these are checksums of Hadoop
    plain: Document = {"content": "data", "spec-id": 0, "partition": [], "record-count": 1}
    tasks = [
        {
            "data-file": {
                **plain,
                "file-path": file.location,
                "file-format": file.name.rpartition(".")[2],
                "file-size-in-bytes": len(file.read()),
            },
            **residual,
        }
        for file in sorted(files, key=attrgetter("steps"))
    ]
    return server_planning(planning({"file-scan-tasks": tasks}))


@check("IRC-CLI-067")
def filters(lab: CatalogClientLab) -> None:
    """A client that reads with a filter returns the rows that satisfy it, whether it plans the scan
    or the server does.
    """
    table = table_with_rows(lab)
    folder, where = lab.files_of(**table.where), {"id": 2}
    expected = [row for row in rows_of(2) if row["id"] == where["id"]]
    residual: Document = {"residual-filter": {"type": "eq", "term": "id", "value": where["id"]}}
    with lab.judge_each("IRC-CLI-067") as case:
        for how, script in (
            ("planned by the client", as_it_is),
            ("planned by the server, with residual-filter", _plan(folder, residual)),
            ("planned by the server, without residual-filter", _plan(folder, {})),
        ):
            performance = lab.performs("read-rows-where", script, **table.where, where=where)
            if script is as_it_is or performance.of(op.plan_table_scan):
                with case():
                    _returns(performance, expected, f"where {expect.excerpt(where)}, {how}")
