"""Iceberg tables read back: by pyiceberg, snapshot by snapshot, and by scans that the server plans."""

from __future__ import annotations

import itertools
from collections.abc import Container, Iterator
from typing import Any
from urllib.parse import quote

import httpx

from lakepact.conformance.checks.iceberg_rest.kit.files.manifests import DATA
from lakepact.conformance.evidence.escaping import plain
from lakepact.conformance.evidence.outcome import Unmet
from lakepact.data import iceberg
from lakepact.data.figures import Figures
from lakepact.data.findings import Finding, bounded, counted, held, not_offered, shaped
from lakepact.data.truth import WrittenTable

NOT_THERE = frozenset({404, 405, 406, 501})


def verify(
    known: Any, namespace: str, table: WrittenTable, *, headers: dict[str, str]
) -> Iterator[Finding]:
    """Everything that there is to see of one table, one finding at a time.

    Args:
        known: the catalog, as pyiceberg speaks to it.
        namespace: where the table is.
        table: what it has to be.
        headers: sent with requests of our own.
    """
    name = (namespace, table.name)
    if not known.table_exists(name):
        yield Finding(table.name, table.protocol, "table", "a table", "none")
        return
    found, last = known.load_table(name), len(table.versions) - 1
    yield from _described(found, table)
    yield from held(table, "rows without a snapshot id", _batches(found.scan()), version=last)
    for number, identifier in enumerate(table.snapshots):
        yield from _snapshot(found, table, number, identifier)
    if found.snapshot_by_id(table.snapshots[-1]):
        files = found.inspect.files(snapshot_id=table.snapshots[-1]).to_pylist()
        data = [file for file in files if file["content"] == DATA]
        gone = sum(file["record_count"] for file in files if file["content"] != DATA)
        yield counted(
            table,
            "records of all data files",
            _records_of(table, last),
            sum(file["record_count"] for file in data),
        )
        yield counted(table, "records of all delete files", table.gone(last), gone)
        yield from bounded(table, last, _figures_of(data), what="the manifests")
    there = {snapshot.snapshot_id for snapshot in found.snapshots()}
    yield from _planned(known, namespace, table, headers=headers, there=there)


def _described(found: Any, table: WrittenTable) -> Iterator[Finding]:
    """Yield whether the metadata of the table are those that were written: current snapshot, schema, partitions, format version."""
    current, shape = found.current_snapshot(), table.shape_of(0)
    yield Finding(
        table.name,
        table.protocol,
        "current snapshot",
        str(table.snapshots[-1]),
        str(current.snapshot_id if current else "none"),
    )
    yield from shaped(
        table, "current schema", found.schema().as_arrow(), version=len(table.versions) - 1
    )
    expected = (
        ", ".join(f"{transform} of {column}" for column, transform in shape.partition)
        or "no fields"
    )
    fields = ", ".join(
        f"{field.transform} of {found.schema().find_column_name(field.source_id)}"
        for field in found.spec().fields
    )
    yield Finding(table.name, table.protocol, "partition spec", expected, fields or "no fields")
    yield counted(table, "format-version", shape.format_version, found.format_version)


def _snapshot(found: Any, table: WrittenTable, number: int, identifier: int) -> Iterator[Finding]:
    """Yield whether a snapshot has the rows, the schema and the summary of its version."""
    snapshot = found.snapshot_by_id(identifier)
    if snapshot is None:
        yield Finding(
            table.name,
            table.protocol,
            f"version {number}: snapshot",
            str(identifier),
            "no snapshot",
        )
        return
    scan = found.scan(snapshot_id=identifier)
    yield from shaped(
        table,
        f"version {number}: schema of its snapshot",
        scan.projection().as_arrow(),
        version=number,
    )
    yield from held(
        table, f"version {number}: rows of its snapshot", _batches(scan), version=number
    )
    total = int((snapshot.summary or {}).get("total-records") or 0)
    yield counted(
        table, f"version {number}: total-records of the snapshot", _records_of(table, number), total
    )


def _batches(scan: Any) -> Iterator[Any]:
    try:
        yield from scan.to_arrow_batch_reader()
    except iceberg.refusals() as unread:
        raise Unmet(
            "rows that pyiceberg reads", f"{type(unread).__name__}: {plain(unread)}"
        ) from unread


def _records_of(table: WrittenTable, number: int) -> int:
    """Return how many records the data files of a version have, deleted ones too."""
    return table.versions[number].count + table.gone(number)


def _figures_of(files: list[dict[str, Any]]) -> dict[str, Figures]:
    """Return the figures of all files together; a column that one of them says nothing of has none."""
    told: dict[str, Figures] = {}
    silent: set[str] = set()
    for file in files:
        for name, said in (file["readable_metrics"] or {}).items():
            if not isinstance(said, dict) or said.get("null_value_count") is None:
                silent.add(name)
                continue
            told[name] = told.get(name, Figures()) + Figures(
                said["null_value_count"], said["lower_bound"], said["upper_bound"]
            )
    return {name: figures for name, figures in told.items() if name not in silent}


def _planned(
    known: Any,
    namespace: str,
    table: WrittenTable,
    *,
    headers: dict[str, str],
    there: Container[int],
) -> Iterator[Finding]:
    """Yield how many records the server plans for a scan of each snapshot that is there, and between two of them."""
    prefix = known.properties.get("prefix")
    place = f"namespaces/{quote(namespace, safe='')}/tables/{quote(table.name, safe='')}"
    base = f"{known.uri.rstrip('/')}/v1/{f'{prefix}/' if prefix else ''}{place}"
    with httpx.Client(headers=headers, timeout=60, trust_env=False) as client:
        asked: list[tuple[str, dict[str, Any], int]] = [
            (
                f"version {n}: records of a planned scan",
                {"snapshot-id": snapshot},
                _records_of(table, n),
            )
            for n, snapshot in enumerate(table.snapshots)
        ]
        for n, (before, now) in enumerate(itertools.pairwise(table.snapshots), start=1):
            if came := table.inserted(n).count:
                between = {"start-snapshot-id": before, "end-snapshot-id": now}
                asked.append(
                    (f"version {n}: records of a planned scan of what came", between, came)
                )
        for what, body, rows in asked:
            if any(snapshot not in there for snapshot in body.values()):
                continue
            reply = client.post(f"{base}/plan", json=body)
            if reply.status_code in NOT_THERE:
                yield not_offered(table, what, f"status {reply.status_code}")
                return
            yield counted(table, what, rows, sum(_records(client, base, reply)))


def _records(client: httpx.Client, base: str, reply: httpx.Response) -> Iterator[int]:
    """Yield the records of each file of a plan, of its plan tasks too."""
    plan = reply.raise_for_status().json()
    while plan["status"] == "submitted":
        plan = client.get(f"{base}/plan/{plan['plan-id']}").raise_for_status().json()
    rest = [plan]
    while rest:
        told = rest.pop()
        yield from (
            int(task["data-file"]["record-count"]) for task in told.get("file-scan-tasks") or ()
        )
        rest += [
            client.post(f"{base}/tasks", json={"plan-task": task}).raise_for_status().json()
            for task in told.get("plan-tasks") or ()
        ]
