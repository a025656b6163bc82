"""Answers without optional members, with null in them, with unknown members, and with large
numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from lakepact.conformance.clients.iceberg_rest.api import (
    CatalogClientLab,
    Document,
    NotOffered,
    OperationId,
    Performance,
    check,
    expect,
    op,
)
from lakepact.conformance.clients.iceberg_rest.kit.lab import VIEW_SQL
from lakepact.conformance.clients.iceberg_rest.kit.scripts import changing
from lakepact.conformance.clients.iceberg_rest.kit.tables_with_files import LARGE

Change = Callable[[Document], Document]

UNKNOWN: Document = {"lakepact-unknown": {"of": ["a", "later", "version"]}}
LARGEST = 2**63 - 1

#: Each task, the operation whose answers are changed, and the members that these may lack.
OPTIONAL: Mapping[str, tuple[OperationId, tuple[str, ...]]] = {
    "load-table": (op.load_table, ("config", "storage-credentials")),
    "load-view": (op.load_view, ("config",)),
    "list-tables": (op.list_tables, ("next-page-token",)),
    "load-namespace": (op.load_namespace_metadata, ("properties",)),
    "table-exists": (op.get_config, ("endpoints",)),
}
#: Usual values of these members.
PRESENT: Mapping[OperationId, Document] = {
    op.load_table: {"config": {}, "storage-credentials": []},
    op.load_view: {"config": {}},
}
#: Members of table metadata that may be absent.
OF_METADATA = (
    "properties",
    "snapshots",
    "refs",
    "snapshot-log",
    "metadata-log",
    "statistics",
    "partition-statistics",
    "encryption-keys",
)


def _arguments(lab: CatalogClientLab) -> tuple[list[str], Document]:
    home = lab.namespace("t")
    lab.view(home, "v")
    return home, {"namespace": home, "table": "t", "view": "v"}


def _without(*members: str) -> Change:
    return lambda document: {name: value for name, value in document.items() if name not in members}


def _with(values: Document) -> Change:
    return lambda document: {**document, **values}


def _in_metadata(change: Change) -> Change:
    return lambda document: {**document, "metadata": change(document["metadata"])}


def _whole(task: str, performance: Performance, how: str) -> None:
    """Expect the result of a task."""
    result = performance.result
    if task == "list-tables":
        expect.equal(["t"], result, f"tables, {how}:")
    elif task == "table-exists":
        expect.equal(True, result, f"table-exists, {how}:")
    elif task == "load-view":
        expect.equal(
            VIEW_SQL,
            result.get("sql") if isinstance(result, dict) else result,
            f"sql of the view, {how}:",
        )
    else:
        performance.meets(isinstance(result, dict), f"an object, {how}")


def _available_tasks(lab: CatalogClientLab, arguments: Document) -> list[str]:
    """Return the tasks that the client does with an unchanged server.

    Raises:
        NotOffered: there are none.
    """
    tasks = []
    for task, (operation, _) in OPTIONAL.items():
        performance = lab.tries(
            task, changing(operation, _with(PRESENT.get(operation, {}))), **arguments
        )
        if performance is not None and performance.is_done:
            tasks.append(task)
    if not tasks:
        raise NotOffered("the client does none of the tasks that read")
    return tasks


@check("IRC-CLI-028", "IRC-CLI-029")
def optional_members(lab: CatalogClientLab) -> None:
    """A client reads responses without optional members, with null in optional members, and with
    unknown members.
    """
    _, arguments = _arguments(lab)
    tasks = _available_tasks(lab, arguments)
    changes: list[tuple[str, str, str, Change]] = []
    for task in tasks:
        operation, members = OPTIONAL[task]
        changes.append(
            ("IRC-CLI-028", task, f"with unknown members in {operation}", _with(UNKNOWN))
        )
        for member in members:
            changes.append(
                ("IRC-CLI-028", task, f"without {member} in {operation}", _without(member))
            )
            changes.append(
                ("IRC-CLI-029", task, f"with {member} null in {operation}", _with({member: None}))
            )
    if "load-table" in tasks:
        changes.append(
            (
                "IRC-CLI-028",
                "load-table",
                "with unknown members in metadata",
                _in_metadata(_with(UNKNOWN)),
            )
        )
        changes.append(
            (
                "IRC-CLI-028",
                "load-table",
                f"without {', '.join(OF_METADATA)}",
                _in_metadata(_without(*OF_METADATA)),
            )
        )
        changes += [
            (
                "IRC-CLI-029",
                "load-table",
                f"with {name} null in metadata",
                _in_metadata(_with({name: None})),
            )
            for name in OF_METADATA
        ]
    for requirement in lab.each(("IRC-CLI-028", "IRC-CLI-029")):
        with lab.judge_each(requirement) as case:
            for task, how, change in [change[1:] for change in changes if change[0] == requirement]:
                with case():
                    _whole(
                        task,
                        lab.performs(task, changing(OPTIONAL[task][0], change), **arguments),
                        how,
                    )


def _with_snapshots(*identifiers: int) -> Change:
    """Return a change that adds snapshots to a table, the last of them current."""

    def change(metadata: Document) -> Document:
        location = metadata["location"]
        snapshots = [
            {
                "snapshot-id": identifier,
                "sequence-number": number,
                "timestamp-ms": metadata["last-updated-ms"] + number,
                "manifest-list": f"{location}/metadata/snap-{number}.avro",
                "summary": {"operation": "append"},
                "schema-id": metadata.get("current-schema-id", 0),
            }
            for number, identifier in enumerate(identifiers, 1)
        ]
        refs = {"main": {"type": "branch", "snapshot-id": identifiers[-1]}}
        sequence = {
            "last-sequence-number": len(identifiers),
            "last-updated-ms": metadata["last-updated-ms"] + len(identifiers),
        }
        return {
            **metadata,
            **sequence,
            "snapshots": snapshots,
            "current-snapshot-id": identifiers[-1],
            "refs": refs,
        }

    return change


@check("IRC-CLI-030", "IRC-CLI-031")
def numbers_of_snapshots(lab: CatalogClientLab) -> None:
    """A client returns 64-bit snapshot ids exactly, and no current snapshot for
    `current-snapshot-id` -1.
    """
    _, arguments = _arguments(lab)
    lab.does("load-table", **arguments)
    with lab.judge("IRC-CLI-030"):
        performance = lab.performs(
            "load-table",
            changing(op.load_table, _in_metadata(_with_snapshots(LARGE, LARGEST))),
            **arguments,
        )
        result = performance.result if isinstance(performance.result, dict) else {}
        expect.equal([LARGE, LARGEST], sorted(result.get("snapshot-ids") or []), "snapshot-ids")
        expect.equal(LARGEST, result.get("current-snapshot-id"), "current-snapshot-id")
    with lab.judge("IRC-CLI-031"):
        performance = lab.performs(
            "load-table",
            changing(op.load_table, _in_metadata(_with({"current-snapshot-id": -1}))),
            **arguments,
        )
        result = performance.result
        is_none = isinstance(result, dict) and result.get("current-snapshot-id") in {None, -1}
        performance.meets(is_none, "a table without a current snapshot")
