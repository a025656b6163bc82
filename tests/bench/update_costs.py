"""Commits of many updates, requirements and identifiers, whose cost must grow no faster than their
size.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

SIZES = (500, 1000, 2000)  #: updates of one commit
MOST = 2.5  #: times the CPU time for twice the updates: n log n, and room for noise
NOW = 1_760_000_000_000
COLUMNS = 20

Update = dict[str, Any]


@dataclass(frozen=True)
class Kind:
    """One kind of commit, by the number of its members.

    Args:
        name: as the table of results shows it.
        commit: the updates and requirements of a commit of `n` members.
        before: updates of the commit that prepares the table, if any.
        path: the path of the commit.
    """

    name: str
    commit: Callable[[int], dict[str, Any]]
    before: Callable[[int], list[Update]] | None = None
    path: str = "/v1/namespaces/costs/tables/t"


def schema(number: int) -> Update:
    fields = [{"id": 1, "name": f"column_{number}", "type": "string", "required": False}]
    fields += [
        {"id": n, "name": f"c{n}", "type": "int", "required": False} for n in range(2, COLUMNS + 1)
    ]
    return {"type": "struct", "schema-id": 0, "fields": fields[: 1 + number % 3]}


def spec(number: int) -> Update:
    return {
        "spec-id": 0,
        "fields": [
            {"source-id": 2, "transform": f"bucket[{number + 1}]", "name": f"part_{number}"}
        ],
    }


def order(number: int) -> Update:
    field = {
        "source-id": 2,
        "transform": f"bucket[{number + 1}]",
        "direction": "asc",
        "null-order": "nulls-first",
    }
    return {"order-id": 1, "fields": [field]}


def snapshot(number: int) -> Update:
    return {
        "snapshot-id": number + 1,
        "sequence-number": number + 1,
        "timestamp-ms": NOW + number,
        "manifest-list": f"memory:/costs/t/snap-{number}.avro",
        "schema-id": 0,
        "summary": {"operation": "append"},
    }


def statistics(number: int) -> Update:
    common = {
        "snapshot-id": number + 1,
        "statistics-path": f"memory:/costs/t/{number}.puffin",
        "file-size-in-bytes": 10,
    }
    return {**common, "file-footer-size-in-bytes": 5, "blob-metadata": []}


def partition_statistics(number: int) -> Update:
    return {
        "snapshot-id": number + 1,
        "statistics-path": f"memory:/costs/t/{number}.parquet",
        "file-size-in-bytes": 10,
    }


def each(make: Callable[[int], Update | list[Update]]) -> Callable[[int], list[Update]]:
    def updates(count: int) -> list[Update]:
        parts = [make(number) for number in range(count)]
        return [update for one in parts for update in (one if isinstance(one, list) else [one])]

    return updates


def of(updates: Callable[[int], list[Update]]) -> Callable[[int], dict[str, Any]]:
    return lambda count: {"requirements": [], "updates": updates(count)}


def add(kind: str, member: str, make: Callable[[int], Update]) -> Callable[[int], list[Update]]:
    return each(lambda number: {"action": kind, member: make(number)})


ADD_SCHEMAS = add("add-schema", "schema", schema)
ADD_SPECS = add("add-spec", "spec", spec)
ADD_ORDERS = add("add-sort-order", "sort-order", order)
ADD_SNAPSHOTS = add("add-snapshot", "snapshot", snapshot)
ADD_STATISTICS = add("set-statistics", "statistics", statistics)
ADD_KEYS = each(
    lambda n: {
        "action": "add-encryption-key",
        "encryption-key": {"key-id": f"k{n}", "encrypted-key-metadata": "AAAA"},
    }
)
ADD_REFS = each(
    lambda n: {
        "action": "set-snapshot-ref",
        "ref-name": f"tag{n}",
        "type": "tag",
        "snapshot-id": n + 1,
    }
)
MOVE_MAIN = each(
    lambda n: {
        "action": "set-snapshot-ref",
        "ref-name": "main",
        "type": "branch",
        "snapshot-id": n + 1,
    }
)


def more(updates: Callable[[int], list[Update]]) -> Callable[[int], list[Update]]:
    """Return the second half of twice as many updates; the table has the first half."""
    return lambda count: updates(2 * count)[-count:]


def both(*makers: Callable[[int], list[Update]]) -> Callable[[int], list[Update]]:
    return lambda count: [update for make in makers for update in make(count)]


def view_version(number: int) -> Update:
    representations = [{"type": "sql", "sql": f"select {number}", "dialect": "spark"}]
    common = {
        "version-id": number + 2,
        "timestamp-ms": NOW,
        "schema-id": 0,
        "summary": {},
        "default-namespace": [],
    }
    return {
        "action": "add-view-version",
        "view-version": {**common, "representations": representations},
    }


def remove(action: str, member: str) -> Callable[[int], list[Update]]:
    """Return one removal for each item but the first."""
    return each(lambda number: {"action": action, member: [number + 1]})


def remove_all(action: str, member: str) -> Callable[[int], list[Update]]:
    """Return one removal of all items but the first."""
    return lambda count: [{"action": action, member: list(range(1, count))}]


def choose(action: str, member: str, first: int = 0) -> Callable[[int], list[Update]]:
    """Return updates that make each item the current one in turn."""
    return each(lambda number: {"action": action, member: number + first})


def schema_in_use(number: int) -> list[Update]:
    return [
        {"action": "add-schema", "schema": schema(number)},
        {"action": "set-current-schema", "schema-id": -1},
    ]


def version_in_use(number: int) -> list[Update]:
    return [view_version(number), {"action": "set-current-view-version", "view-version-id": -1}]


def of_late_schema(number: int) -> Update:
    return {"action": "add-snapshot", "snapshot": {**snapshot(number), "schema-id": number}}


def requirements(requirement: Update) -> Callable[[int], dict[str, Any]]:
    return lambda count: {"requirements": [requirement] * count, "updates": []}


VIEW = "/v1/namespaces/costs/views/v"
HISTORY = both(ADD_SNAPSHOTS, ADD_REFS, MOVE_MAIN, ADD_STATISTICS)
KINDS = [
    Kind("add-schema", of(ADD_SCHEMAS)),
    Kind("add-schema, snapshots there", of(ADD_SCHEMAS), ADD_SNAPSHOTS),
    Kind("add-schema, as many there", of(more(ADD_SCHEMAS)), ADD_SCHEMAS),
    Kind("add-schema and set-current-schema", of(each(schema_in_use))),
    Kind("add-schema of one", of(lambda count: ADD_SCHEMAS(1) * count)),
    Kind("set-current-schema", of(choose("set-current-schema", "schema-id")), ADD_SCHEMAS),
    Kind(
        "remove-schemas, one by one",
        of(remove("remove-schemas", "schema-ids")),
        both(ADD_SCHEMAS, ADD_SNAPSHOTS),
    ),
    Kind(
        "remove-schemas, all at once",
        of(remove_all("remove-schemas", "schema-ids")),
        both(ADD_SCHEMAS, ADD_SNAPSHOTS),
    ),
    Kind("add-spec", of(ADD_SPECS)),
    Kind("add-spec, as many there", of(more(ADD_SPECS)), ADD_SPECS),
    Kind("set-default-spec", of(choose("set-default-spec", "spec-id")), ADD_SPECS),
    Kind(
        "remove-partition-specs, one by one",
        of(remove("remove-partition-specs", "spec-ids")),
        ADD_SPECS,
    ),
    Kind(
        "remove-partition-specs, all at once",
        of(remove_all("remove-partition-specs", "spec-ids")),
        ADD_SPECS,
    ),
    Kind("add-sort-order", of(ADD_ORDERS)),
    Kind("add-sort-order, as many there", of(more(ADD_ORDERS)), ADD_ORDERS),
    Kind(
        "set-default-sort-order",
        of(choose("set-default-sort-order", "sort-order-id", 1)),
        ADD_ORDERS,
    ),
    Kind("add-snapshot", of(ADD_SNAPSHOTS)),
    Kind("add-snapshot of a late schema", of(each(of_late_schema)), ADD_SCHEMAS),
    Kind("remove-snapshots, one by one", of(remove("remove-snapshots", "snapshot-ids")), HISTORY),
    Kind(
        "remove-snapshots, all at once", of(remove_all("remove-snapshots", "snapshot-ids")), HISTORY
    ),
    Kind("set-snapshot-ref", of(ADD_REFS), ADD_SNAPSHOTS),
    Kind("set-snapshot-ref main", of(MOVE_MAIN), ADD_SNAPSHOTS),
    Kind(
        "remove-snapshot-ref",
        of(each(lambda n: {"action": "remove-snapshot-ref", "ref-name": f"tag{n}"})),
        HISTORY,
    ),
    Kind("set-statistics", of(ADD_STATISTICS)),
    Kind("set-statistics, again", of(ADD_STATISTICS), ADD_STATISTICS),
    Kind(
        "set-partition-statistics",
        of(add("set-partition-statistics", "partition-statistics", partition_statistics)),
    ),
    Kind("remove-statistics", of(choose("remove-statistics", "snapshot-id", 1)), ADD_STATISTICS),
    Kind("add-encryption-key", of(ADD_KEYS)),
    Kind(
        "remove-encryption-key",
        of(each(lambda n: {"action": "remove-encryption-key", "key-id": f"k{n}"})),
        ADD_KEYS,
    ),
    Kind(
        "set-properties",
        of(each(lambda n: {"action": "set-properties", "updates": {f"p{n}": "x"}})),
    ),
    Kind(
        "remove-properties",
        of(
            lambda count: [
                {"action": "remove-properties", "removals": [f"p{n}" for n in range(count)]}
            ]
        ),
    ),
    Kind(
        "requirements", requirements({"type": "assert-current-schema-id", "current-schema-id": 0})
    ),
    Kind("view: add-schema", of(ADD_SCHEMAS), path=VIEW),
    Kind("view: add-view-version", of(each(view_version)), path=VIEW),
    Kind("view: set-current-view-version", of(each(version_in_use)), path=VIEW),
    Kind("view: requirements", requirements({"type": "assert-view-uuid", "uuid": "X"}), path=VIEW),
]
