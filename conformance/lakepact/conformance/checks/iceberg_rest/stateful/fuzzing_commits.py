"""Valid commits with every type of update and requirement, from which fuzzing makes slightly
invalid ones.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any, TypeAlias

from lakepact.conformance.checks.iceberg_rest.kit.commits import requirements as req
from lakepact.conformance.checks.iceberg_rest.kit.lab import (
    SCHEMA,
    set_properties,
    set_ref,
    with_hyphens,
)
from lakepact.conformance.evidence.exchanges import Document
from lakepact.conformance.evidence.outcome import ASSERT_REF
from lakepact.conformance.fuzz.steps import Learned

Key: TypeAlias = (
    "tuple[tuple[Any, ...], str]"  #: a namespace and a name, in which `Learned` may stand
)

SOME_TIME = 1_700_000_000_000
PRIMITIVES = (
    "boolean",
    "int",
    "long",
    "float",
    "double",
    "date",
    "timestamptz",
    "string",
    "uuid",
    "decimal(9,2)",
    "fixed[4]",
    "binary",
)
NESTED: tuple[Callable[[int], Document], ...] = (
    lambda n: {"type": "list", "element-id": n, "element": "long", "element-required": False},
    lambda n: {
        "type": "map",
        "key-id": n,
        "key": "string",
        "value-id": n + 1,
        "value": "double",
        "value-required": True,
    },
    lambda n: {
        "type": "struct",
        "fields": [{"id": n, "name": "inner", "type": "string", "required": False}],
    },
)


@dataclass(frozen=True)
class Known:
    """A table as far as a sequence knows it.

    Args:
        key: the table.
        metadata: that of the last answer, or empty.
        random: decides.
    """

    key: Key
    metadata: Document
    random: Random

    def latest(self, *path: str, default: str | int, then: str | int = "") -> Learned:
        """Return the last known state of the table, for use in a request."""
        return Learned((self.key, *path), default, then)

    def location(self, then: str = "") -> Learned:
        """Return the table's location, with something behind it."""
        return self.latest("metadata", "location", default="file:///missing", then=then)

    def number(self, member: str, default: int = 0) -> int:
        """Return a number of the metadata."""
        value = self.metadata.get(member)
        return value if isinstance(value, int) else default

    def items(self, member: str) -> list[Document]:
        """Return the objects in a list of the metadata."""
        items = self.metadata.get(member)
        return [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []

    def ids(self, member: str, key: str) -> list[int]:
        """Return the ids of the items of a list of the metadata."""
        return [item[key] for item in self.items(member) if isinstance(item.get(key), int)]

    def one_id(self, member: str, key: str) -> int:
        """One of those ids, or 0."""
        return self.random.choice(self.ids(member, key) or [0])

    def refs(self) -> dict[str, Document]:
        """Branches and tags by name."""
        refs = self.metadata.get("refs")
        return (
            {name: ref for name, ref in sorted(refs.items()) if isinstance(ref, dict)}
            if isinstance(refs, dict)
            else {}
        )


# -- updates ---------------------------------------------------------------------------------------


def new_schema(table: Known) -> Document:
    """Return the current schema with a column more."""
    current = [
        s
        for s in table.items("schemas")
        if s.get("schema-id") == table.metadata.get("current-schema-id")
    ]
    columns = current[0].get("fields") if current else None
    fields = columns if isinstance(columns, list) else SCHEMA["fields"]
    number = table.number("last-column-id", 3) + 1
    kind = (
        table.random.choice(NESTED)(number + 1)
        if table.random.random() < 0.3
        else table.random.choice(PRIMITIVES)
    )
    column = {"id": number, "name": f"c{number}", "type": kind, "required": False}
    return {
        "type": "struct",
        "schema-id": max(table.ids("schemas", "schema-id"), default=-1) + 1,
        "fields": [*fields, column],
    }


def new_spec(table: Known) -> Document:
    """Return a partition spec with an id above those of the table, and one random transform."""
    number = max(table.ids("partition-specs", "spec-id"), default=-1) + 1
    transform = table.random.choice(
        ["identity", f"bucket[{number + 2}]", f"truncate[{number + 2}]", "void"]
    )
    return {
        "spec-id": number,
        "fields": [{"name": f"p{number}", "transform": transform, "source-id": 1}],
    }


def new_order(table: Known) -> Document:
    """Return a sort order that no table has yet."""
    number = max(table.ids("sort-orders", "order-id"), default=0) + 1
    direction = table.random.choice(["asc", "desc"])
    nulls = table.random.choice(["nulls-first", "nulls-last"])
    return {
        "order-id": number,
        "fields": [
            {
                "source-id": 1,
                "transform": f"bucket[{number + 1}]",
                "direction": direction,
                "null-order": nulls,
            }
        ],
    }


def new_snapshot(table: Known) -> Document:
    """Return a snapshot that follows the current one."""
    identifier = table.random.getrandbits(62) | 1
    snapshot: Document = {
        "snapshot-id": identifier,
        "timestamp-ms": table.latest("metadata", "last-updated-ms", default=SOME_TIME, then=1),
        "manifest-list": table.location(f"/metadata/snap-{identifier}.avro"),
        "summary": {"operation": table.random.choice(["append", "replace", "overwrite", "delete"])},
        "schema-id": table.number("current-schema-id"),
    }
    if table.number("current-snapshot-id", -1) != -1:
        snapshot["parent-snapshot-id"] = table.number("current-snapshot-id")
    version = table.number("format-version", 2)
    if version > 1:
        snapshot["sequence-number"] = table.number("last-sequence-number") + 1
    if version > 2:
        snapshot |= {"first-row-id": table.number("next-row-id"), "added-rows": 3}
    return snapshot


def update(action: str, **members: Any) -> Document:
    """Return an update of that kind; members are named with underscores for hyphens."""
    return {"action": action, **with_hyphens(members)}


def adding(addition: Document, following: Document, random: Random) -> list[Document]:
    """Draw an addition, mostly with the update that makes it current."""
    return [addition, following] if random.random() < 0.7 else [addition]


def upgrade(table: Known) -> list[Document]:
    """Return the version that the table has, or a later one."""
    return [
        update(
            "upgrade-format-version",
            format_version=table.random.randint(table.number("format-version", 2), 3),
        )
    ]


def append(table: Known) -> list[Document]:
    """Return a snapshot, mostly with the branch that is at it from now on."""
    snapshot = new_snapshot(table)
    return adding(
        update("add-snapshot", snapshot=snapshot),
        set_ref("main", snapshot["snapshot-id"]),
        table.random,
    )


def at_snapshot(table: Known, then: Callable[[int], Document]) -> list[Document]:
    """Return an update about a snapshot of the table, which is added first where there is none."""
    ids = table.ids("snapshots", "snapshot-id")
    if ids:
        return [then(table.random.choice(ids))]
    snapshot = new_snapshot(table)
    return [update("add-snapshot", snapshot=snapshot), then(snapshot["snapshot-id"])]


def a_ref(table: Known) -> list[Document]:
    """Return a branch or a tag, with or without retention."""
    name, kind = table.random.choice([("main", "branch"), ("audit", "branch"), ("v1", "tag")])
    retention = (
        {"max_ref_age_ms": 86_400_000} if table.random.random() < 0.3 and name != "main" else {}
    )
    return at_snapshot(table, lambda snapshot: set_ref(name, snapshot, kind=kind, **retention))


def statistics_file(table: Known, snapshot: int, **members: Any) -> Document:
    """Return a file of statistics about a snapshot."""
    path = table.location(f"/metadata/{snapshot}.stats")
    return {
        "snapshot-id": snapshot,
        "statistics-path": path,
        "file-size-in-bytes": 413,
        **with_hyphens(members),
    }


def statistics(table: Known) -> list[Document]:
    """Return statistics with one blob."""

    def about(snapshot: int) -> Document:
        blob = {
            "type": "apache-datasketches-theta-v1",
            "snapshot-id": snapshot,
            "sequence-number": 1,
            "fields": [1],
        }
        file = statistics_file(table, snapshot, file_footer_size_in_bytes=42, blob_metadata=[blob])
        return update("set-statistics", snapshot_id=snapshot, statistics=file)

    return at_snapshot(table, about)


def remove_a_schema(table: Known) -> list[Document]:
    """Return a commit that removes a schema that is not current; it adds one first if none
    exists.
    """
    spare = [i for i in table.ids("schemas", "schema-id") if i != table.number("current-schema-id")]
    if spare:
        return [update("remove-schemas", schema_ids=[table.random.choice(spare)])]
    schema = new_schema(table)
    return [
        update("add-schema", schema=schema),
        update("remove-schemas", schema_ids=[schema["schema-id"]]),
    ]


def remove_a_spec(table: Known) -> list[Document]:
    """Return a commit that removes a partition spec that is not the default; it adds one first if
    none exists.
    """
    spare = [
        i for i in table.ids("partition-specs", "spec-id") if i != table.number("default-spec-id")
    ]
    if spare:
        return [update("remove-partition-specs", spec_ids=[table.random.choice(spare)])]
    spec = new_spec(table)
    return [
        update("add-spec", spec=spec),
        update("remove-partition-specs", spec_ids=[spec["spec-id"]]),
    ]


def an_encryption_key(table: Known) -> Document:
    """Return a key that is one of a few."""
    return {
        "key-id": f"k{table.random.randint(1, 3)}",
        "encrypted-key-metadata": "c2VjcmV0",
        "properties": {"a": "1"},
    }


#: By kind: updates that a table should accept in its present state.
UPDATES: dict[str, Callable[[Known], list[Document]]] = {
    "assign-uuid": lambda t: [
        update("assign-uuid", uuid=t.latest("metadata", "table-uuid", default=req.NOBODY))
    ],
    "upgrade-format-version": upgrade,
    "add-schema": lambda t: adding(
        update("add-schema", schema=new_schema(t)),
        update("set-current-schema", schema_id=-1),
        t.random,
    ),
    "set-current-schema": lambda t: [
        update("set-current-schema", schema_id=t.one_id("schemas", "schema-id"))
    ],
    "add-spec": lambda t: adding(
        update("add-spec", spec=new_spec(t)), update("set-default-spec", spec_id=-1), t.random
    ),
    "set-default-spec": lambda t: [
        update("set-default-spec", spec_id=t.one_id("partition-specs", "spec-id"))
    ],
    "add-sort-order": lambda t: adding(
        update("add-sort-order", sort_order=new_order(t)),
        update("set-default-sort-order", sort_order_id=-1),
        t.random,
    ),
    "set-default-sort-order": lambda t: [
        update("set-default-sort-order", sort_order_id=t.one_id("sort-orders", "order-id"))
    ],
    "add-snapshot": append,
    "set-snapshot-ref": a_ref,
    "remove-snapshots": lambda t: at_snapshot(
        t, lambda snapshot: update("remove-snapshots", snapshot_ids=[snapshot])
    ),
    "remove-snapshot-ref": lambda t: [
        update("remove-snapshot-ref", ref_name=t.random.choice([*t.refs(), "v1"]))
    ],
    "set-location": lambda t: [
        update("set-location", location=t.location(f"/l{t.random.randint(0, 9)}"))
    ],
    "set-properties": lambda t: [
        update("set-properties", updates={"a": str(t.random.randint(0, 9)), "b": ""})
    ],
    "remove-properties": lambda t: [
        update("remove-properties", removals=[t.random.choice(["a", "b", "never"])])
    ],
    "set-statistics": statistics,
    "remove-statistics": lambda t: at_snapshot(
        t, lambda snapshot: update("remove-statistics", snapshot_id=snapshot)
    ),
    "set-partition-statistics": lambda t: at_snapshot(
        t,
        lambda snapshot: update(
            "set-partition-statistics", partition_statistics=statistics_file(t, snapshot)
        ),
    ),
    "remove-partition-statistics": lambda t: at_snapshot(
        t, lambda snapshot: update("remove-partition-statistics", snapshot_id=snapshot)
    ),
    "remove-partition-specs": remove_a_spec,
    "remove-schemas": remove_a_schema,
    "add-encryption-key": lambda t: [
        update("add-encryption-key", encryption_key=an_encryption_key(t))
    ],
    "remove-encryption-key": lambda t: [
        update("remove-encryption-key", key_id=an_encryption_key(t)["key-id"])
    ],
}

# -- requirements ----------------------------------------------------------------------------------


def a_ref_is_there(table: Known) -> Document:
    """A branch or tag is where it was seen, or is not there."""
    name = table.random.choice([*table.refs(), "v2"])
    return req.assert_ref(name, table.refs().get(name, {}).get("snapshot-id"))


def of_number(kind: str) -> Callable[[Known], Document]:
    """Return the maker of a requirement about a number of the table."""
    member, in_metadata = req.NUMBERS[kind]
    return lambda table: {"type": kind, member: table.number(in_metadata)}


#: By kind: requirements that a table meets in its present state.
REQUIREMENTS: dict[str, Callable[[Known], Document]] = {
    "assert-table-uuid": lambda t: req.assert_uuid(
        t.latest("metadata", "table-uuid", default=req.NOBODY)
    ),
    ASSERT_REF: a_ref_is_there,
    **{kind: of_number(kind) for kind in req.NUMBERS},
}

# -- commits ---------------------------------------------------------------------------------------


def commit(table: Known) -> Document:
    """Return a commit of one or two kinds of updates, with as many requirements or none."""
    kinds = table.random.sample(sorted(UPDATES), table.random.randint(1, 2))
    required = table.random.sample(sorted(REQUIREMENTS), table.random.randint(0, 2))
    return {
        "requirements": [REQUIREMENTS[kind](table) for kind in required],
        "updates": [one for kind in kinds for one in UPDATES[kind](table)],
    }


def creating(table: Known, *, location: Learned) -> Document:
    """Return a commit that makes a table, staged before or not."""
    updates = [
        update("assign-uuid", uuid=table.latest("metadata", "table-uuid", default=req.NOBODY)),
        update("upgrade-format-version", format_version=table.number("format-version", 2)),
        update("add-schema", schema=SCHEMA),
        update("set-current-schema", schema_id=-1),
        update("add-spec", spec={"spec-id": 0, "fields": []}),
        update("set-default-spec", spec_id=-1),
        update("add-sort-order", sort_order={"order-id": 0, "fields": []}),
        update("set-default-sort-order", sort_order_id=-1),
        update("set-location", location=location),
        set_properties(a="1"),
    ]
    return {"requirements": [req.ASSERT_CREATE], "updates": updates}
