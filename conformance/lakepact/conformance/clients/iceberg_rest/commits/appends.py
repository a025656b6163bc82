"""Appends and other commits: their snapshots, also after another commit or a lost answer."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

from lakepact.conformance.clients.iceberg_rest.api import (
    COMMITS,
    MAIN,
    TABLE,
    Answer,
    CatalogClientLab,
    Document,
    Forward,
    NotOffered,
    Performance,
    Request,
    Script,
    answering,
    at_first,
    check,
    error,
    expect,
    op,
    rows_of,
    set_reference,
    table_with_rows,
)
from lakepact.conformance.clients.iceberg_rest.commits.references import BRANCH, TAG
from lakepact.conformance.clients.iceberg_rest.commits.unknown_outcomes import LOST, UNKNOWN, losing
from lakepact.conformance.clients.iceberg_rest.kit.changes import other_members
from lakepact.conformance.clients.iceberg_rest.kit.repeated_commits import table_changes, updates_of
from lakepact.conformance.clients.iceberg_rest.kit.scripts import changing
from lakepact.conformance.clients.iceberg_rest.kit.tables_with_files import (
    APPENDED,
    USUAL,
    VERSIONS,
    GrownTable,
    Rows,
    current_schema,
    table_with_older_schema,
)
from lakepact.conformance.evidence.outcome import ASSERT_REF

MOVES = b'"set-snapshot-ref"'  #: in the body of a commit that moves a branch
MINUTE = 60_000  #: milliseconds
SNAPSHOT_MEMBERS = (
    "statistics",
    "partition-statistics",
    "snapshots",
    "snapshot-log",
    "refs",
    "current-snapshot-id",
    "last-sequence-number",
    "next-row-id",
)
OWN: Rows = [{"id": 10, "data": "own"}]
OTHER: Rows = [{"id": 11, "data": "other"}]


def overtaken(lab: CatalogClientLab, task: str, **arguments: Any) -> Script:
    """Return a catalog whose table changes just before the client's first commit: another client
    performs a task.
    """
    first_commit = threading.Event()

    def script(request: Request, forward: Forward) -> Answer:
        if request.operation in COMMITS and not first_commit.is_set():
            first_commit.set()
            lab.require_success(lab.performs(task, **arguments))
        return forward(request)

    return script


def _ids(lab: CatalogClientLab, table: GrownTable, task: str, **arguments: Any) -> list[int]:
    """Return the ids of the rows that a client reads."""
    rows = lab.performs(task, **table.where, **arguments).result
    return sorted(row["id"] for row in rows)


def _appends(
    lab: CatalogClientLab,
    task: str,
    read: Callable[[GrownTable], list[int]],
    appends: int = USUAL,
    **arguments: Any,
) -> None:
    """Expect the rows of both appends, or of the other client alone if the client reports that its
    append failed.
    """
    table = table_with_rows(lab, appends)
    if table.ids:
        lab.commit(table.namespace, TABLE, set_reference(BRANCH, "branch", table.ids[-1]))
    before = read(table)
    other_ids = [row["id"] for row in OTHER]
    other = overtaken(lab, task, **table.where, **arguments, rows=OTHER)
    performance = lab.performs(task, other, **table.where, **arguments, rows=OWN)
    own = [row["id"] for row in OWN] if performance.is_done else []
    how = "which succeeded" if performance.is_done else "which failed"
    expected = sorted([*before, *own, *other_ids])
    expect.equal(
        expected,
        read(table),
        f"ids of the rows after {task}, {how}, and the commit of another client before it:",
    )


@check("IRC-CLI-044")
def concurrent_appends(lab: CatalogClientLab) -> None:
    """A client whose append meets another commit, also the first of a table, keeps the rows of
    both, or reports an error.
    """
    lab.does("read-rows", [], namespace=lab.namespace("t"), table="t")
    with lab.judge_each("IRC-CLI-044") as case:
        for appends in (USUAL, 0):
            with case():
                _appends(lab, "append-rows", lambda table: _ids(lab, table, "read-rows"), appends)


@check("IRC-CLI-044")
def concurrent_appends_to_branches(lab: CatalogClientLab) -> None:
    """A client whose append to a branch meets another commit keeps the rows of both, or reports an
    error.
    """
    with lab.judge("IRC-CLI-044"):
        _appends(
            lab,
            "append-rows-to-branch",
            lambda table: _ids(lab, table, "read-rows-at-ref", ref=BRANCH),
            branch=BRANCH,
        )


@check("IRC-CLI-044")
def concurrent_new_columns(lab: CatalogClientLab) -> None:
    """A client whose new column meets another commit keeps both columns with different field ids,
    or reports an error.
    """
    home = lab.namespace(TABLE)
    where: Document = {"namespace": home, "table": TABLE}
    performance = lab.performs(
        "add-column", overtaken(lab, "add-column", **where, column="other"), **where, column="own"
    )
    performance.require(*COMMITS)
    with lab.judge("IRC-CLI-044"):
        metadata = lab.metadata(**where)
        schema = current_schema(metadata)
        expected = ["data", "id", "other", *(["own"] if performance.is_done else [])]
        expect.equal(
            expected,
            sorted(field["name"] for field in schema["fields"]),
            "columns after two clients added one each:",
        )
        ids = [field["id"] for field in schema["fields"]]
        expect.equal(sorted(set(ids)), sorted(ids), "field ids:")


def _head(metadata: Document, name: str = MAIN) -> int | None:
    return ((metadata.get("refs") or {}).get(name) or {}).get("snapshot-id")


def _continues(
    lab: CatalogClientLab, before: Document, after: Document, rows: Rows, since: float
) -> None:
    """Expect that main has moved to new snapshots which descend from its former one, and that
    nothing else has changed.
    """
    old, new = (
        {snapshot["snapshot-id"]: snapshot for snapshot in metadata.get("snapshots") or []}
        for metadata in (before, after)
    )
    former, lineage = _head(before), [_head(after)]
    while lineage[-1] in new and lineage[-1] not in old:
        lineage.append(new[lineage[-1]].get("parent-snapshot-id"))
    new_snapshots = [
        new[identifier] for identifier in lineage[-2::-1]
    ]  # several, if the client splits its append or compacts files after it
    schema = before["current-schema-id"]
    low = before.get("last-sequence-number", 0)
    next_row = before.get("next-row-id")
    earliest = max(old.get(former, {}).get("timestamp-ms", 0), since - MINUTE)
    latest = time.time() * 1000 + MINUTE
    operations = [(snapshot.get("summary") or {}).get("operation") for snapshot in new_snapshots]
    refs, refs_after = (
        {name: one for name, one in (metadata.get("refs") or {}).items() if name != MAIN}
        for metadata in (before, after)
    )
    expect.equal(former, lineage[-1], "the snapshot of main from which the new one descends:")
    expect.equal({*old, *lineage[:-1]}, {*new}, "snapshots:")
    expect.equal(old, {name: new.get(name) for name in old}, "former snapshots:")
    expect.equal(refs, refs_after, "other references:")
    expect.equal(
        other_members(before, *SNAPSHOT_MEMBERS),
        other_members(after, *SNAPSHOT_MEMBERS),
        "other members of the metadata:",
    )
    expect.true(
        any(operation in {"append", "overwrite"} for operation in operations),
        "append or overwrite",
        expect.excerpt(operations),
    )
    for snapshot in new_snapshots:
        timestamp = snapshot.get("timestamp-ms", 0)
        manifest_list = snapshot.get("manifest-list", "")
        expect.equal(schema, snapshot.get("schema-id", schema), "schema-id of the snapshot:")
        expect.true(
            earliest <= timestamp <= latest,
            f"a timestamp-ms from {earliest:.0f} to {latest:.0f}",
            expect.excerpt(timestamp),
        )
        expect.true(
            lab.target.shared_files.at(manifest_list).exists(),
            "a manifest-list that exists",
            expect.excerpt(manifest_list),
        )
        if before["format-version"] > 1:
            expect.true(
                snapshot.get("sequence-number", 0) > low,
                f"a sequence-number above {low}",
                expect.excerpt(snapshot),
            )
            low = snapshot["sequence-number"]
        if next_row is not None and before["format-version"] > 2:
            expect.equal(next_row, snapshot.get("first-row-id"), "first-row-id of the snapshot:")
            next_row += snapshot.get("added-rows", 0)
    if next_row is not None and before["format-version"] > 2:
        row_count = next_row - before["next-row-id"]
        expect.true(row_count >= len(rows), f"added-rows of at least {len(rows)}", str(row_count))


def _requires(performance: Performance, before: Document) -> None:
    """Expect each commit to require the former snapshots of the branches that it moves."""
    heads = {MAIN: None} | {
        name: reference["snapshot-id"] for name, reference in (before.get("refs") or {}).items()
    }
    for exchange in performance.of(*COMMITS):
        for change in table_changes(exchange):
            moves = [
                update
                for update in change.get("updates", ())
                if update.get("action") == "set-snapshot-ref"
            ]
            new_heads = {update.get("ref-name"): update.get("snapshot-id") for update in moves}
            required = {
                requirement.get("ref"): requirement.get("snapshot-id")
                for requirement in change.get("requirements", ())
                if requirement.get("type") == ASSERT_REF
            }
            actual = {
                name: required.get(name, "not required") for name in new_heads if name in heads
            }
            expect.equal(
                {name: heads[name] for name in actual},
                actual,
                f"{ASSERT_REF} of the moved branches:",
            )
            heads |= new_heads if exchange.status < 300 else {}


def _adds_no_existing_id(performance: Performance, before: Document) -> None:
    """Expect no new snapshot with the id of an existing one."""
    ids = [snapshot["snapshot-id"] for snapshot in before.get("snapshots") or ()]
    snapshots = [update.get("snapshot", {}) for update in updates_of(performance, "add-snapshot")]
    collisions = [
        snapshot["snapshot-id"] for snapshot in snapshots if snapshot.get("snapshot-id") in ids
    ]
    expect.equal([], collisions, "ids of new snapshots that the table has already:")


def _count(summary: Document, name: str, absent: int = 0) -> int:
    """Return a count of a summary; -1 for text that is no number."""
    text = str(summary.get(name, absent))
    return int(text) if text.isdecimal() else -1


@check("IRC-CLI-063", "IRC-CLI-065", "IRC-CLI-070")
def appended_snapshots(lab: CatalogClientLab) -> None:
    """A client that appends to tables of each format version continues main, requires its snapshot,
    and counts rows as they are.
    """
    for version in lab.each(VERSIONS):
        where = table_with_older_schema(lab, version, nested=False)
        for number, rows in lab.each(enumerate(APPENDED[:USUAL], 1)):
            before, since = lab.metadata(**where), time.time() * 1000
            performance = lab.performs("append-rows", **where, rows=rows)
            if not performance.of(*COMMITS):
                if version != VERSIONS[0]:
                    break  # clients may refuse tables of version 1 or 3
                lab.require_success(performance)
                raise NotOffered("the client does not commit by updateTable or commitTransaction")
            with lab.judge("IRC-CLI-065"):
                _requires(performance, before)
            if not performance.is_done:  # a server that checks less has what the client sent
                with lab.judge("IRC-CLI-063"):
                    _adds_no_existing_id(performance, before)
            lab.require_success(performance)
            after = lab.metadata(**where)
            with lab.judge("IRC-CLI-063"):
                _continues(lab, before, after, rows, since)
            with lab.judge("IRC-CLI-070"):
                former_ids = {snapshot["snapshot-id"] for snapshot in before.get("snapshots") or []}
                summaries = [
                    snapshot["summary"]
                    for snapshot in after["snapshots"]
                    if snapshot["snapshot-id"] not in former_ids
                ]
                counts = [
                    _count(summary, "added-records") - _count(summary, "deleted-records")
                    for summary in summaries
                    if "added-records" in summary
                ]
                expect.equal(
                    len(rows),
                    sum(counts) if counts else len(rows),
                    "added-records less deleted-records:",
                )
                total = len(rows_of(number))
                last = next(
                    snapshot["summary"]
                    for snapshot in after["snapshots"]
                    if snapshot["snapshot-id"] == _head(after)
                )
                expect.equal(total, _count(last, "total-records", total), "total-records:")
            refs = ((BRANCH, "branch"), (TAG, "tag")) if number == 1 and _head(after) else ()
            lab.commit(
                *where.values(),
                *(set_reference(name, kind, _head(after) or 0) for name, kind in refs),
            )


#: Fields of new partition specs, and a filter for the row that is appended after each.
RELAYOUTS: tuple[tuple[Document, Document], ...] = (
    ({"source-id": 2, "field-id": 1000, "name": "data"}, {"data": "own"}),
    ({"source-id": 1, "field-id": 1001, "name": "id_part"}, {"id": 11}),
)


def _relayout(number: int, field: Document) -> list[Document]:
    order = {
        "source-id": number,
        "transform": "identity",
        "direction": "desc",
        "null-order": "nulls-last",
    }
    return [
        {
            "action": "add-spec",
            "spec": {"spec-id": number, "fields": [{**field, "transform": "identity"}]},
        },
        {"action": "set-default-spec", "spec-id": -1},
        {"action": "add-sort-order", "sort-order": {"order-id": number, "fields": [order]}},
        {"action": "set-default-sort-order", "sort-order-id": -1},
    ]


@check("IRC-CLI-073")
def appends_after_changed_layouts(lab: CatalogClientLab) -> None:
    """A client that appends after the partition spec and sort order changed keeps them, and finds
    its rows by their partition values.
    """
    table, present = table_with_rows(lab, 1), list(APPENDED[0])
    with lab.judge_each(
        "IRC-CLI-073", without="the client appends to no table whose partition spec was changed"
    ) as case:
        for number, ((field, where), rows) in enumerate(
            zip(RELAYOUTS, (OWN, OTHER), strict=True), 1
        ):
            before = lab.commit(table.namespace, TABLE, *_relayout(number, field))
            since = time.time() * 1000
            performance = lab.performs("append-rows", **table.where, rows=rows)
            if not (performance.is_done or performance.of(*COMMITS)):
                continue  # a client may refuse partitioned tables
            present += rows
            with case():
                lab.require_success(performance)
                _continues(lab, before, lab.metadata(**table.where), rows, since)
                expect.equal(
                    sorted(row["id"] for row in present),
                    _ids(lab, table, "read-rows"),
                    "ids of all rows:",
                )
            with case():
                selection = lab.tries("read-rows-where", **table.where, where=where)
                ids = [row["id"] for row in (selection.result if selection else rows)]
                expect.equal(
                    [row["id"] for row in rows],
                    ids,
                    f"ids of the rows where {expect.excerpt(where)}:",
                )


@check("IRC-CLI-031")
def first_snapshots(lab: CatalogClientLab) -> None:
    """A client appends to a table with `current-snapshot-id` -1 a snapshot without a parent, and
    requires that main does not exist.
    """
    minus_one = changing(
        op.load_table,
        lambda document: {
            **document,
            "metadata": {**document["metadata"], "current-snapshot-id": -1},
        },
    )
    where = lab.table()
    before, since = lab.metadata(**where), time.time() * 1000
    performance = lab.performs("append-rows", minus_one, **where, rows=OWN)
    with lab.judge("IRC-CLI-031"):
        _requires(performance, before)
        performance.meets(
            performance.is_done, "an append to a table whose current-snapshot-id is -1"
        )
        _continues(lab, before, lab.metadata(**where), OWN, since)


@check("IRC-CLI-064")
def appends_without_an_answer(lab: CatalogClientLab) -> None:
    """A client whose append was applied, but got no answer or 500, 502 or 504, leaves its rows
    once, whether it fails or succeeds.
    """
    lab.does("read-rows", [], namespace=lab.namespace(TABLE), table=TABLE)
    scripts: dict[str, Script] = {how: losing(lose) for how, lose in LOST.items()}
    scripts |= {
        str(status): answering(COMMITS, error(status, UNKNOWN), is_applied=True)
        for status in (500, 502, 504)
    }
    with lab.judge_each("IRC-CLI-064") as case:
        for how, script in scripts.items():
            table = table_with_rows(lab, 1)
            performance = lab.performs(
                "append-rows", at_first(script, COMMITS, MOVES), **table.where, rows=OWN
            )
            performance.require(*COMMITS)
            ids = _ids(lab, table, "read-rows")
            lab.show(performance)
            with case():
                expect.equal(
                    [1, 10],
                    ids,
                    f"ids of the rows after an append that was applied ({how}); {performance.text}; now",
                )
